"""Scores of models on one validation table, each with what makes its choice private."""

from dpselect.problems.table.metrics.metric import Metric

__all__ = ["Metric"]
