"""A second oracle: what a law costs, computed by code that shares nothing with dpselect's methods and laws.

- `samplers`: the two final laws from exponents, by other routes than the library's.
- `noise`: Laplace and truncated noise, density and distribution function.
- `peeling`: top-k by its definition, for finitely many scales and for a continuous one.
- `reading`: what `ds.law` says about one dataset of a world, as plain numbers, cross-checked on the way.
- `hockey`: δ(ε) = Σ (P_x − e^ε P_{x'})_+ of finite laws, of one continuous scale, and of hierarchies of scales.
- `worlds`: random and named dataset graphs.
"""
