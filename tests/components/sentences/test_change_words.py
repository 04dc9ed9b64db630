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
MORNING = TimeRange(datetime(2026, 6, 1, 6, tzinfo=UTC), datetime(2026, 6, 1, 10, tzinfo=UTC))


def said(own: float, other: float) -> str:
    """Of four hours in each of which people came, with so many minutes counted of each in either period."""
    metrics = (MetricKey.ENTRANCES,)
    points = [
        MetricPoint(timestamp=start, metrics={MetricKey.ENTRANCES: 5})
        for start in bucket_starts(*MORNING, Granularity.HOUR, ZURICH)
    ]
    asked = HistoryRequest("shop", (HALL,), metrics, MORNING, ZURICH, MORNING.end + timedelta(days=1))
    data = history_data(asked, {HALL: points}, Granularity.HOUR)
    starts = starts_of(data.table)
    now, before = (Period(MORNING, data.table, {"Hall": dict.fromkeys(starts, one)}) for one in (own, other))
    totals = ComparedTotals(Granularity.HOUR, ZURICH, now, before, starts, is_over=True)
    beside = replace(data, earlier=data.table, earlier_range=MORNING, totals=totals)
    return changes_of(HALL, beside, Formats(now=MORNING.end))[0]


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
