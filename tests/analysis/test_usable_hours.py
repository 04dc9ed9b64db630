from __future__ import annotations

import random
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest

from analysis.ahead_answer import Ahead, ahead, ahead_request
from analysis.bucket_table import Completeness
from analysis.subject import Subject, SubjectKind
from analysis.usable_hours import UsableHours, usable_hours
from components.number_format import Formats
from components.sentences.ahead_words import expected_words, full_words
from contract import MetricKey
from contract.minutes import MINUTE
from tests.counting_service import CountingService, Minute

ZURICH = ZoneInfo("Europe/Zurich")
SHOP = Subject(SubjectKind.SITE, "shop", "Shop")
INSIDE, ENTRANCES = MetricKey.VISITORS_INSIDE, MetricKey.ENTRANCES
MONDAY = date(2026, 6, 29)
NOW = datetime.combine(MONDAY, time(17, 20), ZURICH).astimezone(UTC)
WEEKS = 9
FORMATS = Formats(now=NOW)


def service(
    is_counted: Callable[[date, int], bool], *, people: dict[int, int] | None = None
) -> CountingService:
    """From noon on. Of each hour so many come in and are inside in each minute, four from 19 to 20."""
    rates = people or {17: 1, 18: 2, 19: 4, 20: 3}
    found = {}
    for ago in range(7 * WEEKS + 1):
        day = MONDAY - timedelta(days=ago)
        midnight = datetime.combine(day, time(), ZURICH).astimezone(UTC)
        for minute in range(12 * 60, 24 * 60):
            if is_counted(day, minute) and midnight + minute * MINUTE < NOW:
                here = rates.get(minute // 60, 0)
                found[midnight + minute * MINUTE] = Minute(here, here, here)
    return CountingService(found, NOW)


def told(counted: CountingService, metric: MetricKey = ENTRANCES) -> Ahead:
    request = ahead_request("shop", SHOP, metric, timezone=ZURICH, now=NOW)
    found = ahead(request, counted.run(request.queries()), run=counted.run)
    assert found
    return found


def usable(counted: CountingService) -> UsableHours:
    request = ahead_request("shop", SHOP, ENTRANCES, timezone=ZURICH, now=NOW)
    return usable_hours(request, counted.run(request.queries()), counted.run)


def by_clock(found: Ahead) -> dict[int, float]:
    return {start.astimezone(ZURICH).hour: band.median for start, band in found.known}


def test_an_hour_that_lacks_ten_minutes_each_day_is_told_as_it_will_be_counted() -> None:
    """Fifty minutes of four people are 200, and no other hour brings more than three times sixty."""
    counted = service(lambda _day, minute: not 19 * 60 + 30 <= minute < 19 * 60 + 40)
    found = told(counted)
    assert by_clock(found) == {17: 60, 18: 120, 19: 200, 20: 180, 21: 0, 22: 0, 23: 0}
    assert expected_words(found, ENTRANCES, ZURICH, FORMATS) == (
        "Until 21:00 it is busiest from 19:00 to 20:00: 200 expected to come in, 200 to 200 on eight days of"
        " ten. From 19:00 to 20:00 some 10 minutes of an hour usually have no counts: what is told is of the"
        " others."
    )
    assert usable(counted).partial == {(weekday, 19): Completeness(50, 60) for weekday in range(7)}
    inside = told(counted, INSIDE)
    assert by_clock(inside) == {17: 1, 18: 2, 19: 4, 20: 3, 21: 0, 22: 0, 23: 0}
    assert full_words(inside, 4, ZURICH, FORMATS).endswith("on average from 19:00 to 20:00.")


def test_an_hour_that_lacks_more_than_such_hours_do_is_left_out_of_what_is_usual() -> None:
    """On the Monday before half an hour is missing besides."""
    last = MONDAY - timedelta(weeks=1)
    counted = service(
        lambda day, minute: (
            not (19 * 60 + 30 <= minute < 19 * 60 + 40 or (day == last and 19 * 60 <= minute < 19 * 60 + 30))
        )
    )
    days = usable(counted).days
    at_seven = {
        day: next(one for one in own if one.start.astimezone(ZURICH).hour == 19)
        for day, own in days.items()
        if day < MONDAY
    }
    assert (at_seven[last].value, at_seven[last].is_left_out) == (None, True)
    assert {one.value for day, one in at_seven.items() if day != last} == {200}


@pytest.mark.parametrize("metric", [ENTRANCES, INSIDE])
def test_an_hour_of_few_minutes_in_which_nobody_was_counted_is_left_out(metric: MetricKey) -> None:
    """On the Monday before only the first five minutes of the busiest hour are counted: all of them 0."""
    last = MONDAY - timedelta(weeks=1)
    full = service(lambda day, minute: not (day == last and 19 * 60 + 5 <= minute < 20 * 60))
    seven = datetime.combine(last, time(19), ZURICH).astimezone(UTC)
    of_nobody = {seven + minute * MINUTE: Minute(0, 0, 0) for minute in range(5)}
    counted = CountingService({**full.minutes, **of_nobody}, NOW)
    request = ahead_request("shop", SHOP, metric, timezone=ZURICH, now=NOW)
    found = usable_hours(request, counted.run(request.queries()), counted.run)
    (short,) = [one for one in found.days[last] if one.start == seven]
    assert (short.value, short.is_left_out) == (None, True)
    (at_seven,) = [band for start, band in told(counted, metric).known if start.astimezone(ZURICH).hour == 19]
    usual = 240 if metric is ENTRANCES else 4
    assert (at_seven.low, at_seven.median, at_seven.high) == (usual, usual, usual)


@pytest.mark.parametrize(("every", "minutes"), [(7, 9), (30, 2)])
def test_a_counter_that_reports_every_few_minutes_lacks_nothing(every: int, minutes: int) -> None:
    counted = service(lambda day, minute: (24 * 60 * day.toordinal() + minute) % every == 1)
    found = told(counted)
    assert found.untold == []
    assert round(found.rate.mean) == minutes
    for hour, people in {18: 2, 19: 4, 20: 3}.items():
        assert by_clock(found)[hour] == pytest.approx(60 / every * people, abs=people), "its reports alone"
    assert all(one.minutes is None for one in found.to_come)


def test_an_hour_that_opens_at_half_past_each_day_is_whole() -> None:
    found = usable(service(lambda _day, minute: minute >= 12 * 60 + 30, people={12: 2, 13: 2}))
    hours = [one for own in found.days.values() for one in own]
    noon = [one.value for one in hours if one.start.astimezone(ZURICH).hour == 12]
    assert noon == [60.0] * (7 * WEEKS + 1)
    assert found.partial == {}, "nothing is missing of it"


def test_what_cannot_be_told_is_named_and_no_hour_without_people() -> None:
    """From 19 to 21 each day lacks other minutes; at the others nobody comes. From 22 on nothing counts."""
    chance = random.Random(5)
    parts = {
        (day, hour): chance.uniform(0.1, 0.9)
        for day in (MONDAY - timedelta(days=ago) for ago in range(7 * WEEKS + 1))
        for hour in (19, 20)
    }
    counted = service(
        lambda day, minute: minute < 22 * 60 and chance.random() < parts.get((day, minute // 60), 1),
        people={19: 4, 20: 4},
    )
    found = told(counted, INSIDE)
    assert [start.astimezone(ZURICH).hour for start in found.untold] == [19, 20]
    said = expected_words(found, INSIDE, ZURICH, FORMATS)
    assert said == (
        "Nothing can be told from 19:00 to 21:00: too few Mondays have counts then that can be used, or"
        " too few days had anybody then. In the other hours nobody is expected:"
        " on the last Mondays nobody was counted then."
    )
    assert full_words(found, 4, ZURICH, FORMATS) == ""
