"""What is estimated of a site whose clocks changed, read from a service over real HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from analysis.bands import Band
from analysis.estimates import Estimates
from analysis.history_request import HistoryRequest
from analysis.hours_text import spans_of_text
from analysis.open_time import Opening
from analysis.opening_hours import OpeningHours
from analysis.subject import whole_site
from analysis.time_range import TimeRange, whole_day
from contract import Granularity, MetricKey
from runtime.history_reads import read_estimates
from tests.running_service import RunningService, start_service
from tests.small_site import SITE, SmallSite, create_small_site, store_counts

ZURICH = ZoneInfo("Europe/Zurich")
DAY = date(2025, 10, 28)
"""A Tuesday, two days after the clocks went back."""
OPEN = range(9 * 60 + 30, 17 * 60 + 45)
MISSING = range(9 * 60, 11 * 60)
KEPT = OpeningHours(week=((), spans_of_text("09:30-17:45"), (), (), (), (), ()))
ENTRANCES = (whole_site(SITE).label, MetricKey.ENTRANCES)


@pytest.fixture(scope="module")
def site_and_service(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[tuple[SmallSite, RunningService]]:
    """In each open minute of the Tuesday `k` weeks before, `k` come and one more for each hour of the clock;
    its counter tells nothing while it is closed, nor from 9 to 11 of the last Tuesday.
    """
    data_dir: Path = tmp_path_factory.mktemp("history-reads")
    site = create_small_site(data_dir)
    counts = []
    for week in range(9):
        midnight = datetime.combine(DAY - timedelta(weeks=week), time(), ZURICH)
        for minute in OPEN:
            if week or minute not in MISSING:
                at = (midnight + timedelta(minutes=minute)).astimezone(UTC)
                came = week + minute // 60
                counts.append((at, "entrance", came, came))
    store_counts(data_dir, counts)
    service = start_service(data_dir)
    yield site, service
    service.kill()


@pytest.fixture
def request_(
    site_and_service: tuple[SmallSite, RunningService], monkeypatch: pytest.MonkeyPatch
) -> HistoryRequest:
    site, service = site_and_service
    monkeypatch.setenv("HEADROOM_BASE_URL", service.base_url)
    monkeypatch.setenv("HEADROOM_API_KEY", site.read_key)
    range_ = whole_day(DAY, ZURICH)
    return HistoryRequest(
        SITE.id, (whole_site(SITE),), (MetricKey.ENTRANCES,), range_, ZURICH,
        range_.end + timedelta(days=9), Granularity.HOUR,
    )  # fmt: skip


@pytest.mark.parametrize("hours", [None, KEPT])
@pytest.mark.parametrize("zone", ["Europe/Zurich", "Etc/UTC", "Asia/Tokyo", "Asia/Kathmandu"])
def test_one_gap_has_one_estimate_whichever_zone_looks_and_whichever_hours_are_kept(
    request_: HistoryRequest, zone: str, hours: OpeningHours | None
) -> None:
    viewer = ZoneInfo(zone)
    asked = replace(request_, timezone=viewer, range=whole_day(DAY, viewer))
    found = read_estimates(asked, hours, SITE)
    # Of 30 minutes k + 9 each and of 60 minutes k + 10 each: 90 k + 870, for k from 1 to 8.
    assert found.days[ENTRANCES][DAY].people == Band(960, 1275, 1590, 8)
    assert found.days[ENTRANCES][DAY].minutes == 90
    by_clock = {at.astimezone(ZURICH).hour: one for at, one in found.hours[ENTRANCES].items()}
    assert {hour: one.minutes for hour, one in by_clock.items()} == {9: 30, 10: 60}
    assert by_clock[9].people == Band(300, 405, 510, 8)
    assert found.untold == {}


def test_one_gap_has_one_estimate_with_open_hours_alone_and_with_all(request_: HistoryRequest) -> None:
    alone = replace(request_, opening=Opening(KEPT, ZURICH))
    assert read_estimates(alone, KEPT, SITE) == read_estimates(request_, KEPT, SITE)


def test_one_gap_has_one_estimate_also_beside_a_number_that_is_always_zero(request_: HistoryRequest) -> None:
    both = replace(request_, metrics=(MetricKey.VISITORS_INSIDE, MetricKey.ENTRANCES))
    assert read_estimates(both, None, SITE).days == read_estimates(request_, None, SITE).days


def test_a_range_that_would_take_too_many_queries_is_not_estimated(request_: HistoryRequest) -> None:
    daily = OpeningHours(week=(spans_of_text("09:30-17:45"),) * 7)
    years = replace(request_, range=TimeRange(request_.range.start - timedelta(days=700), request_.range.end))
    found = read_estimates(years, daily, SITE)
    assert found == Estimates({}, {}, {}, is_too_often=True)
    on_the_hour = OpeningHours(week=(spans_of_text("9-18"),) * 7)
    assert read_estimates(years, on_the_hour, SITE).days, "whole hours are asked for together"
