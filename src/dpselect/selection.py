"""`select`, `law`, `diagnose`: a problem, data, a method and a budget put together."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NoReturn, final

from dpselect import _version
from dpselect.errors import InvalidParameter
from dpselect.exact.bits import BitSource, SeededBits, SystemBits
from dpselect.exact.numbers import nonnegative, positive, probability, whole
from dpselect.exact.reals import Real
from dpselect.methods.choice import calibrate, method_named, with_note
from dpselect.methods.law import Law
from dpselect.methods.method import Budget, Calibration, Method
from dpselect.methods.scale import Scales
from dpselect.problems.given_file import same_file
from dpselect.problems.in_hand import scores_in_hand
from dpselect.problems.problem import Posed, Problem, pose
from dpselect.profile import Profile
from dpselect.release import Release, plain

if TYPE_CHECKING:
    from dpselect.ledger.account import Account

MISSING: Any = object()


def select(
    problem: Any,
    data: Any = MISSING,
    *,
    epsilon: Any,
    delta: Any = 0,
    method: Any = "auto",
    sampler: str | None = None,
    unit: Any = None,
    top: int = 1,
    seed: int | None = None,
    sensitivity: Any = None,
    monotone: bool = False,
    candidates: Any = None,
    reference: Any = None,
    ledger: Account | None = None,
    engine: Any = None,
) -> Release:
    """One private answer to "which candidate is best?".

    Two forms:

    - ``select(problem, data, epsilon=…)``: a problem (`graph.TopVertex`, `table.Quantile`, your own) put to a dataset;
    - ``select(scores, epsilon=…, sensitivity=…)``: scores in hand, as a mapping, sequence or array.

    Arguments:
        epsilon: ε > 0; number or text ("1/2", "0.1" is a decimal, 0.1 the float it is).
        delta: δ in [0, 1); pure methods ignore it and release with δ = 0.
        method: a method object or its name; "auto" picks from public facts (`Release.method` says which).
        sampler: "permute-and-flip" (default) or "gibbs", where the method is given by name.
        unit: the privacy unit, e.g. ``ds.Edges(2)``; default: the problem's own.
        top: how many candidates to name, in order (at a share of the budget each).
        seed: for experiments only: the release is then not private, and says so.
        sensitivity, monotone, candidates: for scores in hand only.
        reference: public or synthetic data, or a public description, **never the private data**: "auto" then takes the
            method and options with the least exact expected regret on it (`compare`), and the release says so.
        ledger: a budget (`Ledger(url).account(name)`) that is charged before the draw.
        engine: where the data is counted: "duckdb", "spark", or an engine with options (`engines.Spark(…)`).

    Guarantee: the release is (release.epsilon, release.delta)-differentially private with respect to the unit.
    Errors: `InvalidParameter` for public arguments, before private data is read; `InvalidData` for broken domain
    rules (curator only); `UnsupportedProblem` if the method needs what the problem does not offer;
    `BudgetExceeded` if the ledger has not enough left.

    >>> select({"a": 3, "b": 500}, epsilon=1, sensitivity=1, seed=1).candidate
    'b'
    """
    if engine is not None:
        if data is MISSING:
            raise InvalidParameter("engine goes with a problem and data: scores in hand have been counted already")
        _refuse_as_reference(data, reference)  # an engine puts something of its own in place of the data
        from dpselect.engines import opened

        with opened(problem, data, engine) as (there, source_there):
            return select(
                there,
                source_there,
                epsilon=epsilon,
                delta=delta,
                method=method,
                sampler=sampler,
                unit=unit,
                top=top,
                seed=seed,
                reference=reference,
                ledger=ledger,
            )
    calibration, posed, _ = _prepare(
        problem, data, epsilon, delta, method, sampler, unit, top, sensitivity, monotone, candidates, reference
    )
    source = _source(seed)
    if ledger is None:
        return _release(calibration, _law(calibration, posed).answer(source), seeded=source.seeded)
    if source.seeded:
        raise InvalidParameter("seed: a seeded release is not private, a ledger does not take it")
    # What is wrong with the data comes to light before anything is charged: nothing has been released then.
    _ = posed.evaluation.scores
    reservation = ledger.reserve(
        calibration.guarantee,
        unit=calibration.question.unit,
        question=calibration.question.problem,
        method=calibration.method,
    )
    release = _release(calibration, _law(calibration, posed).answer(source), seeded=False)
    reservation.commit(release)
    return release


def law(
    problem: Any,
    data: Any = MISSING,
    *,
    epsilon: Any,
    delta: Any = 0,
    method: Any = "auto",
    sampler: str | None = None,
    unit: Any = None,
    sensitivity: Any = None,
    monotone: bool = False,
    candidates: Any = None,
    reference: Any = None,
) -> Law:
    """What `select` with the same arguments does at this dataset, as probabilities. Curator only: it is not private.

    >>> round(law([0, 1], epsilon=2, sensitivity=1, method="global-scale", sampler="gibbs").candidates[1], 6)
    0.731059
    """
    calibration, posed, _ = _prepare(
        problem, data, epsilon, delta, method, sampler, unit, 1, sensitivity, monotone, candidates, reference
    )
    return _law(calibration, posed)


@final
@dataclass(frozen=True, eq=False, repr=False)
class Diagnosis:
    """Private facts about a dataset, for the curator's eyes only: nothing in here may be published."""

    posed: Posed

    def __repr__(self) -> str:
        return "Diagnosis(<private: for the curator only>)"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a diagnosis is private and cannot be pickled")

    @property
    def local_sensitivity(self) -> Fraction:
        """H_0(x) = A_x(0): the local sensitivity, or the bound of it the profile starts from."""
        return self.profile.local_bound

    @property
    def global_sensitivity(self) -> Fraction | None:
        """GS, public."""
        return self.posed.question.global_sensitivity

    @property
    def profile(self) -> Profile:
        """A_x."""
        return self.posed.evaluation.profile

    @property
    def levels(self) -> tuple[Fraction, ...] | None:
        """H_0(x), …, H_k(x), if the problem has them."""
        return self.posed.evaluation.levels if self.posed.question.levels is not None else None

    def smooth_bound(self, smoothness: Any) -> Real:
        """S_β(x), lazily refined; `float()` of it shows it."""
        return self.profile.smooth_bound(nonnegative(smoothness, "smoothness"))

    def regret(
        self,
        method: Any = "auto",
        *,
        epsilon: Any,
        delta: Any = 0,
        rho: Any = Fraction(1, 20),
        xi: Any = Fraction(1, 20),
        sampler: str | None = None,
    ) -> Fraction | None:
        """g with Pr[gap > g] ≤ ρ + ξ when `method` is used on this dataset: the tail at the scale b↑(ξ) (Table 1).

        Every method has this bound; only some can publish one (`Release.regret_bound`). Methods without a scale need
        no ξ. None for a fixed-scale test that may release nothing with probability above ξ.
        """
        budget = Budget(positive(epsilon, "epsilon"), _delta(delta))
        chosen = method_named(method, sampler)
        calibration = calibrate(chosen, self.posed.question, budget, sampler if chosen is None else None)
        return calibration.regret(self.posed.evaluation, probability(rho, "rho"), probability(xi, "xi"))


def diagnose(problem: Any, data: Any, *, unit: Any = None) -> Diagnosis:
    """Local sensitivity, profile, smooth bounds and levels of a dataset. Curator only: nothing of it is private."""
    return Diagnosis(pose(problem, data, unit))


def _prepare(
    problem: Any,
    data: Any,
    epsilon: Any,
    delta: Any,
    method: Any,
    sampler: str | None,
    unit: Any,
    top: int,
    sensitivity: Any,
    monotone: bool,
    candidates: Any,
    reference: Any,
) -> tuple[Calibration, Posed, Budget]:
    budget = Budget(positive(epsilon, "epsilon"), _delta(delta), whole(top, "top", least=1))
    chosen = method_named(method, sampler)
    note = None
    if reference is not None:
        chosen, note = _on_reference(
            problem, data, reference, budget, chosen, sampler, unit, sensitivity, monotone, candidates
        )
    if data is MISSING:
        if unit is not None:
            raise InvalidParameter("unit: scores in hand have no unit of their own; `sensitivity` says it all")
        if isinstance(problem, Problem):
            raise InvalidParameter("data is missing: a problem is put to a dataset, as in select(problem, data, …)")
        problem, data = scores_in_hand(problem, sensitivity, monotone=monotone, candidates=candidates)
    elif sensitivity is not None or monotone is not False or candidates is not None:
        raise InvalidParameter(
            "sensitivity, monotone and candidates go with scores in hand; a problem declares its own"
        )
    posed = pose(problem, data, unit)
    if budget.peels > posed.question.size:
        raise InvalidParameter(f"top must be at most the number of candidates ({posed.question.size}), got {top}")
    calibration = calibrate(chosen, posed.question, budget, sampler if chosen is None else None)
    return calibration if note is None else with_note(calibration, note), posed, budget


def _on_reference(
    problem: Any,
    data: Any,
    reference: Any,
    budget: Budget,
    chosen: Method | None,
    sampler: str | None,
    unit: Any,
    sensitivity: Any,
    monotone: bool,
    candidates: Any,
) -> tuple[Method, str]:
    """The method with the least expected regret on public data, and the sentence for the release."""
    from dpselect.tuning import tuned

    if chosen is not None:
        raise InvalidParameter("reference goes with method='auto': it is what the method is chosen by")
    _refuse_as_reference(problem if data is MISSING else data, reference)
    found = tuned(
        None if data is MISSING else problem,
        reference,
        budget,
        sampler=sampler,
        unit=unit,
        sensitivity=sensitivity,
        monotone=monotone,
        candidates=candidates,
    )
    return found.method, found.note


def _refuse_as_reference(data: Any, reference: Any) -> None:
    """Raise `InvalidParameter` where the reference is the private data, or another name of their file."""
    if reference is data or same_file(reference, data):
        raise InvalidParameter("reference must be public data: never the private data themselves")


def _law(calibration: Calibration, posed: Posed) -> Law:
    return Law(calibration, posed.evaluation, posed.range)


def _delta(value: Any) -> Fraction:
    number = nonnegative(value, "delta")
    if number >= 1:
        raise InvalidParameter(f"delta must be below 1, got {value!r}")
    return number


def _source(seed: int | None) -> BitSource:
    return SystemBits() if seed is None else SeededBits(whole(seed, "seed"))


def _release(calibration: Calibration, drawn: tuple[Scales, tuple[Any, ...]] | None, *, seeded: bool) -> Release:
    scales, chosen = ((), ()) if drawn is None else drawn
    temperature = None if drawn is None else calibration.selection.temperature(scales)
    if calibration.releases == "candidate":
        scales, temperature = (), None
    return Release(
        question=calibration.question.problem,
        status="not-released" if drawn is None else "released",
        candidates=tuple(plain(name) for name in chosen),
        method=calibration.method,
        theorem=calibration.theorem,
        guarantee=calibration.guarantee,
        epsilon_selection=calibration.epsilon_selection,
        unit=calibration.question.unit,
        m=calibration.question.size,
        scales=scales,
        temperature=temperature,
        flips=calibration.selection.flips,
        flip_is_exact=calibration.question.flip_is_exact and calibration.peels == 1,
        sampler=calibration.sampler.name,
        seeded=seeded,
        assumptions=calibration.question.assumptions,
        notes=calibration.notes,
        version=_version.__version__,
    )
