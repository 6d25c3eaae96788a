"""FixedScaleTest: a public scale, used if the dataset is far from all where it is too small (theory section 5)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Literal, final

from dpselect.exact.bits import BitSource
from dpselect.exact.numbers import positive
from dpselect.guarantee import Part
from dpselect.laws import sampler_named
from dpselect.methods.linear import AtScale
from dpselect.methods.method import Budget, Calibration, Method, kernel_calibration
from dpselect.methods.noise import UpperNoise
from dpselect.methods.options import Number, Releases, one_of, share
from dpselect.methods.scale import FiniteScaleLaw, FiniteScaleSampler, FixedScale, ScaleKernel, ScaleLaw, Scales
from dpselect.question import Evaluation, Question


@final
@dataclass(frozen=True)
class FixedScaleTest(Method):
    """Pass iff φ_b(x) + W > τ, W at scale 1/ε_t; then select at scale b, else release nothing.

    φ_b(x) = min{t : A_x(t) > b} moves by at most 1 on an edge and never exceeds the distance to {LS > b}.

    Arguments (public):
        b: the scale, in score units.
        sampler: "permute-and-flip" (default) or "gibbs".
        split: ε_t / ε. Default 1/4.
        noise: "laplace" (τ = log(1/(2η))/ε_t), "truncated" (τ = log(1 + (e^{ε_t} − 1)/(2δ))/ε_t, noise cut at ±τ),
            or "auto" (the smaller τ, default).
        otherwise: what happens where the test fails: "nothing" (default; `release.status` is "not-released"), or
            "global-scale": a selection at GS.
        releases: "scale and candidate" (default), or "candidate".

    Guarantee: (ε_t + ε_s, δ). The outcome of the test is ε_t-private (Laplace noise) or (ε_t, δ)-private (truncated);
    where φ_b = 0 it passes with probability at most δ, or never; composition as for `PrivateBound`. For b ≥ GS there
    is nothing to test: all of ε selects.
    Publishable regret, if released: with probability ≥ 1 − ρ the gap is at most (κ B / ε_s) K(m, ρ).
    Errors: `InvalidParameter` for δ = 0. Cost: the profile, then one pass. Source: section 6.

    >>> FixedScaleTest(40).name
    'fixed-scale-test'
    """

    b: Number
    sampler: str = "permute-and-flip"
    split: Number = Fraction(1, 4)
    noise: str = "auto"
    otherwise: Literal["nothing", "global-scale"] = "nothing"
    releases: Releases = "scale and candidate"

    name: ClassVar[str] = "fixed-scale-test"
    theorem: ClassVar[str] = "theory 5: propose-test-release at a fixed scale"

    def lacks(self, question: Question) -> str | None:
        if self.otherwise == "global-scale" and question.global_sensitivity is None:
            return "a finite global sensitivity"
        return None

    def plan(self, question: Question, budget: Budget) -> Calibration:
        scale, bound = positive(self.b, "b"), question.global_sensitivity
        one_of(self.otherwise, ("nothing", "global-scale"), "otherwise")
        spent = share(self.split, "split") * budget.epsilon
        kernel: ScaleKernel = FixedScale(scale)
        parts: tuple[Part, ...] = ()
        if bound is None or scale < bound:
            noise = UpperNoise.choose(self.noise, spent, budget.require_delta(self.name))
            kernel = TestedScale(scale, noise, bound if self.otherwise == "global-scale" else None)
            parts = (noise.part,)
        return kernel_calibration(
            self,
            question,
            kernel,
            lambda each: AtScale(each, question.kappa),
            sampler_named(self.sampler),
            budget=budget,
            spent=parts,
            failure=budget.delta if parts else Fraction(0),
            releases=self.releases,
        )


@final
@dataclass(frozen=True)
class TestedScale(ScaleKernel):
    """B = scale if φ + W > τ, else the fallback (None: nothing is released)."""

    __test__ = False  # not a test class, whatever its name begins with

    scale: Fraction
    noise: UpperNoise
    fallback: Fraction | None

    def law(self, evaluation: Evaluation) -> ScaleLaw:
        test = CertificateTest(evaluation.profile.certificate(self.scale), self.noise)
        passed, failed = test.probabilities
        draw = TestOnce(test, (self.scale,), None if self.fallback is None else (self.fallback,))
        if self.fallback is None:
            return FiniteScaleLaw(((self.scale,),), (passed,), draw, failed)
        return FiniteScaleLaw(((self.scale,), (self.fallback,)), (passed, failed), draw)

    def upper(self, evaluation: Evaluation, xi: Fraction) -> Scales | None:
        """b where φ ≥ τ + u(ξ), so that the test passes with probability ≥ 1 − ξ."""
        found = evaluation.profile.certificate(self.scale)
        if found is None or found >= needed_distance(self.noise, xi):
            return (self.scale,)
        return None if self.fallback is None else (self.fallback,)


def needed_distance(noise: UpperNoise, zeta: Fraction) -> Fraction:
    """τ + u, the certificate with which a test passes with probability ≥ 1 − ζ: (shift + w(ζ)) / ε, rounded up."""
    return (noise.shift + noise.upper(zeta)).upper() / noise.epsilon


@final
@dataclass(frozen=True, eq=False, repr=False)
class CertificateTest:
    """φ + W > shift/ε, W at scale 1/ε; φ = None stands for ∞, where it passes for certain."""

    certificate: int | None
    noise: UpperNoise

    @property
    def probabilities(self) -> tuple[float, float]:
        """Pr[pass] and Pr[fail], each with its own digits: the noise is symmetric, Pr[W > t] = Pr[W ≤ −t]."""
        if self.certificate is None:
            return 1.0, 0.0
        margin = self.certificate * float(self.noise.epsilon) - self.noise.shift_float
        return float(self.noise.cdf(margin)), float(self.noise.cdf(-margin))

    def draw(self, source: BitSource) -> bool:
        """One exact test."""
        if self.certificate is None:
            return True
        scale = 1 / self.noise.epsilon
        return self.noise.law(scale).exceeds(Fraction(self.certificate), self.noise.shift * scale, source)


@final
@dataclass(frozen=True, eq=False, repr=False)
class TestOnce(FiniteScaleSampler):
    """One test, two outcomes."""

    __test__ = False

    test: CertificateTest
    passed: Scales | None
    failed: Scales | None

    def draw(self, source: BitSource) -> Scales | None:
        return self.passed if self.test.draw(source) else self.failed
