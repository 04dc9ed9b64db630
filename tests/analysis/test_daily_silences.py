from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import numpy as np
import pytest

from analysis.count_days import Hours
from analysis.daily_silences import DailySilence, daily_silences
from analysis.door_blame import Way

ZURICH = ZoneInfo("Europe/Zurich")
FRONT, BACK = Way("front", "Front door", "hall", None), Way("back", "Back door", "hall", None)
STARTS = [datetime(2026, 5, 31, 22, tzinfo=UTC) + timedelta(hours=hour) for hour in range(10 * 24)]
People = Callable[[int], float]
"""Who crosses each way in an hour of the clock."""


def door(people: People) -> Hours:
    crossed = np.array([people(start.astimezone(ZURICH).hour) for start in STARTS])
    return Hours(crossed, crossed, np.full(len(STARTS), np.nan), np.full(len(STARTS), np.nan), {})


def told(front: People, back: People) -> list[DailySilence]:
    return daily_silences(STARTS, {FRONT: door(front), BACK: door(back)}, ZURICH, first=0, after=len(STARTS))


def open_(hour: int) -> float:
    return 20 if 9 <= hour < 20 else 0


@pytest.mark.parametrize("hours", [range(13, 15), range(10, 11)])
def test_a_door_that_is_silent_at_the_same_hours_of_every_day_is_told(hours: range) -> None:
    silent = told(lambda hour: 0 if hour in hours else open_(hour), open_)
    assert silent == [DailySilence(FRONT, hours.start, hours.stop, 40, 10)]


def test_a_pause_of_all_doors_is_nobodys() -> None:
    def pause(hour: int) -> float:
        return 0 if hour in {12, 13} else open_(hour)

    assert told(pause, pause) == []


def test_a_night_and_a_door_of_few_are_no_silence() -> None:
    assert told(open_, lambda _: 20) == []
    assert told(lambda hour: 0 if hour == 13 else open_(hour) / 10, open_) == []


def test_a_door_without_counts_at_those_hours_is_not_said_to_count_nobody() -> None:
    assert told(lambda hour: float("nan") if hour == 13 else open_(hour), open_) == []


def test_two_days_are_no_habit() -> None:
    passages = {FRONT: door(lambda hour: 0 if hour == 13 else open_(hour)), BACK: door(open_)}
    assert daily_silences(STARTS, passages, ZURICH, first=0, after=48) == []
