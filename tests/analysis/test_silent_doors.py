from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import numpy as np

from analysis.count_days import Hours, Numbers
from analysis.door_blame import Way
from analysis.silent_doors import Silence, silences

DAYS, HOURS_A_DAY = 28, 24
FIRST = datetime(2026, 6, 1, tzinfo=UTC)
STARTS = [FIRST + timedelta(hours=hour) for hour in range(DAYS * HOURS_A_DAY)]
ZONE = ZoneInfo("Etc/UTC")
FRONT, BACK = Way("front", "Front door", "hall", None), Way("back", "Back door", "hall", None)
STOP = slice(22 * HOURS_A_DAY + 14, 22 * HOURS_A_DAY + 16)
"""A Tuesday, from 14:00 to 16:00."""


def usual(people: int) -> Numbers:
    """So many cross in each hour from 9:00 to 18:00, half of them each way; nobody on Sundays."""
    hours = np.zeros(len(STARTS))
    for row, start in enumerate(STARTS):
        if 9 <= start.hour < 18 and start.weekday() != 6:
            hours[row] = people / 2
    return hours


def hours(came: Numbers) -> Hours:
    unknown = np.full(len(STARTS), np.nan)
    return Hours(came, came.copy(), unknown, unknown, {})


def found(flows: Mapping[Way, Numbers]) -> list[Silence]:
    known = {way: hours(came) for way, came in flows.items()}
    return silences(STARTS, known, ZONE, first=0, after=len(STARTS))


def silent(flow: Numbers, rows: slice, value: float = 0) -> Numbers:
    changed = flow.copy()
    changed[rows] = value
    return changed


def test_doors_that_count_as_always_are_not_silent() -> None:
    assert found({FRONT: usual(40), BACK: usual(60)}) == []


def test_a_door_that_stops_for_two_hours_is_named_with_who_usually_passes() -> None:
    (one,) = found({FRONT: silent(usual(40), STOP), BACK: usual(60)})
    assert (one.way, one.start, one.end) == (FRONT, STARTS[STOP.start], STARTS[STOP.stop])
    assert (one.usual, one.is_missing) == (80, False)


def test_hours_without_any_counts_are_a_silence_of_another_kind() -> None:
    (one,) = found({FRONT: silent(usual(40), STOP, np.nan), BACK: usual(60)})
    assert (one.usual, one.is_missing) == (80, True)


def test_a_place_that_is_closed_blames_no_door() -> None:
    assert found({FRONT: silent(usual(40), STOP), BACK: silent(usual(60), STOP)}) == []


def test_the_others_go_on_where_they_count_half_of_what_they_usually_do_and_no_less() -> None:
    stopped = silent(usual(40), STOP)
    assert len(found({FRONT: stopped, BACK: silent(usual(60), STOP, 15)})) == 1
    assert found({FRONT: stopped, BACK: silent(usual(60), STOP, 14)}) == []


def test_a_door_by_which_few_pass_may_be_silent_by_chance() -> None:
    assert found({FRONT: silent(usual(8), STOP), BACK: usual(60)}) == []


def test_an_hour_in_which_nobody_came_in_another_week_either_is_none() -> None:
    week_before = slice(STOP.start - 7 * HOURS_A_DAY, STOP.stop - 7 * HOURS_A_DAY)
    assert found({FRONT: silent(silent(usual(40), STOP), week_before), BACK: usual(60)}) == []


def test_the_only_door_of_a_site_has_no_other_that_goes_on() -> None:
    assert found({FRONT: silent(usual(40), STOP)}) == []


def test_a_silence_before_the_days_that_are_shown_is_not_told() -> None:
    known = {FRONT: hours(silent(usual(40), STOP)), BACK: hours(usual(60))}
    assert silences(STARTS, known, ZONE, first=STOP.stop, after=len(STARTS)) == []


def test_the_longest_silence_comes_first() -> None:
    long = slice(STOP.start - HOURS_A_DAY, STOP.stop + 2 - HOURS_A_DAY)
    first, second = found({FRONT: silent(usual(40), STOP), BACK: silent(usual(60), long)})
    assert (first.way, second.way) == (BACK, FRONT)
