"""Processes that die at every step, and processes that spend at the same time: nothing is lost, nothing overspent."""

from __future__ import annotations

import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest

import dpselect as ds

HERE = Path(__file__).parent
STEPS = {
    "before the charge": [],
    "after the charge": ["reserved"],
    "after the draw": ["reserved"],
    "after the commit": ["committed"],
}


@pytest.mark.parametrize("step", STEPS)
def test_a_process_dies(url: str, name: str, step: str) -> None:
    account = ds.Ledger(url).create(name, epsilon=1)
    died = subprocess.run([sys.executable, str(HERE / "steps.py"), url, name, step], check=False)
    assert died.returncode == 9
    assert [entry.state for entry in account.history()] == STEPS[step]
    # A charge whose process died is spent for ever.
    assert account.spent == (Fraction(len(STEPS[step]), 3), 0)
    # Nobody is locked out by the dead.
    ds.select([3, 5], epsilon="1/3", sensitivity=1, ledger=account)
    assert account.spent == (Fraction(len(STEPS[step]) + 1, 3), 0)


def test_eight_writers_cannot_overspend(url: str, name: str) -> None:
    account = ds.Ledger(url).create(name, epsilon=5)
    writers = [
        subprocess.Popen([sys.executable, str(HERE / "writer.py"), url, name], stdout=subprocess.PIPE, text=True)
        for _ in range(8)
    ]
    done = [int(writer.communicate()[0]) for writer in writers]
    assert sum(done) == 35  # 35/7 = 5 exactly
    assert account.spent == (5, 0)
    assert account.left == (0, 0)
    assert [entry.state for entry in account.history()] == ["committed"] * 35
    assert all(entry.epsilon > 0 for entry in account.history())
