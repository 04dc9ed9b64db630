from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from analysis.ahead_answer import Ahead, HourAhead
from analysis.drift import Drift
from analysis.forecast import Expected, Forecast, PastError
from analysis.time_to_full import Pace
from components.number_format import Formats
from components.sentences.ahead_words import (
    error_words,
    expected_words,
    full_words,
    no_pace_words,
    pace_words,
    rests_on,
    staff_of,
    staff_words,
)
from contract import MetricKey

FORMATS, ZURICH = Formats(), ZoneInfo("Europe/Zurich")
INSIDE, ENTRANCES = MetricKey.VISITORS_INSIDE, MetricKey.ENTRANCES
TWO = datetime(2026, 6, 29, 12, tzinfo=UTC)
"""14:00 in Zurich, on a Monday."""
HOUR = timedelta(hours=1)
MINUTE = timedelta(minutes=1)


def found(people: Sequence[float | None], *, forecast: Forecast | None = None, **fields: object) -> Ahead:
    """From 14:00 on; a tenth less and more are the ends of the band."""
    hours = tuple(
        HourAhead(TWO + place * HOUR, None if one is None else Expected(0.9 * one, one, 1.1 * one))
        for place, one in enumerate(people)
    )
    return Ahead((), hours, forecast or Forecast({}, 5), None, **fields)  # type: ignore[arg-type]


def test_days_of_one_weekday_are_not_said_to_be_all_days_that_are_left_out() -> None:
    told = rests_on(found([None], spoilt=9, is_of_weekday=True), ZURICH, FORMATS)
    assert told == ["9 Mondays are left out because the number inside cannot be trusted."]


def test_in_the_place_of_a_pace_it_is_said_why_there_is_none() -> None:
    count = Drift(since=TWO - 20 * HOUR, unentered=100, unentered_at=TWO - 5 * HOUR, minutes=1, judged=1)
    said = no_pace_words(count, ZURICH, FORMATS)
    assert said.startswith("The number inside cannot be trusted now: by ")
    assert "100 more people had left than come since" in said


def test_the_busiest_hour_the_end_and_when_it_is_quieter_are_told() -> None:
    afternoon = found([50, 60, 55, 30, 20, 0])
    assert expected_words(afternoon, INSIDE, ZURICH, FORMATS) == (
        "Until 19:00 it is busiest from 15:00 to 16:00: 60 expected inside on average, 54 to 66 on eight"
        " days of ten. Quieter from 17:00."
    )
    assert "60 expected to come in, 54 to 66" in expected_words(afternoon, ENTRANCES, ZURICH, FORMATS)


def test_of_one_hour_that_is_left_nothing_is_the_busiest() -> None:
    assert expected_words(found([60, 0]), INSIDE, ZURICH, FORMATS) == (
        "From 14:00 to 15:00: 60 expected inside on average, 54 to 66 on eight days of ten."
    )


def test_the_numbers_of_a_band_are_written_to_the_same_place() -> None:
    assert "14.0 expected inside on average, 12.6 to 15.4" in expected_words(
        found([14, 1]), INSIDE, ZURICH, FORMATS
    )
    assert "19 expected inside on average, 17 to 21" in expected_words(
        found([19, 1]), INSIDE, ZURICH, FORMATS
    )


def test_where_it_is_not_open_any_more_nothing_is_expected() -> None:
    closed = Ahead((), (HourAhead(TWO, None, is_closed=True),), Forecast({}, 0), None)
    assert expected_words(closed, INSIDE, ZURICH, FORMATS) == ""
    assert rests_on(closed._replace(forecast=Forecast({}, 4, closed=1)), ZURICH, FORMATS) == []


def test_what_is_open_until_midnight_says_so() -> None:
    assert expected_words(found([9] * 10), INSIDE, ZURICH, FORMATS).startswith("Until midnight it is")


@pytest.mark.parametrize(
    ("ahead", "said"),
    [
        (found([], is_today_spoilt=True), "cannot be trusted today"),
        (
            found([None], forecast=Forecast({}, 4, is_unlike=True)),
            "Nobody has been counted yet today, though by this hour somebody was on each of 4 Mondays of the",
        ),
        (
            found([None, None], spoilt=9, is_of_weekday=True),
            (
                "Nothing is told of the rest of today: on 9 past Mondays the number inside cannot be trusted,"
                " so too few are left to tell it by. Choose Entrances, which do not rest on it, or see the"
                " page Trust."
            ),
        ),
        (found([None, None]), "Too few Mondays have counts that can be used to tell the rest of today."),
        (found([0, 0]), "Nobody is expected any more today"),
    ],
)
def test_where_nothing_is_expected_it_says_why(ahead: Ahead, said: str) -> None:
    assert said in expected_words(ahead, INSIDE, ZURICH, FORMATS)


def test_whether_it_will_be_full_is_told_by_the_band() -> None:
    afternoon = found([50, 60, 55])
    assert full_words(afternoon, 70, ZURICH, FORMATS) == (
        "It is not expected to be full (from 70 inside, on average over an hour)."
    )
    assert full_words(afternoon, 65, ZURICH, FORMATS) == (
        "It may be full: 65 inside or more on average from 15:00 to 16:00."
    )
    assert full_words(afternoon, 55, ZURICH, FORMATS) == (
        "It is expected to be full: 55 inside or more on average from 15:00 to 17:00."
    )
    twice = found([60, 20, 60, 60])
    assert full_words(twice, 55, ZURICH, FORMATS).endswith("from 14:00 to 15:00 and from 16:00 to 18:00.")
    assert full_words(found([None]), 55, ZURICH, FORMATS) == ""


def test_the_present_pace_tells_when_it_is_full() -> None:
    assert pace_words(Pace(TWO, 60, 30, 15), 100, ZURICH, FORMATS) == (
        "At 14:00, 60 were inside; in the 15 minutes until then, 30 more came in than went out. At this pace"
        " it is full (100 inside) in 20 minutes, at 14:20."
    )


def test_one_minute_is_no_minutes() -> None:
    assert "(63 inside) in 1 minute, at 14:01." in pace_words(Pace(TWO, 60, 45, 15), 63, ZURICH, FORMATS)


@pytest.mark.parametrize(
    ("pace", "full", "end"),
    [
        (
            Pace(TWO, 60, -3, 15),
            100,
            "3 more went out than came in. At this pace it is not full within 3 hours.",
        ),
        (
            Pace(TWO, 60, 0, 15),
            100,
            "as many came in as went out. At this pace it is not full within 3 hours.",
        ),
        (Pace(TWO, 60, 3, 15), None, "3 more came in than went out."),
        (Pace(TWO, 100, 3, 15), 100, "3 more came in than went out. It is full."),
        (None, 100, "Too few of the last 15 minutes have counts to tell the present pace."),
    ],
)
def test_a_pace_that_fills_nothing_is_told_as_it_is(pace: Pace | None, full: float | None, end: str) -> None:
    assert pace_words(pace, full, ZURICH, FORMATS).endswith(end)


def test_an_empty_place_that_nobody_enters_has_no_pace() -> None:
    assert pace_words(Pace(TWO, 0, 0, 15), 100, ZURICH, FORMATS) == "At 14:00, nobody was inside."


def test_one_person_was_inside() -> None:
    assert "1 was inside" in pace_words(Pace(TWO, 1, 3, 15), None, ZURICH, FORMATS)


def test_how_wrong_it_was_stands_beside() -> None:
    assert error_words(PastError(28, 224, 6.04, 177), INSIDE, FORMATS) == (
        "In the last four weeks, told at this time of day, this was off by 6 people on average; 79\u00a0% of"
        " the hours lay inside the band (224 hours of 28 days)."
    )
    assert "Too few days" in error_words(None, INSIDE, FORMATS)


def test_what_it_rests_on_and_what_is_left_out_is_told() -> None:
    told = rests_on(found([9], forecast=Forecast({}, 4, closed=1), spoilt=2, unread=1), ZURICH, FORMATS)
    assert told[0].startswith("It rests on 4 Mondays of the last five weeks,")
    assert told[1:] == [
        "2 days are left out because the number inside cannot be trusted.",
        "1 day is left out because their minutes could not be read.",
        "1 day is left out because nobody was counted.",
    ]
    assert rests_on(found([None]), ZURICH, FORMATS) == []


@pytest.mark.parametrize(("people", "staff"), [(0, 0), (0.1, 1), (20, 1), (20.1, 2), (60, 3), (3 * 20.0, 3)])
def test_staff_is_one_for_each_so_many_begun(people: float, staff: int) -> None:
    assert staff_of(people, 20) == staff


def test_staff_is_told_of_the_hour_that_needs_most() -> None:
    afternoon = found([50, 60, 55, 0])
    assert staff_words(afternoon, 20, INSIDE, ZURICH, FORMATS) == (
        "Staff, one for each 20 inside: at most 3, from 15:00 to 16:00; 4 for the upper end of the band."
    )
    assert staff_words(afternoon, 70, ENTRANCES, ZURICH, FORMATS) == (
        "Staff, one for each 70 who come in within the hour: at most 1, from 15:00 to 16:00."
    )
    assert staff_words(found([0, 0]), 20, INSIDE, ZURICH, FORMATS) == ""


def test_beside_hours_that_cannot_be_told_no_hour_is_the_busiest_of_all_nor_the_last_busy_one() -> None:
    hours = found([60, None, 20, None]).to_come
    afternoon = found([])._replace(
        to_come=tuple(one._replace(is_untold=True) if one.expected is None else one for one in hours)
    )
    assert expected_words(afternoon, INSIDE, ZURICH, FORMATS) == (
        "Of the hours that can be told it is busiest from 14:00 to 15:00: 60 expected inside on average, 54"
        " to 66 on eight days of ten. Nothing can be told from 15:00 to 16:00 and from 17:00 to 18:00: too"
        " few Mondays have counts then that can be used, or too few days had anybody then."
    )
    assert full_words(afternoon, 90, ZURICH, FORMATS) == (
        "In the hours that can be told it is not expected to be full"
        " (from 90 inside, on average over an hour)."
    )
    assert staff_words(afternoon, 20, INSIDE, ZURICH, FORMATS) == (
        "Staff, one for each 20 inside: at most 3, from 14:00 to 15:00, of the hours that can be told; 4 for"
        " the upper end of the band."
    )
