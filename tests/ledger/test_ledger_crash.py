"""Processes that die at every step, and processes that spend at the same time: nothing is lost, nothing overspent."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from fractions import Fraction
from pathlib import Path

import pytest

import dpselect as ds

HERE = Path(__file__).parent
STEPS = {
    "before the charge": [],
    "within the charge": [],
    "after the charge": ["reserved"],
    "after the draw": ["reserved"],
    "within the commit": ["reserved"],
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


def writers(url: str, name: str, count: int) -> list[subprocess.Popen[str]]:
    command = [sys.executable, str(HERE / "writer.py"), url, name]
    return [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(count)]


def test_eight_writers_cannot_overspend(url: str, name: str) -> None:
    account = ds.Ledger(url).create(name, epsilon=5)
    lines = [writer.communicate()[0].split() for writer in writers(url, name, 8)]
    assert all(said[-1] == "refused" for said in lines)
    assert sum(said.count("released") for said in lines) == 35  # 35/7 = 5 exactly
    assert account.spent == (5, 0)
    assert account.left == (0, 0)
    assert [entry.state for entry in account.history()] == ["committed"] * 35
    assert all(entry.epsilon > 0 for entry in account.history())


def test_writers_killed_at_any_moment_lose_nothing(url: str, name: str) -> None:
    """Of eight writers five are killed wherever they are; every release that was handed out is in the books."""
    account = ds.Ledger(url).create(name, epsilon=20)
    running = writers(url, name, 8)
    for writer in running:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "ready\n"
    rng = random.Random(11)
    for writer in running[:5]:
        time.sleep(rng.uniform(0, 0.1))
        writer.send_signal(signal.SIGKILL)
    lines = [writer.communicate()[0].split() for writer in running]
    handed_out = sum(said.count("released") for said in lines)
    states = [entry.state for entry in account.history()]
    assert account.spent == (Fraction(len(states), 7), 0)
    assert account.spent == (20, 0)
    # What is reserved for ever belongs to the dead, at most one entry each; one more may not have been reported.
    assert states.count("reserved") <= 5
    assert handed_out <= states.count("committed") <= handed_out + 5
    assert all(entry.release is not None for entry in account.history() if entry.state == "committed")


def fresh(url: str, name: str) -> str:
    """A database without our tables: the file of the test, or a new one on the server."""
    import sqlalchemy as sa

    server = sa.make_url(url)
    if server.get_backend_name() == "sqlite":
        return url
    database = name.replace("-", "_")
    with sa.create_engine(server, isolation_level="AUTOCOMMIT").connect() as connection:
        connection.execute(sa.text(f"CREATE DATABASE {database}"))
    return server.set(database=database).render_as_string(hide_password=False)


def test_eight_processes_open_an_empty_database_at_once(url: str, name: str) -> None:
    empty = fresh(url, name)
    code = (
        "import sys, time, dpselect as ds; time.sleep(max(0, float(sys.argv[2]) - time.time())); ds.Ledger(sys.argv[1])"
    )
    command = [sys.executable, "-c", code, empty, str(time.time() + 2)]
    opened = [subprocess.Popen(command, stderr=subprocess.PIPE, text=True) for _ in range(8)]
    assert [process.communicate()[1] for process in opened] == [""] * 8
    assert ds.Ledger(empty).datasets() == ()
