"""Random and named dataset graphs with score tables."""

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

import numpy as np

import dpselect as ds

SHAPES = ("path", "tree", "cycle", "complete", "random", "disconnected")


def graph_of(rng, shape, n):
    """Edges of a dataset graph on n datasets."""
    if shape == "path":
        return [(i, i + 1) for i in range(n - 1)]
    if shape == "cycle":
        return sorted({(min(i, (i + 1) % n), max(i, (i + 1) % n)) for i in range(n)} - {(i, i) for i in range(n)})
    if shape == "complete":
        return list(combinations(range(n), 2))
    tree = [(int(rng.integers(i)), i) for i in range(1, n)]
    if shape == "tree":
        return tree
    if shape == "random":
        return sorted({*tree, *(e for e in combinations(range(n), 2) if rng.random() < 0.3)})
    return [e for e in combinations(range(n), 2) if rng.random() < 1.5 / n]


def random_world(seed, *, monotone=None, depth=1, datasets=(2, 6), candidates=(1, 2, 3, 4)):
    """A world drawn from a seed: every shape, few or many ties, integers or rationals, zero local sensitivity."""
    rng = np.random.default_rng([seed, 7])
    n = int(rng.integers(datasets[0], datasets[1] + 1))
    m = int(rng.choice(candidates))
    shape = SHAPES[int(rng.integers(len(SHAPES)))]
    edges = graph_of(rng, shape, n)
    monotone = bool(rng.random() < 0.4) if monotone is None else monotone
    kind = int(rng.integers(4))
    if monotone:
        # A chain of score vectors; two datasets on any edge are two points of the chain.
        steps = rng.integers(0, (2, 4, 2, 9)[kind], size=(n + 1, m))
        table = np.cumsum(steps, axis=0)[rng.integers(0, n + 1, size=n)]
    elif kind == 0:
        table = rng.integers(0, 2, size=(n, m))
    elif kind == 1:
        table = rng.integers(-5, 6, size=(n, m))
    elif kind == 2:
        # A walk: neighbours on a path differ by at most 1.
        table = np.cumsum(rng.integers(-1, 2, size=(n, m)), axis=0) + rng.integers(0, 3, size=(1, m))
    else:
        # Few changes: many edges have zero local sensitivity.
        table = np.tile(rng.integers(0, 6, size=(1, m)), (n, 1))
        table[int(rng.integers(n))] += rng.integers(-2, 3, size=m)
    unit = Fraction(1, int(rng.choice([1, 1, 3, 7, 10])))
    rows = [[int(v) * unit for v in row] for row in table]
    return ds.World([f"x{i}" for i in range(n)], edges, [f"r{i}" for i in range(m)], rows, monotone, depth)


def ordinal(seed):
    """A world in which nothing is drawn but the seed's size: path of growing local sensitivity 1, 2, 3, … ."""
    n = 3 + seed % 4
    return ds.World(
        [f"x{i}" for i in range(n)],
        [(i, i + 1) for i in range(n - 1)],
        ["a", "b"],
        [[i * (i + 1) // 2, (i * (i + 1) // 2) % 2] for i in range(n)],
    )


@dataclass(frozen=True)
class Dressed:
    """A world whose public side is changed: what it declares decides what is planned, its data stay the same."""

    world: ds.World
    constants: object = None
    values: object = None
    sensitivities: object = None
    global_sensitivity: object = None
    factor: object = None
    common_factor_span: object = None
    name: str = "dressed world"

    @property
    def candidates(self):
        return self.world.candidates

    @property
    def monotone(self):
        return self.world.monotone

    def scores(self, x):
        return self.world.scores(x)

    def profile(self, x):
        return self.world.profile(x)

    def levels(self, x):
        return self.world.levels(x) if self.values is None else self.values(x)

    @property
    def level_constants(self):
        return self.world.level_constants if self.constants is None else self.constants

    def common_factor(self, x):
        return [self.factor[x] * q for q in _rows(self.world)[self.world.position(x)]]

    def __getattr__(self, name):
        if name in ("table", "score_unit", "position", "edge_array", "datasets", "distances", "neighbours"):
            return getattr(self.world, name)
        raise AttributeError(name)


def uncapped(world):
    """The same world with no public bound on what the levels have to cover: nothing is capped."""
    constants = world.level_constants
    return Dressed(
        world,
        ds.LevelConstants(constants.count, constants.top, (None,) * constants.count),
        global_sensitivity=world.global_sensitivity,
    )


def _rows(world):
    return [[int(v) * world.score_unit for v in row] for row in world.table]


def _changes(world, rows):
    """Per edge, the change of every score."""
    return [[b - a for a, b in zip(rows[i], rows[j], strict=True)] for i, j in world.edge_array.tolist()]


def with_sensitivities(world):
    """The same world with the exact sensitivity of every candidate declared, zeros included."""
    changes = _changes(world, _rows(world))
    each = tuple(max((abs(c[r]) for c in changes), default=Fraction(0)) for r in range(len(world.candidates)))
    return Dressed(world, sensitivities=each, global_sensitivity=world.global_sensitivity)


def with_factor(world):
    """The same world with some c(x) > 0 that varies, and the exact span of c · q declared."""
    rows = _rows(world)
    factor = {x: Fraction(1 + (7 * i) % 5, 3) for i, x in enumerate(world.datasets)}
    scaled = [[factor[x] * q for q in row] for x, row in zip(world.datasets, rows, strict=True)]
    span = max((max(c) - min(c) for c in _changes(world, scaled)), default=Fraction(0))
    return Dressed(
        world, global_sensitivity=world.global_sensitivity, factor=factor, common_factor_span=span or Fraction(1)
    )


def mapped(world):
    """The same world with one mapped level: D(x) = max over z of (⌈LS(z)/unit⌉ − d(x, z)), f(D) = unit · max(1, D)."""
    unit = world.score_unit
    sensitivity = {x: world.profile(x).local_bound for x in world.datasets}

    def statistic(x):
        away = world.distances(world.position(x))
        return (Fraction(max(-(-sensitivity[world.datasets[z]] // unit) - d for z, d in away.items())),)

    constants = ds.LevelConstants(1, Fraction(1), (None,), (lambda d: unit * max(1, d),))
    return Dressed(world, constants, statistic, global_sensitivity=world.global_sensitivity)


def both_ways(world):
    """Every edge once, as a pair of names."""
    return [(world.datasets[i], world.datasets[j]) for i, j in world.edge_array.tolist()]


# -------------------------------------------------------------------------------------------- named worlds


def one_against_many(many=60, *, depth=1):
    """x – x': one candidate is behind `many` tied ones by 1, then ahead by 1. Both laws come close to e^ε."""
    return ds.World(
        ["x", "x'"],
        [(0, 1)],
        ["one", *(f"other{i}" for i in range(many))],
        [[0] + [1] * many, [1] + [0] * many],
        depth=depth,
    )


def tie_or_split():
    """Scores (0, 0) and (1, −1), GS = 1: permute-and-flip attains e^ε exactly."""
    return ds.World(["tie", "split"], [(0, 1)], ["a", "b"], [[0, 0], [1, -1]])


def growing_sensitivity():
    """x – x' – z: LS(x) = 1, LS(x') = LS(z) = 2: the local sensitivity itself moves by C = 1."""
    return ds.World(["x", "x'", "z"], [(0, 1), (1, 2)], ["a", "b"], [[0, 0], [1, 0], [3, 0]])


def far_steps_widen_first(wide=60, many=60):
    """x – x' – z – z': A_x = (1, 1, M), A_{x'} = (1, M, M), so the near candidates fall a step while a far one
    rises a step: the ladder is used up on both sides.
    """
    top, tied, far = 0, [0] * many, -(2 + 2 * wide)
    x = [top, *tied, far]
    y = [top + 1, *(t - 1 for t in tied), far + 1]
    last = [q + wide for q in y]
    return ds.World(
        ["x", "x'", "z", "z'"],
        [(0, 1), (1, 2), (2, 3)],
        ["top", *(f"near{i}" for i in range(many)), "far"],
        [x, y, y, last],
    )


def naive_local(G):
    """Theory 3: y – x – x' – z with q(x) = q(x') = (G, 0); x sees a change by 1, x' one by G²."""
    return ds.World(
        ["y", "x", "x'", "z"],
        [(0, 1), (1, 2), (2, 3)],
        ["a", "b"],
        [[G - 1, 0], [G, 0], [G, 0], [G - G * G, 0]],
    )


def multiplicity(beta, m, gap, change):
    """Theory 3: x – x' – z, q(x) = q(x'), one top candidate and m − 1 at the same gap; z changes by `change`."""
    row = [gap] + [0] * (m - 1)
    return ds.World(
        ["x", "x'", "z"], [(0, 1), (1, 2)], [f"r{i}" for i in range(m)], [row, row, [gap + change] + [0] * (m - 1)]
    )


def constant_top(many=60):
    """A top candidate that never moves; one candidate behind by 1 rises by 1 while `many` fall by 1."""
    return ds.World(
        ["x", "x'"],
        [(0, 1)],
        ["top", "one", *(f"other{i}" for i in range(many))],
        [[2, 0] + [1] * many, [2, 1] + [0] * many],
    )


def far_step(distance, change, *, many=3):
    """x_0 – x_1 – … : one against many at every step, and a change of `change` after `distance` steps.

    The certificate of every scale between 1 and `change` is the distance to the end.
    """
    n = distance + 2
    even, odd = [0] + [1] * many, [1] + [0] * many
    rows = [even if i % 2 == 0 else odd for i in range(n - 1)]
    rows.append([q + change for q in rows[-1]])
    return ds.World(
        [f"x{i}" for i in range(n)],
        [(i, i + 1) for i in range(n - 1)],
        ["one", *(f"other{i}" for i in range(many))],
        rows,
    )


def smooth_step(beta, *, many=60, far=None):
    """x – x' – z – z', S_β(x) = ω and S_β(x') = e^β ω: near candidates fall from a tie, a far one keeps its gap."""
    omega = Fraction(1000)
    end = Fraction(float(omega) * float(np.exp(2 * float(beta)))).limit_denominator(10**6)
    far = Fraction(0) if far is None else Fraction(far)
    x = [0] + [0] * many + [-far]
    y = [omega] + [-omega] * many + [omega - far]
    return ds.World(
        ["x", "x'", "z", "z'"],
        [(0, 1), (1, 2), (2, 3)],
        ["top", *(f"near{i}" for i in range(many)), "far"],
        [x, y, y, [q + end for q in y]],
    )
