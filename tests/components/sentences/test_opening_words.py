from __future__ import annotations

from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from analysis.hours_text import spans_of_text
from analysis.opening_hours import OpeningHours, OtherDay
from analysis.time_range import range_of_dates
from components.number_format import Formats, formats_of
from components.sentences.opening_words import (
    holiday_words,
    other_days_words,
    spans_words,
    special_day_words,
    state_words,
    today_words,
    week_words,
)

ZURICH = ZoneInfo("Europe/Zurich")
WEEK = (*["9-12, 13-20"] * 5, "9-18", "closed")


def hours(*week: str, **more: object) -> OpeningHours:
    return OpeningHours(week=tuple(map(spans_of_text, week or WEEK)), **more)


def state(of: OpeningHours, at: str) -> str:
    now = datetime.fromisoformat(at).replace(tzinfo=ZURICH)
    return state_words(of, now, ZURICH, Formats(now=now))


@pytest.mark.parametrize(
    ("at", "said"),
    [
        ("2026-12-21T08:59", "Closed, opens 09:00."),
        ("2026-12-21T09:00", "Open until 12:00."),
        ("2026-12-21T12:00", "Closed, opens 13:00."),
        ("2026-12-21T20:00", "Closed, opens Tue 22 Dec, 09:00."),
        ("2026-12-26T18:00", "Closed, opens Mon 28 Dec, 09:00."),
    ],
)
def test_it_is_said_until_when_it_is_open_or_when_it_opens(at: str, said: str) -> None:
    assert state(hours(), at) == said


@pytest.mark.parametrize(
    ("at", "said"),
    [
        ("2026-12-21T08:59", "Opens at 09:00."),
        ("2026-12-21T09:00", "Open until 12:00."),
        ("2026-12-21T12:30", "Closed until 13:00."),
        ("2026-12-21T20:00", "Closed since 20:00, opens again Tue 22 Dec, 09:00."),
        ("2026-12-24T10:00", "Closed today (Stocktaking), opens Sat 26 Dec, 09:00."),
        ("2026-12-25T23:59", "Closed today (Christmas Day), opens Sat 26 Dec, 09:00."),
        ("2026-12-27T00:00", "Closed today, opens Mon 28 Dec, 09:00."),
    ],
)
def test_how_it_stands_today_is_told_by_the_day(at: str, said: str) -> None:
    of = hours(country="CH", others=(OtherDay(day=date(2026, 12, 24), name="Stocktaking"),))
    now = datetime.fromisoformat(at).replace(tzinfo=ZURICH)
    assert today_words(of, now, ZURICH, Formats(now=now)) == said


def test_a_day_that_never_opens_and_one_that_never_closes_are_told() -> None:
    now = datetime(2026, 12, 25, 10, tzinfo=ZURICH)
    said = [today_words(hours(*[one] * 7), now, ZURICH, Formats(now=now)) for one in ("0-24", "closed")]
    assert said == ["Open day and night.", "Closed today, and in the next seven days."]


def test_a_holiday_and_a_day_that_differs_are_named() -> None:
    of = hours(country="CH", others=(OtherDay(day=date(2026, 12, 24), name="Stocktaking"),))
    assert state(of, "2026-12-25T10:00") == "Closed (Christmas Day), opens Sat 26 Dec, 09:00."
    assert state(of, "2026-12-24T10:00") == "Closed (Stocktaking), opens Sat 26 Dec, 09:00."
    always = of.model_copy(update={"is_closed_on_holidays": False})
    assert state(always, "2026-12-25T10:00") == "Open until 12:00."


def test_a_place_that_never_closes_or_never_opens_says_so() -> None:
    assert state(hours(*["0-24"] * 7), "2026-12-25T10:00") == "Open day and night."
    assert state(hours(*["closed"] * 7), "2026-12-25T10:00") == "Closed, also in the next seven days."


def test_a_night_belongs_to_the_day_that_it_began_on() -> None:
    of = hours(*["closed"] * 4, "22-4", *["closed"] * 2)
    assert state(of, "2026-12-26T01:00") == "Open until 04:00."


def test_midnight_is_no_time_of_tomorrow() -> None:
    of = hours(*["9-24"] * 7)
    assert state(of, "2026-12-26T21:00") == "Open until midnight."
    assert state(hours(*["9-02:00"] * 7), "2026-12-26T21:00") == "Open until Sun 27 Dec, 02:00."


def test_days_alike_are_told_together() -> None:
    assert week_words(hours(), Formats()) == (
        "Mon to Fri 09:00–12:00 and 13:00–20:00, Sat 09:00–18:00, Sun closed"
    )


def test_the_next_days_that_differ_are_told_and_past_ones_are_not() -> None:
    first = date(2026, 12, 24)
    others = [OtherDay(day=first + timedelta(days=day), spans=spans_of_text("10-14")) for day in range(-1, 8)]
    others[1] = others[1].model_copy(update={"name": "Christmas Eve"})
    now = datetime(2026, 12, 24, 10, tzinfo=ZURICH)
    said = other_days_words(hours(others=tuple(others)), now, ZURICH, Formats(now=now))
    assert said.startswith("Thu 24 Dec 10:00–14:00 (Christmas Eve); Fri 25 Dec 10:00–14:00;")
    assert said.endswith("; 2 more")
    assert other_days_words(hours(), now, ZURICH, Formats(now=now)) == ""


def test_holidays_are_those_of_a_country_and_its_part() -> None:
    assert holiday_words(hours()) == "Public holidays are as other days."
    assert holiday_words(hours(country="CH")) == "Public holidays of Switzerland: closed."
    of = hours(country="CH", part="ZH", is_closed_on_holidays=False)
    assert holiday_words(of) == "Public holidays of Switzerland, Zürich: as other days."
    lost = hours(country="CH", part="ZZ")
    said = "Public holidays of the whole of Switzerland (of its part “ZZ” none are known): closed."
    assert holiday_words(lost) == said


def special(of: OpeningHours | None, first: str, last: str, country: str = "Schweiz") -> str:
    """Of the local days from `first` to before `last`."""
    range_ = range_of_dates(datetime.fromisoformat(first), datetime.fromisoformat(last), ZURICH)
    return special_day_words(of, country, range_, ZURICH, Formats(now=range_.start))


def test_a_holiday_that_closes_and_a_day_that_differs_are_told_of_a_range() -> None:
    eve = OtherDay(day=date(2026, 12, 24), spans=spans_of_text("10-14"), name="Christmas Eve")
    stock = OtherDay(day=date(2026, 12, 29))
    of = hours(country="CH", others=(eve, stock))
    assert special(of, "2026-12-21", "2027-01-01") == (
        "Closed on Fri 25 Dec (Christmas Day), Tue 29 Dec."
        " Other hours on Thu 24 Dec 10:00–14:00 (Christmas Eve)."
    )
    assert special(of, "2026-12-25", "2026-12-26") == "Closed on Fri 25 Dec (Christmas Day)."
    assert special(of, "2026-12-21", "2026-12-24") == ""
    assert special(of, "2026-12-25", "2026-12-25") == ""


def test_a_holiday_on_which_nothing_changes_is_not_told() -> None:
    """1 August 2027 is a Sunday, on which it is closed; and holidays may be as other days."""
    assert special(hours(country="CH"), "2027-07-30", "2027-08-03") == ""
    always = hours(country="CH", is_closed_on_holidays=False)
    assert special(always, "2026-12-21", "2027-01-01") == ""
    same = OtherDay(day=date(2026, 12, 22), spans=spans_of_text("9-12, 13-20"), name="As ever")
    assert special(hours(others=(same,)), "2026-12-21", "2026-12-24") == ""


def test_where_nobody_has_said_when_it_is_open_holidays_of_its_country_are_told() -> None:
    assert special(None, "2026-12-21", "2026-12-27") == "A public holiday: Fri 25 Dec (Christmas Day)."
    assert special(None, "2026-12-21", "2026-12-27", country="Elsewhere") == ""


def test_of_many_days_the_first_are_named_and_the_others_counted() -> None:
    others = tuple(OtherDay(day=date(2026, 12, 7) + timedelta(days=day)) for day in range(5))
    others += tuple(OtherDay(day=date(2026, 12, 14) + timedelta(days=day)) for day in range(5))
    said = special(hours(others=others), "2026-12-01", "2027-01-01")
    assert said.startswith("Closed on Mon 7 Dec, Tue 8 Dec, ")
    assert said.endswith(", Mon 14 Dec and 4 more.")


@pytest.mark.parametrize(
    "locale", ["en-US", "en-GB", "en-AU", "en-CA", "en-IN", "de-CH", "ko-KR", "ar-EG", "fi-FI"]
)
def test_hours_are_written_by_the_readers_clock_and_can_be_read_again(locale: str) -> None:
    for text in ("9-12:30, 13:05-20", "0-24", "22:00–02:00", "12-0:30", "00:30-12"):
        spans = spans_of_text(text)
        assert spans_of_text(spans_words(spans, formats_of(locale))) == spans


def test_an_american_reads_am_and_pm() -> None:
    american = formats_of("en-US")
    written = week_words(hours(*["9-20"] * 6, "closed"), american).replace("\u00a0", " ")
    assert written == "Mon to Sat 9:00 AM–8:00 PM, Sun closed"
    assert spans_words(spans_of_text("0-24"), formats_of("de-DE")) == "00:00–24:00"
