from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from analysis.bucket_table import Completeness
from analysis.door_blame import Way
from analysis.half_counted import half_counted
from analysis.history_request import HistoryRequest
from analysis.time_range import TimeRange
from analysis.zone_ways import Direction, steps_inside, streams, streams_at
from contract import Granularity, MetricKey, MetricPoint

DOOR = Way("door", "Door", "hall", None)
ARCH = Way("arch", "Arch", "cafe", "hall")
STAIRS = Way("stairs", "Stairs", "hall", "loft")
"""Its entrances lead outwards: into the hall, from the loft."""
SIDE = Way("side", "Side", "loft", "cafe")
WAYS = (DOOR, ARCH, STAIRS, SIDE)


def crossed(came: int, left: int) -> list[MetricPoint]:
    """Even numbers, in two buckets."""
    return [
        MetricPoint(
            timestamp=datetime(2026, 6, day, tzinfo=UTC),
            metrics={MetricKey.ENTRANCES: came // 2, MetricKey.EXITS: left // 2},
        )
        for day in (1, 2)
    ]


def told(direction: Direction, **counts: tuple[int, int]) -> list[tuple[str, str | None, str | None, float]]:
    by_id = {way.passage_id: way for way in WAYS}
    points = {by_id[name]: crossed(*own) for name, own in counts.items()}
    return [(one.way.label, one.start, one.end, one.people) for one in streams(points, direction, WAYS)]


def test_zones_are_as_far_inside_as_the_fewest_passages_to_them() -> None:
    assert steps_inside(WAYS) == {None: 0, "hall": 1, "cafe": 2, "loft": 2}


def test_without_any_way_outside_the_first_zone_is_where_one_comes_from() -> None:
    assert steps_inside([ARCH, SIDE]) == {"cafe": 0, "hall": 1, "loft": 1}


def test_the_way_in_leads_from_the_outside_to_the_innermost_zones() -> None:
    assert told(Direction.IN, door=(100, 90), arch=(40, 36), stairs=(20, 24)) == [
        ("Door", None, "hall", 100),
        ("Arch", "hall", "cafe", 40),
        ("Stairs", "hall", "loft", 24),
    ]


def test_the_way_out_leads_back() -> None:
    assert told(Direction.OUT, door=(100, 90), arch=(40, 36), stairs=(20, 24)) == [
        ("Door", "hall", None, 90),
        ("Arch", "cafe", "hall", 36),
        ("Stairs", "loft", "hall", 20),
    ]


def test_between_zones_as_far_inside_the_way_in_is_that_of_more_people() -> None:
    assert told(Direction.IN, side=(4, 10)) == [("Side", "loft", "cafe", 10)]
    assert told(Direction.OUT, side=(4, 10)) == [("Side", "cafe", "loft", 4)]


def by_hour(way: Way, *counts: tuple[int, int, int]) -> list[MetricPoint]:
    """(Hour of the 25 October in Zurich as UTC tells it, came, left)."""
    return [
        MetricPoint(
            timestamp=datetime(2026, 10, 25, hour, tzinfo=UTC),
            metrics={MetricKey.ENTRANCES: came, MetricKey.EXITS: left},
        )
        for hour, came, left in counts
    ]


def test_at_an_hour_of_the_clock_are_those_who_crossed_then_in_the_order_of_the_whole() -> None:
    """02:00 comes twice on that day, at 00:00 and 01:00 of UTC."""
    points = {
        DOOR: by_hour(DOOR, (0, 5, 0), (1, 6, 1), (9, 90, 80)),
        ARCH: by_hour(ARCH, (0, 20, 0), (9, 10, 10)),
        STAIRS: by_hour(STAIRS, (9, 3, 7)),
    }
    whole = streams(points, Direction.IN, WAYS)
    zurich = ZoneInfo("Europe/Zurich")
    found = {
        hour: [(one.way.label, one.people) for one in streams_at(whole, points, hour, zurich)]
        for hour in (2, 10, 11)
    }
    assert found == {2: [("Door", 11), ("Arch", 20)], 10: [("Door", 90), ("Arch", 10), ("Stairs", 7)], 11: []}
    by_hours = sum(one.people for hour in range(24) for one in streams_at(whole, points, hour, zurich))
    assert by_hours == sum(one.people for one in whole)


def test_both_directions_together_are_all_who_crossed() -> None:
    counts = {"door": (100, 90), "arch": (40, 36), "stairs": (20, 24), "side": (4, 10)}
    both = told(Direction.IN, **counts) + told(Direction.OUT, **counts)
    assert sum(people for *_, people in both) == sum(map(sum, counts.values()))


def test_a_way_that_nobody_crossed_or_that_tells_one_direction_alone_is_not_drawn() -> None:
    assert told(Direction.IN, door=(0, 8)) == []
    one_way = [MetricPoint(timestamp=datetime(2026, 6, 1, tzinfo=UTC), metrics={MetricKey.ENTRANCES: 5})]
    assert streams({DOOR: one_way}, Direction.IN, WAYS) == []


def test_a_way_that_is_counted_in_fewer_minutes_than_others_is_named_with_its_minutes() -> None:
    """Both at one a minute, the arch for half a day of a day."""
    start = datetime(2026, 6, 1, tzinfo=UTC)
    range_ = TimeRange(start, start + timedelta(days=1))
    request = HistoryRequest(
        site_id="shop", subjects=(), metrics=(), range=range_, timezone=ZoneInfo("UTC"), asked_at=start,
        granularity=Granularity.MONTH,
    )  # fmt: skip

    def came(count: float) -> list[MetricPoint]:
        return [MetricPoint(timestamp=start, metrics={MetricKey.ENTRANCES: count})]

    found = half_counted({DOOR: came(1440), ARCH: came(720)}, {DOOR: came(1), ARCH: came(1)}, request)
    assert found == [(ARCH, Completeness(720, 1440))]
    assert half_counted({DOOR: came(1440), ARCH: came(720)}, {}, request) == []
