"""People inside of several zones, minute by minute, over archived days of a site that resets at another hour
now: against the sum of what each zone has by itself.
"""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Final
from zoneinfo import ZoneInfo

import pytest
from sqlalchemy import select

from contract import Aggregation, Granularity, MetricKey, Passage, Zone
from contract.minutes import minute_number, minute_start
from service.store.archive_tables import ARCHIVED_SITES, FORMER_RESETS, RETURNED_DAYS
from service.store.folded_minutes import NEVER
from service.store.protocol import BucketQuery, PassageCount, SiteRecord, Store, WriteMode
from service.store.topology import reset_minutes
from tests.database_of import database_of
from tests.every_store import Opened, opener
from tests.running_clickhouse import RunningClickHouse
from tests.small_site import ORGANIZATION, SITE

START, NOW = datetime(2025, 3, 24, tzinfo=UTC), datetime(2025, 4, 20, 12, tzinfo=UTC)
ZONES: Final = ("shop", "hall", "cafe")
DOORS: Final = ("entrance", "archway", "terrace")
UTC_ZONE: Final = ZoneInfo("Etc/UTC")
Rule = tuple[int, str]
"""Hour of the reset, and time zone."""
FIRST: Final[Rule] = (4, "Europe/Zurich")


def save(store: Store, rule: Rule) -> None:
    hour, timezone = rule
    site = SITE.model_copy(update={"timezone": timezone})
    store.catalogue.save(ORGANIZATION, [SiteRecord(site, "shop", hour)])


def ship(store: Store, days: int = 10) -> int:
    return store.archiving.ship(days, NOW, threading.Event())


def spread(chance: random.Random) -> list[PassageCount]:
    """Of any time of the day; most hours nobody passes."""
    counts, end = {}, minute_number(NOW)
    for _ in range(260):
        minute = chance.randrange(minute_number(START), end)
        door = chance.choice(DOORS)
        counts[door, minute] = PassageCount(door, minute, chance.randrange(6), chance.randrange(3))
    return [PassageCount("entrance", end - 1, 1, 0), *counts.values()]


def inside(store: Store, *zones: str, start: datetime = START) -> dict[int, int | float]:
    """By the minute."""
    asked = BucketQuery(
        SITE.id, (MetricKey.VISITORS_INSIDE,), start, NOW, Granularity.MINUTE, UTC_ZONE, zone_ids=zones
    )
    buckets = store.metrics.buckets(asked)
    return {minute_number(one.start): one.values[MetricKey.VISITORS_INSIDE] for one in buckets}


def summed(store: Store, day_of: Callable[[int], int]) -> dict[int, int | float]:
    """Zone by zone, each as it was in its last minute of that day."""
    alone = {zone: inside(store, zone) for zone in ZONES}
    known: dict[str, tuple[int, int | float]] = {}
    found: dict[int, int | float] = {}
    for minute in sorted(set().union(*alone.values())):
        for zone, levels in alone.items():
            if minute in levels:
                known[zone] = (day_of(minute), levels[minute])
        found[minute] = sum(level for day, level in known.values() if day == day_of(minute))
    return found


def day_by(*rules: tuple[int, Rule]) -> Callable[[int], int]:
    """When the day of a minute began, by the rule of the piece in which it lies; they begin where they do."""

    def day_of(minute: int) -> int:
        begin, (hour, timezone) = max(rule for rule in rules if rule[0] <= minute)
        return max(begin, reset_minutes(minute, minute, ZoneInfo(timezone), hour)[0])

    return day_of


def archived_until(store: Store) -> int:
    with database_of(store).reading() as connection:
        return int(connection.execute(select(ARCHIVED_SITES.c.until)).scalar_one())


def returned(store: Store) -> list[tuple[int, int]]:
    with database_of(store).reading() as connection:
        days = select(RETURNED_DAYS.c.start, RETURNED_DAYS.c.end).order_by(RETURNED_DAYS.c.start)
        return [(start, end) for start, end in connection.execute(days)]


@pytest.fixture
def store(clickhouse: RunningClickHouse, tmp_path: Path) -> Iterator[Store]:
    with opener("sqlite", tmp_path) as opened:
        yield filled(opened(archive=clickhouse.url(tmp_path), clock=lambda: NOW))


def filled(store: Store) -> Store:
    save(store, FIRST)
    store.metrics.append(spread(random.Random(5)), WriteMode.SET)
    return store


@pytest.mark.parametrize("rule", [(2, "Europe/Zurich"), (9, "Europe/Zurich"), (4, "America/New_York")])
def test_it_is_their_sum_whatever_the_site_resets_at_now(store: Store, rule: Rule) -> None:
    began = day_by((NEVER, FIRST))
    before = inside(store, *ZONES)
    assert before == summed(store, began)
    assert ship(store)
    until = archived_until(store)
    assert inside(store, *ZONES) == before
    save(store, rule)
    days = day_by((NEVER, FIRST), (until, rule))
    after = inside(store, *ZONES)
    assert after == summed(store, days)
    archived = {minute: level for minute, level in before.items() if minute < until}
    assert {minute: level for minute, level in after.items() if minute < until} == archived
    assert ship(store, 2)
    assert inside(store, *ZONES) == after


@pytest.mark.parametrize("rule", [(2, "Europe/Zurich"), (9, "Europe/Zurich"), (4, "America/New_York")])
def test_a_day_that_has_returned_is_one_of_now_and_those_beside_it_are_of_then(
    store: Store, rule: Rule
) -> None:
    assert ship(store)
    until = archived_until(store)
    save(store, rule)
    for day in (8, 9, 10):
        late = START + timedelta(days=day, hours=12)
        store.metrics.append([PassageCount("archway", minute_number(late), 5, 0)], WriteMode.ADD)
        store.archiving.take_late(threading.Event())
    (start, _), *_, (_, end) = spans = returned(store)
    assert all(one[1] == other[0] for one, other in pairwise(spans))
    days = day_by((NEVER, FIRST), (start, rule), (end, FIRST), (until, rule))
    found = inside(store, *ZONES)
    assert found == summed(store, days)
    for hours in range(0, 60, 3):
        later = minute_start(start) + timedelta(hours=hours)
        assert inside(store, *ZONES, start=later) == {
            minute: level for minute, level in found.items() if minute >= minute_number(later)
        }
    assert ship(store)
    assert inside(store, *ZONES) == found
    # An hour more, and back: what is of then is of then.
    save(store, (rule[0] + 1, rule[1]))
    assert ship(store, 2)
    save(store, rule)
    again = inside(store, *ZONES)
    assert {minute: level for minute, level in again.items() if minute < until} == {
        minute: level for minute, level in found.items() if minute < until
    }


def test_the_greatest_of_an_hour_is_that_of_its_minutes(store: Store) -> None:
    assert ship(store)
    before = inside(store, *ZONES)
    save(store, (2, "Europe/Zurich"))
    asked = BucketQuery(
        SITE.id,
        (MetricKey.VISITORS_INSIDE,),
        START,
        datetime(2025, 4, 8, tzinfo=UTC),
        Granularity.HOUR,
        UTC_ZONE,
        aggregation=Aggregation.MAXIMUM,
        zone_ids=ZONES,
    )
    for bucket in store.metrics.buckets(asked):
        first = minute_number(bucket.start)
        levels = [before[minute] for minute in range(first, first + 60) if minute in before]
        assert bucket.values[MetricKey.VISITORS_INSIDE] == max(levels)


def test_where_the_archive_ends_between_reset_and_newest_minute_that_is_what_it_is_by_the_minute(
    opened: Opened, clickhouse: RunningClickHouse, tmp_path: Path
) -> None:
    store = opened(archive=clickhouse.url(tmp_path), clock=lambda: NOW)
    save(store, FIRST)
    # In the night before the last day of the site, and in the afternoon of that day.
    night, last = (datetime(2025, 3, 26, hour, tzinfo=UTC) for hour in (1, 12))
    counts = [("archway", night, 5), ("entrance", last, 3)]
    told = [PassageCount(door, minute_number(moment), people, 0) for door, moment, people in counts]
    store.metrics.append(told, WriteMode.SET)
    assert ship(store)
    save(store, (1, "Europe/Zurich"))
    newest = store.metrics.newest(SITE.id, zone_ids=ZONES[1:], metrics=(MetricKey.VISITORS_INSIDE,))
    assert newest
    found = inside(store, *ZONES[1:], start=last)
    assert found == {minute_number(newest.start): newest.values[MetricKey.VISITORS_INSIDE]}


def test_the_newest_minute_of_zones_that_fell_silent_long_ago_is_what_it_is_by_the_minute(
    opened: Opened, clickhouse: RunningClickHouse, tmp_path: Path
) -> None:
    store = opened(archive=clickhouse.url(tmp_path), clock=lambda: NOW)
    attic = Zone(id="attic", name="Attic", category="hall", capacity=1, area=1)
    ladder = Passage(id="ladder", name="Ladder", to_zone_id=attic.id)
    wide = SITE.model_copy(update={"zones": (*SITE.zones, attic), "passages": (*SITE.passages, ladder)})
    store.catalogue.save(ORGANIZATION, [SiteRecord(wide, "shop", 4)])
    night, last = (datetime(2025, 3, 26, hour, tzinfo=UTC) for hour in (1, 12))
    counts = [("archway", night, 5), ("entrance", last, 3), ("ladder", NOW - timedelta(days=1), 1)]
    told = [PassageCount(door, minute_number(moment), people, 0) for door, moment, people in counts]
    store.metrics.append(told, WriteMode.SET)
    assert ship(store)
    for hour in (1, 10, 4):
        store.catalogue.save(ORGANIZATION, [SiteRecord(wide, "shop", hour)])
        for one in store, opened(archive=clickhouse.url(tmp_path), clock=lambda: NOW):
            newest = one.metrics.newest(SITE.id, zone_ids=ZONES[1:], metrics=(MetricKey.VISITORS_INSIDE,))
            assert newest
            found = inside(one, *ZONES[1:], start=last)
            assert found == {minute_number(newest.start): newest.values[MetricKey.VISITORS_INSIDE]}


def test_a_site_that_has_its_hour_back_has_no_other_days(
    opened: Opened, clickhouse: RunningClickHouse, tmp_path: Path
) -> None:
    store = filled(opened(archive=clickhouse.url(tmp_path), clock=lambda: NOW))
    assert ship(store)
    for rule in ((2, "Europe/Zurich"), FIRST):
        save(store, rule)
    with database_of(store).reading() as connection:
        assert connection.execute(select(FORMER_RESETS)).all() == []
    save(store, (2, "Europe/Zurich"))
    late = START + timedelta(days=8, hours=12)
    store.metrics.append([PassageCount("archway", minute_number(late), 5, 0)], WriteMode.ADD)
    assert store.archiving.take_late(threading.Event())
    [(start, end)] = returned(store)
    with database_of(store).reading() as connection:
        edges = select(FORMER_RESETS.c.start, FORMER_RESETS.c.end).order_by(FORMER_RESETS.c.start)
        found = [tuple(row) for row in connection.execute(edges)]
    assert found == [(NEVER, start), (end, archived_until(store))]
