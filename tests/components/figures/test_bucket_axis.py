from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest

from components.figures.bucket_axis import BucketAxis, bucket_axis
from components.number_format import Formats
from contract import Granularity
from contract.buckets import bucket_starts

ZURICH = ZoneInfo("Europe/Zurich")
READ = Formats(now=datetime(2025, 12, 1, tzinfo=UTC))


def day(date: str, days: int = 1, granularity: Granularity = Granularity.HOUR) -> BucketAxis:
    first = datetime.fromisoformat(date)
    start, end = (moment.replace(tzinfo=ZURICH) for moment in (first, first + timedelta(days=days)))
    return bucket_axis(list(bucket_starts(start, end, granularity, ZURICH)), granularity, ZURICH, READ)


@pytest.mark.parametrize(("date", "hours"), [("2025-03-30", 23), ("2025-10-26", 25), ("2025-06-01", 24)])
def test_every_hour_of_a_day_has_a_place_of_its_own(date: str, hours: int) -> None:
    axis = day(date)
    assert len(set(axis.left)) == hours
    assert all(after - before == timedelta(hours=1) for before, after in pairwise(axis.left))
    assert axis.right[:-1] == axis.left[1:]


def test_where_the_clocks_do_not_change_plotly_writes_the_ticks_in_local_time() -> None:
    axis = day("2025-06-01")
    assert axis.left[0] == datetime(2025, 6, 1)  # noqa: DTZ001 - plotly knows no time zones
    assert "tickvals" not in axis.layout
    assert axis.changes == []


def test_where_they_change_the_ticks_say_the_local_time() -> None:
    axis = day("2025-10-26")
    ticks = dict(zip(axis.layout["ticktext"], axis.layout["tickvals"], strict=True))
    assert ticks["00:00<br>Sun 26 Oct"] == axis.left[0]
    assert ticks["03:00"] == axis.left[4]
    assert axis.changes == [(axis.left[3], "clocks go back")]


def test_hours_of_the_same_name_are_told_apart() -> None:
    start = datetime(2025, 10, 25, 22, tzinfo=UTC)
    starts = [start + timedelta(hours=hours) for hours in range(6)]
    axis = bucket_axis(starts, Granularity.HOUR, ZURICH, READ)
    assert axis.layout["ticktext"][1:5] == [
        "01:00",
        "02:00\N{NO-BREAK SPACE}CEST",
        "02:00\N{NO-BREAK SPACE}CET",
        "03:00",
    ]


def test_clocks_that_go_on_are_marked_too() -> None:
    assert [how for _, how in day("2025-03-30").changes] == ["clocks go on"]


def test_a_week_with_a_change_has_a_tick_per_date() -> None:
    axis = day("2025-10-24", days=7)
    assert axis.layout["ticktext"] == [
        f"{name} Oct<br>2025"
        for name in ("Fri 24", "Sat 25", "Sun 26", "Mon 27", "Tue 28", "Wed 29", "Thu 30")
    ]


def test_days_are_equally_wide_however_long_they_were() -> None:
    axis = day("2025-10-24", days=7, granularity=Granularity.DAY)
    assert set(axis.widths) == {86_400_000}
    assert axis.left[3] == datetime(2025, 10, 27)  # noqa: DTZ001 - plotly knows no time zones
    assert axis.middle[0] == datetime(2025, 10, 24, 12)  # noqa: DTZ001 - plotly knows no time zones
