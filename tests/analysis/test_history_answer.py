"""That all of an answer is bounded by opening hours alike: by each minute, and against another period."""

from __future__ import annotations

from datetime import date, timedelta
from zoneinfo import ZoneInfo

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as any_

from analysis.comparison import Against, Comparison
from analysis.granularity import usual_granularity
from analysis.history_answer import ComparedRange, HistoryAnswer, history_answer
from analysis.history_data import missing_rows, rows_that_count
from analysis.history_request import HistoryRequest
from analysis.missing_counts import missing_counts, whole_minutes
from analysis.open_only import open_only
from analysis.open_time import Opening
from analysis.opening_hours import OtherDay
from analysis.time_range import TimeRange
from components.number_format import Formats
from components.sentences.change_words import changes_of
from components.sentences.coverage_words import present_buckets
from components.tables.shown_table import OPEN, shown_table
from contract import Granularity, MetricKey
from tests.analysis.test_open_only import (
    HALL,
    MINUTE,
    ZURICH,
    counted,
    days,
    hours,
    is_open_by_the_wall_clock,
    request_of,
)
from tests.counting_service import CountingService, Minute

ENTRANCES, INSIDE = MetricKey.ENTRANCES, MetricKey.VISITORS_INSIDE
METRICS = (INSIDE, ENTRANCES)
MONDAY = date(2026, 6, 8)
WEEK_BEFORE = Against(Comparison.WEEKDAY)


def answer_of(request: HistoryRequest, service: CountingService, against: Against) -> HistoryAnswer:
    granularity = request.granularity or usual_granularity(request.range, request.timezone)
    points = {HALL: list(open_only(request, service.run)(request.queries())[HALL])}
    compare = ComparedRange(None, request.range, against)
    return history_answer(request, points, granularity, compare, run=service.run, run_other=service.run)


@settings(max_examples=15, deadline=None)
@given(
    text=any_.sampled_from(("9-18", "09:30-18:10", "22-04", "9-12:20, 12:40-18")),
    granularity=any_.sampled_from((Granularity.HOUR, Granularity.DAY)),
    until=any_.integers(0, 1440),
    seed=any_.integers(0, 2**32),
)
def test_both_periods_are_those_of_a_place_that_counts_in_open_minutes_alone(
    text: str, granularity: Granularity, until: int, seed: int
) -> None:
    start = days(MONDAY, 1, ZURICH).start
    range_ = TimeRange(start, start + timedelta(days=1) + (1 + until) * MINUTE)
    opening = Opening(hours(text), ZURICH)
    minutes = counted(days(MONDAY - timedelta(days=9), 1, ZURICH).start, range_.end, seed)
    inside = {at: one for at, one in minutes.items() if is_open_by_the_wall_clock(at, opening)}
    bounded = request_of(range_, ZURICH, opening, granularity, metrics=METRICS)
    whole = request_of(range_, ZURICH, None, granularity, metrics=METRICS)
    found = answer_of(bounded, CountingService(minutes, bounded.asked_at), WEEK_BEFORE)
    other = answer_of(whole, CountingService(inside, bounded.asked_at), WEEK_BEFORE)
    pd.testing.assert_frame_equal(found.data.table, other.data.table)
    assert found.data.earlier is not None
    assert other.data.earlier is not None
    pd.testing.assert_frame_equal(found.data.earlier, other.data.earlier)
    assert {one: peak.peak for one, peak in found.peaks.items()} == {
        one: peak.peak for one, peak in other.peaks.items()
    }
    assert found.data.totals is not None
    verdict = found.data.totals.verdict(("Hall", ENTRANCES))
    assert verdict is not None
    here = [one for at, one in inside.items() if range_.start <= at < range_.end]
    assert (verdict.present or 0) == sum(one.came for one in here)
    assert (verdict.minutes.present, verdict.minutes.expected) == (len(here), len(here))
    # Of an hour in which nobody comes no answer tells the minutes; here somebody does in nearly each.
    known = sum(found.data.minutes.get("Hall", {}).values())
    assert known == pytest.approx(len(here), abs=60)


OPEN_MORNINGS = Opening(
    hours("09:30-12", others=(OtherDay(day=MONDAY + timedelta(days=1), name="Stocktaking"),)), ZURICH
)


def three_days(missing: range = range(0)) -> HistoryAnswer:
    """Each minute of three days one comes and stays a minute; on the second it is closed."""
    range_ = days(MONDAY, 3, ZURICH)
    begin = days(MONDAY - timedelta(days=7), 1, ZURICH).start
    minutes = {
        at: Minute(1, 1, 1)
        for n in range(10 * 1440)
        if (at := begin + n * MINUTE) < range_.start or (at - range_.start) // MINUTE not in missing
    }
    request = request_of(range_, ZURICH, OPEN_MORNINGS, Granularity.HOUR, metrics=METRICS)
    return answer_of(request, CountingService(minutes, request.asked_at), WEEK_BEFORE)


def test_closed_hours_are_neither_expected_nor_missing() -> None:
    data = three_days().data
    formats = Formats(now=data.range.end)
    assert sum(rows_that_count(data)) == 6, "9:30 to 12 on two of three days"
    assert missing_rows(data) == []
    assert present_buckets(data, formats) == ("All 6 open hours have counts; in the other period too.")


def test_an_open_hour_without_counts_is_missing_and_an_hour_with_few_of_its_open_minutes_is_told() -> None:
    # 9:50 to 11:00 of the first day.
    answer = three_days(range(590, 660))
    data = answer.data
    assert missing_rows(data) == [(10, 11)]
    said = present_buckets(data, Formats(now=data.range.end))
    assert said.startswith("5 of 6 open hours have counts, 1 of them with minutes missing")
    assert data.totals is not None
    found = missing_counts(data.totals, ("Hall", ENTRANCES))
    assert found is not None
    assert whole_minutes(found.present) == 70
    (stretch,) = found.present
    assert stretch.range.start == days(MONDAY, 1, ZURICH).start + 570 * MINUTE, "from the opening on"


def test_the_other_period_is_bounded_by_its_own_days() -> None:
    answer = three_days()
    (said,) = changes_of(HALL, answer.data, Formats(now=answer.data.range.end))
    # Two days of 150 open minutes against three.
    assert said.startswith("Entrances: 300 against 450")


def test_where_the_other_period_is_closed_throughout_that_is_said() -> None:
    range_ = days(MONDAY, 1, ZURICH)
    closed = OtherDay(day=MONDAY - timedelta(days=7))
    opening = Opening(hours("9-12", others=(closed,)), ZURICH)
    minutes = counted(days(MONDAY - timedelta(days=9), 1, ZURICH).start, range_.end, 1)
    request = request_of(range_, ZURICH, opening, Granularity.HOUR, metrics=METRICS)
    data = answer_of(request, CountingService(minutes, request.asked_at), WEEK_BEFORE).data
    formats = Formats(now=range_.end)
    assert changes_of(HALL, data, formats) == ["Entrances: the other period is closed throughout."]
    assert "; in the other period it is closed." in present_buckets(data, formats)


def test_the_table_has_open_rows_alone_and_says_how_much_of_each_is_open() -> None:
    table = shown_table(three_days().data)
    assert table[OPEN].to_list() == [30, 60, 60, 30, 60, 60]
    assert table["Entrances"].to_list() == [30, 60, 60, 30, 60, 60]
    assert {stamp.hour for stamp in table["From"]} == {9, 10, 11}


def test_a_site_opens_by_its_own_clock_in_whichever_zone_one_looks() -> None:
    range_ = days(MONDAY, 1, ZURICH)
    opening = Opening(hours("9-18"), ZURICH)
    minutes = {range_.start + n * MINUTE: Minute(1, 1, 1) for n in range(1440)}
    request = request_of(range_, ZoneInfo("Asia/Kathmandu"), opening, Granularity.HOUR, metrics=METRICS)
    data = answer_of(request, CountingService(minutes, request.asked_at), Against(Comparison.NONE)).data
    # 9:00 in Zürich is 12:45 in Kathmandu.
    assert data.table["Hall", ENTRANCES].dropna().to_list() == [15, *[60] * 8, 45]
