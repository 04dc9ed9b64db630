from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from analysis.typical_day import (
    means_by_quarter,
    means_by_step,
    needs_what_follows,
    sound_minutes,
    typical_day,
)
from contract import MetricKey, MetricPoint

ZURICH = ZoneInfo("Europe/Zurich")
MIDNIGHT = datetime(2026, 3, 2, tzinfo=UTC)
DAY = 24 * 60
RESET = 4 * 60
"""Minutes after midnight."""


def points(start: datetime, values: Iterable[float | None]) -> list[MetricPoint]:
    """One a minute from `start`; None: no value in that minute."""
    return [
        MetricPoint(
            timestamp=start + timedelta(minutes=minute),
            metrics={} if value is None else {MetricKey.VISITORS_INSIDE: value},
        )
        for minute, value in enumerate(values)
    ]


def test_todays_curve_has_a_mean_every_five_minutes_and_keeps_its_gaps() -> None:
    start = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
    values = [1, 2, 3, 4, 5, *[None] * 5, 7, 8]
    assert means_by_step(points(start, values)) == (
        (int(start.timestamp()), 3.0),
        (int(start.timestamp()) + 600, 7.5),
    )


def test_a_quarter_is_named_by_the_local_clock() -> None:
    start = datetime(2026, 3, 2, 8, 0, tzinfo=UTC)
    assert means_by_quarter(points(start, [4] * 15 + [6] * 15), ZURICH) == {547.5: 4.0, 562.5: 6.0}


def test_the_hour_that_the_clocks_repeat_is_one_hour_of_the_typical_day() -> None:
    before_the_change = datetime(2026, 10, 25, 0, 0, tzinfo=UTC)
    assert means_by_quarter(points(before_the_change, [2] * 60 + [4] * 60), ZURICH) == {
        127.5: 3.0,
        142.5: 3.0,
        157.5: 3.0,
        172.5: 3.0,
    }


def test_a_typical_day_is_the_median_and_one_feast_does_not_move_it() -> None:
    assert typical_day([{547.5: 10.0}, {547.5: 12.0}, {547.5: 500.0}]).points == ((547.5, 12.0),)


def test_two_days_make_no_typical_day() -> None:
    assert typical_day([{547.5: 10.0, 562.5: 10.0}, {547.5: 12.0}, {562.5: 3.0}]).points == ()


def test_on_a_slope_the_typical_day_has_in_the_middle_of_each_quarter_what_was_inside_then() -> None:
    """One more person a minute: a mean of 7.0 from the 0th to the 14th is passed after seven of them."""
    opened = datetime(2026, 3, 2, 8, 0, tzinfo=UTC)
    days = [
        means_by_quarter(points(opened + timedelta(weeks=week), range(45)), ZoneInfo("UTC"))
        for week in range(3)
    ]
    assert typical_day(days).points == ((487.5, 7.0), (502.5, 22.0), (517.5, 37.0))


def test_a_day_of_a_place_that_is_open_at_night_reaches_from_midnight_to_midnight() -> None:
    midnight = datetime(2026, 3, 2, 23, 0, tzinfo=UTC)
    days = [
        means_by_quarter(points(midnight + timedelta(weeks=week), range(1440)), ZURICH) for week in range(3)
    ]
    found = typical_day(days).points
    assert found[:2] == ((0, 0.0), (7.5, 7.0))
    assert found[-2:] == ((1432.5, 1432.0), (1440, 1439.0))


def counted(
    flows: dict[int, tuple[int, int]], inside: int = 0, *, resets_at: int = RESET
) -> list[MetricPoint]:
    """Two days from `MIDNIGHT`, with `inside` before it: {minute: (entrances, exits)}, held at 0, begun again
    at `resets_at`.
    """
    minutes = []
    for minute in range(2 * DAY):
        entrances, exits = flows.get(minute, (0, 0))
        inside = max(0, (0 if minute % DAY == resets_at else inside) + entrances - exits)
        metrics: dict[str, int | float] = {"visitorsInside": inside, "entrances": entrances, "exits": exits}
        minutes.append(MetricPoint(timestamp=MIDNIGHT + timedelta(minutes=minute), metrics=metrics))
    return minutes


def day_of(minutes: list[MetricPoint]) -> tuple[list[MetricPoint], list[MetricPoint]]:
    return minutes[:DAY], minutes[DAY:]


def test_a_day_whose_count_leaves_many_over_at_the_next_reset_is_spoilt() -> None:
    day, after = day_of(counted({9 * 60: (100, 0), 20 * 60: (0, 40)}))
    assert needs_what_follows(day)
    assert sound_minutes(day, MIDNIGHT, after) is None


def test_a_few_who_are_left_over_spoil_no_day_and_the_next_is_not_asked_for() -> None:
    """One who stays late, eleven of a hundred; and a small place of which nine stay over night."""
    for come, leave in ((30, 29), (100, 89), (9, 0)):
        day, after = day_of(counted({9 * 60: (come, 0), 20 * 60: (0, leave)}))
        assert not needs_what_follows(day)
        assert sound_minutes(day, MIDNIGHT, after) == day


def test_a_place_that_is_full_at_midnight_and_empty_by_the_reset_has_a_sound_day() -> None:
    day, after = day_of(counted({9 * 60: (100, 0), DAY + 2 * 60: (0, 97)}))
    assert needs_what_follows(day)
    assert sound_minutes(day, MIDNIGHT, after) == day


def test_of_a_day_after_a_spoilt_one_the_minutes_until_the_reset_are_left_out() -> None:
    day, after = day_of(counted({9 * 60: (100, 0), 20 * 60: (0, 100)}, inside=62))
    assert sound_minutes(day, MIDNIGHT, after) == day[RESET:]
    # A few beside the hundred of the day are those of any counter.
    day, after = day_of(counted({9 * 60: (100, 0), 20 * 60: (0, 100)}, inside=12))
    assert sound_minutes(day, MIDNIGHT, after) == day


def test_of_a_day_after_a_count_that_is_held_at_0_until_the_reset_its_minutes_are_left_out() -> None:
    """It began on the day before: nobody seems to be inside, though people go on leaving."""
    leaving = dict.fromkeys(range(40), (0, 1))
    day, after = day_of(counted(leaving | {200: (1, 0), 9 * 60: (40, 0), 20 * 60: (0, 40)}))
    assert sound_minutes(day, MIDNIGHT, after) == day[RESET:]
    assert sound_minutes(day[: 6 * 60], MIDNIGHT) == day[RESET : 6 * 60]


def test_a_day_whose_count_begins_at_its_midnight_is_spoilt_as_a_whole() -> None:
    """Forty who came were not counted, and it is held at 0; at the next midnight it begins again."""
    day, after = day_of(counted({9 * 60: (40, 0), 12 * 60: (0, 40), 15 * 60: (0, 40)}, resets_at=0))
    assert sound_minutes(day, MIDNIGHT, after) is None
    assert sound_minutes(day, MIDNIGHT) is None


def test_a_day_without_counts_is_no_spoilt_one() -> None:
    assert not needs_what_follows([])
    assert sound_minutes([], MIDNIGHT) == []
