from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from service.sensors.presence import LONGEST_USUAL, Presence, Status, heard_again, presence
from service.store.sensor_protocol import Heard

NINE = datetime(2026, 3, 28, 9, tzinfo=UTC)
QUARTER = timedelta(minutes=15)
LONG_AGO = NINE - timedelta(days=99)


def heard_at(*moments: datetime) -> Heard:
    heard = None
    for moment in moments:
        heard = heard_again(heard, moment)
    assert heard is not None
    return heard


def every(gap: timedelta, count: int) -> list[datetime]:
    return [NINE + number * gap for number in range(count + 1)]


def missed_after(heard: Heard) -> timedelta:
    """The silence from which on it is offline, to the minute."""
    minutes = range(1, 72 * 60)
    silences = (timedelta(minutes=minute) for minute in minutes)
    return next(
        silence
        for silence in silences
        if presence(heard, heard.last + silence, LONG_AGO).status is Status.OFFLINE
    )


def test_a_counter_of_each_quarter_is_missed_after_two() -> None:
    assert missed_after(heard_at(*every(QUARTER, 400))) == timedelta(minutes=25)


def test_one_of_each_minute_is_missed_after_minutes() -> None:
    # The first hour of patience fades by half with each day.
    minutes = every(timedelta(minutes=1), 7 * 24 * 60)
    assert missed_after(heard_at(*minutes)) == timedelta(minutes=4)


def test_one_that_is_off_at_night_is_not_missed_then() -> None:
    days = [NINE + timedelta(days=day) for day in range(5)]
    heard = heard_at(*(day + quarter * QUARTER for day in days for quarter in range(4 * 12)))
    night = timedelta(hours=12, minutes=15)
    assert missed_after(heard) > night * 0.9
    assert presence(heard, heard.last + night, LONG_AGO).status is Status.ONLINE
    assert missed_after(heard) < timedelta(hours=20)


def test_one_that_was_heard_once_is_missed_after_an_hour_and_a_half() -> None:
    assert missed_after(heard_at(NINE)) == timedelta(minutes=93)


def test_a_holiday_is_no_habit() -> None:
    heard = heard_at(*every(QUARTER, 400))
    again = heard_again(heard, heard.last + timedelta(days=9))
    assert again.usual == LONGEST_USUAL


def test_a_last_will_counts_at_once_until_the_counter_is_heard() -> None:
    heard = heard_at(*every(QUARTER, 9))
    gone = heard_again(heard, heard.last + timedelta(minutes=1), is_online=False)
    assert gone.last == heard.last
    assert presence(gone, gone.last + timedelta(minutes=2), LONG_AGO) == Presence(
        Status.OFFLINE, heard.last + timedelta(minutes=1)
    )
    back = heard_again(gone, heard.last + timedelta(minutes=5))
    assert presence(back, back.last, LONG_AGO) == Presence(Status.ONLINE, back.last)


def test_a_counter_that_says_it_is_there_is_heard() -> None:
    heard = heard_at(*every(QUARTER, 9))
    alive = heard_again(heard, heard.last + QUARTER, is_online=True)
    assert presence(alive, alive.last + QUARTER, LONG_AGO).status is Status.ONLINE


def test_while_nobody_listened_nobody_was_silent() -> None:
    heard = heard_at(*every(QUARTER, 400))
    up_again = heard.last + timedelta(days=3)
    assert presence(heard, up_again + timedelta(minutes=20), up_again).status is Status.ONLINE
    assert presence(heard, up_again + timedelta(minutes=30), up_again).status is Status.OFFLINE


@pytest.mark.parametrize("back", [timedelta(seconds=-1), timedelta(hours=-5)])
def test_a_clock_that_goes_back_is_no_silence(back: timedelta) -> None:
    heard = heard_at(*every(QUARTER, 40))
    again = heard_again(heard, heard.last + back)
    assert again.usual <= heard.usual
    assert presence(again, heard.last + back, LONG_AGO).status is Status.ONLINE


def test_one_that_was_heard_by_a_clock_that_was_ahead_is_missed_all_the_same() -> None:
    ahead = NINE + timedelta(days=400)
    heard = heard_at(NINE, ahead)
    assert presence(heard, NINE + QUARTER, LONG_AGO).status is Status.OFFLINE
    assert presence(heard, NINE + QUARTER, ahead).status is Status.OFFLINE
    again = heard_again(heard, NINE + QUARTER)
    for listening_since in (LONG_AGO, ahead):
        online = Presence(Status.ONLINE, NINE + QUARTER)
        assert presence(again, NINE + QUARTER, listening_since) == online
    # Its last will is heeded, too.
    left = heard_again(heard, NINE + QUARTER, is_online=False)
    assert presence(left, NINE + QUARTER, LONG_AGO) == Presence(Status.OFFLINE, NINE + QUARTER)
