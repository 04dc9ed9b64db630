"""What a tour is told of the sites of a real service."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from api_client import Unreachable
from runtime.cache import Cache
from runtime.occupancies import occupancy_or_none
from runtime.reads import read_site, read_sites
from runtime.tour import read_tour
from tests.running_service import start_service
from tests.scripted_service import KEY, ScriptedService, scripted_service
from tests.small_site import SITE, create_small_site, half_a_day_away, store_counts
from tests.stopped_counter import INSIDE, store_stopped

NOW = datetime.now(UTC).replace(second=0, microsecond=0)


@pytest.fixture
def counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> Iterator[None]:
    """For half an hour more leave than came, at a service that holds the number at 0; then `came` come."""
    came, left = request.param
    site = create_small_site(tmp_path, reset_hour=half_a_day_away())
    early = [(NOW - timedelta(minutes=minute), "entrance", came, left) for minute in range(30, 90)]
    late = [(NOW - timedelta(minutes=minute), "entrance", 1, 0) for minute in range(30)]
    store_counts(tmp_path, early + late)
    service = start_service(tmp_path)
    monkeypatch.setenv("HEADROOM_BASE_URL", service.base_url)
    monkeypatch.setenv("HEADROOM_API_KEY", site.read_key)
    yield
    service.kill()


@pytest.mark.parametrize(("counted", "is_led_to"), [((1, 1), True), ((1, 3), False)], indirect=["counted"])
@pytest.mark.usefixtures("counted")
def test_nobody_is_led_to_a_number_that_drift_spoils(*, is_led_to: bool) -> None:
    occupancy = occupancy_or_none(SITE)
    assert occupancy is not None
    assert (occupancy.inside or 0) >= 20  # by the service itself
    tour = read_tour()
    assert tour is not None
    assert (tour.present is not None) is is_led_to


@pytest.fixture
def stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> Iterator[None]:
    """Counted every minute on past days and until so many minutes ago, when many were inside."""
    site = create_small_site(tmp_path, reset_hour=half_a_day_away())
    store_stopped(site, request.param)
    service = start_service(tmp_path)
    monkeypatch.setenv("HEADROOM_BASE_URL", service.base_url)
    monkeypatch.setenv("HEADROOM_API_KEY", site.read_key)
    yield
    service.kill()


@pytest.mark.parametrize(("stopped", "is_led_to"), [(2, True), (90, False)], indirect=["stopped"])
@pytest.mark.usefixtures("stopped")
def test_nobody_is_led_to_counters_that_are_silent(*, is_led_to: bool) -> None:
    occupancy = occupancy_or_none(SITE)
    assert occupancy is not None
    assert occupancy.inside == INSIDE  # the last that it was told
    tour = read_tour()
    assert tour is not None
    assert (tour.present is not None) is is_led_to
    assert tour.first.is_silent is not is_led_to


def test_a_tour_is_not_made_of_sites_of_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("runtime.reads._sites", Cache(timedelta(), most=9, keeps_old=True))
    monkeypatch.setenv("HEADROOM_API_KEY", KEY)
    with scripted_service(ScriptedService([{"id": "s", "name": "S", "timezone": "Etc/UTC"}])) as service:
        monkeypatch.setenv("HEADROOM_BASE_URL", service.base_url)
        assert read_sites()
        assert read_site("s")
    with pytest.raises(Unreachable):
        read_tour()
