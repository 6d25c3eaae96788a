"""Public options are checked before any data is read, and errors name them."""

import pytest

import dpselect as ds


class Untouchable:
    """A problem whose data must not be read."""

    candidates = ("a", "b")
    global_sensitivity = 2
    level_constants = ds.LevelConstants(1, 1, (2,))
    sensitivities = (1, 2)
    common_factor_span = 1
    name = "untouchable"

    def scores(self, x):
        raise AssertionError("private data was read")

    def profile(self, x):
        raise AssertionError("private data was read")


BAD = [
    (ds.PrivateBound, {"split": 1}, "split"),
    (ds.PrivateBound, {"split": float("nan")}, "split"),
    (ds.PrivateBound, {"noise": "gaussian"}, "noise"),
    (ds.PrivateBound, {"floors": 0}, "floors"),
    (ds.PrivateBound, {"grids": -1}, "grids"),
    (ds.PrivateBound, {"floors": (1, 2)}, "floors"),
    (ds.PrivateBound, {"releases": True}, "releases"),
    (ds.PrivateBound, {"accounting": "paper"}, "accounting"),
    (ds.PrivateBound, {"accounting": "source", "noise": "truncated"}, "accounting"),
    (ds.FixedScaleTest, {"b": 0}, "b"),
    (ds.FixedScaleTest, {"b": True}, "b"),
    (ds.FixedScaleTest, {"b": "inf"}, "b"),
    (ds.FixedScaleTest, {"b": 1, "split": 0}, "split"),
    (ds.FixedScaleTest, {"b": 1, "otherwise": None}, "otherwise"),
    (ds.FixedScaleTest, {"b": 1, "noise": "none"}, "noise"),
    (ds.CertificateSearch, {"search": "linear"}, "search"),
    (ds.CertificateSearch, {"grid": [1, 1, 2]}, "grid"),
    (ds.CertificateSearch, {"grid": []}, "grid"),
    (ds.CertificateSearch, {"grid": [1]}, "grid"),
    (ds.CertificateSearch, {"grid": [1, 2], "floor": 1}, "floor"),
    (ds.CertificateSearch, {"floor": 0}, "floor"),
    (ds.CertificateSearch, {"split": 2}, "split"),
    (ds.Ladder, {"steps": "half"}, "steps"),
    (ds.Ladder, {"smoothness": 1}, "smoothness"),
    (ds.Ladder, {"accounting": "source", "steps": "whole"}, "steps"),
    (ds.Ladder, {"accounting": "source", "smoothness": 0}, "smoothness"),
    (ds.LogTransform, {"smoothness": 0}, "smoothness"),
    (ds.LogTransform, {"c": 0}, "c"),
    (ds.LogTransform, {"accounting": 1}, "accounting"),
    (ds.DirectSmooth, {"split": 1}, "split"),
    (ds.DirectSmooth, {"smoothness": 5}, "smoothness"),
    (ds.DirectSmooth, {"accounting": "source", "split": "1/2"}, "split"),
    (ds.PrivateSmooth, {"smoothness": -1}, "smoothness"),
    (ds.PrivateSmooth, {"grid": 0}, "grid"),
    (ds.PrivateSmooth, {"noise": 3}, "noise"),
    (ds.PrivateSmooth, {"releases": "scale"}, "releases"),
    (ds.GeneralizedExponential, {"tau": -1}, "tau"),
    (ds.GeneralizedExponential, {"rho": 1}, "rho"),
    (ds.CommonFactor, {"sampler": "softmax"}, "sampler"),
]


@pytest.mark.parametrize(("method", "options", "named"), BAD, ids=lambda v: getattr(v, "__name__", None) or str(v))
def test_refused_by_name(method, options, named):
    with pytest.raises(ds.InvalidParameter, match=named):
        ds.select(Untouchable(), 0, epsilon=1, delta="1/1000", method=method(**options))


@pytest.mark.parametrize(
    "method", [ds.PrivateBound(), ds.FixedScaleTest(1), ds.CertificateSearch(), ds.DirectSmooth(), ds.PrivateSmooth()]
)
def test_methods_that_need_delta_say_which_do_not(method):
    with pytest.raises(ds.InvalidParameter, match=r"delta must be positive .* 'ladder'"):
        ds.select(Untouchable(), 0, epsilon=1, method=method)
    wide = type(method)(**({"b": 1} if method.name == "fixed-scale-test" else {}))
    if method.name == "certificate-search":
        with pytest.raises(ds.InvalidParameter, match="delta"):
            ds.select(Untouchable(), 0, epsilon=1, delta="1/2", method=wide)


def test_fixed_scale_needs_its_scale():
    with pytest.raises(ds.InvalidParameter, match=r"needs b"):
        ds.select(Untouchable(), 0, epsilon=1, delta="1/10", method="fixed-scale-test")


class Bare:
    """A problem with nothing but scores and a profile."""

    candidates = ("a", "b")
    name = "bare problem"

    def scores(self, x):
        return [0, 1]

    def profile(self, x):
        return ds.Profile.exact([1, 2, 3])


@pytest.mark.parametrize(
    ("method", "lacking"),
    [
        ("global-scale", "a finite global sensitivity"),
        ("generalized-exponential", "public sensitivities per candidate"),
        ("private-bound", "levels"),
        ("certificate-search", "a finite global sensitivity"),
        ("log-transform", "a finite global sensitivity"),
        ("direct-smooth", "a finite global sensitivity"),
        ("private-smooth", "a finite global sensitivity"),
        ("common-factor", "a common factor"),
        (ds.Ladder(accounting="source"), "a finite global sensitivity"),
        (ds.FixedScaleTest(9, otherwise="global-scale"), "a finite global sensitivity"),
    ],
)
def test_what_is_lacking_and_what_can_be_used(method, lacking):
    with pytest.raises(ds.UnsupportedProblem, match=lacking) as caught:
        ds.select(Bare(), 0, epsilon=1, delta="1/10", method=method)
    usable = str(caught.value).split("it can use: ")[1].split(", ")
    assert usable == ["fixed-scale-test", "ladder", "inverse-sensitivity"]
    for name in usable:
        choice = ds.FixedScaleTest(9) if name == "fixed-scale-test" else name
        assert ds.select(Bare(), 0, epsilon=1, delta="1/10", method=choice).method == name


def test_candidate_only_release_costs_the_same_and_hides_the_scale():
    world = ds.World(["x", "y"], [(0, 1)], ["a", "b"], [[0, 5], [3, 5]])
    for method in (ds.PrivateBound, ds.CertificateSearch, ds.PrivateSmooth):
        shown, hidden = (
            ds.select(world, "x", epsilon=1, delta="1/10", method=method(releases=what), seed=4)
            for what in ("scale and candidate", "candidate")
        )
        assert shown.candidate == hidden.candidate
        assert shown.guarantee == hidden.guarantee
        assert shown.scale is not None
        assert shown.regret_bound() is not None
        assert hidden.scale is None
        assert hidden.scales == ()
        assert hidden.regret_bound() is None
    failed = ds.select(world, "x", epsilon=1, delta="1/10", method=ds.FixedScaleTest(1, noise="truncated"))
    assert failed.status == "not-released"
    assert failed.candidate is None
    assert failed.regret_bound() is None
