"""Guarantees for Google's dp-accounting: what many releases cost together, tighter than adding up.

A guarantee is a list of parts with one δ. Each part has a worst pair of laws, whose hockey-stick curve
H(τ) = sup_O (P(O) − τ Q(O)) bounds that of every pair the part can meet, in both directions. With τ between e^{-ε} and
e^ε (outside: H = 1 − τ below, 0 above) all three are of one form, H(τ) = a − b √τ + c τ:

    pure           a = e^ε/(1 + e^ε)      b = 0                          c = −1/(1 + e^ε)        randomised response
    Laplace        a = 1                  b = e^{-ε/2}                   c = 0                   two Laplace laws
    range-bounded  a = 1/(1 − e^{-ε})     b = 2 e^{-ε/2}/(1 − e^{-ε})    c = e^{-ε}/(1 − e^{-ε})

*Range-bounded* (Gibbs; never permute-and-flip): the losses of one pair lie in an interval of length ε, so the pair is
dominated by a two-point pair with losses t and t − ε for some t in [0, ε] (Dong, Durfee and Rogers 2020). There
Pr[loss t] = (1 − e^{t−ε})/(1 − e^{-ε}), and H(τ) = sup_t of that times 1 − τ e^{-t}; the supremum is at e^{2t} = τ e^ε
and is (1 − √τ e^{-ε/2})²/(1 − e^{-ε}), the form above. It is convex and meets 1 − τ and 0 smoothly, so it is itself the
curve of a pair of laws; and τ H(1/τ) + 1 − τ = H(τ): the same in both directions. At τ = 1 it is tanh(ε/4). The worst t
differs from τ to τ, so that *many* range-bounded parts are priced better by Rényi divergences (`renyi`), where each
order has one worst t; `epsilons` takes the better of the two.

**Composition of a scale kernel.** Let K_x draw B with Pr[B < L(x)] ≤ η, and let the selecting laws A_x^b, A_{x'}^b be
dominated by H_s whenever b ≥ L(x). Put Ã^b = A_x^b for b ≥ L(x), Ã^b = A_{x'}^b otherwise. The release (B, R) has the
law P = K_x ⊗ A_x, and P̃ = K_x ⊗ Ã differs from it by at most η in total variation. P̃ and Q = K_{x'} ⊗ A_{x'} are an
adaptive composition of a kernel and of conditional laws, all dominated by H_s (for b < L(x) they are equal), so the
composed worst pair dominates them, and

    δ_total(ε') ≤ δ_ideal(ε') + η    for every ε', not only for the ε of the guarantee.

The same replacement at every stage of an adaptive sequence of releases (hierarchies, peels, later questions that depend
on earlier answers) changes the law of everything by at most 1 − Π(1 − η_i) ≤ Σ η_i, by a coupling that fails only where
a stage fails. A stage that is (ε, δ)-private is dominated by δ + (1 − δ) H of the pure pair. So the parts compose by
their curves, and the δ of the guarantee is added. Source: theory section 4 (the step from ε to every ε' is ours).

dp-accounting computes in floating point; nothing here is used when a release is drawn or a ledger is charged.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from dpselect.errors import InvalidParameter, MissingExtra
from dpselect.exact.numbers import positive, probability
from dpselect.exact.reals import Real
from dpselect.guarantee import Guarantee, Kind, Part
from dpselect.integrations.floats import float_down, float_up

try:
    import dp_accounting
    from dp_accounting.pld import privacy_loss_distribution
    from dp_accounting.rdp import rdp_privacy_accountant
except ImportError as missing:  # pragma: no cover - exercised in a fresh environment
    raise MissingExtra("this needs dp-accounting: pip install 'dpselect[dp-accounting]'") from missing

INTERVAL = 1e-4
"""How far apart the losses of a privacy loss distribution are, unless asked otherwise."""

_UP = 1 + 2.0**-48
"""More mass at finite losses only raises a hockey-stick curve: covers the rounding of exp and tanh."""


@final
@dataclass(frozen=True)
class WorstPair:
    """H(τ) = a − b √τ + c τ between e^{-ε} and e^ε: the hockey-stick curve of a part's worst pair of laws."""

    epsilon: Fraction
    a: Real
    b: Real
    c: Real

    @classmethod
    def of(cls, part: Part) -> WorstPair:
        """The coefficients above. ε must be positive."""
        growth, root, decay = (Real.of(part.epsilon * s).exp() for s in (1, Fraction(-1, 2), -1))
        if part.kind is Kind.PURE:
            return cls(part.epsilon, growth / (1 + growth), Real.of(0), -1 / (1 + growth))
        if part.kind is Kind.LAPLACE:
            return cls(part.epsilon, Real.of(1), root, Real.of(0))
        return cls(part.epsilon, 1 / (1 - decay), 2 * root / (1 - decay), decay / (1 - decay))

    def delta(self, loss: Fraction) -> Real:
        """H(e^loss)."""
        if loss >= self.epsilon:
            return Real.of(0)
        if loss <= -self.epsilon:
            return 1 - Real.of(loss).exp()
        return self.a - self.b * Real.of(loss / 2).exp() + self.c * Real.of(loss).exp()

    def masses(self, interval: float) -> dict[int, float]:
        """Pr[loss = i · interval] of a pair on the grid that dominates this one: position i -> mass, rounded up.

        The pair has the piecewise linear curve through H at the grid points: H is convex, so the curve lies above it
        ("connect the dots", Doroshenko et al. 2022). Its mass at a grid point is e^loss times the change of slope; on
        the smooth part that is b e^{loss/2} tanh(interval/4), because the slope between two points is
        c − b/(√τ_i + √τ_{i+1}). At the ends, where the curve turns, it is computed in exact arithmetic.
        """
        step = Fraction(interval)
        end = -(-self.epsilon // step)
        inner = np.arange(2 - end, end - 1)
        smooth = float(self.b) * math.tanh(interval / 4) * np.exp(inner * (interval / 2)) * _UP
        found = dict(zip(inner.tolist(), smooth.tolist(), strict=True)) if float(self.b) else {}
        for i in sorted({-end, 1 - end, end - 1, end} | ({0} if end == 1 else set())):
            mass = Real.of(i * step).exp() * (self._slope(i, step, end) - self._slope(i - 1, step, end))
            found[i] = max(0.0, float(mass.upper()) * _UP)
        return found

    def _slope(self, i: int, step: Fraction, end: int) -> Real:
        """Of the piecewise linear curve between the grid points i and i + 1."""
        if i < -end or i >= end:
            return Real.of(-1 if i < 0 else 0)
        left, right = i * step, (i + 1) * step
        return (self.delta(right) - self.delta(left)) / (Real.of(right).exp() - Real.of(left).exp())


def privacy_loss(guarantee: Guarantee, interval: float = INTERVAL) -> Any:
    """The guarantee as a `PrivacyLossDistribution` of dp-accounting: compose it with others, ask it for ε or δ.

    δ(ε') of the result is δ_ideal(ε') + guarantee.delta, see the module's text. Its finite masses add up to 1 and δ
    comes on top, as mass at an infinite loss (1 + δ in all). Composed with another distribution, δ then counts as it
    should: 1 − (1 − δ)(1 − δ') at infinity, the finite parts convolved. Proof: of P at most δ is not below the ideal P̃;
    times the other pair, that δ is lost whatever comes, and of the rest δ' is.

    Arguments:
        interval: the distance of the losses; must be that of what it is composed with. 1e-4 costs less than 1e-6 in ε
            for 100 releases.

    Cost: O(ε/interval) for one, O(n log n) in the number of losses for many.

    >>> from dpselect import Guarantee
    >>> hundred = sum([Guarantee.pure("1/10")] * 99, Guarantee.pure("1/10"))
    >>> round(privacy_loss(hundred).get_epsilon_for_delta(1e-6), 2), float(hundred.epsilon)
    (4.77, 10.0)
    """
    step = float(positive(interval, "interval"))
    make = privacy_loss_distribution.PrivacyLossDistribution.create_from_rounded_probability
    # Nothing happens, except with probability δ.
    total = make({0: 1.0}, float_up(guarantee.delta), step)
    for part, times in Counter(guarantee.parts).items():
        one = make(WorstPair.of(part).masses(step), 0.0, step)
        total = total.compose(one if times == 1 else one.self_compose(times))
    return total


def renyi(guarantee: Guarantee, orders: Sequence[float]) -> NDArray[np.float64]:
    """The Rényi divergence of every order α > 1, of all parts together; δ is not in it and has to be kept beside.

        pure           log((e^{αε} + e^{(1−α)ε})/(1 + e^ε)) / (α − 1)              attained by randomised response
        Laplace        log((α e^{(α−1)ε} + (α − 1) e^{−αε})/(2α − 1)) / (α − 1)    Mironov 2017, Proposition 6
        range-bounded  log(u^{α−1} A/α)/(α − 1), at most α ε²/8                    the supremum over t, attained

    Range-bounded: Σ P^α Q^{1−α} of the two-point pair at t is u^{α−1}(A − C u), u = e^t,
    A = (1 − e^{−αε})/(1 − e^{-ε}), C = e^{-ε}(1 − e^{(1−α)ε})/(1 − e^{-ε}): largest at u = (α − 1) A/(α C).

    >>> from dpselect import Guarantee
    >>> renyi(Guarantee.pure(1), [2.0]).round(4).tolist()
    [0.7353]
    """
    a = np.asarray(orders, dtype=np.float64)
    if a.ndim != 1 or not np.all(np.isfinite(a) & (a > 1)):
        raise InvalidParameter("orders must be finite numbers above 1")
    total = np.zeros_like(a)
    for part, times in Counter(guarantee.parts).items():
        total += times * _renyi_of(part, a)
    return total


def _renyi_of(part: Part, a: NDArray[np.float64]) -> NDArray[np.float64]:
    e = float(part.epsilon)
    # Zero-concentrated: the exact forms below lose their digits where ε is small, these bounds do not.
    bound = np.minimum(e, a * (e * e / (8 if part.kind is Kind.RANGE_BOUNDED else 2)))
    if part.kind is Kind.PURE:
        exact = np.logaddexp(a * e, (1 - a) * e) - np.logaddexp(0.0, e)
    elif part.kind is Kind.LAPLACE:
        exact = np.logaddexp(np.log(a) + (a - 1) * e, np.log(a - 1) - a * e) - np.log(2 * a - 1)
    else:
        top = np.expm1(-a * e) / math.expm1(-e)
        u = (a - 1) * np.expm1(-a * e) / (a * np.expm1((1 - a) * e)) * math.exp(e)
        exact = (a - 1) * np.log(u) + np.log(top / a)
    slack = 2.0**-44 * (1 + a * e)
    return np.asarray(np.minimum(bound, (exact + slack) / (a - 1)) * _UP)


def event(guarantee: Guarantee) -> Any:
    """The parts as a `DpEvent`, for `RdpAccountant(neighboring_relation=NeighboringRelation.REPLACE_ONE)`.

    Range-bounded parts are ε²/8-zCDP, Laplace parts a Laplace event with noise multiplier 1/ε, pure parts randomised
    response with two buckets. An event has no place for δ: **keep `guarantee.delta` beside it**, and subtract it from
    the target δ before asking the accountant for ε.

    The relation is a matter of what the event means: under REPLACE_ONE randomised response is compared with itself on
    the other input, which is a pure part's worst case. Under REPLACE_SPECIAL it would be compared with no input at all
    and come out too cheap; under ADD_OR_REMOVE_ONE the accountant refuses it. Every repetition is written out, because
    the PLD accountant of dp-accounting 0.6 prices n repetitions of randomised response as one.
    """
    made: list[Any] = []
    for part in guarantee.parts:
        e = part.epsilon
        if part.kind is Kind.RANGE_BOUNDED:
            made.append(dp_accounting.ZCDpEvent(rho=float_up(e * e / 8)))
        elif part.kind is Kind.LAPLACE:
            made.append(dp_accounting.LaplaceDpEvent(noise_multiplier=float_down(1 / e)))
        else:
            # The answer is the true bucket with probability 1 − p/2 = e^ε/(1 + e^ε).
            noise = (2 / (1 + Real.of(e).exp())).lower()
            made.append(dp_accounting.RandomizedResponseDpEvent(noise_parameter=float_down(noise), num_buckets=2))
    return dp_accounting.ComposedDpEvent(made) if made else dp_accounting.NoOpDpEvent()


@final
@dataclass(frozen=True)
class Epsilons:
    """ε of a composition at one target δ, three ways; each is valid, ∞ where a way cannot reach the target."""

    basic: float
    rdp: float
    pld: float

    @property
    def best(self) -> float:
        """The least of them."""
        return min(self.basic, self.rdp, self.pld)


def epsilons(guarantee: Guarantee, delta: Any, interval: float = INTERVAL) -> Epsilons:
    """ε at a target δ: by adding up, by Rényi divergences, by privacy loss distributions.

    Arguments:
        guarantee: a sum of guarantees, `sum(…, Guarantee.free())`: adaptively composed releases.
        delta: the target; must be above `guarantee.delta` to gain anything.

    >>> from dpselect import Guarantee
    >>> found = epsilons(sum([Guarantee.pure("1/10")] * 100, Guarantee.free()), "1e-6")
    >>> found.basic, round(found.rdp, 2), round(found.pld, 2)
    (10.0, 5.07, 4.77)
    """
    target = probability(delta, "delta")
    left = target - guarantee.delta
    if left < 0:
        return Epsilons(math.inf, math.inf, math.inf)
    basic = float_up(guarantee.epsilon)
    if left == 0:
        return Epsilons(basic, math.inf, math.inf)
    orders = np.array(rdp_privacy_accountant.DEFAULT_RDP_ORDERS, dtype=np.float64)
    rdp = float(rdp_privacy_accountant.compute_epsilon(orders, renyi(guarantee, orders.tolist()), float_down(left))[0])
    pld = float(privacy_loss(guarantee, interval).get_epsilon_for_delta(float_down(target)))
    return Epsilons(basic, rdp, pld)
