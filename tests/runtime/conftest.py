"""What several tests of this room begin with."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def kept_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The dashboard keeps what it knows in a folder of the test, beside a service that is out of reach."""
    monkeypatch.setenv("HEADROOM_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("HEADROOM_BASE_URL", "http://127.0.0.1:1")
    monkeypatch.setenv("HEADROOM_API_KEY", "key")
