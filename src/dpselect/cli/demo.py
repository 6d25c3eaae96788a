"""`dpselect demo`: the classical mechanism and ours on one realistic public graph."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Final, final

import typer

from dpselect.cli import options
from dpselect.cli.asked import Asked
from dpselect.cli.verb import Verb

if TYPE_CHECKING:
    from dpselect.problems.graph import Graph, TopVertex

EPSILON: Final = "1"
DELTA: Final = "1e-6"
RHO: Final = "0.05"

CLASSICAL: Final = "global-scale"
OURS: Final = ("private-bound", "ladder", "inverse-sensitivity")
RELEASED_BY: Final = "private-bound"
"""The method of the one release: it is the one whose regret bound may be published."""


def register(app: typer.Typer) -> None:
    """Add the verbs of this module."""
    app.command("demo", cls=Verb)(demo)


@final
@dataclass(frozen=True)
class Facts:
    """True numbers of the demonstration graph. It is public; of a private graph none of them could be shown."""

    people: int
    pairs: int
    most_triangles: int
    runner_up: int
    local_sensitivity: int
    global_sensitivity: int


@final
@dataclass(frozen=True)
class Row:
    """What one method does on the demonstration graph, computed from its exact law."""

    method: str
    epsilon: float
    delta: float
    expected_regret_gibbs: float
    expected_regret: float
    names_the_best: float


def demo(as_json: options.Json = False) -> None:
    """Compare the classical mechanism with ours on a real graph, and release one answer."""
    import dpselect as ds
    from dpselect.cli import output
    from dpselect.cli.request import Request
    from dpselect.problems.graph.costars import costars

    request = Request.of(Asked(epsilon=EPSILON, delta=DELTA, method=RELEASED_BY, rho=RHO))
    problem = ds.graph.TopVertex("triangle")
    methods = (CLASSICAL, *OURS)
    with output.progress("Reading the graph", steps=len(methods) + 3) as advance:
        graph = costars()
        advance("Counting triangles")
        facts = _facts(problem, graph)
        advance("Releasing an answer")
        release = request.select(problem, graph)
        rows = []
        for method in methods:
            advance(f"Exact law of {method}")
            rows.append(_row(problem, graph, method))
    if as_json:
        output.print_json(
            {
                "data": asdict(facts),
                "methods": [asdict(row) for row in rows],
                "release": output.release_json(release, request.rho),
            }
        )
        return
    output.print_text(_about(facts))
    output.print_table(
        ("method", "guarantee", "expected regret", "with gibbs", "best named"),
        [_cells(row) for row in rows],
    )
    output.print_text(_reading(facts))
    output.print_text(f"One release by {RELEASED_BY}: all that an analyst would see if the graph were private.")
    output.print_release(release, request.rho)


def _facts(problem: TopVertex, graph: Graph) -> Facts:
    import dpselect as ds

    scores = sorted(int(q) for q in problem.scores(graph).values)
    diagnosis = ds.diagnose(problem, graph)
    worst = diagnosis.global_sensitivity
    assert worst is not None
    return Facts(
        people=graph.n,
        pairs=len(graph.tails),
        most_triangles=scores[-1],
        runner_up=scores[-2],
        local_sensitivity=int(diagnosis.local_sensitivity),
        global_sensitivity=int(worst),
    )


def _row(problem: TopVertex, graph: Graph, method: str) -> Row:
    import numpy as np

    import dpselect as ds
    from dpselect.regret import expected_regret

    law = ds.law(problem, graph, epsilon=EPSILON, delta=DELTA, method=method)
    gibbs = ds.law(problem, graph, epsilon=EPSILON, delta=DELTA, method=method, sampler="gibbs")
    maximisers = np.asarray(law.evaluation.scores.maximisers())
    return Row(
        method=method,
        epsilon=float(law.calibration.guarantee.epsilon),
        delta=float(law.calibration.guarantee.delta),
        expected_regret_gibbs=float(expected_regret(gibbs)),
        expected_regret=float(expected_regret(law)),
        names_the_best=float(law.candidates.probabilities[maximisers].sum()),
    )


def _cells(row: Row) -> Sequence[str]:
    from dpselect.words import decimal

    guarantee = f"ε = {EPSILON}" + (f", δ = {decimal(Fraction(DELTA))}" if row.delta else "")
    return (
        row.method,
        guarantee,
        f"{row.expected_regret:,.2f}",
        f"{row.expected_regret_gibbs:,.2f}",
        _percent(row.names_the_best),
    )


def _percent(probability: float) -> str:
    return "> 99.99 %" if 0.9999 < probability < 1 else f"{100 * probability:.2f} %"


def _about(facts: Facts) -> str:
    return (
        f"Who appeared in a film with whom, 1940 to 1959: {facts.people:,} people, {facts.pairs:,} pairs. Who is in "
        "most triangles, groups of three in which everybody appeared with everybody? These data are public and only "
        "stand in for private ones, such as who telephones whom: that is why true numbers can be shown here."
    )


def _reading(facts: Facts) -> str:
    return (
        "Expected regret: how many triangles the answer falls short of the best, on average over the noise (exact, "
        "not simulated; the answer drawn by permute-and-flip or from the Gibbs law of the exponential mechanism). "
        f"The best person is in {facts.most_triangles:,}, the next one in {facts.runner_up:,}. {CLASSICAL} is the "
        f"classical mechanism: it allows for a graph in which one pair is in {facts.global_sensitivity:,} triangles. "
        f"In this one no pair is in more than {facts.local_sensitivity:,}, and the others make use of that without "
        "giving it away."
    )
