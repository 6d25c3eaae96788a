"""Differentially private selection, calibrated to the dataset at hand."""

__version__ = "0.1.0"
