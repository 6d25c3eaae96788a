"""δ(ε) against closed forms and against plain quadrature written here."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.integrate import quad

import dpselect as ds
from dpselect import worlds
from dpselect.verification.report import TOLERANCE


def two(first, second, **options):
    return ds.World(["x", "y"], [(0, 1)], ["a", "b"], [first, second], **options)


def permute_and_flip(w):
    """w_r ∫ Π_{s≠r} (1 − w_s v) dv, term by term."""
    law = []
    for r in range(len(w)):
        others = np.array([1.0])
        for s in range(len(w)):
            if s != r:
                others = np.convolve(others, [1.0, -w[s]])
        law.append(w[r] * sum(c / (k + 1) for k, c in enumerate(others)))
    return law


def answer(law, b):
    """Pr[R = r | b] from the gaps alone."""
    calibration = law.calibration
    rate = float(calibration.epsilon_selection) / calibration.question.kappa / b
    w = [math.exp(-rate * float(g)) for g in law.evaluation.scores.gaps().proposal]
    if calibration.sampler.name == "gibbs":
        return np.array(w) / sum(w)
    return np.array(permute_and_flip(w))


# ---------------------------------------------------------------- finite laws


@pytest.mark.parametrize("epsilon", ["1/10", "1/3", "1"])
def test_gibbs_on_two_points_is_the_formula(epsilon):
    report = ds.verify(two([0, 0], [3, 0]), epsilon=4, method="global-scale", sampler="gibbs")
    p, q = 1 / (1 + math.exp(-2)), 0.5  # θ = 4 / (2 · 3), gap 3
    e = math.exp(Fraction(epsilon))
    truth = max(p - e * q, q - e * (1 - p), q - e * p, (1 - q) - e * p, 0)
    ((_, delta),) = report.curve([epsilon])
    assert delta == pytest.approx(truth, rel=1e-11, abs=1e-12)
    assert report.pure_epsilon == pytest.approx(math.log(q / (1 - p)), rel=1e-14)
    assert report.renyi2 == pytest.approx(
        max(
            math.log(p * p / q + (1 - p) ** 2 / q),
            math.log(q * q / p + q * q / (1 - p)),
        ),
        rel=1e-13,
    )
    assert report.renyi2 <= report.renyi2_claimed


def test_attained_permute_and_flip_is_no_false_alarm():
    report = ds.verify(two([0, 0], [1, -1]), epsilon=1, method="global-scale", sampler="permute-and-flip")
    assert report.holds is True
    assert report.delta_exact == 0
    assert report.delta_upper <= TOLERANCE
    assert 1 <= report.pure_epsilon <= 1 + 1e-15  # e^{-ε}/2 against 1/2: attained, rounded up
    assert report.worst_edge == ("x", "y")


@pytest.mark.parametrize("m", [2, 3, 7, 12])
def test_permute_and_flip_by_visiting_all_subsets(m):
    """P(r) = w_r Σ over subsets of the others of ± Π w / (size + 1): inclusion and exclusion."""
    scores = [[(3 * i * i) % 7 for i in range(m)], [(3 * i * i) % 7 + i % 2 for i in range(m)]]
    world = ds.World(["x", "y"], [(0, 1)], list(range(m)), scores, monotone=True)
    laws = [permute_and_flip([math.exp(-(max(row) - q)) for q in row]) for row in scores]
    for eps in ("1/4", "1/2"):
        e = math.exp(Fraction(eps))
        truth = max(sum(max(p - e * q, 0) for p, q in zip(one, two, strict=True)) for one, two in (laws, laws[::-1]))
        report = ds.verify(world, epsilon=1, method="global-scale", sampler="permute-and-flip")
        assert report.curve([eps])[0][1] == pytest.approx(truth, rel=1e-9, abs=1e-12)


def test_the_curve_falls_and_meets_the_pure_epsilon():
    report = ds.verify(worlds.random_world(5), epsilon=2, method="ladder")
    curve = report.curve([Fraction(k, 10) for k in range(1, 15)])
    values = [d for _, d in curve]
    assert values == sorted(values, reverse=True)
    for epsilon, delta in curve:
        assert (delta == 0) == (epsilon >= report.pure_epsilon - 1e-12)


def test_no_release_is_an_outcome():
    # x – y differ in the scores, z is where LS is large.
    world = worlds.path_world([[0, 0], [1, 0], [9, 0]])
    report = ds.verify(world, epsilon=1, delta="1/10", method=ds.FixedScaleTest(2, noise="laplace"))
    assert report.holds
    # φ(x0) = 1, φ(x1) = 0: the test passes at x1 with probability δ, at x0 with e^{1/4} δ.
    released = 0.1 * math.exp(0.25)
    assert report.pure_epsilon == pytest.approx(max(0.25, report.pure_epsilon))
    assert float(report.delta_upper) <= released


# ---------------------------------------------------------------- one noisy level


def one_level(world, x, y, method, epsilon, delta, e):
    """∫ (k P − e k' P')_+ db by plain quadrature, with the library's float laws of B and of R given B."""
    laws = [ds.law(world, name, epsilon=epsilon, delta=delta, method=method) for name in (x, y)]
    plan = laws[0].scale.kernel.levels[0]
    low, high = float(plan.floor), float(plan.cap)
    scale = float(laws[0].scale.kernel.top / plan.noise.epsilon)
    centres = [float(law.scale.values[0]) + scale * plan.noise.shift_float for law in laws]

    def excess(b, masses):
        p, q = (answer(law, b) for law in laws)
        return float(np.maximum(masses[0] * p - e * masses[1] * q, 0).sum())

    def density(i, b):
        w = (b - centres[i]) / scale
        if plan.noise.kind == "truncated" and abs(w) > plan.noise.shift_float:
            return 0.0
        return float(plan.noise.density(np.array(w))) / scale

    floor = [law.scale.cdf(low) for law in laws]
    cap = [1 - law.scale.cdf(np.nextafter(high, 0)) for law in laws]
    total = excess(low, floor) + excess(high, cap)
    edges = {low, high, *centres}
    edges |= {c + s * scale * plan.noise.shift_float for c in centres for s in (-1, 1)}
    edges |= set(np.linspace(low, high, 60))
    cuts = sorted(b for b in edges if low <= b <= high)
    for a, b in itertools.pairwise(cuts):
        total += quad(lambda t: excess(t, [density(0, t), density(1, t)]), a, b, epsabs=1e-13, limit=200)[0]
    return total


@pytest.mark.parametrize("sampler", ["gibbs", "permute-and-flip"])
@pytest.mark.parametrize("noise", ["laplace", "truncated"])
def test_one_level_against_quadrature(noise, sampler):
    world = ds.World(list("vxyz"), [(0, 1), (1, 2), (2, 3)], ["a", "b", "c"],
                     [[0, 0, 0], [0, 0, 1], [1, -1, 1], [4, 0, 0]])  # fmt: skip
    method = ds.PrivateBound(noise=noise, sampler=sampler, floors="1/4")
    report = ds.verify(world, epsilon=1, delta="1/10", method=method)
    pairs = [(a, b) for u, v in ("vx", "xy", "yz") for a, b in ((u, v), (v, u))]
    truth = {pair: one_level(world, *pair, method, 1, "1/10", math.e) for pair in pairs}
    assert float(report.delta_exact) == pytest.approx(max(truth.values()), rel=1e-6)
    assert truth[report.worst_edge] == pytest.approx(max(truth.values()), rel=1e-6)
    assert report.delta_upper - report.delta_lower <= TOLERANCE
    # Another point of the curve, where more is exceeded.
    ((_, half),) = report.curve(["1/2"])
    expected = max(one_level(world, *pair, method, 1, "1/10", math.exp(0.5)) for pair in pairs)
    assert half == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("sampler", ["gibbs", "permute-and-flip"])
def test_pure_epsilon_of_one_level_by_a_dense_grid(sampler):
    """sup log(k P_r / (k' P'_r)) over the atoms and 4,000 scales."""
    world = worlds.path_world([[0, 0, 1], [1, -1, 0], [4, 0, 0]])
    method = ds.PrivateBound(noise="laplace", sampler=sampler, floors="1/4")
    report = ds.verify(world, epsilon=1, delta="1/10", method=method)
    laws = [ds.law(world, n, epsilon=1, delta="1/10", method=method) for n in world.datasets]
    plan, top = laws[0].scale.kernel.levels[0], laws[0].scale.kernel.top
    low, high, scale = float(plan.floor), float(plan.cap), float(top / plan.noise.epsilon)
    centres = [float(law.scale.values[0]) + scale * plan.noise.shift_float for law in laws]

    def worst(x, y):
        points = [(low, laws[x].scale.cdf(low) / laws[y].scale.cdf(low))]
        above = [1 - law.scale.cdf(np.nextafter(high, 0)) for law in (laws[x], laws[y])]
        points.append((high, above[0] / above[1]))
        points += [
            (b, math.exp((abs(b - centres[y]) - abs(b - centres[x])) / scale)) for b in np.linspace(low, high, 4000)
        ]
        return max(math.log(k) + np.log(answer(laws[x], b) / answer(laws[y], b)).max() for b, k in points)

    truth = max(worst(x, y) for u in range(2) for x, y in ((u, u + 1), (u + 1, u)))
    assert report.pure_epsilon == pytest.approx(truth, rel=1e-6)
    assert report.pure_epsilon >= truth * (1 - 1e-12)
    assert report.curve([Fraction(report.pure_epsilon)])[0][1] == 0


def test_attained_truncated_noise_is_no_false_alarm():
    world = ds.World(list("vxyz"), [(0, 1), (1, 2), (2, 3)], ["a", "b"], [[0, 0], [0, 0], [1, -1], [4, 0]])
    for delta in ("1e-6", "1/10"):
        report = ds.verify(world, epsilon=1, delta=delta, method=ds.PrivateBound(noise="truncated"))
        assert report.holds is True
        assert report.delta_claimed == Fraction(delta)
        assert 0 <= report.delta_upper - report.delta_claimed <= TOLERANCE
        assert 0 <= report.delta_claimed - report.delta_lower <= TOLERANCE


def test_smooth_scale_against_quadrature():
    world = ds.World(list("vxyz"), [(0, 1), (1, 2), (2, 3)], ["a", "b"], [[0, 0], [0, 0], [1, -1], [4, 0]])
    method = ds.PrivateSmooth(noise="laplace", sampler="gibbs", smoothness="1/2")
    report = ds.verify(world, epsilon=1, delta="1/5", method=method)
    laws = {n: ds.law(world, n, epsilon=1, delta="1/5", method=method) for n in "vxyz"}
    kernel = laws["v"].scale.kernel
    scale, cap = float(kernel.smoothness / kernel.noise.epsilon), float(kernel.cap)

    def delta(x, y):
        one, two = laws[x], laws[y]
        mid = [math.log(float(law.scale.bound)) + scale * kernel.noise.shift_float for law in (one, two)]

        def part(t):
            b = math.exp(t)
            k = [math.exp(-abs(t - c) / scale) / (2 * scale) for c in mid]
            p, q = answer(one, b), answer(two, b)
            return float(np.maximum(k[0] * p - math.e * k[1] * q, 0).sum())

        tails = [1 - law.scale.cdf(np.nextafter(cap, 0)) for law in (one, two)]
        p, q = (answer(law, cap) for law in (one, two))
        total = float(np.maximum(tails[0] * p - math.e * tails[1] * q, 0).sum())
        cuts = sorted({*np.linspace(math.log(cap) - 40 * scale, math.log(cap), 120), *mid})
        cuts = [c for c in cuts if c <= math.log(cap)]
        return total + sum(quad(part, a, b, epsabs=1e-12, limit=200)[0] for a, b in itertools.pairwise(cuts))

    truth = max(delta(a, b) for u, v in ("vx", "xy", "yz") for a, b in ((u, v), (v, u)))
    assert float(report.delta_exact) == pytest.approx(truth, rel=1e-6)


# ---------------------------------------------------------------- two noisy levels


def test_two_levels_against_quadrature():
    world = ds.World(list("vxyz"), [(0, 1), (1, 2), (2, 3)], ["a", "b"], [[0, 0], [0, 0], [1, -1], [4, 0]], depth=2)
    method = ds.PrivateBound(noise="laplace", sampler="gibbs", floors=("1/4", "1/2"))
    report = ds.verify(world, epsilon=1, delta="1/5", method=method)
    laws = {n: ds.law(world, n, epsilon=1, delta="1/5", method=method) for n in "vxyz"}
    kernel = laws["v"].scale.kernel
    outer, inner = kernel.levels[1], kernel.levels[0]

    def pieces(plan, above, locations, points):
        """(b, mass under x, mass under y): atoms, and midpoints of cells fine enough for 1e-3."""
        scale = float(above) / float(plan.noise.epsilon)
        low, high = float(plan.floor), float(plan.cap)
        shift = plan.noise.shift_float
        cdf = [lambda b, h=h: float(plan.noise.cdf((b - h) / scale - shift)) for h in locations]
        yield low, *(f(low) for f in cdf)
        yield high, *(1 - f(high) for f in cdf)
        cells = np.linspace(low, high, points + 1)
        for a, b in itertools.pairwise(cells):
            yield (a + b) / 2, *(f(b) - f(a) for f in cdf)

    def delta(x, y, e=math.e):
        hx, hy = (np.array([float(v) for v in laws[n].scale.values]) for n in (x, y))
        gaps = [np.array(laws[n].evaluation.scores.gaps().proposal) for n in (x, y)]
        rate = float(laws[x].calibration.epsilon_selection) / laws[x].calibration.question.kappa
        total = 0.0
        for b1, m1, n1 in pieces(outer, kernel.top, (hx[1], hy[1]), 150):
            for b0, m0, n0 in pieces(inner, b1, (hx[0], hy[0]), 150):
                w = [np.exp(-rate * g / b0) for g in gaps]
                p, q = (v / v.sum() for v in w)
                total += np.maximum(m1 * m0 * p - e * n1 * n0 * q, 0).sum()
        return total

    truth = {(a, b): delta(a, b) for u, v in ("xy", "yz") for a, b in ((u, v), (v, u))}
    assert float(report.delta_lower) <= max(truth.values()) * 1.01
    assert float(report.delta_upper) >= max(truth.values()) * 0.99
    assert report.delta_upper <= report.delta_lower * Fraction(101, 100)
    assert truth[report.worst_edge] >= 0.99 * max(truth.values())


# ---------------------------------------------------------------- the report


def test_json_of_a_report():
    world = worlds.path_world([[0, "1/3"], [1, 0], [4, 0]])
    report = ds.verify(world, epsilon="1/2", delta="1e-6", method="private-bound")
    content = report.to_dict(curve=["1/2", 1])
    assert content["holds"] is True
    assert content["epsilon"] == 0.5
    assert content["delta_claimed"] == 1e-6
    assert sorted(content["worst_edge"]) in (["x0", "x1"], ["x1", "x2"])
    assert [e for e, _ in content["curve"]] == [0.5, 1.0]
    assert '"holds": true' in report.to_json()


def test_verdict_only_is_the_same_verdict():
    world = worlds.random_world(3)
    for method in ("private-bound", "ladder"):
        full = ds.verify(world, epsilon=1, delta="1/20", method=method)
        quick = ds.verify(world, epsilon=1, delta="1/20", method=method, detail="verdict")
        assert quick.holds is full.holds is True
        assert quick.delta_lower <= full.delta_upper
        assert full.delta_lower <= quick.delta_upper
        assert quick.witness == ()


def test_mixed_components():
    """A component with constant scores beside one that changes: no noise there, noise here."""
    world = ds.World(list("abcd"), [(0, 1), (2, 3)], ["r", "s"], [[0, 0], [0, 0], [0, 0], [1, 0]])
    for method in ("private-smooth", "private-bound", "log-transform", "direct-smooth"):
        assert ds.verify(world, epsilon=1, delta="1e-3", method=method).holds


def test_a_large_finite_world():
    rng = np.random.default_rng(0)
    table = rng.integers(0, 30, size=(300, 40))
    edges = [(i, i + 1) for i in range(299)] + [(i, i + 2) for i in range(298)]
    world = ds.World(list(range(300)), edges, list(range(40)), table.tolist())
    assert ds.verify(world, epsilon=1, method=ds.GlobalScale(sampler="gibbs")).holds


@pytest.mark.slow
def test_two_thousand_datasets_a_hundred_candidates_ten_thousand_edges():
    rng = np.random.default_rng(0)
    table = np.cumsum(rng.integers(-1, 2, size=(2000, 100)), axis=0)
    edges = [(i, i + 1) for i in range(1999)]
    edges += [tuple(sorted(e)) for e in rng.integers(0, 2000, size=(8001, 2)).tolist() if e[0] != e[1]]
    world = ds.World(list(range(2000)), edges, list(range(100)), table.tolist())
    assert ds.verify(world, epsilon=1, method=ds.GlobalScale(sampler="gibbs")).holds


class Mapped:
    """Scores over a path, whose levels are a 1-step statistic D with B = 1 + 2 D."""

    candidates = ("a", "b")
    global_sensitivity = 7
    levels_seen = (0, 1, 2, 3)

    def __init__(self, table):
        self.table = table
        self.level_constants = ds.LevelConstants(1, Fraction(1), (Fraction(7),), (lambda d: 1 + 2 * d,))

    def scores(self, x):
        return self.table[x]

    def profile(self, x):
        return ds.Profile.constant(7)

    def levels(self, x):
        return (self.levels_seen[x],)


@pytest.mark.parametrize("sampler", ["gibbs", "permute-and-flip"])
def test_a_mapped_level_is_a_sum_over_steps(sampler):
    """B = min(7, 1 + 2 ⌈D + s (W + shift)⌉⁺): Σ over its values of Σ_r (k P − e^ε k' P')_+, in plain floats."""
    table = [[0, 0], [1, 0], [4, 0], [9, 0]]
    world = worlds.ProblemWorld(Mapped(table), [0, 1, 2, 3], [0, 1, 2, 3], [(0, 1), (1, 2), (2, 3)])
    method = ds.PrivateBound(noise="laplace", sampler=sampler, split="1/2", floors="1/2")
    report = ds.verify(world, epsilon=1, delta="1/5", method=method)
    laws = [ds.law(Mapped(table), x, epsilon=1, delta="1/5", method=method) for x in range(4)]
    shift, scale = math.log(1 / 0.4), 2.0

    def masses(d):
        def below(b):
            w = (b - d) / scale - shift
            return 0.5 * math.exp(w) if w < 0 else 1 - 0.5 * math.exp(-w)

        found = {}
        for k in range(60):
            value = min(7, 1 + 2 * k)
            found[value] = found.get(value, 0) + below(k) - (below(k - 1) if k else 0)
        return found

    def delta(x, y):
        return sum(
            np.maximum(masses(x)[b] * answer(laws[x], b) - math.e * masses(y)[b] * answer(laws[y], b), 0).sum()
            for b in (1, 3, 5, 7)
        )

    truth = max(delta(x, y) for u in range(3) for x, y in ((u, u + 1), (u + 1, u)))
    assert truth > 1e-3
    assert float(report.delta_exact) == pytest.approx(truth, rel=1e-9)
