"""Every method and variant, with public options that mean the same in every score unit; small worlds for them."""

from fractions import Fraction

from hypothesis import strategies as st

import dpselect as ds

SAMPLERS = ("gibbs", "permute-and-flip")
SEARCHES = ("binary-laplace", "binary-truncated", "index-gibbs", "index-permute-and-flip")


def methods(sampler, scale=Fraction(1)):
    """The family; `scale` is the score unit that public scales are written in."""
    return [
        ds.GlobalScale(sampler=sampler),
        ds.GeneralizedExponential(sampler=sampler),
        ds.GeneralizedExponential(sampler=sampler, tau=0),
        ds.PrivateBound(sampler=sampler),
        ds.PrivateBound(sampler=sampler, noise="laplace", split="1/3"),
        ds.PrivateBound(sampler=sampler, accounting="source"),
        ds.FixedScaleTest(scale * 3 / 2, sampler=sampler),
        ds.FixedScaleTest(scale * 3 / 2, sampler=sampler, noise="laplace", otherwise="global-scale"),
        ds.CertificateSearch(sampler=sampler),
        *(ds.CertificateSearch(sampler=sampler, search=search, split="3/4") for search in SEARCHES),
        ds.Ladder(sampler=sampler),
        ds.Ladder(sampler=sampler, steps="whole"),
        ds.Ladder(sampler=sampler, accounting="source"),
        ds.LogTransform(sampler=sampler),
        ds.LogTransform(sampler=sampler, c=2, smoothness="1/3"),
        ds.LogTransform(sampler=sampler, accounting="source"),
        ds.InverseSensitivity(sampler=sampler),
        ds.DirectSmooth(sampler=sampler),
        ds.DirectSmooth(sampler=sampler, accounting="source"),
        ds.PrivateSmooth(sampler=sampler),
        ds.PrivateSmooth(sampler=sampler, noise="laplace", split="1/2", smoothness="1/10"),
    ]


@st.composite
def world_parts(draw, most_candidates=4):
    """Datasets, edges, candidates and integer scores of a small connected world."""
    n = draw(st.integers(2, 4))
    m = draw(st.integers(1, most_candidates))
    tree = [(draw(st.integers(0, i - 1)), i) for i in range(1, n)]
    scores = [[draw(st.integers(-3, 6)) for _ in range(m)] for _ in range(n)]
    return [f"x{i}" for i in range(n)], tree, [f"r{r}" for r in range(m)], scores


def world(parts, change=lambda q: q, depth=1):
    """The world of these parts, every score changed."""
    datasets, edges, candidates, scores = parts
    return ds.World(datasets, edges, candidates, [[change(Fraction(q)) for q in row] for row in scores], depth=depth)


def law(problem, x, method, epsilon="1", delta="1/1000"):
    """Probabilities of the candidates and of "not released"."""
    found = ds.law(problem, x, epsilon=epsilon, delta=delta, method=method)
    return found.candidates.probabilities, found.no_release
