"""The report of a verification."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, final

from dpselect.exact.numbers import positive
from dpselect.release import decimal_up
from dpselect.verification.outcomes import Outcomes

TOLERANCE = Fraction(1, 2**100)
"""A claim that is attained exactly holds: an enclosure may reach this far above it."""


@final
@dataclass(frozen=True)
class Verification:
    """What a mechanism really does on a dataset graph, against what is claimed.

        δ(ε) = max over ordered edges x → x' of sup_O (Pr_x[O] − e^ε Pr_{x'}[O])

    Arguments:
        method, sampler: what was verified; the name of the function for a user's own mechanism.
        datasets, edges, candidates: the size of the world (undirected edges).
        epsilon, delta_claimed: the claim.
        delta_lower, delta_upper: an enclosure of δ(ε).
        worst_edge: names of the two datasets; the first is the one whose outcomes are too likely. None without edges.
        witness: the outcomes with Pr_x > e^ε Pr_{x'} on that edge.
        pure_epsilon: the least ε with δ(ε) = 0, rounded up; inf if there is none (or if the scale has a tail without
            floor or cap, whose ratio is not bounded here), None if it was not computed.
        renyi2: the largest Rényi divergence of order 2 over the ordered edges, rounded up; None unless the claim is a
            range bound ε, which promises at most `renyi2_claimed` = ε²/4 (the sum over the peels, with top-k).
        top: k: an outcome has k candidates in order.
    """

    method: str
    sampler: str | None
    datasets: int
    edges: int
    candidates: int
    epsilon: Fraction
    delta_claimed: Fraction
    delta_lower: Fraction
    delta_upper: Fraction
    worst_edge: tuple[Any, Any] | None
    witness: tuple[Any, ...]
    pure_epsilon: float | None
    renyi2: float | None
    renyi2_claimed: Fraction | None
    outcomes: Outcomes = field(repr=False, compare=False)
    top: int = 1

    @property
    def holds(self) -> bool | None:
        """False if the lower end is above the claim, True if the upper end is at most the claim (+ 2^-100), else None.

        The lower end is a proof: a pure claim that fails by 10^-200 fails.
        """
        if self.delta_lower > self.delta_claimed:
            return False
        return True if self.delta_upper <= self.delta_claimed + TOLERANCE else None

    @property
    def verdict(self) -> str:
        """ "holds", "fails" or "undecided"."""
        return {True: "holds", False: "fails", None: "undecided"}[self.holds]

    @property
    def delta_exact(self) -> Fraction:
        """δ(ε): the lower end where the enclosure is narrower than 2^-100, else its safe (upper) end."""
        narrow = self.delta_upper - self.delta_lower <= TOLERANCE
        return self.delta_lower if narrow else self.delta_upper

    def curve(self, epsilons: Iterable[Any]) -> list[tuple[Fraction, float]]:
        """The privacy curve: (ε, δ(ε) rounded up) for every ε asked for."""
        points = [positive(e, "epsilons") for e in epsilons]
        return [(e, _shown(self._at(e))) for e in points]

    def _at(self, epsilon: Fraction) -> Fraction:
        worst = self.outcomes.delta(epsilon, Fraction(1), thorough=True)
        return worst.lower if worst.upper - worst.lower <= TOLERANCE else worst.upper

    def to_dict(self, curve: Sequence[Any] = ()) -> dict[str, Any]:
        """The JSON form: decimals rounded in the safe direction, exact values beside them."""
        pure = self.pure_epsilon
        return {
            "holds": self.holds,
            "verdict": self.verdict,
            "method": self.method,
            "sampler": self.sampler,
            "top": self.top,
            "epsilon": decimal_up(self.epsilon),
            "epsilon_exact": str(self.epsilon),
            "delta_claimed": decimal_up(self.delta_claimed),
            "delta_claimed_exact": str(self.delta_claimed),
            "delta_exact": _shown(self.delta_exact),
            "delta_lower": -decimal_up(-self.delta_lower) if self.delta_lower else 0.0,
            "delta_upper": decimal_up(self.delta_upper),
            "worst_edge": None if self.worst_edge is None else list(self.worst_edge),
            "witness": list(self.witness),
            "pure_epsilon": None if pure is None or math.isinf(pure) else pure,
            "renyi2": None if self.renyi2 is None or math.isinf(self.renyi2) else self.renyi2,
            "renyi2_claimed": None if self.renyi2_claimed is None else decimal_up(self.renyi2_claimed),
            "datasets": self.datasets,
            "edges": self.edges,
            "candidates": self.candidates,
            **({"curve": [[decimal_up(e), d] for e, d in self.curve(curve)]} if curve else {}),
        }

    def to_json(self, curve: Sequence[Any] = ()) -> str:
        """`to_dict` as a JSON text."""
        return json.dumps(self.to_dict(curve), indent=2, ensure_ascii=False, default=str)


def _shown(delta: Fraction) -> float:
    return decimal_up(delta)
