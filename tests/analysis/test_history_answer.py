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
from analysis.history_data import history_data, missing_rows, rows_that_count
from analysis.history_request import HistoryRequest
from analysis.missing_counts import missing_counts, whole_minutes
from analysis.open_only import open_only
from analysis.open_time import Opening
from analysis.opening_hours import OtherDay
from analysis.time_range import TimeRange
from components.number_format import Formats
from components.sentences.answers import answers_of
from components.sentences.change_words import changes_of
from components.sentences.coverage_words import present_buckets
from components.sentences.period_words import missing_words
from components.sentences.range_words import other_period_text
from components.tables.downloads import about, to_csv
from components.tables.shown_table import OPEN, shown_table
from contract import Granularity, MetricKey, Site
from tests.analysis.test_open_only import (
    HALL,
    LORD_HOWE,
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


@settings(max_examples=6, deadline=None)
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
    minutes = counted(days(MONDAY - timedelta(days=7), 1, ZURICH).start, range_.end, seed)
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


def three_days(
    missing: range = range(0), *, against: Against = WEEK_BEFORE, size: Granularity = Granularity.HOUR
) -> HistoryAnswer:
    """Each minute of three days one comes and stays a minute; on the second it is closed."""
    range_ = days(MONDAY, 3, ZURICH)
    begin = days(MONDAY - timedelta(days=7), 1, ZURICH).start
    minutes = {
        at: Minute(1, 1, 1)
        for n in range(10 * 1440)
        if (at := begin + n * MINUTE) < range_.start or (at - range_.start) // MINUTE not in missing
    }
    request = request_of(range_, ZURICH, OPEN_MORNINGS, size, metrics=METRICS)
    return answer_of(request, CountingService(minutes, request.asked_at), against)


def test_closed_hours_are_neither_expected_nor_missing() -> None:
    data = three_days().data
    formats = Formats(now=data.range.end)
    assert sum(rows_that_count(data)) == 6, "9:30 to 12 on two of three days"
    assert missing_rows(data) == []
    assert present_buckets(data, formats) == ("All 6 open hours have counts; in the other period all 9.")


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
    (told,) = missing_words(data, Formats(now=data.range.end))
    assert told.startswith("Minutes without counts in open hours: 70 (")
    (stretch,) = found.present
    assert stretch.range.start == days(MONDAY, 1, ZURICH).start + 570 * MINUTE, "from the opening on"


@pytest.mark.parametrize(("fewest", "is_told"), [(0, True), (40, False)])
def test_where_too_many_are_inside_at_closing_it_is_said_that_no_stay_is_told(
    fewest: int, *, is_told: bool
) -> None:
    """150 come in each of six mornings; nobody, or forty, and each second minute two more are inside."""
    range_ = days(MONDAY, 7, ZURICH)
    minutes = {range_.start + n * MINUTE: Minute(1, 1, fewest + n % 2 * 2) for n in range(7 * 1440)}
    request = request_of(range_, ZURICH, OPEN_MORNINGS, Granularity.HOUR, metrics=METRICS)
    answer = answer_of(request, CountingService(minutes, request.asked_at), Against(Comparison.NONE))
    said = answers_of(HALL, answer.data, answer.peaks.get(HALL), Formats(now=range_.end))
    assert ("People stayed 60 s on average." in said) is is_told
    why = "How long people stayed is not told: too many are inside when it opens or closes"
    assert any(one.startswith(why) for one in said) is not is_told


def test_in_all_hours_no_stay_is_missed_that_is_not_told() -> None:
    range_ = days(MONDAY, 7, ZURICH)
    minutes = {range_.start + n * MINUTE: Minute(1, 1, 4000) for n in range(7 * 1440)}
    request = request_of(range_, ZURICH, None, Granularity.HOUR, metrics=METRICS)
    answer = answer_of(request, CountingService(minutes, request.asked_at), Against(Comparison.NONE))
    said = answers_of(HALL, answer.data, answer.peaks.get(HALL), Formats(now=range_.end))
    assert not any("stayed" in one for one in said)


def test_a_day_that_the_range_cuts_while_it_is_closed_is_whole() -> None:
    """From Monday 03:45 to Wednesday 10:00; it opens at 09:30 and closes at 12."""
    start = days(MONDAY, 1, ZURICH).start
    range_ = TimeRange(start + timedelta(hours=3, minutes=45), start + timedelta(days=2, hours=10))
    opening = Opening(hours("09:30-12"), ZURICH)
    for opened, cut in ((opening, [False, False, True]), (None, [True, False, True])):
        request = request_of(range_, ZURICH, opened, Granularity.DAY, metrics=METRICS)
        assert list(history_data(request, {HALL: []}, Granularity.DAY).cut) == cut
    closed = TimeRange(range_.start, start + timedelta(days=2, hours=21))
    evening = request_of(closed, ZURICH, opening, Granularity.DAY, metrics=METRICS)
    assert not any(history_data(evening, {HALL: []}, Granularity.DAY).cut)


def test_the_other_period_is_bounded_by_its_own_days() -> None:
    answer = three_days()
    (said,) = changes_of(HALL, answer.data, Formats(now=answer.data.range.end))
    # Two days of 150 open minutes against three.
    assert said.startswith("Entrances: 300 against 450")
    assert said.endswith("counted in all open hours of both, 6 open hours against 9.")


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
    table = shown_table(three_days(against=Against(Comparison.NONE)).data)
    assert table[OPEN].to_list() == [30, 60, 60, 30, 60, 60]
    assert table["Entrances"].to_list() == [30, 60, 60, 30, 60, 60]
    assert {stamp.hour for stamp in table["From"]} == {9, 10, 11}


@pytest.mark.parametrize(("size", "own"), [(Granularity.HOUR, [30, 60, 60]), (Granularity.DAY, [150])])
def test_the_table_has_closed_rows_too_where_the_other_period_was_open(
    size: Granularity, own: list[int]
) -> None:
    table = shown_table(three_days(size=size).data)
    assert table[OPEN].to_list() == [*own, *[0] * len(own), *own]
    assert table["Entrances"].isna().to_list() == [count == 0 for count in table[OPEN]]
    assert table["Entrances"].sum() == 300
    assert table["Entrances, compared"].to_list() == own * 3, "as many as the sentence says: 450"


@pytest.mark.parametrize("text", ["", "01:10-08", "22-04"])
@pytest.mark.parametrize("size", [Granularity.HOUR, Granularity.DAY])
@pytest.mark.parametrize(
    ("zone", "day", "comparison"),
    [
        (zone, date(2026, *day) + timedelta(days=more), comparison)
        for zone, *days_ in ((ZURICH, (3, 29), (10, 25)), (LORD_HOWE, (4, 5), (10, 4)))
        for day in days_
        # So long after the change the other period has it.
        for comparison, other in ((Comparison.PERIOD, 2), (Comparison.WEEKDAY, 7))
        for more in (0, other)
    ],
)
def test_numbers_of_a_page_agree_where_the_clocks_change_in_either_period(
    zone: ZoneInfo, day: date, size: Granularity, comparison: Comparison, text: str
) -> None:
    """Totals, how many hours have counts, and the table, against single minutes."""
    range_ = days(day - timedelta(days=1), 2, zone)
    opening = Opening(hours(text), zone) if text else None
    minutes = counted(range_.start - timedelta(days=8), range_.end, 7)
    request = request_of(range_, zone, opening, size, metrics=(ENTRANCES,))
    data = answer_of(request, CountingService(minutes, request.asked_at), Against(comparison)).data
    assert data.earlier_range is not None
    assert data.totals is not None
    own, other = (
        sum(
            one.came
            for at, one in minutes.items()
            if start <= at < end and (opening is None or is_open_by_the_wall_clock(at, opening))
        )
        for start, end in (range_, data.earlier_range)
    )
    table = shown_table(data)
    assert (table["Entrances"].sum(), table["Entrances, compared"].sum()) == (own, other)
    assert table["Compared with"].dropna().is_monotonic_increasing
    assert table["From"].dropna().is_monotonic_increasing
    verdict = data.totals.verdict(("Hall", ENTRANCES))
    assert verdict is not None
    assert (verdict.present, verdict.earlier) == (own, other)
    if size is Granularity.HOUR:
        expected = verdict.counted.expected, verdict.counted_earlier.expected
        assert expected == (table["From"].count(), table["Compared with"].count())
        every = "too" if expected[0] == expected[1] else f"all {expected[1]}"
        said = present_buckets(data, Formats(now=range_.end))
        assert said.endswith(f"hours have counts; in the other period {every}."), said


def test_an_hour_that_the_clocks_skip_in_one_period_is_of_the_other_alone_and_says_so() -> None:
    range_ = days(date(2026, 3, 29), 2, ZURICH)
    minutes = {range_.start + n * MINUTE: Minute(1, 1, 1) for n in range(-3 * 1440, 2 * 1440)}  # one a minute
    request = request_of(range_, ZURICH, None, Granularity.HOUR, metrics=(ENTRANCES,))
    against = Against(Comparison.PERIOD)
    data = answer_of(request, CountingService(minutes, request.asked_at), against).data
    formats = Formats(now=range_.end)
    assert data.earlier_range is not None
    assert other_period_text(data, data.earlier_range, formats) == (
        "Fri 27 Mar to Sat 28 Mar, which has 48 hours, not 47. 1 hour of it lies beside none of this period:"
        " is not drawn, but is in the totals and the table."
    )
    assert "All 47 hours have counts; in the other period all 48." in present_buckets(data, formats)
    table = shown_table(data)
    (row,) = table.index[table["From"].isna()]
    assert table["Compared with"][row].isoformat() == "2026-03-27T02:00:00+01:00"
    assert table["Compared with"].is_monotonic_increasing
    assert table["Entrances"].isna().sum() == 1
    assert (table["Entrances"].sum(), table["Entrances, compared"].sum()) == (47 * 60, 48 * 60)
    assert b",2026-03-27T02:00:00+01:00,,60" in to_csv(table)
    site = Site(id="shop", name="Shop", timezone="Europe/Zurich")
    said = about(site, request, data, [])["Rows without From"]
    assert said == "Of the other period alone: this one has no such hour."


def test_a_site_opens_by_its_own_clock_in_whichever_zone_one_looks() -> None:
    range_ = days(MONDAY, 1, ZURICH)
    opening = Opening(hours("9-18"), ZURICH)
    minutes = {range_.start + n * MINUTE: Minute(1, 1, 1) for n in range(1440)}
    request = request_of(range_, ZoneInfo("Asia/Kathmandu"), opening, Granularity.HOUR, metrics=METRICS)
    data = answer_of(request, CountingService(minutes, request.asked_at), Against(Comparison.NONE)).data
    # 9:00 in Zürich is 12:45 in Kathmandu.
    assert data.table["Hall", ENTRANCES].dropna().to_list() == [15, *[60] * 8, 45]
