"""Selections as OpenDP measurements, and the cost of OpenDP measurements as guarantees.

    make_selection(domain, metric, problem, epsilon, delta, …)   data ↦ Release, for compositors, odometers and filters
    guarantee_of(measurement, d_in)                              what somebody else's measurement costs, for a ledger

The privacy map counts units: if the problem's unit is s steps of the metric (`Edges(s)`), two datasets at distance d
are k = ⌈d/s⌉ units apart, and

    d ↦ k ε                                       δ = 0     pure max divergence
    d ↦ (k ε, δ Σ_{i<k} e^{iε})                   δ > 0     approximate max divergence (fixed ε and δ)

Group privacy, step by step through the k − 1 datasets between: Pr_0[O] ≤ e^ε Pr_1[O] + δ ≤ e^{2ε} Pr_2[O] + e^ε δ + δ …
Both numbers are computed exactly and rounded up to a float.

OpenDP trusts what a domain says about its members, and never looks. Here every call checks its argument first. What
goes wrong is raised without the data: errors of dpselect hold no private value, and any other error is replaced.
Whether there is an error at all can depend on the data, as everywhere: it is for the curator.

Needs OpenDP's features "contrib" and "honest-but-curious": our laws are proved here, not by OpenDP.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from dpselect.errors import DPSelectError, InvalidData, InvalidParameter, MissingExtra
from dpselect.exact.numbers import nonnegative, positive, whole
from dpselect.exact.reals import Real
from dpselect.guarantee import Guarantee
from dpselect.integrations.floats import float_up
from dpselect.methods.choice import method_named
from dpselect.problems.explicit import World
from dpselect.problems.units import AddOrRemove, Edges, ReplaceOne
from dpselect.release import Release
from dpselect.selection import select

try:
    import opendp.prelude as dp
    from opendp.domains import _member as _is_member
except ImportError as missing:  # pragma: no cover - exercised in a fresh environment
    raise MissingExtra("this needs OpenDP: pip install 'dpselect[opendp]'") from missing

_EDGES = "dpselect: edges in which two graphs differ"
_LARGEST_EXPONENT = 700


# ------------------------------------------------------------------------------------------------ spaces


def graph_space(vertices: Any) -> tuple[dp.Domain, dp.Metric]:
    """Graphs on exactly these public vertices; the distance is the number of edges in which two of them differ.

    Arguments: vertices, as for `Graph.from_edges`: labels in their order, or a file with one a line.
    """
    from dpselect.problems.graph import ids
    from dpselect.problems.graph.graph import Graph

    labels = ids.declared(vertices)
    # Two domains are the same to OpenDP when their names are.
    mark = hashlib.sha256(repr(tuple(labels)).encode()).hexdigest()

    def member(x: Any) -> bool:
        return isinstance(x, Graph) and tuple(x.vertices) == tuple(labels)

    return dp.user_domain(f"dpselect: graphs on {len(labels)} vertices {mark}", member), dp.user_distance(_EDGES)


def table_space(unit: AddOrRemove | ReplaceOne) -> tuple[dp.Domain, dp.Metric]:
    """Data frames, Arrow tables, dicts of columns, single columns; the distance is the number of units of difference.

    A list of numbers may as well come in OpenDP's own space, `vector_domain(atom_domain(T=float))` with
    `symmetric_distance()` (for `AddOrRemove`) or `change_one_distance()` (for `ReplaceOne`).
    """
    if not isinstance(unit, AddOrRemove | ReplaceOne):
        raise InvalidParameter(f"unit of a table must be AddOrRemove(…) or ReplaceOne(), got {unit!r}")

    def member(x: Any) -> bool:
        # A file would be read anew at every question, and may have changed.
        if isinstance(x, str | bytes):
            return False
        return isinstance(x, Sequence | Mapping) or hasattr(x, "columns") or hasattr(x, "dtype") or hasattr(x, "type")

    return dp.user_domain("dpselect: tables", member), _unit_distance(unit)


def world_space(world: World) -> tuple[dp.Domain, dp.Metric]:
    """The datasets of an explicit world; the distance is that in its graph."""
    mark = hashlib.sha256(repr((tuple(world.datasets), tuple(map(tuple, world.edges)))).encode()).hexdigest()
    names = set(world.datasets)

    def member(x: Any) -> bool:
        return x in names

    return dp.user_domain(f"dpselect: datasets of the world {mark}", member), _unit_distance(world.unit)


def space(problem: Any, name: str, member: Callable[[Any], bool]) -> tuple[dp.Domain, dp.Metric]:
    """For a problem of your own: the distance counts units of the problem.

    Arguments:
        name: says which datasets these are, uniquely: OpenDP takes domains of one name for the same.
        member: whether something is such a dataset; what is public about it must be the same for all members.
    """
    if not isinstance(name, str) or not name.strip():
        raise InvalidParameter("name must be a text")
    return dp.user_domain(name, member), _unit_distance(_unit_of(problem))


def _unit_distance(unit: object) -> dp.Metric:
    return dp.user_distance(f"dpselect: {unit}")


def _unit_of(problem: Any) -> object:
    return getattr(problem, "unit", "one step between neighbouring datasets")


def _steps(problem: Any, metric: dp.Metric) -> int:
    """How many steps of the metric one unit of the problem protects at once."""
    unit = _unit_of(problem)
    known: list[tuple[dp.Metric, int]] = [(_unit_distance(unit), 1)]
    if isinstance(unit, Edges):
        known = [(dp.user_distance(_EDGES), unit.k)]
    elif isinstance(unit, AddOrRemove):
        # A row belongs to one person: d rows are at most d units.
        known += [(dp.symmetric_distance(), 1), (dp.insert_delete_distance(), 1)]
    elif isinstance(unit, ReplaceOne):
        known += [(dp.change_one_distance(), 1), (dp.hamming_distance(), 1)]
    for expected, steps in known:
        if metric == expected:
            return steps
    raise InvalidParameter(
        f"input_metric must count the unit of the problem ({unit}): "
        f"{' or '.join(str(expected) for expected, _ in known)}, got {metric}"
    )


# ------------------------------------------------------------------------------------------- measurements


def make_selection(
    input_domain: dp.Domain,
    input_metric: dp.Metric,
    problem: Any,
    epsilon: Any,
    delta: Any = 0,
    method: Any = "auto",
    sampler: str | None = None,
    top: int = 1,
) -> dp.Measurement:
    """The measurement data ↦ `ds.select(problem, data, epsilon, delta, …)`, a `Release`.

    Arguments:
        input_domain, input_metric: one of the spaces of this module, or an OpenDP space whose distance counts the unit
            of the problem. A problem for several edges at once, `TopVertex(unit=Edges(3))`, pays ε once for up to 3.
        epsilon, delta, method, sampler, top: as for `select`. With δ = 0 the output measure is pure max divergence
            (take a pure method); with δ > 0 approximate max divergence, which costs δ even where a method needs none.
            To spend a budget of OpenDP to the last digit, give the same floats: the text "1e-6" is one millionth, and
            the float 1e-6 a little less.

    Guarantee: as the privacy map says, see the module's text. Its argument is checked at every call.
    Errors: `InvalidParameter` for everything public; in a call, an OpenDP error that holds no data.

    In the Context API: ``dp.register(make_selection)``, then ``context.query().selection(problem, epsilon=1.0)``.

    >>> import opendp.prelude as dp, dpselect as ds
    >>> dp.enable_features("contrib", "honest-but-curious")
    >>> median = ds.table.Quantile(0.5, bounds=(0, 10))
    >>> numbers = dp.vector_domain(dp.atom_domain(T=int)), dp.symmetric_distance()
    >>> chosen = make_selection(*numbers, median, epsilon=1)
    >>> chosen.map(1), chosen.map(3), chosen([4] * 100).candidate
    (1.0, 3.0, 4)
    """
    price, fixed = positive(epsilon, "epsilon"), nonnegative(delta, "delta")
    if fixed >= 1:
        raise InvalidParameter(f"delta must be below 1, got {delta!r}")
    method_named(method, sampler)
    count = whole(top, "top", least=1)
    steps = _steps(problem, input_metric)

    def answer(data: Any) -> Release:
        return _without_data(
            lambda: select(
                problem,
                _member(input_domain, data),
                epsilon=price,
                delta=fixed,
                method=method,
                sampler=sampler,
                top=count,
            )
        )

    def cost(d_in: Any) -> Any:
        units = -(-whole(d_in, "d_in") // steps)
        loss = float_up(units * price)
        return loss if fixed == 0 else (loss, group_delta(price, fixed, units))

    pure = dp.max_divergence()
    return dp.m.make_user_measurement(
        input_domain,
        input_metric,
        pure if fixed == 0 else dp.approximate(pure),
        function=answer,
        privacy_map=cost,
        TO="ExtrinsicObject",
    )


def group_delta(epsilon: Fraction, delta: Fraction, units: int) -> float:
    """δ Σ_{i<k} e^{iε} = δ (e^{kε} − 1)/(e^ε − 1), rounded up; at most 1, which always holds.

    >>> group_delta(Fraction(1), Fraction(1, 4), 1), group_delta(Fraction(1), Fraction(1, 4), 9)
    (0.25, 1.0)
    """
    if units == 0:
        return 0.0
    if units * epsilon > _LARGEST_EXPONENT:
        return 1.0
    if units == 1:
        return float_up(delta)
    total = Real.of(units * epsilon).expm1() / Real.of(epsilon).expm1()
    return min(1.0, float_up((delta * total).upper()))


def _member(domain: dp.Domain, data: Any) -> Any:
    # Not `domain.member`: where the carrier is another, it warns, and the warning quotes the data.
    if not _is_member(domain, data):
        raise InvalidData("the data is not a member of the input domain")
    return data


def _without_data(run: Callable[[], Release]) -> Release:
    """OpenDP prints the traceback of an error into its own: none may quote what was read."""
    try:
        return run()
    except DPSelectError as known:
        kind, text = type(known), str(known)
    except Exception:
        kind, text = InvalidData, "the selection failed; ds.select(problem, data, …) says why, to the curator"
    raise kind(text)


# ------------------------------------------------------------------------------------- the other direction


def guarantee_of(measurement: dp.Measurement, d_in: Any) -> Guarantee:
    """What an OpenDP measurement costs for datasets at this distance: `measurement.map(d_in)`, as a guarantee.

    For pure max divergence, and for approximate max divergence with fixed ε and δ. Errors: `InvalidParameter` for other
    measures; convert ρ-zCDP with `make_zCDP_to_approxDP` and fix δ with `make_fix_delta` first.

    >>> import opendp.prelude as dp
    >>> dp.enable_features("contrib")
    >>> noisy = dp.m.make_laplace(dp.atom_domain(T=int), dp.absolute_distance(T=int), scale=4.0)
    >>> cost = guarantee_of(noisy, 1)
    >>> str(cost.epsilon), str(cost.delta)
    ('1/4', '0')
    """
    pure = dp.max_divergence()
    measure = measurement.output_measure
    cost: Any = measurement.map
    if measure == pure:
        return Guarantee.pure(cost(d_in))
    if measure == dp.approximate(pure):
        epsilon, delta = cost(d_in)
        return Guarantee.approximate(epsilon, delta)
    raise InvalidParameter(
        f"measurement must have pure or approximate max divergence as its output measure, got {measure}; "
        "make_zCDP_to_approxDP and make_fix_delta convert others"
    )
