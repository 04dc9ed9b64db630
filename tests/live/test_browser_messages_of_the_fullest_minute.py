"""When a feed was fullest today, where a reset, a drift or a closed door lies in the day."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from analysis.drift import drifts
from contract import MetricKey
from live.browser_messages import Fullest, fullest_today
from live.snapshot import Reading

MIDNIGHT = datetime(2026, 6, 1, 0, 0, tzinfo=UTC)

Minute = tuple[int, int, int, int]
"""Minutes after midnight, people inside, entrances, exits."""


def day(minutes: Iterable[Minute]) -> list[Reading]:
    names = (MetricKey.VISITORS_INSIDE, MetricKey.ENTRANCES, MetricKey.EXITS)
    return [
        Reading(MIDNIGHT + timedelta(minutes=minute), dict(zip(names, values, strict=True)))
        for minute, *values in minutes
    ]


def filled(start: int, people: int, end: int) -> list[Minute]:
    """`people` come one a minute from `start` on, leave likewise, and then nobody is there until `end`."""
    up = [(start + n, n + 1, 1, 0) for n in range(people)]
    down = [(start + people + n, people - n - 1, 0, 1) for n in range(people)]
    return up + down + [(minute, 0, 0, 0) for minute in range(start + 2 * people, end)]


def found(minutes: Iterable[Minute]) -> Fullest | None:
    readings = day(minutes)
    return fullest_today(readings, drifts(readings), MIDNIGHT)


def at(minute: int) -> datetime:
    return MIDNIGHT + timedelta(minutes=minute)


def test_the_fullest_minute_is_the_first_of_those_as_full() -> None:
    assert found([*filled(540, 30, 610), *filled(610, 30, 680)]) == (at(569), 30, None)


def test_two_openings_are_one_day() -> None:
    """A restaurant that is empty from noon to evening counts anew; its lunch was fuller."""
    assert found([*filled(600, 40, 1080), *filled(1080, 20, 1140)]) == (at(639), 40, None)


def test_nobody_inside_is_no_peak() -> None:
    assert found([(minute, 0, 0, 0) for minute in range(600)]) is None
    assert found([]) is None


def test_a_count_that_drifts_has_no_peak() -> None:
    assert found([*filled(540, 30, 610), *((610 + n, 0, 0, 1) for n in range(30))]) is None


def test_who_was_inside_all_night_and_vanished_with_a_reset_was_never_there() -> None:
    night = [(minute, 50, 0, 0) for minute in range(240)]
    assert found([*night, *filled(240, 20, 300)]) == (at(259), 20, at(240))
    unseen = [(minute, 50, 0, 0) for minute in range(60)]
    assert found([*unseen, *filled(540, 20, 600)]) == (at(559), 20, at(540))


def test_a_place_that_was_open_over_midnight_was_fullest_in_the_night() -> None:
    """Its count began before midnight, and is not read; by whom it left inside, it was sound."""
    up = [(n, 50 + n, 1, 0) for n in range(30)]
    down = [(30 + n, 78 - n, 0, 1) for n in range(79)]
    closed = [(minute, 0, 0, 0) for minute in range(109, 1200)]
    assert found([*up, *down, *closed, *filled(1200, 60, 1400)]) == (at(29), 79, None)


def test_an_average_is_not_the_fullest_minute() -> None:
    hours = [Reading(at(60 * hour), {MetricKey.VISITORS_INSIDE: 20.1 - hour}) for hour in range(3)]
    assert fullest_today(hours, [], MIDNIGHT) is None


def test_yesterday_is_not_today() -> None:
    yesterday = [(minute - 1440, inside, came, went) for minute, inside, came, went in filled(540, 80, 1440)]
    assert found([*yesterday, *filled(540, 30, 700)]) == (at(569), 30, None)


def test_a_site_of_which_no_flows_are_told_has_its_fullest_minute() -> None:
    readings = [Reading(at(minute), {MetricKey.VISITORS_INSIDE: minute % 9}) for minute in range(20)]
    assert fullest_today(readings, drifts([]), MIDNIGHT) == (at(8), 8, None)
