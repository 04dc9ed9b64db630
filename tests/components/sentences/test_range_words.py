from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from analysis.first_count import FirstCount, find_first_count
from analysis.history_request import HistoryRequest
from analysis.subject import Subject, SubjectKind
from analysis.time_range import NamedRange, TimeRange, named_range
from components.number_format import Formats
from components.sentences.range_words import (
    held_in_part,
    named_range_text,
    range_text,
    still_to_come,
    why_not_shown,
    why_nothing_stored,
)
from contract import Granularity, MetricKey, MetricPoint
from contract.buckets import bucket_starts

ZURICH = ZoneInfo("Europe/Zurich")
NOW = datetime(2026, 11, 21, 9, 7, 30, tzinfo=UTC)
READ = Formats(now=NOW)
SHOP = Subject(SubjectKind.SITE, "shop", "Shop")


def span(first: str, last: str) -> TimeRange:
    start, end = (datetime.fromisoformat(one).replace(tzinfo=ZURICH).astimezone(UTC) for one in (first, last))
    return TimeRange(start, end)


@pytest.mark.parametrize(
    ("first", "last", "told"),
    [
        (
            "2026-11-05T00:00",
            "2026-11-01T00:00",
            (
                "This range ends before it begins: from Thu 5 Nov, 00:00 back to Sun 1 Nov, 00:00. "
                "Exchange the two."
            ),
        ),
        (
            "2026-11-05T00:00",
            "2026-11-05T00:00",
            (
                "This range begins and ends at Thu 5 Nov, 00:00, so it holds not one minute. "
                "Choose a later end."
            ),
        ),
        (
            "2026-12-05T00:00",
            "2026-12-06T00:00",
            "This range lies in the future: it begins at Sat 5 Dec, 00:00. Choose one that has begun.",
        ),
        (
            "2026-11-21T10:07",
            "2026-11-21T12:00",
            (
                "This range began at Sat 21 Nov, 10:07, and its first minute is not counted yet. "
                "That takes up to two minutes: reload the page then."
            ),
        ),
        ("2026-11-21T10:05", "2026-11-21T12:00", None),
    ],
)
def test_each_range_that_holds_nothing_has_its_sentence(first: str, last: str, told: str | None) -> None:
    assert why_not_shown(span(first, last), NOW, ZURICH, READ) == told


@pytest.mark.parametrize("named", [NamedRange.TODAY, NamedRange.THIS_WEEK, NamedRange.THIS_MONTH])
@pytest.mark.parametrize("seconds", [0, 30, 61, 119])
def test_a_day_a_week_and_a_month_that_only_began_say_when_they_are_shown(
    named: NamedRange, seconds: int
) -> None:
    """The first of a month, a Monday, right after midnight."""
    now = datetime(2026, 6, 1, tzinfo=ZURICH) + timedelta(seconds=seconds)
    asked = named_range(named, now, ZURICH)
    assert why_not_shown(asked, now, ZURICH, READ, named.label) == (
        f"{named.label} has only begun, and its first minute is not counted yet. "
        "That takes up to two minutes, and then it is shown here by itself."
    )


def test_a_range_into_the_future_says_up_to_when_it_is_counted() -> None:
    goes_on = span("2026-11-21T00:00", "2026-11-22T00:00")
    assert still_to_come(goes_on, NOW, ZURICH, READ) == (
        "The range goes on until Sun 22 Nov, 00:00; counted so far is what came before 10:06."
    )
    assert still_to_come(span("2026-11-20T00:00", "2026-11-21T00:00"), NOW, ZURICH, READ) is None


@pytest.mark.parametrize(
    ("first", "last", "granularity", "told"),
    [
        ("2026-11-14T18:06", "2026-11-21T00:00", "day", "the first day is counted from 18:06 on."),
        ("2026-11-14T00:00", "2026-11-21T18:06", "hour", "the last hour is counted until 18:06."),
        (
            "2026-10-14T18:06",
            "2026-11-21T18:06",
            "month",
            (
                "the first month is counted from Wed 14 Oct, 18:06 on, "
                "the last month is counted until Sat 21 Nov, 18:06."
            ),
        ),
        ("2026-11-14T09:00", "2026-11-14T17:00", "day", "this day is counted from 09:00 until 17:00."),
        ("2026-11-14T00:00", "2026-11-16T00:00", "day", None),
    ],
)
def test_what_a_range_holds_in_part_is_said(
    first: str, last: str, granularity: str, told: str | None
) -> None:
    range_, unit = span(first, last), Granularity(granularity)
    starts = list(bucket_starts(*range_, unit, ZURICH))
    assert held_in_part(starts, range_, unit, ZURICH, READ) == told


def test_a_range_without_counts_says_what_is_known_of_the_first() -> None:
    range_ = span("2026-11-05T00:00", "2026-11-06T00:00")
    later, earlier = (FirstCount(span(day, day).start) for day in ("2026-11-10", "2026-11-02"))

    def said(first: FirstCount | None) -> str:
        return why_nothing_stored(range_, first, ZURICH, READ).partition("(Zurich time). ")[2]

    assert said(None) == "Choose another range."
    assert said(FirstCount(None)) == (
        "Nothing is stored of any other time either: see whether its counters are connected, or choose"
        " another zone."
    )
    assert said(later) == "Counting began on Tue 10 Nov. Choose a range from then on."
    assert said(earlier) == (
        "Counting began on Mon 2 Nov, but nothing arrived in this time. Choose another range."
    )
    told = why_nothing_stored(
        range_, later, ZURICH, READ, if_later="It begins tomorrow.", otherwise="Choose more weeks."
    )
    assert told.endswith("Counting began on Tue 10 Nov. It begins tomorrow.")


def test_the_first_count_is_found_in_two_questions() -> None:
    request = HistoryRequest(
        "shop", (SHOP,), (MetricKey.ENTRANCES,), span("2020-01-01", "2020-01-02"), ZURICH, NOW
    )
    days = {
        Granularity.MONTH: span("2026-08-01", "2026-08-01").start,
        Granularity.DAY: span("2026-08-22", "2026-08-22").start,
    }
    asked: list[Granularity | None] = []

    def ask(queries: object) -> dict[Subject, list[MetricPoint]]:
        assert isinstance(queries, dict)
        granularity = queries[SHOP].granularity
        asked.append(granularity)
        return {SHOP: [MetricPoint(timestamp=days[granularity], metrics={"entrances": 0})]}

    assert find_first_count(request, ask) == FirstCount(days[Granularity.DAY])
    assert asked == [Granularity.MONTH, Granularity.DAY]
    assert find_first_count(request, lambda queries: {key: [] for key in queries}) == FirstCount(None)
    assert find_first_count(request, lambda _: {}) is None


@pytest.mark.parametrize(
    ("first", "last", "told"),
    [
        ("2026-11-09T00:00", "2026-11-16T00:00", "A name: Mon 9 Nov to Sun 15 Nov."),
        ("2026-10-25T00:00", "2026-10-26T00:00", "A name: Sun 25 Oct."),
        ("2026-11-16T00:00", "2026-11-21T10:05", "A name: Mon 16 Nov, 00:00 to Sat 21 Nov, 10:05."),
    ],
)
def test_a_range_that_has_a_name_tells_its_dates(first: str, last: str, told: str) -> None:
    assert named_range_text("A name", span(first, last), ZURICH, READ) == told


def test_end_of_a_range_in_an_hour_that_occurs_twice_says_which_it_is() -> None:
    night = TimeRange(datetime(2026, 10, 24, 22, tzinfo=UTC), datetime(2026, 10, 25, 1, 15, tzinfo=UTC))
    assert range_text(night, ZURICH, READ) == "Sun 25 Oct, 00:00 to 02:15\N{NO-BREAK SPACE}CET"
    summer = night._replace(start=night.end - timedelta(days=1), end=night.end - timedelta(hours=1))
    assert range_text(summer, ZURICH, READ) == "Sat 24 Oct, 03:15 to Sun 25 Oct, 02:15\N{NO-BREAK SPACE}CEST"
    first = datetime(2026, 10, 25, 1, tzinfo=UTC)
    said = held_in_part([first], TimeRange(first, night.end), Granularity.HOUR, ZURICH, READ)
    assert said == "this hour is counted from 02:00\N{NO-BREAK SPACE}CET until 02:15\N{NO-BREAK SPACE}CET."
