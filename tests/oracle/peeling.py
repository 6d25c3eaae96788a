"""Top-k by the definition of peeling: the joint law of the released scale and k candidates in order, in float64."""

import itertools
from dataclasses import dataclass, fields
from fractions import Fraction

import numpy as np

from dpselect.methods.choice import calibrate
from dpselect.methods.law import Law
from dpselect.methods.method import Budget
from dpselect.problems.problem import pose

from . import reading, samplers


def top_law(problem, x, method, epsilon, delta, k):
    """The law of a method with `top=k` at one dataset."""
    posed = pose(problem, x)
    budget = Budget(Fraction(epsilon), Fraction(delta), k)
    return Law(calibrate(method, posed.question, budget), posed.evaluation, posed.names)


def peels(law, k, stretch=1.0):
    """(scale, ordered candidates) -> probability, for finitely many scales."""
    found = {}

    def descend(b, mass, evaluation, left, chosen):
        if len(chosen) == k:
            found[(b, *chosen)] = found.get((b, *chosen), 0.0) + mass
            return
        exponents = law.calibration.selection.exponents(evaluation, () if b is None else (b,))
        p = samplers.SAMPLERS[law.calibration.sampler.name](stretch * exponents.proposal)
        for i, r in enumerate(left):
            rest = evaluation.without([i]) if len(left) > 1 and len(chosen) + 1 < k else None
            descend(b, mass * p[i], rest, left[:i] + left[i + 1 :], (*chosen, r))

    atoms = [(None, 1.0)] if law.scale.support == ((),) else law.scale.atoms
    for b, mass in atoms:
        if mass > 0:
            descend(b, mass, law.evaluation, list(range(len(law.names))), ())
    released = sum(found.values())
    if released < 1 - 1e-12:
        found[reading.WITHHELD] = 1 - released
    return found


def excess(p, q, epsilon):
    """δ(ε) from p to q."""
    return sum(max(0.0, mass - np.exp(float(epsilon)) * q.get(o, 0.0)) for o, mass in p.items())


@dataclass(frozen=True)
class Peeled(reading.Scaled):
    """A law with a continuous scale: given it, k candidates in order, from the gaps of those left."""

    k: int = 1

    @classmethod
    def of(cls, model, k):
        """The peels of a law as `reading.read` gives it."""
        return cls(**{f.name: getattr(model, f.name) for f in fields(model)}, k=k)

    def given(self, b):
        inverse = np.exp(np.minimum(-np.asarray(b), 600.0)) if self.logarithmic else 1 / np.asarray(b)
        law, every = samplers.SAMPLERS[self.sampler], range(len(self.gaps))
        orders = []
        for order in itertools.permutations(every, self.k):
            chance = np.ones_like(inverse)
            for j, r in enumerate(order):
                left = [s for s in every if s not in order[:j]]
                gaps = self.gaps[left] - self.gaps[left].min()
                chance = chance * law(self.theta * gaps * inverse[..., None])[..., left.index(r)]
            orders.append(chance)
        return np.stack(orders, axis=-1)
