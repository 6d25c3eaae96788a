"""What every verb that selects can be asked beside its question: the groups of options that they share.

Values are as they were typed; `Request.of` checks them and says what they mean.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from dpselect.cli import options


# Neither is shown as text: the URL of a ledger and the settings of an engine may hold a password.
@final
@dataclass(frozen=True, kw_only=True, repr=False)
class Asked:
    """How to select, and what to do with the release."""

    epsilon: options.Epsilon = "1"
    delta: options.Delta = "1e-6"
    method: options.Method = "auto"
    scale_to_test: options.ScaleToTest = None
    sampler: options.Sampler = None
    top: options.Top = 1
    rho: options.Rho = "0.05"
    seed: options.Seed = None
    ledger: options.LedgerUrl = None
    dataset: options.Dataset = None
    card: options.Card = None
    reference: options.Reference = None


@final
@dataclass(frozen=True, kw_only=True, repr=False)
class AskedEngine:
    """Where to count, for the questions that an engine can answer."""

    engine: options.EngineName = None
    engine_option: options.EngineOption = None
