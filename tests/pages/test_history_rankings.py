"""Zones and doors by entrances: how complete the counts are that they are ranked by."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.pages.analysis import Counted, configure, text_of
from tests.running_service import start_service
from tests.small_site import create_small_site, store_counts

END = datetime.now(UTC).replace(minute=0, second=0, microsecond=0)
TWO_HOURS = {
    "from": f"{END - timedelta(hours=2):%Y-%m-%dT%H:%M}",
    "to": f"{END:%Y-%m-%dT%H:%M}",
    "timezone": "Etc/UTC",
}


@pytest.fixture(scope="module")
def lacking_counts(tmp_path_factory: pytest.TempPathFactory, lasting: set[int]) -> Iterator[Counted]:
    """Two come in by the entrance each minute; the terrace door has counts in the first 50."""
    data_dir: Path = tmp_path_factory.mktemp("rankings")
    site = create_small_site(data_dir)
    starts = [END - timedelta(minutes=ago) for ago in range(120, 0, -1)]
    store_counts(data_dir, [(start, "entrance", 2, 0) for start in starts])
    store_counts(data_dir, [(start, "terrace", 0, 4) for start in starts[:50]])
    service = start_service(data_dir)
    lasting.add(service.process.pid)
    yield Counted(site, service)
    service.kill()


@pytest.fixture
def lacking(lacking_counts: Counted, monkeypatch: pytest.MonkeyPatch) -> Counted:
    configure(lacking_counts, monkeypatch)
    return lacking_counts


def test_a_ranking_names_what_is_counted_in_fewer_minutes(lacking: Counted) -> None:
    said = text_of(lacking.as_it_opens("history", ["folded-leaderboard"], site="corner-shop", **TWO_HOURS))
    assert "Terrace door is counted in 50 of 120 minutes only." in said
    assert "Café is counted in 50 of 120 minutes only." in said
    assert "Entrance is counted" not in said
    assert "Hall is counted" not in said
