"""What fails: the obvious shortcuts as exact laws on small worlds, each beside a calibration that holds.

Demonstrations only: none of the broken mechanisms here can be used through `select`.

- The source's three (theory section 3; source section 4): a naive local scale, a naive smooth scale, a smooth bound
  used as a ladder with constant widths.
- Four seen in the wild: candidates that depend on the data; a difference of two private terms charged for one; local
  sensitivity over edges only; NaN or an infinite ε that turns the noise off.

Everything is computed by `verify` from exact exponents, so every number is an exact one, rounded.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, final

import numpy as np

from dpselect.errors import InvalidParameter
from dpselect.exact.exponents import Exponents
from dpselect.exact.numbers import positive
from dpselect.exact.reals import Real
from dpselect.exact.scores import Scores
from dpselect.laws import GIBBS
from dpselect.methods.ladder import Ladder
from dpselect.methods.law import FiniteLaw
from dpselect.methods.private_bound import PrivateBound
from dpselect.methods.private_smooth import PrivateSmooth
from dpselect.problems.explicit import World
from dpselect.problems.graph.graph import Graph
from dpselect.problems.graph.top_vertex import TopVertex
from dpselect.profile import Profile
from dpselect.question import LevelConstants
from dpselect.selection import select
from dpselect.verification import Verification, verify
from dpselect.worlds import ProblemWorld, constant_width_world, local_scale_world, multiplicity_world

DELTA: Final = Fraction(1, 10**6)


@final
@dataclass(frozen=True)
class Failure:
    """One shortcut: what it claims, what it does, and what holds instead.

    Arguments:
        name, lesson: in words.
        source: the section it is from.
        heading, rows: exact numbers, as text.
        naive: the verification of the shortcut at its last row: `holds` is False.
        ours: the verification of a calibration of the library on the same world, or None where it refuses.
        refusal: what the library says where it refuses.
    """

    name: str
    lesson: str
    source: str
    heading: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    naive: Verification
    ours: Verification | None
    refusal: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "name": self.name,
            "lesson": self.lesson,
            "source": self.source,
            "heading": list(self.heading),
            "rows": [list(row) for row in self.rows],
            "naive": self.naive.to_dict(),
            "ours": None if self.ours is None else self.ours.to_dict(),
            "refusal": self.refusal,
        }


def failures() -> tuple[Failure, ...]:
    """All demonstrations, in the order of this page. Cost: a few seconds."""
    return tuple(demonstration() for demonstration in DEMONSTRATIONS)


# -------------------------------------------------------------------- laws to be broken


def gibbs(names: Sequence[Any], exponents: Sequence[Fraction | Real]) -> FiniteLaw:
    """P(r) ∝ e^{−z_r}, kept exactly; z may be shifted by a constant."""
    floats = np.array([float(z) for z in exponents])
    shifted = floats - floats.min()
    weights = np.exp(-shifted)
    return FiniteLaw(names, weights / weights.sum(), Exponents(shifted, list(exponents).__getitem__), GIBBS)


def at_local_scale(world: World, epsilon: Any = 1) -> Callable[[Any], FiniteLaw]:
    """The naive local scale: P_x(r) ∝ exp(ε q(x, r) / (2 LS(x))), from a dataset to its law. Not private."""
    rate = positive(epsilon, "epsilon")

    def law(x: Any) -> FiniteLaw:
        scale = world.levels(x)[0]
        return gibbs(world.candidates, [rate * g / (2 * scale) for g in _gaps(world, x)])

    return law


def at_smooth_scale(world: World, smoothness: Any, epsilon: Any = 1) -> Callable[[Any], FiniteLaw]:
    """The naive smooth scale: P_x(r) ∝ exp(ε q(x, r) / (2 S_β(x))). Not private for any ε."""
    beta, rate = positive(smoothness, "smoothness"), positive(epsilon, "epsilon")

    def law(x: Any) -> FiniteLaw:
        return _over_smooth_bound(world, x, beta, rate / 2)

    return law


def constant_width_ladder(world: World, smoothness: Any, epsilon: Any = 1) -> Callable[[Any], FiniteLaw]:
    """h = −g/(2 S_β(x)): a ladder whose widths do not grow; P ∝ exp(ε h/2). Not private for any ε."""
    beta, rate = positive(smoothness, "smoothness"), positive(epsilon, "epsilon")

    def law(x: Any) -> FiniteLaw:
        return _over_smooth_bound(world, x, beta, rate / 4)

    return law


def _over_smooth_bound(world: World, x: Any, smoothness: Fraction, rate: Fraction) -> FiniteLaw:
    """P_x(r) ∝ exp(−rate · g / S_β(x)); equal gaps share one exponent."""
    bound = world.profile(x).smooth_bound(smoothness)
    gaps = _gaps(world, x)
    exponents = {g: Real.of(g) * rate / bound for g in set(gaps)}
    return gibbs(world.candidates, [exponents[g] for g in gaps])


def _gaps(world: World, x: Any) -> list[Fraction]:
    row = world.table[world.position(x)]
    return [int(row.max() - v) * world.score_unit for v in row]


# -------------------------------------------------------------------- the source's three


def naive_local_scale(gaps: Sequence[Any] = (2, 10, 50, 250), epsilon: Any = 1) -> Failure:
    """On y – x – x' – z the answer b has probability → 0 at x and → 1/2 at x': δ must approach 1/2."""
    rows = []
    for gap in gaps:
        world = local_scale_world(gap)
        broken = at_local_scale(world, epsilon)
        naive = verify(world, epsilon=epsilon, delta=DELTA, method=broken)
        rows.append((str(gap), _short(broken("x")["b"]), _short(broken("x'")["b"]), _short(naive.delta_exact)))
    ours = verify(world, epsilon=epsilon, delta=DELTA, method=PrivateBound())
    return Failure(
        "naive local scale",
        "Selecting at the local sensitivity itself reveals it: the scale must be released privately.",
        "theory 3, source section 4",
        ("gap G", "Pr_x[b]", "Pr_x'[b]", f"exact δ at ε = {epsilon}"),
        tuple(rows),
        naive,
        ours,
    )


def naive_smooth_scale(gaps: Sequence[Any] = (1, 10, 100, 1000), smoothness: Any = "1/10") -> Failure:
    """With two candidates no pure ε holds: the log-ratio at the second one grows with its gap."""
    rows = []
    for gap in gaps:
        world = multiplicity_world(2, gap, 1)
        naive = verify(world, epsilon=1, method=at_smooth_scale(world, smoothness))
        rows.append((str(gap), _short(naive.pure_epsilon), _short(naive.delta_exact)))
    ours = verify(world, epsilon=1, delta=DELTA, method=PrivateSmooth(smoothness=smoothness))
    return Failure(
        "naive smooth scale, two candidates",
        "A smooth bound moves by e^β on an edge; the temperature moves with it, and the loss is that times the gap.",
        "theory 3, source section 4",
        ("gap", "least pure ε", "exact δ at ε = 1"),
        tuple(rows),
        naive,
        ours,
    )


def multiplicity(sizes: Sequence[int] = (10, 100, 1000, 10_000), smoothness: Any = 1) -> Failure:
    """Many candidates at one gap: at fixed β and λ no (ε, δ < 1) holds for all m (source Theorem 4.3)."""
    rows = []
    for m in sizes:
        world = multiplicity_world(m, multiplicity_gap(m, smoothness), 1)
        broken = at_smooth_scale(world, smoothness)
        naive = verify(world, epsilon=1, delta=DELTA, method=broken)
        rows.append((f"{m:,}", _short(broken("x")["r0"]), _short(broken("x'")["r0"]), _short(naive.delta_exact)))
    small = multiplicity_world(10, multiplicity_gap(10, smoothness), 1)
    ours = verify(small, epsilon=1, delta=DELTA, method="direct-smooth")
    return Failure(
        "naive smooth scale, many candidates",
        "Whatever β and λ are, enough candidates at the right gap make the two laws disjoint: β must fall with log m.",
        "theory 3, source Theorem 4.3",
        ("candidates m", "Pr_x[top]", "Pr_x'[top]", "exact δ at ε = 1"),
        tuple(rows),
        naive,
        ours,
    )


def multiplicity_gap(m: int, smoothness: Any) -> Fraction:
    """A gap g with λ g e^β / M = (1 + θ) log(m − 1), θ = (e^β − 1)/2, for λ = 1/2 and M = 1, to 12 decimals."""
    beta = float(positive(smoothness, "smoothness"))
    theta = math.expm1(beta) / 2
    return Fraction(round(2 * math.exp(-beta) * (1 + theta) * math.log(m - 1), 12))


def constant_widths(gaps: Sequence[Any] = (1, 10, 100, 1000), smoothness: Any = "1/10") -> Failure:
    """A smooth bound as a ladder with constant widths breaks (P2) for β > 0: widths must grow by e^β a step."""
    rows = []
    for gap in gaps:
        world = constant_width_world(1, 2, gap)
        naive = verify(world, epsilon=1, method=constant_width_ladder(world, smoothness))
        ladder = verify(world, epsilon=1, method=Ladder(sampler="gibbs"))
        rows.append((str(gap), _short(naive.pure_epsilon), _short(ladder.pure_epsilon)))
    return Failure(
        "constant-width ladder",
        "Counting steps of width S_β(x) is not stable: between neighbours a far candidate's count moves by many.",
        "theory 3, source before section 7.1",
        ("gap", "least pure ε", "with growing widths"),
        tuple(rows),
        naive,
        ladder,
    )


# -------------------------------------------------------------------- four seen in the wild


def data_dependent_candidates() -> Failure:
    """The mode among the values that occur: a value that appears once cannot be named before it appears."""
    names = ["flu", "cold", "rare"]
    world = World(["without the patient", "with the patient"], [(0, 1)], names, [[3, 2, 0], [3, 2, 1]], monotone=True)

    def among_values_seen(x: Any) -> FiniteLaw:
        row = world.table[world.position(x)]
        seen = [i for i, count in enumerate(row) if count > 0]
        best = int(row.max())
        return gibbs([names[i] for i in seen], [Fraction(best - int(row[i])) for i in seen])

    naive = verify(world, epsilon=1, delta=DELTA, method=among_values_seen)
    ours = verify(world, epsilon=1, method="global-scale", sampler="gibbs")
    return Failure(
        "candidates from the data",
        "A candidate that exists only because of one record gives that record away; declare the candidates.",
        "seen in public code",
        ("mechanism", "Pr['rare'] without", "Pr['rare'] with", "exact δ at ε = 1"),
        (
            (
                "values that occur",
                "0",
                _short(among_values_seen("with the patient")["rare"]),
                _short(naive.delta_exact),
            ),
            ("declared values", *_both(world, "rare"), _short(ours.delta_exact)),
        ),
        naive,
        ours,
    )


def _both(world: World, candidate: str) -> tuple[str, str]:
    laws = [gibbs(world.candidates, _gaps(world, x)) for x in world.datasets]
    return _short(laws[0][candidate]), _short(laws[1][candidate])


def difference_charged_for_one() -> Failure:
    """q = wins − losses: one replaced record moves it by 2, and was charged for 1."""
    # Nine games between a and b; a lost all, or all but one. (wins − losses of a, of b.)
    world = World(["a lost it", "a won it"], [(0, 1)], ["a", "b"], [[-9, 9], [-7, 7]])

    def charged_for_one(x: Any) -> FiniteLaw:
        return gibbs(world.candidates, [g / 2 for g in _gaps(world, x)])

    naive = verify(world, epsilon=1, delta=DELTA, method=charged_for_one)
    ours = verify(world, epsilon=1, method="global-scale", sampler="gibbs")
    return Failure(
        "a difference charged for one term",
        "Both terms of a difference move when one record is replaced: its sensitivity is the sum of theirs.",
        "seen in public code",
        ("mechanism", "claimed ε", "least pure ε"),
        (
            ("sensitivity 1, of one term", "1", _short(naive.pure_epsilon)),
            ("sensitivity 2, of the difference", "1", _short(ours.pure_epsilon)),
        ),
        naive,
        ours,
    )


@final
@dataclass(frozen=True)
class EdgesOnly:
    """Top vertex by triangles with the local sensitivity taken over the edges that are there. Broken on purpose."""

    name = "triangles, edges only"
    monotone = True

    def candidates(self, graph: Graph) -> Sequence[Any]:
        """The vertices."""
        return graph.vertices

    def scores(self, graph: Graph) -> Scores:
        """Triangles through every vertex."""
        return TopVertex("triangle").scores(graph)

    def global_sensitivity(self, graph: Graph) -> int:
        """n − 2."""
        return graph.n - 2

    def _largest(self, graph: Graph) -> int:
        neighbours: list[set[int]] = [set() for _ in range(graph.n)]
        pairs = list(zip(graph.tails.tolist(), graph.heads.tolist(), strict=True))
        for u, v in pairs:
            neighbours[u].add(v)
            neighbours[v].add(u)
        return max((len(neighbours[u] & neighbours[v]) for u, v in pairs), default=0)

    def profile(self, graph: Graph) -> Profile:
        """Not admissible."""
        return Profile.lipschitz(self._largest(graph), 1, cap=graph.n - 2)

    def levels(self, graph: Graph) -> tuple[Fraction, ...]:
        """Not above the local sensitivity."""
        return (Fraction(self._largest(graph)),)

    def level_constants(self, graph: Graph) -> LevelConstants:
        """As if the level were 1-Lipschitz."""
        return LevelConstants(1, Fraction(1), (Fraction(graph.n - 2),))


def co_stars(common: int) -> ProblemWorld:
    """Two vertices with `common` common neighbours and no edge between them; and with that edge."""
    pairs = [(side, 2 + i) for i in range(common) for side in (0, 1)]
    data = [Graph.from_edges(edges, vertices=range(common + 2)) for edges in (pairs, [*pairs, (0, 1)])]
    return ProblemWorld(EdgesOnly(), ["without the edge", "with the edge"], data, [(0, 1)])


def edges_only(sizes: Sequence[int] = (50, 100, 200)) -> Failure:
    """The new edge closes as many triangles as its ends have common neighbours, but was no edge before."""
    rows = []
    method = PrivateBound(sampler="gibbs", noise="laplace")
    for common in sizes:
        world = co_stars(common)
        naive = verify(world, epsilon=1, delta=DELTA, method=method)
        proper = ProblemWorld(TopVertex("triangle"), world.datasets, world.data, world.edges)
        ours = verify(proper, epsilon=1, delta=DELTA, method=method)
        rows.append((str(common), "0", str(common), _short(naive.delta_exact), _short(ours.delta_exact)))
    return Failure(
        "local sensitivity over edges only",
        "The edge that changes the most may be one that is not there: all pairs count.",
        "seen in public code",
        ("common neighbours", "edges only", "all pairs", "exact δ, edges only", "exact δ, all pairs"),
        tuple(rows),
        naive,
        ours,
    )


def noise_turned_off() -> Failure:
    """ε = ∞ gives scale 0, ε = NaN gives weights that compare with nothing: both name the maximiser, always."""
    world = World(["x", "y"], [(0, 1)], ["a", "b"], [[1, 0], [0, 1]])

    def unchecked(epsilon: float) -> Callable[[Any], dict[str, int]]:
        def law(x: Any) -> dict[str, int]:
            row = world.table[world.position(x)].astype(float)
            with np.errstate(invalid="ignore"):
                # A common idiom: noise of scale 1/ε, and argmax of what comes out.
                noisy = row + 0.0 / epsilon if math.isinf(epsilon) else np.where(np.isnan(row * epsilon), row, 0.0)
            best = int(np.argmax(noisy))
            return {name: int(i == best) for i, name in enumerate(world.candidates)}

        return law

    naive = verify(world, epsilon=1, delta=DELTA, method=unchecked(math.inf))
    also = verify(world, epsilon=1, delta=DELTA, method=unchecked(math.nan))
    refused = []
    for epsilon in (math.inf, math.nan):
        try:
            select([1, 0], epsilon=epsilon, sensitivity=1)
        except InvalidParameter as error:
            refused.append(str(error))
    return Failure(
        "NaN or an infinite ε",
        "A budget that is no positive number must be refused by name, before any data is read.",
        "seen in public code",
        ("ε", "unchecked: exact δ at ε = 1", "dpselect"),
        (
            ("inf", _short(naive.delta_exact), refused[0]),
            ("nan", _short(also.delta_exact), refused[1]),
        ),
        naive,
        None,
        refused[0],
    )


DEMONSTRATIONS: Final[tuple[Callable[[], Failure], ...]] = (
    naive_local_scale,
    naive_smooth_scale,
    multiplicity,
    constant_widths,
    data_dependent_candidates,
    difference_charged_for_one,
    edges_only,
    noise_turned_off,
)


def _short(value: Fraction | float | None) -> str:
    """Four significant digits."""
    number = math.nan if value is None else float(value)
    return "∞" if math.isinf(number) else f"{number:.4g}"
