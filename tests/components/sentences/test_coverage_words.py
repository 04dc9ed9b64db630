from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from analysis.bucket_table import starts_of
from analysis.compared_totals import ComparedTotals, Period
from analysis.history_data import HistoryData, history_data
from analysis.history_request import HistoryRequest
from analysis.open_time import OpenTime
from analysis.subject import Subject, SubjectKind
from analysis.time_range import TimeRange
from components.number_format import Formats
from components.sentences.coverage_words import in_part_words, present_buckets
from contract import Granularity, MetricKey, MetricPoint
from contract.buckets import bucket_starts

ZURICH = ZoneInfo("Europe/Zurich")
HALL, BAR = (Subject(SubjectKind.ZONE, name.lower(), name) for name in ("Hall", "Bar"))
MORNING = TimeRange(datetime(2026, 6, 1, 6, tzinfo=UTC), datetime(2026, 6, 1, 10, tzinfo=UTC))
READ = Formats(now=MORNING.end)
LACKING = "All 4 hours have counts, 2 of them with minutes missing"


def counted(range_: TimeRange, hours: Mapping[Subject, int]) -> HistoryData:
    """So many rows of each zone from the first on have counts."""
    metrics = (MetricKey.ENTRANCES,)
    starts = list(bucket_starts(*range_, Granularity.HOUR, ZURICH))
    points = {
        zone: [MetricPoint(timestamp=start, metrics={MetricKey.ENTRANCES: 5}) for start in starts[:count]]
        for zone, count in hours.items()
    }
    asked = HistoryRequest("shop", tuple(hours), metrics, range_, ZURICH, range_.end)
    return history_data(asked, points, Granularity.HOUR)


def lacking(hours: int, before: int, range_: TimeRange = MORNING) -> HistoryData:
    """The first so many hours of either period lack minutes; all have counts."""
    data = counted(range_, {HALL: 4})
    starts = starts_of(data.table)
    own, other = (
        Period(range_, data.table, {"Hall": dict.fromkeys(starts[:few], 10.0)}) for few in (hours, before)
    )
    totals = ComparedTotals(Granularity.HOUR, ZURICH, own, other, starts, is_over=True)
    return replace(
        data,
        minutes=own.minutes,
        totals=totals,
        earlier=data.table,
        earlier_range=range_,
        earlier_starts=starts,
    )


@pytest.mark.parametrize(
    ("hours", "before", "told"),
    [
        (2, 0, f"{LACKING}; in the other period all."),
        (2, 1, f"{LACKING}; in the other period too, 1 of them with minutes missing."),
        (0, 0, "All 4 hours have counts; in the other period too."),
    ],
)
def test_the_other_period_does_not_lack_the_minutes_of_this_one(hours: int, before: int, told: str) -> None:
    assert present_buckets(lacking(hours, before), READ) == told


def test_an_hour_lacks_minutes_that_the_other_period_has_all_of() -> None:
    hour = TimeRange(MORNING.start, MORNING.start + timedelta(hours=1))
    said = present_buckets(lacking(1, 0, hour), READ)
    assert said == "The hour has counts, with minutes missing; in the other period all of it."


def test_what_is_dotted_though_the_range_does_not_cut_it_is_told_of_entrances() -> None:
    data = lacking(2, 0)
    assert in_part_words(replace(data, minutes={})) == ""
    assert in_part_words(data) == "hours that lack minutes"
    opening = OpenTime((TimeRange(MORNING.start + timedelta(minutes=30), MORNING.end),))
    assert in_part_words(replace(data, open_time=opening, minutes={})) == "hours in which it opens or closes"
    both = "hours in which it opens or closes and hours that lack minutes"
    assert in_part_words(replace(data, open_time=opening)) == both
    inside = data.table.rename(columns={MetricKey.ENTRANCES: MetricKey.VISITORS_INSIDE}, level=1)
    assert in_part_words(replace(data, table=inside)) == "", "a line of moments is not dotted"


def test_no_more_hours_lack_minutes_than_have_counts() -> None:
    """Of 24 hours from 19:06 on, the two ends are one."""
    day = TimeRange(datetime(2026, 5, 31, 17, 6, tzinfo=UTC), datetime(2026, 6, 1, 17, 6, tzinfo=UTC))
    data = counted(day, {HALL: 25})
    data.table.iloc[12:-1] = float("nan")
    starts = starts_of(data.table)
    few = dict.fromkeys([*starts[:12], starts[-1]], 1.0)
    said = present_buckets(replace(data, minutes={"Hall": few}), READ)
    assert said == "12 of 24 hours have counts, 12 of them with minutes missing."


@pytest.mark.parametrize(
    ("hall", "bar", "told"),
    [
        (4, 2, "All 4 hours have counts. The least complete, Bar, has 2 of 4 hours."),
        (3, 0, "3 of 4 hours have counts. The least complete, Bar, has 0 of 4 hours."),
        (3, 3, "3 of 4 hours have counts."),
    ],
)
def test_the_zone_that_is_counted_least_is_told(hall: int, bar: int, told: str) -> None:
    assert present_buckets(counted(MORNING, {HALL: hall, BAR: bar}), READ) == told
