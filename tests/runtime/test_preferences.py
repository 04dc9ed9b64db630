"""What pages know of kept choices while the database that dashboards share is away."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from gauge.levels import Thresholds
from runtime.kept_place import close_kept_place
from runtime.preferences import keep_thresholds, read_preferences
from tests.running_postgresql import postgresql_url, running_postgresql

BUSY = Thresholds(filling=50, full=85)


@pytest.fixture
def _shared(kept_here: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("HEADROOM_SECRET", "a secret that all dashboards have alike")
    monkeypatch.setenv("HEADROOM_DASHBOARD_STORE", postgresql_url(tmp_path))
    yield
    close_kept_place()


@pytest.mark.usefixtures("_shared")
def test_thresholds_that_were_read_last_hold_and_the_page_says_so() -> None:
    assert keep_thresholds("shop", BUSY, None)
    assert read_preferences().problem == ""
    server = running_postgresql()
    server.stop()
    try:
        found = read_preferences()
        assert found.thresholds == {"shop": BUSY}
        assert "gives no answer, and is asked again by itself" in found.problem
        assert found.problem.startswith("Kept thresholds, and which site opens first, cannot be used: ")
        assert "Until they can, those that were read last hold, and what you choose" in found.problem
    finally:
        server.start()
