"""The source's Tables 1 and 3 with numbers: what every method promises, what it does, and how it scales.

Table 1: guarantee and regret bound of every method, in symbols and on the public co-star graph (5,644 vertices,
triangles), each bound checked against the exact law: Pr[gap > bound] ≤ what is stated.

Table 3: the top vertex by triangles, larger cliques or stars in G(n, p): the bound at the worst case over all graphs,
ours, the exact expected regret of both, and how their ratio falls with n.
Its k-subgraph rows: K(binom(n, k), ρ) in place of K(n, ρ), and a worst case that does not depend on n.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any, Final, final

from dpselect.errors import InvalidParameter, UnsupportedProblem
from dpselect.exact.numbers import whole
from dpselect.laws import sampler_named
from dpselect.methods.certificate_search import CertificateSearch
from dpselect.methods.common_factor import CommonFactor
from dpselect.methods.direct_smooth import DirectSmooth
from dpselect.methods.fixed_scale_test import FixedScaleTest
from dpselect.methods.generalized import GeneralizedExponential
from dpselect.methods.global_scale import GlobalScale
from dpselect.methods.inverse_sensitivity import InverseSensitivity
from dpselect.methods.ladder import Ladder
from dpselect.methods.law import Law
from dpselect.methods.log_transform import LogTransform
from dpselect.methods.method import Method
from dpselect.methods.private_bound import PrivateBound
from dpselect.methods.private_smooth import PrivateSmooth
from dpselect.problems.graph.costars import costars
from dpselect.problems.graph.gnp import GnpGraph
from dpselect.problems.graph.graph import Graph
from dpselect.problems.graph.motifs.choice import motif_named
from dpselect.problems.graph.motifs.clique import Clique
from dpselect.problems.graph.motifs.star import Star
from dpselect.problems.graph.motifs.triangle import Triangle
from dpselect.problems.graph.top_subgraph import TopSubgraph
from dpselect.problems.graph.top_vertex import TopVertex
from dpselect.profile import Profile
from dpselect.regret import expected_regret
from dpselect.selection import diagnose, law

EPSILON: Final = Fraction(1)
DELTA: Final = Fraction(1, 10**6)
RHO: Final = Fraction(1, 20)
"""The tail of the final law in a regret bound."""

XI: Final = Fraction(1, 20)
"""The tail of the scale in a regret bound."""

TRIANGLES: Final = "triangles, co-star graph"
SIZES: Final = (500, 1000, 2000, 5000, 10_000, 20_000)
DEGREE: Final = 200
SUBGRAPH_SIZES: Final = (200, 500, 1000, 2000, 5000)
SUBGRAPH_DEGREE: Final = 20


@final
@dataclass(frozen=True)
class MethodRow:
    """One row of Table 1.

    Arguments:
        guarantee, regret: in symbols; K = K(m, ρ) is the tail of the sampler (theory 1).
        instance: what the numbers are about.
        epsilon, delta: the guarantee there.
        bound: g with Pr[gap > g] ≤ stated; None where nothing is bounded (a test that mostly fails).
        stated: the failure probability that is promised.
        measured: Pr[gap > bound], from the exact law.
        expected: the expected regret, from the exact law.
        publishable: whether a bound of this form can be computed from what is released.
    """

    method: str
    guarantee: str
    regret: str
    theorem: str
    instance: str
    epsilon: str
    delta: str
    bound: float | None
    stated: float
    measured: float | None
    expected: float
    publishable: bool

    @property
    def holds(self) -> bool:
        """Whether the measured failure probability is at most the stated one."""
        return self.measured is None or self.measured <= self.stated

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {**asdict(self), "holds": self.holds}


_SYMBOLS: Final[dict[str, tuple[str, str]]] = {
    "global-scale": ("(ε, 0)", "(κ GS/ε) K"),
    "generalized-exponential": ("(ε, 0)", "max{g : −s ≤ (2/ε) K}"),
    "private-bound": ("(Σ ε_j + ε_s, Σ η_j)", "(κ b↑(ξ)/ε_s) K, b↑ = H_0 + (C/ε_t)(log 1/2ξ + log 1/2η)"),
    "fixed-scale-test": ("(ε_t + ε_s, η)", "(κ b/ε_s) K if φ_b ≥ τ + u(ξ)"),
    "certificate-search": ("(ε_t + ε_s, η)", "(κ b_i/ε_s) K, i first with φ_i ≥ τ + u(ξ)"),
    "ladder": ("(ε, 0)", "C_x((2/ε) K)"),
    "log-transform": ("(ε, 0)", "c S_β (e^{Λ (2/ε) K} − 1)"),
    "inverse-sensitivity": ("(ε, 0)", "max{g : φ ≤ (2/ε) K}"),
    "direct-smooth": ("(ε_a + ε_b, δ)", "(S_β/λ) K"),
    "private-smooth": ("(ε_t + ε_s, η)", "(κ S_β (1/4ξη)^{β/ε_t}/ε_s) K"),
    "common-factor": ("(ε, 0)", "(σ/(ε c(x))) K"),
}


@final
@dataclass(frozen=True)
class Weighted:
    """Counts of eight wards, of which ward i is weighted by 1 + i: sensitivities differ, and c(x) = 1 is common."""

    name = "weighted counts"
    unit = "1 record added or removed"
    candidates = tuple(f"ward {i}" for i in range(8))
    sensitivities = tuple(range(1, 9))
    global_sensitivity = 8
    common_factor_span = 8

    def scores(self, counts: Sequence[int]) -> list[int]:
        """(1 + i) · count_i."""
        return [(1 + i) * c for i, c in enumerate(counts)]

    def common_factor(self, counts: Sequence[int]) -> list[int]:
        """The scores themselves."""
        return self.scores(counts)

    def profile(self, counts: Sequence[int]) -> Profile:
        """One record moves one score by at most 8."""
        return Profile.constant(8)


COUNTS: Final = (300, 210, 95, 120, 100, 80, 9, 60)
"""A public example of eight counts."""


def methods() -> tuple[Method, ...]:
    """Every method of the library, with public defaults."""
    return (
        GlobalScale(),
        GeneralizedExponential(),
        PrivateBound(),
        FixedScaleTest(1024),
        CertificateSearch(),
        Ladder(),
        LogTransform(),
        InverseSensitivity(),
        DirectSmooth(),
        PrivateSmooth(),
        CommonFactor(),
    )


def table_1(advance: Callable[[str], None] = lambda _: None) -> tuple[MethodRow, ...]:
    """Guarantee and regret bound of every method, checked against exact laws. Cost: a few seconds.

    >>> all(row.holds for row in table_1())
    True
    """
    graph, problem = costars(), TopVertex("triangle")
    rows = []
    for method in methods():
        advance(method.name)
        small = method.name in ("generalized-exponential", "common-factor")
        posed: tuple[Any, Any] = (Weighted(), COUNTS) if small else (problem, graph)
        found = law(*posed, epsilon=EPSILON, delta=DELTA, method=method)
        rows.append(method_row(method, found, "weighted counts" if small else TRIANGLES))
    return tuple(rows)


def method_row(method: Method, found: Law, instance: str) -> MethodRow:
    """One row, from the exact law of the method at a dataset."""
    calibration, evaluation = found.calibration, found.evaluation
    scaled = method.name in ("private-bound", "fixed-scale-test", "certificate-search", "private-smooth")
    xi = XI if scaled else Fraction(0)
    bound = calibration.regret(evaluation, RHO, XI)
    guarantee, regret = _SYMBOLS[method.name]
    return MethodRow(
        method=method.name,
        guarantee=guarantee,
        regret=regret,
        theorem=calibration.theorem,
        instance=instance,
        epsilon=str(calibration.guarantee.epsilon),
        delta=str(calibration.guarantee.delta),
        bound=None if bound is None else float(bound),
        stated=float(RHO + xi),
        measured=None if bound is None else failure_probability(found, bound),
        expected=expected_regret(found),
        publishable=calibration.selection.temperature((Fraction(1),)) is not None,
    )


def failure_probability(found: Law, bound: Fraction) -> float:
    """Pr[gap > bound], or nothing released, from the exact law."""
    gaps = found.evaluation.scores.gaps()
    if gaps.integers is None or gaps.unit is None:
        raise UnsupportedProblem("the failure probability needs rational scores")
    beyond = gaps.integers > bound / gaps.unit // 1
    return float(found.probabilities[beyond].sum()) + found.no_release


# -------------------------------------------------------------------- Table 3


@final
@dataclass(frozen=True)
class RandomGraphRow:
    """One row of Table 3: the top vertex by copies of a motif in one G(n, p), κ = 1.

    Arguments:
        local, global_: LS(G) and GS, n − 2 for triangles.
        global_bound, our_bound: regret with probability ≥ 1 − ρ, at GS, and at b↑(ξ) with 1 − ρ − ξ.
        global_regret, our_regret, pure_regret: exact expected regret at GS, of the private bound, and of the certified
            flip distances (pure ε). No vertex of G(n, p) stands out, so an expected regret is at most about `most`.
        bound_ratio, regret_ratio: ours over global.
        predicted: the order of the ratio (theory 8): ((np² + log n)/n)^(ℓ−2) for ℓ-cliques, ((np + log n)/n)^(k−1) for
            k-stars; None for other motifs.
    """

    motif: str
    n: int
    degree: float
    edges: int
    local: int
    global_: int
    most: int
    global_bound: float
    our_bound: float
    global_regret: float
    our_regret: float
    pure_regret: float
    bound_ratio: float
    regret_ratio: float
    predicted: float | None

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {key.rstrip("_"): value for key, value in asdict(self).items()}


def random_graph(n: int, degree: float, seed: int) -> Graph:
    """G(n, p) with p = degree/(n − 1): public and reproducible. Cost: O(n · degree).

    >>> random_graph(100, 10, 0)
    Graph(vertices=100)
    """
    if not 0 <= degree <= whole(n, "n", least=2) - 1:
        raise InvalidParameter(f"degree must be between 0 and n − 1 = {n - 1}, got {degree}")
    return GnpGraph(n, degree / (n - 1), seed).graph(n)


def table_3(
    sizes: Iterable[int] = SIZES,
    degree: float = DEGREE,
    seed: int = 0,
    advance: Callable[[str], None] = lambda _: None,
    motifs: Iterable[str] = ("triangle",),
) -> tuple[RandomGraphRow, ...]:
    """G(n, p) at a fixed average degree. Cost: about 15 seconds for n up to 20,000, for each motif.

    >>> small, large = table_3((200, 400), degree=20)
    >>> large.bound_ratio < small.bound_ratio
    True
    """
    rows = []
    graphs = {n: random_graph(n, degree, seed) for n in sizes}
    for motif in motifs:
        for n, graph in graphs.items():
            advance(f"{motif}, n = {n:,}")
            rows.append(random_graph_row(graph, degree, motif))
    return tuple(rows)


def random_graph_row(graph: Graph, degree: float, motif: str = "triangle") -> RandomGraphRow:
    """One row, for a graph at hand."""
    problem = TopVertex(motif)
    ours = law(problem, graph, epsilon=EPSILON, delta=DELTA, method=PrivateBound())
    worst = law(problem, graph, epsilon=EPSILON, delta=DELTA, method=GlobalScale())
    pure = law(problem, graph, epsilon=EPSILON, method=InverseSensitivity())
    local = int(diagnose(problem, graph).local_sensitivity)
    worst_case = problem.global_sensitivity(graph)
    global_bound = worst_case / EPSILON * sampler_named("permute-and-flip").tail(graph.n, RHO).upper()
    our_bound = ours.calibration.regret(ours.evaluation, RHO, XI)
    assert our_bound is not None  # a private bound is always released
    global_regret, our_regret = expected_regret(worst), expected_regret(ours)
    return RandomGraphRow(
        motif=motif,
        n=graph.n,
        degree=float(degree),
        edges=len(graph.tails),
        local=local,
        global_=int(worst_case),
        most=int(problem.scores(graph).values.max()),
        global_bound=float(global_bound),
        our_bound=float(our_bound),
        global_regret=global_regret,
        our_regret=our_regret,
        pure_regret=expected_regret(pure),
        bound_ratio=float(our_bound / global_bound),
        regret_ratio=our_regret / global_regret if global_regret else 0.0,
        predicted=predicted_ratio(motif, graph.n, degree),
    )


def predicted_ratio(motif: str, n: int, degree: float) -> float | None:
    """The order of local over global sensitivity in G(n, p): a power of the largest co-degree or degree over n."""
    p, known = degree / (n - 1), motif_named(motif)
    if isinstance(known, Triangle | Clique):
        size = 3 if isinstance(known, Triangle) else known.size
        return ((n * p * p + math.log(n)) / n) ** (size - 2)
    if isinstance(known, Star):
        return ((n * p + math.log(n)) / n) ** (known.leaves - 1)
    return None


@final
@dataclass(frozen=True)
class SubgraphRow:
    """A k-subgraph row of Table 3: the k vertices with the most triangles in one G(n, p), κ = 1.

    Arguments:
        m: binom(n, k) candidates.
        local, global_: LS(G) = min(k − 2, D) and GS = k − 2, whatever n is.
        global_bound, our_bound: regret with probability ≥ 1 − ρ at GS, K_{n,k} GS/ε, and at b↑(ξ) with 1 − ρ − ξ.
        global_regret, our_regret, pure_regret: exact expected regret at GS, of the private bound, and of the certified
            flip distances (pure ε).
        most: the largest score there is; binom(k, 3) at most.
    """

    k: int
    n: int
    degree: float
    m: int
    local: int
    global_: int
    most: int
    global_bound: float
    our_bound: float
    global_regret: float
    our_regret: float
    pure_regret: float

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {key.rstrip("_"): value for key, value in asdict(self).items()}


def table_3_subgraphs(
    sizes: Iterable[int] = SUBGRAPH_SIZES,
    subsets: Iterable[int] = (3, 4),
    degree: float = SUBGRAPH_DEGREE,
    epsilon: Fraction = EPSILON,
    seed: int = 0,
    advance: Callable[[str], None] = lambda _: None,
) -> tuple[SubgraphRow, ...]:
    """The k-subgraph rows of Table 3. Cost: the connected k-subsets, a few seconds.

    The bounds at GS grow with log n only, and the local ones are no smaller: GS = k − 2 is small already.

    >>> small, large = table_3_subgraphs((50, 100), (3,), degree=10)
    >>> small.global_ == large.global_ == 1 and small.global_bound < large.global_bound < 2 * small.global_bound
    True
    """
    rows = []
    graphs = {n: random_graph(n, degree, seed) for n in sizes}
    for k in subsets:
        for n, graph in graphs.items():
            advance(f"{k}-subgraphs, n = {n:,}")
            rows.append(subgraph_row(graph, k, degree, epsilon))
    return tuple(rows)


def subgraph_row(graph: Graph, k: int, degree: float, epsilon: Fraction = EPSILON) -> SubgraphRow:
    """One row, for a graph at hand."""
    problem = TopSubgraph(k, "triangle")
    ours = law(problem, graph, epsilon=epsilon, delta=DELTA, method=PrivateBound())
    worst = law(problem, graph, epsilon=epsilon, method=GlobalScale())
    pure = law(problem, graph, epsilon=epsilon, method=InverseSensitivity())
    global_bound = worst.calibration.regret(worst.evaluation, RHO, XI)
    our_bound = ours.calibration.regret(ours.evaluation, RHO, XI)
    assert global_bound is not None  # both are always released
    assert our_bound is not None
    return SubgraphRow(
        k=k,
        n=graph.n,
        degree=float(degree),
        m=worst.calibration.question.size,
        local=int(ours.evaluation.profile.local_bound),
        global_=int(problem.global_sensitivity(graph)),
        most=int(max(problem.scores(graph).values)),
        global_bound=float(global_bound),
        our_bound=float(our_bound),
        global_regret=expected_regret(worst),
        our_regret=expected_regret(ours),
        pure_regret=expected_regret(pure),
    )
