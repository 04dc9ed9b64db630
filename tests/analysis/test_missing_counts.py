from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from analysis.bucket_table import bucket_table, starts_of
from analysis.compared_totals import ComparedTotals, Period
from analysis.history_data import HistoryData, history_data
from analysis.history_request import HistoryRequest
from analysis.hours_text import spans_of_text
from analysis.missing_counts import MissingCounts, missing_counts, whole_minutes
from analysis.special_days import ChangedDay, SpecialDays
from analysis.subject import Subject, SubjectKind
from analysis.time_range import TimeRange
from components.number_format import Formats
from components.sentences.period_words import missing_words, special_words
from contract import Granularity, MetricKey, MetricPoint

ZURICH, HALL, CAME = ZoneInfo("Europe/Zurich"), "Hall", MetricKey.ENTRANCES
START = datetime(2026, 6, 2, 6, tzinfo=UTC)
"""A Tuesday, 08:00 in Zürich."""
HOUR, DAY, WEEK = timedelta(hours=1), timedelta(days=1), timedelta(days=7)
FORMATS = Formats(now=START)


def period(start: datetime, minutes: Sequence[int]) -> Period:
    """Hours in each of which somebody came where any minute was counted: so many are."""
    points = [
        MetricPoint(timestamp=start + place * HOUR, metrics={CAME: 5})
        for place, count in enumerate(minutes) if count
    ]  # fmt: skip
    range_ = TimeRange(start, start + len(minutes) * HOUR)
    table = bucket_table({HALL: points}, [CAME], range_, Granularity.HOUR, ZURICH)
    known = {start + place * HOUR: float(count) for place, count in enumerate(minutes) if count}
    return Period(range_, table, {HALL: known})


def totals(own: Sequence[int], other: Sequence[int]) -> ComparedTotals:
    present, earlier = period(START, own), period(START - WEEK, other)
    return ComparedTotals(Granularity.HOUR, ZURICH, present, earlier, starts_of(earlier.table), is_over=True)


def found(own: Sequence[int], other: Sequence[int]) -> list[list[tuple[float, float, int]]]:
    """Of each period, hours after its beginning from and to when, and minutes."""
    both = missing_counts(totals(own, other), (HALL, CAME))
    assert both is not None
    return [
        [((one.range.start - begin) / HOUR, (one.range.end - begin) / HOUR, one.minutes) for one in missing]
        for missing, begin in ((both.present, START), (both.earlier, START - WEEK))
    ]


def test_hours_without_counts_are_named_in_either_period() -> None:
    assert found([60, 0, 0, 60], [60, 60, 60, 60]) == [[(1, 3, 120)], []]
    assert found([60, 60, 60, 60], [0, 60, 60, 30]) == [[], [(0, 1, 60), (3, 4, 30)]]


def test_where_each_hour_lacks_the_same_part_the_other_period_tells_that_it_does() -> None:
    assert found([40, 40, 40], [60, 60, 60]) == [[(0, 3, 60)], []]


def test_where_nobody_was_in_either_period_nothing_is_missing() -> None:
    """Neither at night nor where both have no counts: it is closed then, as far as counts tell."""
    assert found([60, 60, 0, 0], [60, 60, 0, 0]) == [[], []]


def test_of_a_door_that_counts_four_minutes_an_hour_only_whole_gaps_are_missing() -> None:
    assert found([4, 4, 0, 4], [4, 4, 4, 4]) == [[(2, 3, 4)], []]


@given(st.lists(st.sampled_from((0, 60)), min_size=1, max_size=24), st.data())
def test_stretches_are_as_long_as_all_missing_hours_together(own: list[int], data: st.DataObject) -> None:
    other = data.draw(st.lists(st.sampled_from((0, 60)), min_size=len(own), max_size=len(own)))
    both = missing_counts(totals(own, other), (HALL, CAME))
    assert both is not None
    is_open = [bool(one or two) for one, two in zip(own, other, strict=True)]
    for minutes, missing in ((own, both.present), (other, both.earlier)):
        lacking = sum(
            60 - one for one, there in zip(minutes, is_open, strict=True) if there or not any(is_open)
        )
        assert whole_minutes(missing) == lacking
        assert all(one.range.end < after.range.start for one, after in pairwise(missing))


def data_of(own: Sequence[int], other: Sequence[int]) -> HistoryData:
    compared = totals(own, other)
    subject = Subject(SubjectKind.ZONE, "hall", HALL)
    request = HistoryRequest("shop", (subject,), (CAME,), compared.present.range, ZURICH, START + WEEK)
    data = history_data(request, {subject: []}, Granularity.HOUR)
    return replace(data, totals=compared)


def test_missing_minutes_are_said_of_both_periods_with_when() -> None:
    there = "hours in which somebody was there in either period"
    assert missing_words(data_of([60, 60], [60, 60]), FORMATS) == []
    usual = "about 33\N{NO-BREAK SPACE}% of the people usually come then"
    missing = f"60 (Tue 2 Jun, 09:00 to 10:00; {usual}) here"
    assert missing_words(data_of([60, 0, 60], [60, 60, 60]), FORMATS) == [
        f"Minutes without counts of {there}: {missing}; none in the other period."
    ]
    none = missing_words(data_of([60, 60], [0, 0]), FORMATS)
    assert none[0].endswith("none here; 120 (Tue 26 May, 08:00 to 10:00) in the other period.")
    many = missing_words(data_of([60] * 9, [0, 60, 0, 60, 30, 60, 0, 60, 0]), FORMATS)
    assert "none here; 270 (Tue 26 May, 08:00 to 09:00, " in many[0]
    assert " and 2 more; about 4" in many[0]
    few = missing_words(data_of([60] * 119 + [0], [60] * 120), FORMATS)
    assert few[0].endswith(": 60 (Sun 7 Jun, 07:00 to 08:00) here; none in the other period.")


def test_holidays_of_both_periods_are_named() -> None:
    day = START.date()

    def said(own: Mapping[date, str], other: Mapping[date, str], country: str = "CH") -> str:
        return special_words(SpecialDays(country, own), SpecialDays(country, other), ZURICH, FORMATS)

    assert said({}, {}) == "Public holidays of Switzerland: none in either period."
    assert said({day: "Feast"}, {}) == (
        "Public holidays of Switzerland: Tue 2 Jun (Feast) here; none in the other period."
    )
    many = {day + timedelta(days=count): "Fair" for count in range(20)}
    assert said(many, {}).endswith("Tue 9 Jun (Fair) and 12 more here; none in the other period.")
    assert said({}, {}, "").startswith("Whose public holidays these days may be is not known")


def test_days_of_other_hours_are_named_and_are_no_public_holidays() -> None:
    day, hours = START.date(), spans_of_text("9-18")

    def said(own: SpecialDays, country: str = "CH") -> str:
        return special_words(own._replace(country=country), SpecialDays(country, {}), ZURICH, FORMATS)

    other = SpecialDays("", {}, (ChangedDay(day, "", ()), ChangedDay(day + DAY, "Stocktaking", hours)))
    days = "Special days: Tue 2 Jun (closed), Wed 3 Jun (Stocktaking, 09:00–18:00) here; none in the other"
    assert said(other) == f"Public holidays of Switzerland: none in either period. {days} period."
    assert said(other, "") == f"{days} period."
    feast = SpecialDays("", {day: "Feast"}, (ChangedDay(day, "Feast", ()),))
    assert said(feast) == (
        "Public holidays of Switzerland: Tue 2 Jun (Feast, closed) here; none in the other period."
    )
    named = feast._replace(changed=(ChangedDay(day, "Our fair", hours),))
    assert said(named) == (
        "Public holidays of Switzerland: Tue 2 Jun (Feast) here; none in the other period."
        " Special days: Tue 2 Jun (Our fair, 09:00–18:00) here; none in the other period."
    )


def test_a_stretch_holds_no_more_minutes_than_it_is_long() -> None:
    both = missing_counts(totals([60, 12, 60], [60, 60, 60]), (HALL, CAME))
    assert both is not None
    assert both.present == (MissingCounts(TimeRange(START + HOUR, START + 2 * HOUR), 48),)
