from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from analysis.bucket_table import starts_of
from analysis.compared_totals import ComparedTotals, Period
from analysis.history_data import history_data
from analysis.history_request import HistoryRequest
from analysis.subject import Subject, SubjectKind
from analysis.time_range import TimeRange
from components.number_format import Formats
from components.sentences.change_words import changes_of
from contract import Granularity, MetricKey, MetricPoint
from contract.buckets import bucket_starts

ZURICH = ZoneInfo("Europe/Zurich")
HALL = Subject(SubjectKind.ZONE, "hall", "Hall")
START = datetime(2026, 6, 1, 6, tzinfo=UTC)


def said(own: float, other: float, hours: int = 4, absent: int = 0) -> str:
    """Of hours in each of which people came, with so many minutes counted of each in either period; in the
    present one, of `absent` of them none.
    """
    metrics, morning = (MetricKey.ENTRANCES,), TimeRange(START, START + timedelta(hours=hours))
    points = [
        MetricPoint(timestamp=start, metrics={MetricKey.ENTRANCES: 5})
        for start in bucket_starts(*morning, Granularity.HOUR, ZURICH)
    ]
    asked = HistoryRequest("shop", (HALL,), metrics, morning, ZURICH, morning.end + timedelta(days=1))
    data, earlier = (
        history_data(asked, {HALL: known}, Granularity.HOUR) for known in (points[absent:], points)
    )
    starts = starts_of(data.table)
    now = Period(morning, data.table, {"Hall": dict.fromkeys(starts[absent:], own)})
    before = Period(morning, earlier.table, {"Hall": dict.fromkeys(starts, other)})
    totals = ComparedTotals(Granularity.HOUR, ZURICH, now, before, starts, is_over=True)
    beside = replace(data, earlier=earlier.table, earlier_range=morning, totals=totals)
    return changes_of(HALL, beside, Formats(now=morning.end))[0]


THERE = "hours in which somebody was there"


@pytest.mark.parametrize(
    ("own", "other", "counted"),
    [
        (60, 60, f"in all {THERE}, in both"),
        (30, 30, f"in 120 of 240 minutes of {THERE}, against 120 of 240"),
    ],
)
def test_hours_that_lack_minutes_are_not_called_all_of_both(own: float, other: float, counted: str) -> None:
    assert said(own, other) == f"Entrances: 20 against 20 (as many), counted {counted}."


@pytest.mark.parametrize(("own", "minutes"), [(58, 232), (55, 220)])
def test_as_many_in_fewer_minutes_are_not_called_as_many(own: float, minutes: int) -> None:
    counted = f"counted in {minutes} of 240 minutes of {THERE}, against 240 of 240"
    assert said(own, 60) == f"Entrances: 20 against 20, {counted}: too unlike for a percentage."


def test_an_hour_that_is_missing_in_one_period_hides_no_minutes_that_are_missing_in_the_other() -> None:
    lacking = said(57, 54, hours=39, absent=1)
    counted = f"counted in 2,166 of 2,340 minutes of {THERE}, against 2,106 of 2,340"
    assert lacking == f"Entrances: 190 against 195, {counted}: too unlike for a percentage."
    whole = said(60, 60, hours=39, absent=1)
    assert f"counted in 38 of 39 {THERE}, against 39 of 39" in whole
    assert whole.endswith("over the 38 such hours that both have: 190 against 190 (as many).")
