"""Levels and corrections beside counts: what a store makes of them, in whatever order they come."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from math import isclose
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contract import Aggregation, Granularity, MetricKey, Site, Zone
from contract.minutes import minute_number, minute_start
from service.store.audit_protocol import AuditAction, Author
from service.store.errors import IdempotencyConflictError, UnknownZoneError
from service.store.level_protocol import Correction, ZoneLevel
from service.store.protocol import BucketQuery, Organization, PassageCount, SiteRecord, Store, WriteMode
from service.store.self_check import check_site
from service.store.topology import read_topology
from tests.crowded_site import PASSAGES
from tests.database_of import database_of
from tests.every_store import Opened, opener
from tests.plain_metrics import plain_buckets, plain_series

ORGANIZATION = Organization("crowd", "Crowd")
ZONES = ("whole", "hall", "cafe", "loft", "attic")
DOORS = tuple(passage.id for passage in PASSAGES)
ALL = tuple(MetricKey)
ZURICH = ZoneInfo("Europe/Zurich")
MIDDLE = datetime(2025, 3, 30, 1, tzinfo=UTC)
"""The clocks of Zurich are set forward."""
FIRST = minute_number(MIDDLE)
PRESENT = MIDDLE + timedelta(days=3)
SOMEBODY = Author("Front desk", "key-1", "Maria")
_NUMBERS = itertools.count()


def site(reset_hour: int) -> SiteRecord:
    """As the crowded site, each under an id of its own, and a zone that no passage touches."""
    site_id = f"site-{next(_NUMBERS)}"
    doors = tuple(door.model_copy(update={"id": f"{site_id}-{door.id}"}) for door in PASSAGES)
    zones = tuple(Zone(id=name, name=name) for name in ZONES)
    resource = Site(
        id=site_id, name="Told", timezone=ZURICH.key, organization_id="crowd", zones=zones, passages=doors
    )
    return SiteRecord(resource, top_zone_id="whole", daily_reset_hour=reset_hour)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with opener("sqlite", tmp_path_factory.mktemp("store")) as opened:
        yield opened(clock=lambda: PRESENT)


@dataclass(frozen=True)
class Step:
    """What arrives together: of doors, of zones, by hand, or a correction taken back."""

    kind: str
    rows: Sequence[tuple[int, int, int]]
    """Which door or zone, minutes after `FIRST`, people."""

    @property
    def minutes(self) -> range:
        """Of each row: one, or 40 in a row, which fill quarters."""
        return range(40 if self.kind.startswith("every minute") else 1)


MINUTES = st.sampled_from((-1500, -400, 0, 0, 0)).flatmap(lambda at: st.integers(at - 25, at + 25))
ROWS = st.lists(st.tuples(st.integers(0, 4), MINUTES, st.integers(0, 6)), min_size=1, max_size=12)
KINDS = ("counts", "every minute counts", "levels", "every minute levels", "hand", "hand", "withdraw")
STEPS = st.lists(
    st.builds(Step, st.sampled_from(KINDS), ROWS),
    min_size=1,
    max_size=8,
)


class Told:
    """A site, and what a plain reading of all that arrived makes of it."""

    def __init__(self, store: Store, reset_hour: int) -> None:
        self.store, self.record = store, site(reset_hour)
        store.catalogue.save(ORGANIZATION, [self.record])
        self.counts: dict[tuple[str, int], tuple[int, int]] = {}
        self.levels: dict[tuple[str, int], int] = {}
        self.corrections: list[tuple[Correction, bool]] = []

    @property
    def site_id(self) -> str:
        return self.record.site.id

    @property
    def told(self) -> dict[tuple[str, int], int | None]:
        by_hand: dict[tuple[str, int], int | None] = {}
        for correction, holds in self.corrections:
            place = (correction.zone_id, minute_number(correction.at))
            by_hand[place] = correction.inside if holds else by_hand.get(place)
        return by_hand | self.levels | {place: level for place, level in by_hand.items() if level is not None}

    def arrive(self, step: Step) -> None:
        if step.kind.endswith("counts"):
            self.count(step)
        elif step.kind.endswith("levels"):
            levels = [
                ZoneLevel(self.site_id, ZONES[zone], FIRST + after + minute, people)
                for zone, after, people in step.rows
                for minute in step.minutes
            ]
            assert self.store.levels.append(levels, organization_id="crowd")
            self.levels |= {(level.zone_id, level.minute): level.inside for level in levels}
        elif step.kind == "hand":
            zone, after, people = step.rows[0]
            self.correct(ZONES[zone], FIRST + after, people)
        elif self.corrections:
            self.withdraw(step.rows[0][1] % len(self.corrections))

    def count(self, step: Step) -> None:
        rows = [
            (f"{self.site_id}-{DOORS[door % len(DOORS)]}", FIRST + after + minute, people, people // 2)
            for door, after, people in step.rows
            for minute in step.minutes
        ]
        self.store.metrics.append(itertools.starmap(PassageCount, rows), WriteMode.ADD)
        for door, minute, forward, backward in rows:
            before = self.counts.get((door, minute), (0, 0))
            self.counts[door, minute] = (before[0] + forward, before[1] + backward)

    def correct(self, zone_id: str, minute: int, people: int) -> Correction:
        level = ZoneLevel(self.site_id, zone_id, minute, people)
        made = self.store.levels.correct(level, "we counted", SOMEBODY, PRESENT)
        self.corrections.append((made, True))
        return made

    def withdraw(self, position: int) -> None:
        correction, _ = self.corrections[position]
        taken = self.store.levels.withdraw(self.site_id, correction.number, SOMEBODY, PRESENT)
        assert taken is not None
        assert taken.withdrawn_by == SOMEBODY
        self.corrections[position] = (correction, False)

    def query(self, **changes: object) -> BucketQuery:
        asked: dict[str, object] = {
            "site_id": self.site_id,
            "metrics": ALL,
            "start": MIDDLE - timedelta(days=2),
            "end": MIDDLE + timedelta(days=2),
            "granularity": Granularity.HOUR,
            "timezone": ZURICH,
        }
        return BucketQuery(**(asked | changes))  # type: ignore[arg-type]

    def assert_right(self, zone_ids: tuple[str, ...], start: int, length: int) -> None:
        series = plain_series(self.record, self.counts, zone_ids, (), self.told)
        within = {
            "start": minute_start(FIRST + start),
            "end": minute_start(FIRST + start + length),
            "zone_ids": zone_ids,
        }
        for granularity, aggregation in itertools.product(Granularity, (None, *Aggregation)):
            query = self.query(**within, granularity=granularity, aggregation=aggregation)
            expected = plain_buckets(self.record, self.counts, query, self.told)
            found = self.store.metrics.buckets(query)
            assert [bucket.start for bucket in found] == [start for start, _ in expected]
            for bucket, (_, values) in zip(found, expected, strict=True):
                assert bucket.values.keys() == values.keys(), (granularity, aggregation, bucket, values)
                assert all(isclose(bucket.values[one], values[one]) for one in values), (bucket, values)
        newest = self.store.metrics.newest(self.site_id, zone_ids=zone_ids, metrics=ALL)
        last = max(series.minutes, default=None)
        assert (newest and minute_number(newest.start)) == last
        if newest and last:
            [minute] = plain_buckets(
                self.record,
                self.counts,
                self.query(
                    start=newest.start,
                    end=newest.start + timedelta(minutes=1),
                    granularity=Granularity.MINUTE,
                    zone_ids=zone_ids,
                ),
                self.told,
            )
            assert newest == minute

    def assert_flows_alone(self, zone_ids: tuple[str, ...]) -> None:
        """Without levels, quarters are read that are not else."""
        for aggregation in (None, Aggregation.AVERAGE):
            query = self.query(metrics=ALL[:2], zone_ids=zone_ids, aggregation=aggregation)
            found = self.store.metrics.buckets(query)
            assert found == plain_buckets(self.record, self.counts, query, self.told)

    def assert_whole(self) -> None:
        """The store's own check of this site finds no fault, and a rebuild changes nothing."""
        with database_of(self.store).reading() as connection:
            assert not check_site(connection, read_topology(connection, self.site_id)).differences
        everything = [self.query(zone_ids=(zone,), granularity=Granularity.MINUTE) for zone in ZONES]
        grown = [self.store.metrics.buckets(query) for query in everything]
        self.store.metrics.repair(self.site_id)
        assert [self.store.metrics.buckets(query) for query in everything] == grown


@settings(max_examples=60, deadline=None)
@given(
    steps=STEPS,
    reset_hour=st.sampled_from((0, 2, 4, 23)),
    zones=st.lists(st.sampled_from(ZONES), max_size=4, unique=True).map(tuple),
    start=st.sampled_from((-1600, -420, -20)),
    length=st.integers(10, 80) | st.integers(300, 2000),
)
def test_whatever_arrives_in_whatever_order_is_as_if_worked_out_minute_by_minute(
    store: Store, *, steps: list[Step], reset_hour: int, zones: tuple[str, ...], start: int, length: int
) -> None:
    told = Told(store, reset_hour)
    for step in steps:
        told.arrive(step)
    told.assert_right(zones, start, length)
    told.assert_flows_alone(zones)
    told.assert_whole()


def test_the_order_in_which_it_arrives_makes_no_difference(store: Store) -> None:
    steps = [
        *(Step("counts", [(door, 3 * minute, 2)]) for door in range(4) for minute in range(9)),
        *(Step("levels", [(zone, 7 * minute, minute)]) for zone in range(5) for minute in range(4)),
        *(Step("hand", [(zone, 5 * zone, 9)]) for zone in range(5)),
    ]
    answers = []
    for seed in range(3):
        random.Random(seed).shuffle(steps)
        told = Told(store, 4)
        for step in steps:
            told.arrive(step)
        every = [told.query(zone_ids=(zone,), granularity=Granularity.MINUTE) for zone in ZONES]
        answers.append([store.metrics.buckets(query) for query in every])
        told.assert_right(("hall", "attic"), -30, 200)
    assert answers[0] == answers[1] == answers[2]
    assert any(answers[0])


def values(told: Told, zone_id: str, **changes: object) -> dict[int, dict[MetricKey, int | float]]:
    """By minutes after `FIRST`."""
    query = told.query(zone_ids=(zone_id,), granularity=Granularity.MINUTE, **changes)
    found = told.store.metrics.buckets(query)
    return {minute_number(bucket.start) - FIRST: dict(bucket.values) for bucket in found}


def test_a_zone_with_levels_alone_has_neither_entrances_nor_time_spent(store: Store) -> None:
    told = Told(store, 4)
    told.arrive(Step("levels", [(4, 0, 17), (4, 1, 19)]))
    inside = MetricKey.VISITORS_INSIDE
    assert values(told, "attic") == {0: {inside: 17}, 1: {inside: 19}}
    [hour] = store.metrics.buckets(told.query(zone_ids=("attic",)))
    assert hour.values == {inside: 18}
    newest = store.metrics.newest(told.site_id, zone_ids=["attic"], metrics=ALL)
    assert newest is not None
    assert newest.values == {inside: 19}
    assert store.metrics.hidden(told.query(zone_ids=("hall",))) == []


def test_what_levels_and_corrections_change_is_nobody_who_left_unseen(store: Store) -> None:
    told = Told(store, 4)
    told.arrive(Step("counts", [(0, 0, 4), (0, 2, 1)]))
    told.arrive(Step("levels", [(1, 1, 0)]))
    told.correct("hall", FIRST + 3, 12)
    told.count(Step("counts", [(2, 4, 6)]))
    [counted] = store.metrics.hidden(told.query(zone_ids=("hall",)))
    # Two came in at first, then a level says nobody: one more, twelve by hand, and six go on into the cafe.
    assert [row[MetricKey.VISITORS_INSIDE] for row in values(told, "hall").values()] == [2, 0, 1, 12, 9]
    assert counted.unentered == 0


def test_of_a_correction_taken_back_the_minute_stays_with_the_level_that_it_has_without(store: Store) -> None:
    told = Told(store, 4)
    told.arrive(Step("counts", [(0, 0, 6)]))
    told.correct("whole", FIRST + 5, 12)
    inside = MetricKey.VISITORS_INSIDE
    assert values(told, "whole")[5] == {inside: 12}
    told.withdraw(0)
    assert values(told, "whole")[5] == {inside: 3}
    [record] = store.levels.corrections(told.site_id, None, None, limit=10)
    assert (record.inside, record.reason, record.made_by) == (12, "we counted", SOMEBODY)
    assert record.withdrawn_at == PRESENT
    assert store.levels.set_by_hand(told.query()) == []
    again = store.levels.withdraw(told.site_id, record.number, Author("Other", "key-2"), PRESENT)
    assert again == record
    assert store.levels.withdraw("no-such-site", record.number, SOMEBODY, PRESENT) is None
    organization_id = told.record.site.organization_id
    taken, made = store.audit.entries(organization_id, limit=2)
    assert [one.change.action for one in (made, taken)] == [
        AuditAction.LEVEL_SET,
        AuditAction.LEVEL_WITHDRAWN,
    ]
    assert made.change.after == taken.change.before
    assert (made.author, (made.change.after or {})["visitorsInside"]) == (SOMEBODY, 12)


def test_a_correction_goes_before_a_level_of_its_minute_and_the_next_level_before_it(store: Store) -> None:
    told = Told(store, 4)
    told.correct("attic", FIRST, 12)
    told.arrive(Step("levels", [(4, 0, 30), (4, 1, 31)]))
    inside = MetricKey.VISITORS_INSIDE
    assert values(told, "attic") == {0: {inside: 12}, 1: {inside: 31}}
    told.correct("attic", FIRST, 13)
    assert values(told, "attic")[0] == {inside: 13}
    [hand] = store.levels.set_by_hand(told.query(zone_ids=("attic",)))
    assert (hand.zone_id, hand.inside) == ("attic", 13)
    told.withdraw(1)
    assert values(told, "attic")[0] == {inside: 12}


def test_the_daily_reset_still_comes(store: Store) -> None:
    told = Told(store, 4)
    told.correct("hall", FIRST, 12)
    # 04:00 in Zurich is an hour after the clocks were set forward.
    told.count(Step("counts", [(0, 70, 2)]))
    assert values(told, "hall")[70][MetricKey.VISITORS_INSIDE] == 1


def test_a_zone_of_nobody_or_of_somebody_else_stores_nothing(store: Store) -> None:
    told = Told(store, 4)
    levels = [ZoneLevel(told.site_id, "hall", FIRST, 3), ZoneLevel(told.site_id, "cellar", FIRST, 3)]
    with pytest.raises(UnknownZoneError) as unknown:
        store.levels.append(levels, organization_id="crowd")
    assert unknown.value.zones == {(told.site_id, "cellar")}
    with pytest.raises(UnknownZoneError):
        store.levels.append(levels[:1], organization_id="rival")
    with pytest.raises(UnknownZoneError):
        store.levels.correct(replace_zone(levels[0], "cellar"), "why", SOMEBODY, PRESENT)
    assert values(told, "hall") == {}


def replace_zone(level: ZoneLevel, zone_id: str) -> ZoneLevel:
    return level._replace(zone_id=zone_id)


def test_the_same_levels_sent_twice_are_stored_once(store: Store) -> None:
    told = Told(store, 4)
    level = ZoneLevel(told.site_id, "attic", FIRST, 3)
    sent = [
        store.levels.append([level], organization_id="crowd", idempotency=(told.site_id, "digest"))
        for _ in range(2)
    ]
    assert sent == [True, False]
    with pytest.raises(IdempotencyConflictError):
        store.levels.append([level], organization_id="crowd", idempotency=(told.site_id, "other"))


def test_a_zone_that_leaves_its_site_and_comes_back_has_its_levels_again(store: Store) -> None:
    told = Told(store, 4)
    told.arrive(Step("levels", [(4, 0, 17)]))
    told.correct("attic", FIRST + 1, 12)
    whole = told.record.site
    without = whole.model_copy(update={"zones": whole.zones[:-1]})
    store.catalogue.save(ORGANIZATION, [replace(told.record, site=without)])
    told.withdraw(0)
    told.record = replace(told.record, site=whole)
    store.catalogue.save(ORGANIZATION, [told.record])
    inside = MetricKey.VISITORS_INSIDE
    assert values(told, "attic") == {0: {inside: 17}, 1: {inside: 17}}
    told.assert_whole()


def test_listeners_hear_from_which_minute_on(opened: Opened) -> None:
    own = opened(clock=lambda: PRESENT)
    told = Told(own, 4)
    own.metrics.poll_changes()
    heard: list[dict[str, int]] = []
    own.metrics.add_listener(lambda changes: heard.append(dict(changes)))
    told.arrive(Step("levels", [(4, 9, 17), (3, 5, 17)]))
    told.correct("hall", FIRST + 3, 12)
    told.withdraw(0)
    assert heard == [{told.site_id: FIRST + 5}, {told.site_id: FIRST + 3}, {told.site_id: FIRST + 3}]
