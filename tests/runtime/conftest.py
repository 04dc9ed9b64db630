"""What several tests of this room begin with."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from keeping import Place
from tests.kept_places import KINDS, kept_at


@pytest.fixture
def kept_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The dashboard keeps what it knows in a folder of the test, beside a service that is out of reach."""
    monkeypatch.setenv("HEADROOM_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("HEADROOM_BASE_URL", "http://127.0.0.1:1")
    monkeypatch.setenv("HEADROOM_API_KEY", "key")


@pytest.fixture(params=KINDS)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    """Where a dashboard keeps what is its own, of every kind that there is."""
    with kept_at(request.param, tmp_path) as opened:
        yield opened
