"""Both databases, for real: SQLite in a file, PostgreSQL where DPSELECT_POSTGRES_URL names a server."""

from __future__ import annotations

import os
import uuid
from pathlib import Path

import pytest

pytest.importorskip("sqlalchemy")


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'budget.db'}"
    server = os.environ.get("DPSELECT_POSTGRES_URL")
    if not server:
        pytest.skip("DPSELECT_POSTGRES_URL is not set: scripts/with_postgres starts a server and sets it")
    pytest.importorskip("psycopg")
    return server


@pytest.fixture
def name() -> str:
    """A dataset name that no other test uses: a PostgreSQL server is shared by all of them."""
    return f"dataset-{uuid.uuid4().hex}"
