from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from analysis.bucket_table import starts_of
from analysis.comparison import Against, Comparison
from analysis.counted_minutes import few_earlier_minutes, few_minutes, is_nearly_all, with_minutes
from analysis.history_answer import ComparedRange, history_answer
from analysis.history_data import HistoryData, history_data
from analysis.history_request import HistoryRequest
from analysis.named_range import NamedRange
from analysis.subject import Subject, SubjectKind
from analysis.summary import Completeness
from analysis.time_range import TimeRange
from components.number_format import Formats
from components.sentences.coverage_words import present_buckets
from components.tables.shown_table import shown_table
from contract import Aggregation, Granularity, MetricKey, MetricPoint, MetricsQuery, parse_instant
from contract.buckets import bucket_start

ZURICH = ZoneInfo("Europe/Zurich")
DOOR = Subject(SubjectKind.PASSAGE, "door", "Door")
START = datetime(2026, 6, 2, 6, tzinfo=UTC)
MORNING = TimeRange(START, START + timedelta(hours=8))
DAY = timedelta(days=1)
FLOWS = (MetricKey.ENTRANCES, MetricKey.EXITS)


class Door:
    """Two come in each counted minute; ten are of the second hour, and of the third the day before."""

    def __call__(self, queries: Mapping[Subject, MetricsQuery]) -> dict[Subject, Sequence[MetricPoint]]:
        return {one: self._points(query) for one, query in queries.items()}

    def _points(self, query: MetricsQuery) -> list[MetricPoint]:
        ends = (
            parse_instant(text or "", now=MORNING.end, timezone=ZURICH) for text in (query.from_, query.to)
        )
        start, end = ends
        counted: dict[datetime, int] = {}
        for place in range(int((end - start) / timedelta(minutes=1))):
            minute = start + place * timedelta(minutes=1)
            hour = 7 if minute >= START - timedelta(hours=1) else 8
            if minute.hour != hour or minute.minute < 10:
                bucket = bucket_start(minute, query.granularity or Granularity.HOUR, ZURICH)
                counted[bucket] = counted.get(bucket, 0) + 1
        is_average = query.aggregation is Aggregation.AVERAGE
        return [
            MetricPoint(timestamp=at, metrics=dict.fromkeys(query.metrics, 2 if is_average else 2 * minutes))
            for at, minutes in counted.items()
        ]


def request(aggregation: Aggregation | None = None) -> HistoryRequest:
    return HistoryRequest(
        "shop", (DOOR,), FLOWS, MORNING, ZURICH, MORNING.end + 9 * DAY, Granularity.HOUR, aggregation
    )


def compared() -> HistoryData:
    """With the day before."""
    asked, door = request(), Door()
    compare = ComparedRange(NamedRange.TODAY, MORNING, Against(Comparison.PERIOD))
    points = door(asked.queries())
    return history_answer(asked, points, Granularity.HOUR, compare, ask=door, ask_other=door).data


@pytest.mark.parametrize(("counted", "is_enough"), [(95, True), (94, False), (100, True), (0, False)])
def test_nineteen_of_twenty_minutes_are_nearly_all(counted: int, is_enough: bool) -> None:
    assert is_nearly_all(Completeness(counted, 100)) is is_enough


@pytest.mark.parametrize("aggregation", [None, Aggregation.SUM, Aggregation.AVERAGE])
def test_the_minutes_of_entrances_alone_follow_from_their_sum_and_average(
    aggregation: Aggregation | None,
) -> None:
    asked = request(aggregation)
    data = with_minutes(history_data(asked, Door()(asked.queries()), Granularity.HOUR), asked, Door())
    assert list(data.minutes["Door"].values()) == [60, 10, *[60] * 6]
    assert few_minutes(data, "Door") == [None, Completeness(10, 60), *[None] * 6]


def test_the_highest_minute_tells_nothing_of_the_others() -> None:
    asked = request(Aggregation.MAXIMUM)
    data = history_data(asked, Door()(asked.queries()), Granularity.HOUR)
    assert with_minutes(data, asked, Door()).minutes == {}


def test_the_coverage_of_both_periods_stands_in_one_sentence() -> None:
    data = compared()
    assert few_earlier_minutes(data, "Door") == [None, None, Completeness(10, 60), *[None] * 5]
    assert present_buckets(data, Formats(now=MORNING.end)) == (
        "All 8 hours have counts, 1 of them with minutes missing; "
        "in the other period too, 1 of them with minutes missing."
    )


def test_days_whose_nights_are_not_counted_are_counted_in_part_and_miss_nothing_else() -> None:
    data = replace(compared(), granularity=Granularity.DAY)
    few = dict.fromkeys(starts_of(data.table), 10.0)
    said = present_buckets(replace(data, minutes={"Door": few}), Formats(now=MORNING.end))
    assert said == "All 8 days have counts, at least in part; in the other period too."


def test_the_table_notes_few_minutes_beside_the_numbers_of_either_period() -> None:
    table = shown_table(compared())
    assert list(table.columns) == [
        "From", "Compared with", "Entrances", "Entrances, note", "Entrances, compared",
        "Entrances, compared, note", "Exits", "Exits, compared",
    ]  # fmt: skip
    assert table["Entrances, note"].to_list() == ["", "10 of 60 minutes counted", *[""] * 6]
    assert table["Entrances, compared, note"].to_list() == ["", "", "10 of 60 minutes counted", *[""] * 5]
