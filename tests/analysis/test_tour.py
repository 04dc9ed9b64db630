from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from analysis.tour import TourSite, past_weeks, rest_of_day, tour_of
from contract import MetricKey, MetricPoint
from contract.buckets import local_midnight

ZURICH = ZoneInfo("Europe/Zurich")
MONDAY = date(2026, 11, 2)


def site(id_: str, *days: tuple[int, int], inside: int | None = 0, hours: Sequence[int] = ()) -> TourSite:
    """`days` from a Monday on, each who came and who left; `hours` who came."""
    daily = [
        MetricPoint(
            timestamp=local_midnight(MONDAY + timedelta(days=index), ZURICH),
            metrics={MetricKey.ENTRANCES: came, MetricKey.EXITS: left},
        )
        for index, (came, left) in enumerate(days)
    ]
    hourly = [
        MetricPoint(timestamp=datetime(2026, 11, 2, hour, tzinfo=UTC), metrics={MetricKey.ENTRANCES: came})
        for hour, came in enumerate(hours)
    ]
    return TourSite(id_, id_, ZURICH, daily, hourly, inside)


def test_the_busiest_saturday_is_that_of_the_first_site_with_one() -> None:
    week = [(9, 9)] * 5
    shop = site("shop", *week, (40, 40), (0, 0), *week, (70, 70))
    found = tour_of([site("closed", *week), shop, site("stop", *week, (900, 900))]).saturday
    assert found is not None
    assert (found.site.id, found.day, found.came, found.saturdays) == ("shop", date(2026, 11, 14), 70, 2)


def test_the_live_stop_is_where_somebody_is_inside() -> None:
    empty, few, full = site("empty"), site("few", inside=2), site("full", inside=3)
    assert tour_of([empty, few, full]).present is full
    assert tour_of([empty, few, site("unread", inside=None)]).present is None


def test_the_doubtful_doors_are_where_those_who_left_differ_most_from_those_who_came() -> None:
    sound, small, large = site("sound", (100, 100)), site("small", (1000, 1010)), site("large", (50, 60))
    found = tour_of([sound, small, large]).doubtful
    assert found is not None
    assert (found.site.id, found.came, found.left) == ("large", 50, 60)
    assert tour_of([sound, site("nobody", (0, 5))]).doubtful is None


def test_a_forecast_is_shown_where_people_are_still_to_come() -> None:
    closing, open_ = site("closing", hours=(3, 0, 0)), site("open", hours=(0, 4, 2))
    assert tour_of([closing, open_]).ahead is open_
    assert tour_of([closing]).ahead is None


def test_the_first_site_is_one_that_was_counted() -> None:
    new, quiet, counted = site("new"), site("quiet", (0, 0)), site("counted", (0, 0), (4, 4))
    assert tour_of([new, quiet, counted]).first is counted
    assert tour_of([new, quiet]).first is new


def test_without_any_count_every_stop_has_the_first_site_left() -> None:
    empty = site("empty", inside=None)
    assert tour_of([empty]) == (1, empty, None, None, None, None)


def test_the_weeks_end_at_midnight_and_the_rest_of_the_day_begins_with_the_next_hour() -> None:
    now = datetime(2026, 11, 23, 20, 18, tzinfo=UTC)
    start, end = past_weeks(now, ZURICH)
    assert (start, end) == (
        local_midnight(date(2026, 8, 24), ZURICH),
        local_midnight(date(2026, 11, 23), ZURICH),
    )
    rest = rest_of_day(now, ZURICH)
    assert rest.start == datetime(2026, 11, 16, 21, tzinfo=UTC)
    assert rest.end == local_midnight(date(2026, 11, 17), ZURICH)
    assert rest_of_day(now.replace(hour=22, minute=30), ZURICH).is_empty


def test_what_is_now_is_not_shown_of_a_site_whose_counters_are_silent() -> None:
    silent = site("silent", (9, 9), inside=40, hours=(4, 4))._replace(is_silent=True)
    heard = site("heard", inside=3, hours=(1, 1))
    both = tour_of([silent, heard])
    assert both.present is heard
    assert both.ahead is heard
    alone = tour_of([silent])
    assert (alone.present, alone.ahead) == (None, None)
    assert alone.first is silent, "its past is as it was"
