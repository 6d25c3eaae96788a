"""The tables of expected regret in the documentation are those that the laws give."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_pages_are_up_to_date():
    done = subprocess.run([sys.executable, ROOT / "scripts" / "table_regrets.py"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
