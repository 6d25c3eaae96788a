"""Scores in hand: every kind of number exactly, every kind of bad input refused by name, nothing leaks."""

import json
import math
import pickle
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import dpselect as ds
from dpselect.errors import DPSelectError, InvalidData, InvalidParameter, UnsupportedProblem

NOT_NUMBERS = [float("nan"), float("inf"), -float("inf"), "x", "", "1/0", "nan", "inf", True, False, None, [1], {}, 1j]
NOT_POSITIVE = [*NOT_NUMBERS, 0, -1, "-1", "0", -1e-300]
SCORES = [4231, 7789, 1234567]


def release(scores=SCORES, **options):
    return ds.select(scores, **{"epsilon": 1, "sensitivity": 1, "seed": 1, **options})


@pytest.mark.parametrize("bad", NOT_POSITIVE, ids=repr)
def test_epsilon(bad):
    with pytest.raises(InvalidParameter, match="epsilon"):
        release(epsilon=bad)


@pytest.mark.parametrize("bad", [*(v for v in NOT_NUMBERS), -1, "-1e-9", 1, 2, "1.5"], ids=repr)
def test_delta(bad):
    with pytest.raises(InvalidParameter, match="delta"):
        release(delta=bad)


@pytest.mark.parametrize("bad", [v for v in NOT_NUMBERS if v not in ([1], {}, None)] + [-1, "-1/3"], ids=repr)
def test_sensitivity(bad):
    with pytest.raises(InvalidParameter, match="sensitivity"):
        release(sensitivity=bad)


@pytest.mark.parametrize(
    "bad", [None, {}, {"a": 1}, [1], [1, 2], [1, 2, float("nan")], [1, 2, -3], [1, 2, True], [1, 2, 3, 4]], ids=repr
)
def test_sensitivity_per_candidate(bad):
    with pytest.raises(InvalidParameter, match="sensitivity"):
        release(sensitivity=bad)


METHODS = [
    (lambda v: ds.PrivateBound(split=v), "split"),
    (lambda v: ds.PrivateBound(floors=v), "floors"),
    (lambda v: ds.PrivateBound(grids=v), "grids"),
    (lambda v: ds.FixedScaleTest(v), "b"),
    (lambda v: ds.FixedScaleTest(1, split=v), "split"),
    (lambda v: ds.CertificateSearch(grid=(v, 10**9)), "grid"),
    (lambda v: ds.CertificateSearch(floor=v), "floor"),
    (lambda v: ds.CertificateSearch(split=v), "split"),
    (lambda v: ds.LogTransform(smoothness=v), "smoothness"),
    (lambda v: ds.LogTransform(c=v), "c"),
    (lambda v: ds.PrivateSmooth(grid=v), "grid"),
    (lambda v: ds.PrivateSmooth(split=v), "split"),
    (lambda v: ds.DirectSmooth(split=v), "split"),
    (lambda v: ds.Ladder(accounting="source", smoothness=v), "smoothness"),
]


@pytest.mark.parametrize(("make", "name"), METHODS, ids=[f"{i}-{name}" for i, (_, name) in enumerate(METHODS)])
@pytest.mark.parametrize("bad", [v for v in NOT_POSITIVE if v not in (None, [1], {})], ids=repr)
def test_options_of_methods_are_refused_before_data_is_read(make, name, bad):
    class Untouchable:
        candidates = ("a", "b")
        global_sensitivity = 5
        level_constants = ds.LevelConstants(1, Fraction(1), (Fraction(5),))

        def scores(self, x):
            raise AssertionError("data was read")

        profile = levels = scores

    with pytest.raises(InvalidParameter, match=name):
        ds.select(Untouchable(), object(), epsilon=1, delta="1e-6", method=make(bad))


@pytest.mark.parametrize(
    "value", [1, 0.5, "1e-3", "1/7", Decimal("0.3"), Fraction(2, 3), np.float32(0.1), np.int8(2)], ids=repr
)
def test_numbers_are_what_they_are(value):
    exact = Fraction(value) if not isinstance(value, np.generic) else Fraction(value.item())
    assert release(epsilon=value).epsilon == exact


# -------------------------------------------------------------------------------------------- candidates


@pytest.mark.parametrize("empty", [[], {}, (), np.array([]), np.array([], dtype=np.int64)], ids=repr)
def test_no_candidates(empty):
    with pytest.raises(InvalidParameter, match="candidates"):
        release(empty)


def test_candidates_must_be_distinct_and_as_many_as_scores():
    with pytest.raises(InvalidParameter, match="repeat"):
        release([1, 2], candidates=["a", "a"])
    with pytest.raises(InvalidParameter, match="equally many"):
        release([1, 2], candidates=["a"])
    with pytest.raises(InvalidParameter, match="candidates"):
        release({"a": 1}, candidates=["a"])


@pytest.mark.parametrize("one", [[7], {"only": 7}, np.array([7.5])], ids=repr)
def test_one_candidate_is_valid_and_free(one):
    found = release(one)
    assert found.candidate in (0, "only")
    assert found.epsilon == found.delta == 0
    assert found.private is False


def test_zero_sensitivity_is_free_and_names_a_maximiser():
    for scores in ([1, 5, 5], {"a": Fraction(1, 3), "b": 2, "c": 2}):
        found = {release(scores, sensitivity=0, seed=s).candidate for s in range(20)}
        assert found <= {1, 2, "b", "c"}
        assert len(found) == 2
    assert release([1, 5], sensitivity=0).epsilon == 0


@pytest.mark.parametrize("bad", ["scores", b"abc", 5, None, object(), np.zeros((2, 2))], ids=lambda v: type(v).__name__)
def test_what_is_no_collection_of_scores(bad):
    with pytest.raises(InvalidParameter):
        release(bad)


# -------------------------------------------------------------------------------------------- scores are private


@pytest.mark.parametrize(
    "scores",
    [
        [4231, float("nan"), 7789],
        [4231.5, float("inf")],
        np.array([4231.0, -np.inf]),
        [4231, "seven"],
        [4231, None],
        [4231, True],
        [4231, 7789j],
        {"a": 4231, "b": float("nan")},
        [Decimal("NaN"), 4231],
        [4231, [7789]],
    ],
    ids=repr,
)
def test_bad_scores_are_refused_without_showing_any(scores):
    with pytest.raises((InvalidData, InvalidParameter)) as caught:
        release(scores)
    text = str(caught.value)
    assert not any(c.isdigit() for c in text)
    assert "seven" not in text
    # What a traceback prints of causes must not show scores either.
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None or caught.value.__suppress_context__


def law(scores, **options):
    return ds.law(scores, **{"epsilon": 2, "sensitivity": 1, "method": "global-scale", "sampler": "gibbs", **options})


def odds(scores, **options):
    p = law(scores, **options).candidates.probabilities
    return math.log(p[1] / p[0])


@pytest.mark.parametrize(
    "dtype", [np.uint8, np.int8, np.uint16, np.int16, np.uint64, np.int64, np.float16, np.float32, np.bool_]
)
def test_narrow_arrays_never_wrap(dtype):
    low, high = (0, 1) if dtype is np.bool_ else (0, 3)
    assert odds(np.array([high, low], dtype=dtype)) == pytest.approx(-(high - low), rel=1e-12)
    if np.issubdtype(dtype, np.integer):
        ends = np.array([np.iinfo(dtype).min, np.iinfo(dtype).max], dtype=dtype)
        spread = int(ends[1]) - int(ends[0])
        assert odds(ends, sensitivity=spread) == pytest.approx(1.0, rel=1e-12)
        assert law(ends, sensitivity=1).given(spread).exponents.exact(0) == 1


def test_integers_beyond_64_bits_are_exact():
    big = 10**40
    assert odds([big, big + 3]) == pytest.approx(3.0, rel=1e-12)
    assert law([big, big + 3]).given(1).exponents.exact(0) == 3
    assert release([0, big], sensitivity=1).candidate == 1


def test_subnormal_and_huge_floats_are_exact():
    tiny = 5e-324
    assert law([0.0, tiny], sensitivity=Fraction(tiny)).given(Fraction(tiny)).exponents.exact(0) == 1
    spread = 2 * Fraction(1e308)
    found = law([-1e308, 1e308], sensitivity=spread)
    assert found.given(spread).exponents.exact(0) == 1
    assert odds([-1e308, 1e308], sensitivity=spread) == pytest.approx(1.0, rel=1e-12)


def test_mixed_numbers_are_exact():
    mixed = [1, Fraction(1, 3), Decimal("0.1"), 0.5, "2/7", np.float32(0.25), np.int64(2)]
    exact = [Fraction(1), Fraction(1, 3), Fraction(1, 10), Fraction(1, 2), Fraction(2, 7), Fraction(1, 4), Fraction(2)]
    exponents = law(mixed).given(1).exponents
    assert [exponents.exact(i) for i in range(7)] == [2 - q for q in exact]


@pytest.mark.parametrize(
    "method", ["global-scale", "ladder", "inverse-sensitivity", "log-transform", ds.Ladder(steps="whole")]
)
def test_a_candidate_far_behind_has_positive_probability(method):
    """Whatever the gap, no weight is rounded to zero in the exact draw."""
    for far, sensitivity in ((10**4, 1), (1e308, 1), (10**400, 1), (1e308, "1e-300")):
        found = ds.law([far, 0], epsilon=2, sensitivity=sensitivity, method=method)
        exponents = found.given(*([sensitivity] if method == "global-scale" else [])).exponents
        assert exponents.exact(0) == 0
        assert exponents.exact(1) is not None
        assert exponents.proposal[1] < math.inf
        assert ds.select([far, 0], epsilon=2, sensitivity=sensitivity, method=method).candidate == 0


@pytest.mark.parametrize("sampler", ["gibbs", "permute-and-flip"])
def test_shifting_scores_changes_no_law(sampler):
    for a, b in (([1, 2, 5], [10**30 + 1, 10**30 + 2, 10**30 + 5]), ([0.25, 0.5], [-7.75, -7.5])):
        assert np.array_equal(
            law(a, sampler=sampler).candidates.probabilities, law(b, sampler=sampler).candidates.probabilities
        )


# -------------------------------------------------------------------------------------------- what leaves


def test_seeds():
    first, again, other = (release([1, 2, 3], seed=s) for s in (5, 5, 6))
    assert first == again
    assert first.private is False
    assert "private=False" in repr(first)
    assert json.loads(first.to_json())["seeded"] is True
    drawn = [release([0, 0, 0, 0], seed=s).candidate for s in range(40)]
    assert len(set(drawn)) == 4
    assert ds.select([1, 2], epsilon=1, sensitivity=1).private is True
    assert other.private is False
    for bad in (True, 1.5, "1", -1):
        with pytest.raises(InvalidParameter, match="seed"):
            release(seed=bad)


@pytest.mark.parametrize("top", [0, -1, 1.0, True, "2", 4])
def test_top(top):
    with pytest.raises(InvalidParameter, match="top"):
        release([1, 2, 3], top=top)


def test_top_names_distinct_candidates_in_order():
    found = release([1, 2, 1000, 500], top=3)
    assert len(set(found.candidates)) == 3
    assert found.candidates[:2] == (2, 3)
    assert found.epsilon == 1


def test_representations_show_no_private_number():
    private = [4231, 7789, 1234567]
    texts = [repr(release(private))]
    found = law(private)
    for thing in (found, found.given(1), found.scale, found.candidates, found.evaluation, found.evaluation.scores):
        texts += [repr(thing), str(thing)]
        with pytest.raises(TypeError):
            pickle.dumps(thing)
    found.candidates.probabilities[:] = 0
    diagnosis = ds.diagnose(ds.World(["x", "y"], [(0, 1)], ["a", "b"], [[4231, 0], [7789, 0]]), "x")
    texts += [repr(diagnosis), repr(diagnosis.profile), repr(diagnosis.smooth_bound(1))]
    for text in texts:
        for number in ("4231", "7789", "1234567", "3558", str(1234567 - 7789), str(1234567 - 4231)):
            assert number not in text
    with pytest.raises(TypeError):
        pickle.dumps(diagnosis)


def test_a_release_may_be_pickled_and_holds_public_numbers_only():
    found = release([4231, 7789, 1234567], candidates=["a", "b", "c"], epsilon="1/4")
    assert pickle.loads(pickle.dumps(found)) == found
    text = found.to_json() + repr(found)
    assert not any(number in text for number in ("4231", "7789", "1234567"))


def test_private_data_errors_hold_no_data():
    class Broken:
        candidates = ("a", "b", "c")
        global_sensitivity = 1

        def __init__(self, scores):
            self.given = scores

        def scores(self, x):
            return self.given

        def profile(self, x):
            return ds.Profile.constant(1)

        def flip_distance(self, x):
            return [7, 4231, 9]

    for problem, method in (
        (Broken([4231, 7789]), "global-scale"),
        (Broken([4231, 7789, float("nan")]), "ladder"),
        (Broken([1, 2, 3]), "inverse-sensitivity"),
    ):
        with pytest.raises(InvalidData) as caught:
            ds.select(problem, None, epsilon=1, method=method)
        assert not any(c.isdigit() and c not in "01" for c in str(caught.value))


def test_methods_that_cannot_serve_say_which_can():
    with pytest.raises(UnsupportedProblem, match="global-scale"):
        release(method="private-bound", delta="1e-6")
    with pytest.raises(InvalidParameter, match="private-bound"):
        release(method="private-bond")
    assert issubclass(UnsupportedProblem, DPSelectError)


def test_a_problem_without_data_and_scores_with_data_are_told_apart():
    with pytest.raises(ds.InvalidParameter, match="data is missing"):
        ds.select(ds.graph.TopVertex(), epsilon=1)
    with pytest.raises(ds.InvalidParameter, match="scores in hand go alone"):
        ds.select({"a": 1, "b": 2}, [1, 2], epsilon=1)


@pytest.mark.parametrize(
    ("candidates", "what"), [([["a"], "b"], "hashable"), (5, "got int"), ("ab", "got str"), (["a", "a"], "not repeat")]
)
def test_candidates(candidates, what):
    with pytest.raises(InvalidParameter, match=f"candidates must .*{what}"):
        release([1, 2], candidates=candidates)
