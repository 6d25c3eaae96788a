"""Candidates in groups of one score: the same laws, draws, regrets and bounds as for the list of all of them."""

import math
import pickle
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binom

import dpselect as ds
from dpselect.exact.scores import IntegerScores
from dpselect.question import Groups, Unlisted

SCORES = (7, 3, 7, 0, 3, 3, 1, 0, 0)
FALSE_ALARM = 1e-9
METHODS = [
    ds.GlobalScale(),
    ds.PrivateBound(),
    ds.CertificateSearch(),
    ds.FixedScaleTest(4),
    ds.Ladder(),
    ds.Ladder(steps="whole"),
    ds.LogTransform(),
    ds.InverseSensitivity(),
    ds.DirectSmooth(),
    ds.PrivateSmooth(),
]


class Listed:
    """Scores in hand with a profile, levels and flip distances; candidate i is called i."""

    candidates = tuple(range(len(SCORES)))
    global_sensitivity = 5
    monotone = True
    level_constants = ds.LevelConstants(1, Fraction(1), (Fraction(5),))

    def scores(self, x):
        return list(x)

    def profile(self, x):
        return ds.Profile.lipschitz(2, 1, cap=5)

    def levels(self, x):
        return (Fraction(2),)

    def flip_distance(self, x):
        return self.flip_distance_among(x, np.arange(len(x)))

    def flip_distance_among(self, x, kept):
        q = np.asarray(x)[kept]
        return -(-(q.max() - q) // 2)


class ByScore(Groups):
    def __init__(self, x, taken=()):
        self.taken = taken
        rest = {i: q for i, q in enumerate(x) if i not in taken}
        self.x, self.members = x, {q: [i for i in rest if rest[i] == q] for q in sorted(set(rest.values()))}

    @property
    def values(self):
        return tuple(self.members)

    @property
    def scores(self):
        return IntegerScores(np.array(list(self.members)))

    @property
    def counts(self):
        return tuple(map(len, self.members.values()))

    def pick(self, group, source):
        return list(self.members.values())[group][source.below(self.counts[group])]

    def without(self, group, member):
        assert member in list(self.members.values())[group]
        return ByScore(self.x, (*self.taken, member))


class Grouped(Listed):
    candidates = Unlisted(len(SCORES), "numbers")

    def groups(self, x):
        return ByScore(x)

    def flip_distance(self, x, groups):
        return self.flip_distance_among(groups.values, np.arange(len(groups.values)))


def laws(method, sampler, **options):
    chosen = type(method)(**{**vars(method), "sampler": sampler})
    return [ds.law(p, SCORES, epsilon=2, delta="1e-3", method=chosen, **options) for p in (Listed(), Grouped())]


@pytest.mark.parametrize("sampler", ["gibbs", "permute-and-flip"])
@pytest.mark.parametrize("method", METHODS, ids=lambda m: f"{m.name} {getattr(m, 'steps', '')}")
def test_the_law_is_that_of_the_list(method, sampler):
    one, many = laws(method, sampler)
    expected = Counter()
    for q, p in zip(SCORES, one.candidates.probabilities, strict=True):
        expected[q] += p
    assert dict(many.candidates) == pytest.approx(dict(expected), rel=1e-9)
    assert many.no_release == pytest.approx(one.no_release)
    assert ds.expected_regret(many) == pytest.approx(ds.expected_regret(one), rel=1e-9)
    assert many.calibration.regret(many.evaluation, Fraction(1, 20), Fraction(1, 20)) == one.calibration.regret(
        one.evaluation, Fraction(1, 20), Fraction(1, 20)
    )
    assert many.calibration.guarantee == one.calibration.guarantee


@pytest.mark.parametrize("sampler", ["gibbs", "permute-and-flip"])
@pytest.mark.parametrize("method", [ds.GlobalScale(), ds.InverseSensitivity()])
def test_top_peels_have_the_law_of_the_list(method, sampler):
    """Pairs of answers, counted; false alarm 1e-9 over both; a law at twice the ε is rejected."""
    chosen = type(method)(sampler=sampler)
    draws, found = 2000, []
    for problem in (Listed(), Grouped()):
        found.append(
            Counter(
                ds.select(problem, SCORES, epsilon=4, method=chosen, top=2, seed=i).candidates for i in range(draws)
            )
        )
    pairs = {(a, b): _two_peels(chosen, a, b, 2) for a in range(len(SCORES)) for b in range(len(SCORES)) if a != b}
    assert sum(pairs.values()) == pytest.approx(1)
    assert all(a != b for a, b in found[1])
    assert not any(_misfit(counts, pairs, draws) for counts in found)
    wrong = {(a, b): _two_peels(chosen, a, b, 4) for a, b in pairs}
    assert _misfit(found[1], wrong, draws)


def _two_peels(method, first, second, epsilon):
    """P(first) · P(second | the rest), each from a law over the listed candidates."""

    def alone(kept):
        class Rest(Listed):
            candidates = tuple(kept)

        return ds.law(Rest(), [SCORES[i] for i in kept], epsilon=epsilon, method=method).candidates

    every = range(len(SCORES))
    return alone(every)[first] * alone([i for i in every if i != first])[second]


def _misfit(counts, law, draws):
    level = FALSE_ALARM / (2 * len(law))
    tails = [min(binom.cdf(counts[c], draws, p), binom.sf(counts[c] - 1, draws, p)) for c, p in law.items()]
    return min(tails) < level


def test_every_candidate_can_be_peeled():
    release = ds.select(Grouped(), SCORES, epsilon=1, method="global-scale", top=len(SCORES))
    assert sorted(release.candidates) == list(range(len(SCORES)))
    with pytest.raises(ds.InvalidParameter, match="at most the number of candidates"):
        ds.select(Grouped(), SCORES, epsilon=1, top=len(SCORES) + 1)


def test_a_range_of_any_size():
    """10^30 candidates of score 0 and one of score 50: the tail, the law and the draw."""

    class Many(Grouped):
        def candidates(self, x):
            return Unlisted(10**30 + 1, "numbers")

        def groups(self, x):
            groups = ByScore(x)

            class Heavy(ByScore):
                counts = (10**30, 1)

                def pick(self, group, source):
                    return ("rest", source.below(10**30)) if group == 0 else "best"

            return Heavy(groups.x)

    for sampler in ("gibbs", "permute-and-flip"):
        method = ds.GlobalScale(sampler=sampler)
        assert ds.select(Many(), (0, 50), epsilon=20, method=method, seed=1).candidate == "best"
        assert ds.select(Many(), (0, 50), epsilon=1, method=method, seed=1).candidate[0] == "rest"
        law = ds.law(Many(), (0, 50), epsilon=7, method=method)
        rest = 1e30 * math.exp(-70)
        best = 1 / (1 + rest) if sampler == "gibbs" else -math.expm1(-rest) / rest  # ∫ (1 − e^-70 v)^(10^30) dv
        assert law.candidates[50] == pytest.approx(best, rel=1e-9)
        release = ds.select(Many(), (0, 50), epsilon=1, method=method)
        assert release.m == 10**30 + 1
        assert 300 < float(release.regret_bound(0.05)) < 370


def test_what_is_not_listed_is_not_listed():
    law = ds.law(Grouped(), SCORES, epsilon=1, method="global-scale")
    with pytest.raises(ds.UnsupportedProblem, match="not listed"):
        _ = law.names
    with pytest.raises(ds.UnsupportedProblem, match="not listed"):
        law.draw(None)


def test_groups_show_nothing():
    groups = ByScore(SCORES)
    assert repr(groups) == "ByScore(<private>)"
    with pytest.raises(TypeError, match="private"):
        pickle.dumps(groups)


def test_groups_that_miss_a_candidate_are_refused():
    class Short(Grouped):
        candidates = Unlisted(len(SCORES) + 1, "numbers")

    with pytest.raises(ds.InvalidData, match="every candidate once"):
        ds.select(Short(), SCORES, epsilon=1)

    class Without(Listed):
        candidates = Unlisted(3, "numbers")

    with pytest.raises(ds.InvalidParameter, match="groups"):
        ds.select(Without(), SCORES, epsilon=1)
