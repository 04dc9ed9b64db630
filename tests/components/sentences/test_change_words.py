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


@pytest.mark.parametrize(
    ("own", "other", "counted"),
    [
        (60, 60, "in all hours in which somebody was there, in both"),
        (58, 60, "in all hours in which somebody was there, in both"),
        (30, 30, "in 120 of 240 minutes of hours in which somebody was there, against 120 of 240"),
        (55, 60, "in 220 of 240 minutes of hours in which somebody was there, against 240 of 240"),
    ],
)
def test_hours_that_lack_minutes_are_not_called_all_of_both(own: float, other: float, counted: str) -> None:
    assert said(own, other) == f"Entrances: 20 against 20 (as many), counted {counted}."


def test_an_hour_that_is_missing_in_one_period_hides_no_minutes_that_are_missing_in_the_other() -> None:
    lacking = said(57, 54, hours=39, absent=1)
    counted = (
        "counted in 2,166 of 2,340 minutes of hours in which somebody was there, against 2,106 of 2,340."
    )
    assert lacking == f"Entrances: 190 against 195 (3\u00a0% fewer), {counted}"
    whole = said(60, 60, hours=39, absent=1)
    assert "counted in 38 of 39 hours in which somebody was there, against 39 of 39" in whole
