from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from analysis.time_inside import (
    Gap,
    Hour,
    Within,
    gaps_of,
    hours_of,
    mean_time_inside,
    telling_hours,
    within_hours,
)
from contract import MetricKey, MetricPoint, Number

START = datetime(2026, 6, 1, 9, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)


def hours(*told: tuple[Number | None, Number | None], lowest: Number = 0) -> list[Hour]:
    """Seconds and entrances of one hour after the other; None: not told. One leaves in each."""
    names = (MetricKey.TIME_SPENT, MetricKey.ENTRANCES)
    points = [
        MetricPoint(
            timestamp=START + hour * HOUR,
            metrics={MetricKey.EXITS: 1, MetricKey.ENTRANCES: 0}
            | {name: value for name, value in zip(names, values, strict=True) if value is not None},
        )
        for hour, values in enumerate(told)
    ]
    within = {one.timestamp: Within(lowest, 3600) for one in points}
    return hours_of(points, within, START, START + len(told) * HOUR)


def mean_of(counted: list[Hour]) -> float | None:
    """Where nobody is inside at the edges."""
    return mean_time_inside(counted, inside_before=0, inside_after=0)


def test_an_hour_weighs_as_much_as_people_came_in() -> None:
    assert mean_of(hours((600, 300), (3600, 100))) == 1350.0


def test_hours_without_entrances_or_time_tell_nothing() -> None:
    assert mean_of(hours((600, 300), (None, 0), (9000, 0), (None, 50), (9000, None))) == 600.0


def test_where_an_hour_does_not_tell_who_left_no_time_is_known() -> None:
    """Which hours are open is not known then; that none is would make it no time at all."""
    counted = {"timeSpent": 600, "entrances": 300, "visitorsInside": 50}
    points = [MetricPoint(timestamp=START + hour * HOUR, metrics=dict(counted)) for hour in range(2)]
    points[0].metrics["exits"] = 300
    within = {one.timestamp: Within(0, 3600) for one in points}
    assert mean_of(hours_of(points, within, START, START + 2 * HOUR)) is None
    points[1].metrics["exits"] = 300
    assert mean_of(hours_of(points, within, START, START + 2 * HOUR)) == 600.0


def test_without_anybody_no_time_is_known() -> None:
    assert mean_of([]) is None
    assert mean_of(hours((None, 0))) is None


def test_who_stays_after_the_last_has_come_spends_time() -> None:
    """Twenty come to a film in the first of three hours, and leave in the third, of which half is counted."""
    flows = {0: (20, 0), 1: (0, 0), 2: (0, 20)}
    points = [
        MetricPoint(
            timestamp=START + hour * HOUR,
            metrics={
                "entrances": came,
                "exits": left,
                "visitorsInside": 15,
                **({"timeSpent": 2700} if came else {}),
            },
        )
        for hour, (came, left) in flows.items()
    ]
    minutes = [(START + place * timedelta(minutes=1), 15 * (0 < place < 149)) for place in range(150)]
    found = hours_of(points, within_hours(minutes, ZoneInfo("Etc/UTC")), START, START + 3 * HOUR)
    assert [hour.is_open for hour in found] == [True] * 3
    assert mean_of(found) == (2700 * 20 + 15 * 3600 + 15 * 1800) / 20


def evening(lowest: Number, *, closed: Number) -> list[Hour]:
    """An open hour in which 100 people stay 1800 seconds each, then closed ones."""
    first = Hour(START, 100, 180_000, lowest, 3600, is_open=True)
    later = [Hour(START + hour * HOUR, 0, closed * 3600, closed, 3600, is_open=False) for hour in (1, 2, 3)]
    return [first, *later]


def test_closed_hours_have_no_part_in_the_time_inside() -> None:
    assert mean_of(evening(9, closed=3)) == 1800.0


def test_people_left_over_may_have_made_a_tenth_of_the_time() -> None:
    """Of 50 hours; at most as many as are inside when the place closes, and in no minute fewer before."""
    assert mean_of(evening(9, closed=5)) == 1800.0
    assert mean_of(evening(9, closed=6)) is None
    assert mean_of(evening(5, closed=6)) == 1800.0
    assert mean_of(evening(6, closed=0)) == 1800.0


def test_a_night_without_counts_ends_the_count() -> None:
    """Nobody is inside in the morning, when it has begun again."""
    morning = [*evening(6, closed=0)[:1], Hour(START + 14 * HOUR, 1, 1800, 0, 3600, is_open=True)]
    assert mean_of(morning) is None
    assert mean_of([morning[0], morning[1]._replace(start=START + 3 * HOUR)]) is not None


def test_an_hour_tells_how_long_people_stay_where_enough_come_and_about_as_many_go() -> None:
    crossings = [(10, 5), (10, 20), (9, 9), (10, 4), (10, 21), (0, 0)]
    points = [
        MetricPoint(
            timestamp=START + hour * HOUR,
            metrics={"entrances": came, "exits": left, "visitorsInside": 10, "timeSpent": 900},
        )
        for hour, (came, left) in enumerate(crossings)
    ]
    within = {one.timestamp: Within(0, 3600) for one in points}
    counted = hours_of(points, within, START, START + len(points) * HOUR)
    assert telling_hours(points, counted) == {START, START + HOUR}


def test_who_was_left_over_when_the_number_began_again_made_the_time_of_the_hours_before() -> None:
    """A stop that never closes: of twelve inside at three in the morning none is at four."""
    points = [
        MetricPoint(
            timestamp=START + hour * HOUR,
            metrics={"entrances": 20, "exits": 20, "visitorsInside": inside, "timeSpent": inside * 180},
        )
        for hour, inside in enumerate((12, 12, 1, 1))
    ]
    lowest = dict(zip([one.timestamp for one in points], (11, 11, 0, 0), strict=True))
    within = {start: Within(people, 3600) for start, people in lowest.items()}
    counted = hours_of(points, within, START, START + len(points) * HOUR)
    assert telling_hours(points, counted) == {START + 2 * HOUR, START + 3 * HOUR}


def test_a_stretch_that_cuts_many_visits_tells_no_time_inside() -> None:
    points = hours((600, 300), (3600, 100))
    assert mean_time_inside(points, inside_before=10, inside_after=10) == 1350.0
    assert mean_time_inside(points, inside_before=21, inside_after=0) is None
    assert mean_time_inside(points, inside_before=0, inside_after=21) is None
    assert mean_time_inside(points, inside_before=11, inside_after=10) is None


def test_a_number_below_nobody_at_an_edge_makes_up_for_none_at_the_other() -> None:
    assert mean_time_inside(hours((600, 100)), inside_before=-50, inside_after=6) is None


def test_minutes_without_counts_cut_the_visits_of_who_was_inside() -> None:
    """Of 400 people who stayed 1350 seconds each."""
    points = hours((600, 300), (3600, 100))

    def mean(*gaps: Gap) -> float | None:
        return mean_time_inside(points, inside_before=0, inside_after=0, gaps=gaps)

    assert mean(Gap(20, 5 * 3600)) == 1350.0
    assert mean(Gap(21, 5 * 3600)) is None
    assert mean(Gap(0, 5 * 3600)) == 1350.0
    assert mean(Gap(200, 135)) == 1350.0
    assert mean(Gap(100, 135), Gap(101, 135)) is None


def test_a_gap_is_where_no_minute_is_the_next() -> None:
    told = [
        (START + timedelta(minutes=minute), inside) for minute, inside in ((0, 5), (1, 7), (11, -2), (12, 0))
    ]
    assert gaps_of(told) == [Gap(7, 540)]
