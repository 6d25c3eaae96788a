"""`verify`: exact δ(ε) of a mechanism on a dataset graph, against its claim. It sees a law and a claim only."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from fractions import Fraction
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from dpselect.errors import InvalidParameter, UnsupportedProblem
from dpselect.exact.numbers import nonnegative, positive, whole
from dpselect.guarantee import Guarantee, Kind
from dpselect.methods.choice import calibrate, method_named
from dpselect.methods.counts_kernel import CountsLaw
from dpselect.methods.law import Law
from dpselect.methods.method import Budget, Calibration, Method
from dpselect.methods.options import one_of
from dpselect.methods.scale import FiniteScaleLaw
from dpselect.verification.answers import Certain, Listed
from dpselect.verification.counts import CountsOutcomes, place
from dpselect.verification.datasets import DatasetGraph, checked, edge_array, refuse_false_monotone
from dpselect.verification.finite import FiniteOutcomes, Mixture
from dpselect.verification.kernels import KernelOutcomes, chain
from dpselect.verification.marginal import MarginalOutcomes, marginal
from dpselect.verification.outcomes import NoEdges, Outcomes, Parts
from dpselect.verification.peels import refuse_too_many
from dpselect.verification.progress import progress
from dpselect.verification.reading import Readings, read
from dpselect.verification.report import Verification
from dpselect.verification.searches import NOT_RELEASED

Detail = Literal["full", "verdict"]
DETAILS = ("full", "verdict")


def verify(
    world: Any,
    *,
    epsilon: Any,
    delta: Any = 0,
    method: Any = "auto",
    sampler: str | None = None,
    top: int = 1,
    detail: Detail = "full",
) -> Verification:
    """The exact δ(ε) = max over ordered edges of sup_O (Pr_x[O] − e^ε Pr_{x'}[O]), and whether it is as claimed.

    Arguments:
        world: a `World`, or another dataset graph (`worlds.all_graphs`, `worlds.all_tables`, …).
        epsilon, delta: the budget. The claim is the guarantee of the calibration that the method plans with it; for a
            function it is (epsilon, delta) itself.
        method: a method, its name, "auto", or a function from a dataset to its law: a mapping from candidates to
            probabilities (exact if they are ints, Fractions or strings; floats are taken to be within 2^-40 of what
            was meant), or what `ds.law` gives.
        sampler: with a method given by name.
        top: k, as in `select`: outcomes are then the scales with k candidates in order, drawn by peeling.
        detail: "full" (default), or "verdict": stop when the claim is decided; the enclosure of δ is then as wide as
            it happens to be, and witness, pure ε and Rényi divergence are left out.

    What is known: finite laws are enclosed in ball arithmetic, so the verdict is a proof. Laws with a continuous scale
    are enclosed on adaptive cells of the scale axis, with atoms at floor and cap; the verdict includes the error, and
    is None if the work became excessive first. Verified is the continuous law: the public grid is post-processing.
    A scale that is not released is integrated out: the law of the answer alone counts.
    Errors: `InvalidParameter` for a false `monotone` flag, a function that gives no law, or a method that names one
    candidate only; `UnsupportedProblem` for more answers than verify goes through (20,000; with a continuous scale
    1,000).
    Cost: about 1 µs per dataset and candidate, and per ordered edge and candidate in float64; see `kernels` for scales.
    With top, m!/(m − k)! answers take the place of m candidates.

    >>> from dpselect.problems.explicit import World
    >>> world = World(["x", "y"], [(0, 1)], ["a", "b"], [[0, 0], [1, 0]])
    >>> report = verify(world, epsilon=1, method="global-scale")
    >>> report.holds, report.worst_edge, round(report.pure_epsilon, 6)
    (True, ('x', 'y'), 0.5)
    """
    budget = Budget(positive(epsilon, "epsilon"), nonnegative(delta, "delta"), whole(top, "top", least=1))
    if budget.delta >= 1:
        raise InvalidParameter(f"delta must be below 1, got {delta!r}")
    graph = checked(world)
    edges = edge_array(graph)
    refuse_false_monotone(graph, edges)
    one_of(detail, DETAILS, "detail")
    own = callable(method) and not isinstance(method, Method | type)
    if own and sampler is not None:
        raise InvalidParameter("sampler goes with a method of the library, not with a function")
    if own and budget.peels > 1:
        raise InvalidParameter(
            "top goes with a method of the library: a function of your own gives the law of whole answers"
        )
    chosen = None if own else method_named(method, sampler)
    with progress("laws", len(graph.datasets) + len(edges)) as step:
        if own:
            calibrations: list[Calibration] = []
            laws: list[Any] = [method(graph.datum(i)) for i in range(len(graph.datasets))]
        else:
            laws, calibrations = _planned(graph, chosen, budget, sampler)
        readings = read(laws, graph.datasets)
        outcomes = _outcomes(readings, edges, step)
        claim = _claim(calibrations, budget)
        return _report(graph, readings, edges, outcomes, claim, _label(method, calibrations), calibrations, detail)


def _planned(
    graph: DatasetGraph, chosen: Method | None, budget: Budget, sampler: str | None
) -> tuple[list[Law], list[Calibration]]:
    """The law at every dataset, and the calibrations behind them (one, unless public facts differ)."""
    laws: list[Law] = []
    calibrations: list[Calibration] = []
    for i in range(len(graph.datasets)):
        posed = graph.posed(i)
        if budget.peels > posed.question.size:
            raise InvalidParameter(
                f"top must be at most the number of candidates ({posed.question.size}), got {budget.peels}"
            )
        if not calibrations or posed.question != calibrations[-1].question:
            calibrations.append(calibrate(chosen, posed.question, budget, sampler if chosen is None else None))
        laws.append(Law(calibrations[-1], posed.evaluation, posed.names))
    return laws, calibrations


def _claim(calibrations: list[Calibration], budget: Budget) -> Guarantee:
    """What is promised for every dataset: the largest guarantee of the calibrations."""
    if not calibrations:
        return Guarantee.approximate(budget.epsilon, budget.delta)
    largest = max(calibrations, key=lambda c: (c.guarantee.epsilon, c.guarantee.delta)).guarantee
    if all(largest.covers(c.guarantee) for c in calibrations):
        return largest
    return Guarantee.approximate(
        max(c.guarantee.epsilon for c in calibrations), max(c.guarantee.delta for c in calibrations)
    )


def _label(method: Any, calibrations: list[Calibration]) -> str:
    return calibrations[0].method if calibrations else getattr(method, "__name__", type(method).__name__)


def _outcomes(readings: Readings, edges: NDArray[np.int64], step: Callable[[], None]) -> Outcomes:
    if not len(edges):
        return NoEdges()
    kinds = np.array([_kind(law) for law in readings.laws])
    apart = kinds[edges[:, 0]] != kinds[edges[:, 1]]
    if apart.any():
        x, y = edges[np.flatnonzero(apart)[0]].tolist()
        raise UnsupportedProblem(f"the laws of the scale are of different kinds at the ends of edge {x}, {y}")
    _refuse_what_is_too_much(readings, kinds)
    parts: list[Outcomes] = []
    for kind in np.unique(kinds[edges]).tolist():
        some = edges[kinds[edges[:, 0]] == kind]
        laws = {i: readings.laws[i] for i in np.unique(some).tolist()}
        if kind == "finite":
            parts.append(FiniteOutcomes({i: readings.mixture(i) for i in laws}, some, _namer(readings), step))
        elif kind == "counts":
            parts.append(CountsOutcomes({i: place(law) for i, law in laws.items()}, some, step))
        else:
            parts.append(_with_a_continuous_scale(readings, laws, some, step))
    return parts[0] if len(parts) == 1 else Parts(parts)


def _with_a_continuous_scale(
    readings: Readings, laws: dict[int, Law], edges: NDArray[np.int64], step: Callable[[], None]
) -> Outcomes:
    chains = {i: chain(law, readings) for i, law in laws.items()}
    joint = KernelOutcomes(chains, edges, readings.described, step)
    if all(law.calibration.releases != "candidate" for law in laws.values()):
        return joint
    alone = {i: Mixture([()], Certain(), [Listed(marginal(c))]) for i, c in chains.items()}
    return MarginalOutcomes(FiniteOutcomes(alone, edges, _namer(readings), step), joint)


def _refuse_what_is_too_much(readings: Readings, kinds: NDArray[np.str_]) -> None:
    """Before anything is computed: answers are gone through one by one."""
    if readings.peels > 1 and "counts" in kinds:
        raise UnsupportedProblem("released counts are verified for one candidate, not for top > 1")
    refuse_too_many(len(readings.names), readings.peels, continuous="continuous" in kinds)


def _kind(law: Any) -> str:
    """How the scale is distributed."""
    if not isinstance(law, Law) or isinstance(law.scale, FiniteScaleLaw):
        return "finite"
    return "counts" if isinstance(law.scale, CountsLaw) else "continuous"


def _namer(readings: Readings) -> Callable[[Hashable, int | None], Any]:
    def name(label: Hashable, position: int | None) -> Any:
        if position is None:
            return NOT_RELEASED
        if label == ():
            return readings.answered(position)
        return {"scale": str(label[-1]), **readings.described(position)}  # type: ignore[index]

    return name


def _report(
    graph: DatasetGraph,
    readings: Readings,
    edges: NDArray[np.int64],
    outcomes: Outcomes,
    claim: Guarantee,
    label: str,
    calibrations: list[Calibration],
    detail: str,
) -> Verification:
    full = detail == "full"
    worst = outcomes.delta(claim.epsilon, claim.delta, thorough=full)
    pure = outcomes.pure_epsilon() if full else None
    ranged = full and not claim.delta and bool(claim.parts) and all(p.kind is Kind.RANGE_BOUNDED for p in claim.parts)
    renyi = outcomes.renyi() if ranged else None
    # Where nothing exceeds e^ε the edge with the largest pure ε is the one to look at.
    edge = worst.edge if worst.edge is not None and worst.lower > 0 else (pure[1] if pure else worst.edge)
    witness = tuple(outcomes.witness(edge, claim.epsilon)) if full and edge is not None else ()
    return Verification(
        method=label,
        sampler=calibrations[0].sampler.name if calibrations else None,
        datasets=len(graph.datasets),
        edges=len(edges),
        candidates=len(readings.names),
        epsilon=claim.epsilon,
        delta_claimed=claim.delta,
        delta_lower=worst.lower,
        delta_upper=worst.upper,
        worst_edge=None if edge is None else (graph.datasets[edge[0]], graph.datasets[edge[1]]),
        witness=witness,
        pure_epsilon=None if pure is None else pure[0],
        renyi2=None if renyi is None else renyi[0],
        renyi2_claimed=sum((p.epsilon**2 for p in claim.parts), Fraction(0)) / 4 if ranged else None,
        outcomes=outcomes,
        top=readings.peels,
    )


__all__ = ["verify"]
