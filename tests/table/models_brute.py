"""Validation tables record by record, by slow code that shares nothing with the library: metrics and steps.

A record is (label, what model 0 says, what model 1 says, …).
"""

from decimal import Decimal, getcontext
from fractions import Fraction
from itertools import product

import numpy as np
from brute import Tables

import dpselect as ds
from dpselect.problems.table.tallies import Confusions, Losses, Ranks

getcontext().prec = 60
HALF = Fraction(1, 2)


def kinds(models, classes=2, values=None):
    """All records: a label and one of `values` (default: a class) for each model."""
    said = range(classes) if values is None else range(values)
    return tuple((y, *z) for y in range(classes) for z in product(said, repeat=models))


# ---------------------------------------------------------------- metrics by their definitions


def _counts(records, r):
    tp = sum(1 for rec in records if rec[0] == 1 and rec[1 + r] == 1)
    fp = sum(1 for rec in records if rec[0] != 1 and rec[1 + r] == 1)
    fn = sum(1 for rec in records if rec[0] == 1 and rec[1 + r] != 1)
    tn = len(records) - tp - fp - fn
    return tp, fp, fn, tn


def ratio(a, b, otherwise=0):
    return Fraction(a, 1) / b if b else Fraction(otherwise)


def accuracy(records, r):
    return Fraction(sum(1 for rec in records if rec[0] == rec[1 + r]))


def recall(records, r):
    return Fraction(_counts(records, r)[0])


def precision(records, r):
    tp, fp, _, _ = _counts(records, r)
    return ratio(tp, tp + fp)


def f_beta(beta):
    b = Fraction(beta) ** 2

    def score(records, r):
        tp, fp, fn, _ = _counts(records, r)
        return ratio((1 + b) * tp, (1 + b) * tp + b * fn + fp)

    return score


def balanced(classes):
    def score(records, r):
        shares = []
        for k in range(classes):
            mine = [rec for rec in records if rec[0] == k]
            shares.append(ratio(sum(1 for rec in mine if rec[1 + r] == k), len(mine), HALF))
        return sum(shares) / classes

    return score


def matthews(records, r):
    """To 40 digits."""
    tp, fp, fn, tn = _counts(records, r)
    below = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
    return Fraction(Decimal(tp * tn - fp * fn) / Decimal(below).sqrt()) if below else Fraction(0)


def macro(classes, one):
    def score(records, r):
        binary = [[(int(rec[0] == k), *(int(z == k) for z in rec[1:])) for rec in records] for k in range(classes)]
        return sum(one(table, r) for table in binary) / classes

    return score


def auc(records, r):
    pairs = [(a[1 + r], b[1 + r]) for a in records if a[0] == 1 for b in records if b[0] == 0]
    return ratio(sum(1 if a > b else HALF if a == b else 0 for a, b in pairs), len(pairs), HALF)


def losses(records, r):
    """−Σ |y − z|: a loss of so many steps."""
    return -Fraction(sum(rec[1 + r] for rec in records))


# ---------------------------------------------------------------- tables as the library reads them


def confusions(records, models, classes=2):
    counts = np.zeros((models, classes, classes), np.int64)
    for rec in records:
        for r in range(models):
            counts[r, rec[0], rec[1 + r]] += 1
    return Confusions(counts)


def ranks(records, models):
    positive, negative = ([rec for rec in records if rec[0] == k] for k in (1, 0))
    doubled = [
        sum(2 * (a[1 + r] > b[1 + r]) + (a[1 + r] == b[1 + r]) for a in positive for b in negative)
        for r in range(models)
    ]
    return Ranks(len(positive), len(negative), np.array(doubled))


def loss_sums(records, models):
    return Losses(np.array([sum(rec[1 + r] for rec in records) for r in range(models)]))


def best_model(metric, models, classes=2, unit=None, **options):
    return ds.table.BestModel(
        [f"m{r}" for r in range(models)],
        metric,
        classes=tuple(range(classes)),
        trained_on="other records",
        unit=unit or ds.AddOrRemove(),
        **options,
    )


# name -> (definition, classes, values, tally, options of the problem)
METRICS = {
    "accuracy": (accuracy, 2, None, confusions, {}),
    "accuracy of 3 classes": (accuracy, 3, None, confusions, {}),
    "recall": (recall, 2, None, confusions, {}),
    "precision": (precision, 2, None, confusions, {}),
    "f1": (f_beta(1), 2, None, confusions, {}),
    "f-beta": (f_beta(2), 2, None, confusions, {"beta": 2}),
    "f-beta, small": (f_beta(HALF), 2, None, confusions, {"beta": "1/2"}),
    "balanced-accuracy": (balanced(2), 2, None, confusions, {}),
    "balanced-accuracy of 3 classes": (balanced(3), 3, None, confusions, {}),
    "matthews": (matthews, 2, None, confusions, {}),
    "macro-f1": (macro(2, f_beta(1)), 2, None, confusions, {}),
    "macro-f1 of 3 classes": (macro(3, f_beta(1)), 3, None, confusions, {}),
    "macro-precision": (macro(2, precision), 2, None, confusions, {}),
    "macro-precision of 3 classes": (macro(3, precision), 3, None, confusions, {}),
    "auc": (auc, 2, None, ranks, {}),
    "auc of 3 values": (auc, 2, 3, ranks, {}),
    "log-loss": (losses, 2, 3, loss_sums, {"loss_steps": 2, "loss_bound": 2}),
}


def tables(name, models, most, unit="add", rows=1):
    _, classes, values, _, _ = METRICS[name]
    return Tables(kinds(models, classes, values), most, unit, rows)


def tallied(name, records, models):
    _, classes, _, tally, _ = METRICS[name]
    return tally(records, models, classes) if tally is confusions else tally(records, models)


def problem_of(name, models, unit=None, person=None):
    _, classes, _, _, options = METRICS[name]
    metric = name.split(" of ")[0].split(",")[0]
    return best_model(metric, models, classes, unit, person=person, **options)
