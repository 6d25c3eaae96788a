"""`broken_promises` finds every kind of broken promise, and none in the problems of the library."""

from fractions import Fraction

import pytest

import dpselect as ds


class Honest:
    """Counts of two letters, one record added or removed; everything a problem can offer."""

    candidates, monotone, global_sensitivity = ("a", "b"), True, 1
    level_constants = ds.LevelConstants(1, Fraction(0), (Fraction(1),))
    support_constants = ds.SupportConstants(1)

    def scores(self, rows):
        return [rows.count(c) for c in self.candidates]

    def profile(self, rows):
        return ds.Profile.constant(1)

    def levels(self, rows):
        return (1,)

    def category_counts(self, rows):
        return self.scores(rows)

    def flip_distance(self, rows):
        counts = self.scores(rows)
        return [max(counts) - c for c in counts]


def found(problem, neighbours="add-or-remove", n=4):
    return ds.broken_promises(ds.worlds.all_tables(problem, "ab", n, list, neighbours=neighbours))


def variant(**changes):
    return type("Variant", (Honest,), changes)()


def test_an_honest_problem_breaks_none():
    assert found(Honest()) == ()


@pytest.mark.parametrize(
    ("problem", "words"),
    [
        (variant(profile=lambda self, rows: ds.Profile.constant(Fraction(9, 10))), "P1"),
        (variant(scores=lambda self, rows: [2 * rows.count(c) for c in "ab"]), "P1"),
        (variant(profile=lambda self, rows: ds.Profile.constant(10 - len(rows))), "P2"),
        (variant(profile=lambda self, rows: ds.Profile.constant(2)), "global sensitivity"),
        (variant(scores=lambda self, rows: [rows.count("a"), -rows.count("a")]), "monotone"),
        (variant(flip_distance=lambda self, rows: [2 * f for f in Honest().flip_distance(rows)]), "more than 1"),
        (variant(flip_distance=lambda self, rows: [0, 0]), "elsewhere than at the maximisers"),
        (variant(category_counts=lambda self, rows: [3 * len(rows), 0]), "counts: one changes by 3"),
        (variant(levels=lambda self, rows: (Fraction(1, 2),)), "H_0"),
        (variant(levels=lambda self, rows: (1 + len(rows),)), "H_0 changes by 1"),
    ],
)
def test_every_kind_of_broken_promise_is_found(problem, words):
    sentences = found(problem)
    assert any(words in sentence for sentence in sentences), sentences


def test_the_span_counts_where_kappa_is_1():
    def halved(self, rows):
        return [-(-f // 2) for f in Honest().flip_distance(rows)]

    assert found(variant(monotone=False, kappa=2, flip_distance=halved), "replace") == ()
    assert any("span 2" in s for s in found(variant(monotone=False, kappa=1), "replace"))


def test_problems_of_the_library():
    for world in (
        ds.worlds.all_graphs(ds.graph.TopVertex("triangle"), 4),
        ds.worlds.all_tables(
            ds.table.Quantile("1/2", (0, 3)), range(4), 4, lambda rows: list(rows) or [None], neighbours="replace",
            unit=ds.ReplaceOne(),
        ),
    ):  # fmt: skip
        assert ds.broken_promises(world) == ()
    with pytest.raises(ds.InvalidParameter, match="steps"):
        ds.broken_promises(world, steps=0)
