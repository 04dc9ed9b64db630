"""Several zones or passages are summed minute by minute: checked row by row over random gaps."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from math import isclose
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contract import CROSSINGS, Aggregation, Granularity, MetricKey, Passage, Site, Zone
from contract.minutes import minute_number
from service.store import bucket_rows
from service.store.errors import QueryTooLargeError
from service.store.protocol import (
    Bucket,
    BucketQuery,
    Organization,
    PassageCount,
    SiteRecord,
    Store,
    WriteMode,
)
from tests.every_store import URL_IN, opener
from tests.plain_metrics import counts_of, plain_reduction, plain_series

ORGANIZATION = Organization("rooms", "Rooms")
ZONES = ("whole", "a", "b", "c")
ALL = tuple(MetricKey)
MINUTE = timedelta(minutes=1)
NOON = datetime(2025, 6, 2, 10, tzinfo=UTC)


EXAMPLES = {"sqlite": (60, 40), "postgresql": (15, 10)}
"""Of several zones, and of passages: how they are summed is the same code, of rows that each engine finds."""


@pytest.fixture(scope="module", params=URL_IN)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def store(kind: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with opener(kind, tmp_path_factory.mktemp("store")) as opened:
        yield opened()


def site_with(passages: Sequence[tuple[str | None, str | None]], site_id: str) -> SiteRecord:
    """Zones a, b and c, and passages from and to them, named by their position."""
    site = Site(
        id=site_id,
        name="Rooms",
        timezone="Europe/Zurich",
        organization_id=ORGANIZATION.id,
        zones=tuple(Zone(id=name, name=name) for name in ZONES),
        passages=tuple(
            Passage(id=f"{site_id}-{position}", name="", from_zone_id=ends[0], to_zone_id=ends[1])
            for position, ends in enumerate(passages)
        ),
    )
    return SiteRecord(site, "whole")


def query_of(site_id: str, **changes: object) -> BucketQuery:
    asked: dict[str, object] = {
        "site_id": site_id,
        "metrics": ALL,
        "start": NOON,
        "end": NOON + timedelta(hours=1),
        "granularity": Granularity.HOUR,
        "timezone": ZoneInfo("Europe/Zurich"),
    }
    return BucketQuery(**(asked | changes))  # type: ignore[arg-type]


def values_of(buckets: Sequence[Bucket], metric: MetricKey) -> list[int | float]:
    return [bucket.values[metric] for bucket in buckets]


# A zone at 100 that reports in minutes 0 and 2, and another that reports every minute.
GAPS = [(0, 0, 100, 0), (0, 2, 0, 0), (1, 0, 5, 0), (1, 1, 1, 0), (1, 2, 0, 0), (1, 3, 1, 0)]


@pytest.fixture
def gaps(store: Store) -> BucketQuery:
    """Asks for zones a and c, of which a is silent in minutes 1 and 3."""
    store.catalogue.save(ORGANIZATION, [site_with([(None, "a"), (None, "c")], "gaps")])
    at = minute_number(NOON)
    counts = [PassageCount(f"gaps-{door}", at + after, ahead, back) for door, after, ahead, back in GAPS]
    store.metrics.append(counts, WriteMode.SET)
    return query_of("gaps", zone_ids=("a", "c"))


def test_silent_zone_keeps_its_level(store: Store, gaps: BucketQuery) -> None:
    by_minute = store.metrics.buckets(replace(gaps, granularity=Granularity.MINUTE))
    assert values_of(by_minute, MetricKey.VISITORS_INSIDE) == [105, 106, 106, 107]
    assert values_of(by_minute, MetricKey.ENTRANCES) == [105, 1, 0, 1]


@pytest.mark.parametrize(
    ("aggregation", "expected"),
    [
        (Aggregation.MINIMUM, 105),
        (Aggregation.AVERAGE, 106),
        (Aggregation.MAXIMUM, 107),
        (Aggregation.SUM, 424),
    ],
)
def test_aggregations_are_taken_over_the_summed_minutes(
    store: Store, gaps: BucketQuery, aggregation: Aggregation, expected: int
) -> None:
    [hour] = store.metrics.buckets(replace(gaps, aggregation=aggregation))
    assert hour.values[MetricKey.VISITORS_INSIDE] == expected
    assert hour.values[MetricKey.TIME_SPENT] == 60 * 424 / 107


def test_more_minutes_than_an_answer_is_worth_are_refused(
    store: Store, gaps: BucketQuery, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Two zones, and the minutes of one quarter.
    monkeypatch.setattr(bucket_rows, "MOST_ROWS", 30)
    assert store.metrics.buckets(replace(gaps, aggregation=Aggregation.MAXIMUM))
    monkeypatch.setattr(bucket_rows, "MOST_ROWS", 29)
    with pytest.raises(QueryTooLargeError):
        store.metrics.buckets(replace(gaps, aggregation=Aggregation.MAXIMUM))
    with pytest.raises(QueryTooLargeError):
        store.metrics.buckets(gaps)


def test_quarters_are_counted_among_what_is_read(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    store.catalogue.save(ORGANIZATION, [site_with([(None, "a"), (None, "c")], "hours")])
    first = minute_number(NOON)
    counts = [PassageCount(f"hours-{door}", first + after, 1, 0) for door in (0, 1) for after in range(60)]
    store.metrics.append(counts, WriteMode.SET)
    asked = query_of("hours", zone_ids=("a", "c"), metrics=(MetricKey.ENTRANCES,))
    monkeypatch.setattr(bucket_rows, "MOST_ROWS", 8)
    assert store.metrics.buckets(asked)[0].values == {MetricKey.ENTRANCES: 120}
    monkeypatch.setattr(bucket_rows, "MOST_ROWS", 7)
    with pytest.raises(QueryTooLargeError):
        store.metrics.buckets(asked)


def test_newest_is_the_value_of_the_last_minute(store: Store, gaps: BucketQuery) -> None:
    newest = store.metrics.newest("gaps", zone_ids=("a", "c"), metrics=ALL)
    assert newest == store.metrics.buckets(replace(gaps, granularity=Granularity.MINUTE))[-1]


def test_level_is_carried_into_a_range_from_before_it(store: Store, gaps: BucketQuery) -> None:
    last = replace(gaps, start=NOON + 3 * MINUTE)
    [hour] = store.metrics.buckets(last)
    assert hour.values[MetricKey.VISITORS_INSIDE] == 107
    [minute] = store.metrics.buckets(replace(last, granularity=Granularity.MINUTE))
    assert minute.values[MetricKey.VISITORS_INSIDE] == 107


def test_level_ends_at_the_daily_reset(store: Store) -> None:
    store.catalogue.save(ORGANIZATION, [site_with([(None, "a"), (None, "c")], "night")])
    reset = datetime(2025, 6, 3, 2, tzinfo=UTC)  # 04:00 in Zurich
    at = minute_number(reset)
    counts = [("night-0", at - 60, 7), ("night-1", at - 1, 2), ("night-1", at, 1), ("night-0", at + 1, 3)]
    store.metrics.append(
        [PassageCount(door, minute, ahead, 0) for door, minute, ahead in counts], WriteMode.SET
    )
    query = query_of(
        "night",
        start=reset - 2 * MINUTE,
        end=reset + 9 * MINUTE,
        zone_ids=("a", "c"),
        granularity=Granularity.MINUTE,
    )
    assert values_of(store.metrics.buckets(query), MetricKey.VISITORS_INSIDE) == [9, 1, 4]


def test_average_of_passages_is_their_sum_over_the_minutes_that_any_of_them_has(store: Store) -> None:
    store.catalogue.save(ORGANIZATION, [site_with([(None, "a"), (None, "b")], "doors")])
    at = minute_number(NOON)
    counts = [PassageCount(f"doors-{door}", at + 4 * door + 1, 4, 0) for door in range(2)]
    store.metrics.append(counts, WriteMode.SET)
    doors = ("doors-0", "doors-1")
    query = query_of("doors", metrics=CROSSINGS, passage_ids=doors, aggregation=Aggregation.AVERAGE)
    [hour] = store.metrics.buckets(query)
    assert hour.values[MetricKey.ENTRANCES] == 4


def test_thousands_of_zones_and_passages_are_summed(store: Store) -> None:
    zones = [f"hall-{number}" for number in range(1500)]
    doors = [
        Passage(id=f"halls-{side}-{zone}", name="", to_zone_id=zone) for zone in zones for side in ("l", "r")
    ]
    halls = Site(
        id="halls",
        name="Halls",
        organization_id=ORGANIZATION.id,
        zones=tuple(Zone(id=zone, name=zone) for zone in ("whole", *zones)),
        passages=tuple(doors),
    )
    store.catalogue.save(ORGANIZATION, [SiteRecord(halls, "whole")])
    at = minute_number(NOON)
    counts = [PassageCount(door.id, at + after, 1, 0) for door in doors for after in range(2)]
    store.metrics.append(counts, WriteMode.SET)
    by_zone = query_of("halls", metrics=ALL[:3], zone_ids=zones)
    by_door = query_of("halls", metrics=CROSSINGS, passage_ids=[door.id for door in doors])
    [hour] = store.metrics.buckets(by_zone)
    assert hour.values == {MetricKey.ENTRANCES: 6000, MetricKey.EXITS: 0, MetricKey.VISITORS_INSIDE: 4500}
    [hour] = store.metrics.buckets(by_door)
    assert hour.values == {MetricKey.ENTRANCES: 6000, MetricKey.EXITS: 0}
    minutes = store.metrics.buckets(replace(by_zone, granularity=Granularity.MINUTE))
    assert values_of(minutes, MetricKey.VISITORS_INSIDE) == [3000, 6000]
    minutes = store.metrics.buckets(replace(by_door, zone_ids=zones, granularity=Granularity.MINUTE))
    assert values_of(minutes, MetricKey.ENTRANCES) == [3000, 3000]
    newest = store.metrics.newest("halls", zone_ids=zones, metrics=ALL[:3])
    assert newest is not None
    assert newest.values[MetricKey.VISITORS_INSIDE] == 6000


@dataclass(frozen=True)
class Case:
    doors: list[tuple[str | None, str | None]]
    segments: list[tuple[int | None, int, int, int]]
    """Which door or all of them, so that whole quarters coincide; first minute, minutes, every so many."""
    moment: tuple[str | None, str]
    """The site's time zone, and when; the minutes of segments are counted from then."""
    reset_hour: int
    zone_ids: list[str]
    passages: list[int]
    start: int
    length: int
    timezone: str
    """The one asked for."""
    seed: int


MOMENTS = [
    ("Europe/Zurich", "2025-03-30T01:00"),
    ("Europe/Zurich", "2025-10-26T01:00"),
    ("Australia/Lord_Howe", "2025-04-05T15:00"),
    ("Asia/Kathmandu", "2025-02-28T18:15"),
    ("America/St_Johns", "2025-11-02T04:30"),
    ("Asia/Beirut", "2025-10-25T21:00"),
    ("America/New_York", "1970-01-01T04:00"),
    (None, "2025-02-01T00:00"),
]
SEPARATE_DOORS: list[tuple[str | None, str | None]] = [(None, "a"), ("b", None), (None, "c")]
ENDS = st.sampled_from((None, "a", "b", "c"))


def cases(
    zone_ids: st.SearchStrategy[list[str]], passages: st.SearchStrategy[list[int]]
) -> st.SearchStrategy[Case]:
    return st.builds(
        Case,
        doors=st.lists(st.tuples(ENDS, ENDS), max_size=3).map(SEPARATE_DOORS.__add__),
        segments=st.lists(
            st.tuples(
                st.sampled_from((0, 1, 2, 3, None)),
                st.sampled_from((0, 0, 0, -300, -1500)).flatmap(lambda at: st.integers(at - 40, at + 40)),
                st.integers(10, 90),
                st.sampled_from((1, 1, 2, 7)),
            ),
            min_size=4,
            max_size=10,
        ),
        moment=st.sampled_from(MOMENTS),
        reset_hour=st.sampled_from((0, 2, 4, 23)),
        zone_ids=zone_ids,
        passages=passages,
        start=st.sampled_from((-1600, -400, -100)).flatmap(lambda at: st.integers(at - 40, at + 40)),
        length=st.integers(100, 300) | st.integers(300, 2000),
        timezone=st.sampled_from(("Europe/Zurich", "Asia/Kathmandu", "Etc/UTC")),
        seed=st.integers(0, 1000),
    )


def test_several_zones_equal_the_calculation_row_by_row(store: Store, kind: str) -> None:
    zones = st.lists(st.sampled_from(ZONES), min_size=2, unique=True)
    check_cases(store, cases(zones, st.just([])), EXAMPLES[kind][0])


def test_passages_equal_the_calculation_row_by_row(store: Store, kind: str) -> None:
    zones = st.lists(st.sampled_from(ZONES), max_size=2, unique=True)
    passages = st.lists(st.integers(0, 2), min_size=1, unique=True)
    check_cases(store, cases(zones, passages), EXAMPLES[kind][1])


def check_cases(store: Store, drawn: st.SearchStrategy[Case], examples: int) -> None:
    @settings(max_examples=examples, deadline=None)
    @given(case=drawn)
    def check(case: Case) -> None:
        assert_right(store, case)

    check()


def assert_right(store: Store, case: Case, then: Callable[[Store], object] = lambda _: None) -> None:
    """Every aggregation of every bucket; their order; and one value a minute, however it is asked.

    `then`: what becomes of the store before it is asked.
    """
    site_id = f"site-{next(_NUMBERS)}"
    timezone, moment = case.moment
    record = replace(site_with(case.doors, site_id), daily_reset_hour=case.reset_hour)
    record = replace(record, site=record.site.model_copy(update={"timezone": timezone}))
    middle = datetime.fromisoformat(moment).replace(tzinfo=UTC)
    counts = counted(record, minute_number(middle), case.segments, random.Random(case.seed))
    store.catalogue.save(ORGANIZATION, [record])
    store.metrics.append(counts, WriteMode.SET)
    then(store)
    passage_ids = tuple(f"{site_id}-{number}" for number in case.passages)
    base = query_of(
        site_id,
        metrics=CROSSINGS if passage_ids else ALL,
        start=middle + case.start * MINUTE,
        end=middle + (case.start + case.length) * MINUTE,
        timezone=ZoneInfo(case.timezone),
        zone_ids=tuple(case.zone_ids),
        passage_ids=passage_ids,
    )
    series = plain_series(record, counts_of(counts), case.zone_ids, passage_ids)
    for granularity, aggregation in itertools.product(Granularity, (None, *Aggregation)):
        query = replace(base, granularity=granularity, aggregation=aggregation)
        assert_alike(store.metrics.buckets(query), plain_reduction(series, query))
    assert_in_order(store, base)
    assert_one_value_a_minute(store, base)


_NUMBERS = itertools.count()


def counted(
    record: SiteRecord,
    middle: int,
    segments: Sequence[tuple[int | None, int, int, int]],
    chance: random.Random,
) -> list[PassageCount]:
    """Counts of one door, or of all, in every n-th minute of each segment."""
    doors = [passage.id for passage in record.site.passages]
    minutes = {
        (door, middle + minute)
        for number, first, length, step in segments
        for door in (doors if number is None else doors[number : number + 1])
        for minute in range(first, first + length, step)
    }
    return [
        PassageCount(door, minute, chance.choice((0, 1, 2, 5)), chance.choice((0, 0, 1, 3)))
        for door, minute in sorted(minutes)
    ]


def assert_alike(
    found: Sequence[Bucket], expected: Sequence[tuple[datetime, dict[MetricKey, int | float]]]
) -> None:
    assert [bucket.start for bucket in found] == [start for start, _ in expected]
    for bucket, (_, values) in zip(found, expected, strict=True):
        assert bucket.values.keys() == values.keys()
        assert all(isclose(bucket.values[metric], values[metric]) for metric in values), (bucket, values)


def assert_in_order(store: Store, base: BucketQuery) -> None:
    """minimum <= average <= maximum, of every bucket and metric but the ratio."""
    lowest, mean, highest = (
        store.metrics.buckets(replace(base, aggregation=aggregation))
        for aggregation in (Aggregation.MINIMUM, Aggregation.AVERAGE, Aggregation.MAXIMUM)
    )
    for low, middle, high in zip(lowest, mean, highest, strict=True):
        for metric in base.metrics:
            if metric is not MetricKey.TIME_SPENT:
                assert low.values[metric] <= middle.values[metric] <= high.values[metric]


def assert_one_value_a_minute(store: Store, base: BucketQuery) -> None:
    """By minute, as a bucket that is cut to that minute, and as the newest value."""
    by_minute = store.metrics.buckets(replace(base, granularity=Granularity.MINUTE))
    for bucket in by_minute[:: max(len(by_minute) // 3, 1)]:
        for aggregation, granularity in itertools.product(Aggregation, (Granularity.HOUR, Granularity.DAY)):
            alone = replace(
                base,
                start=bucket.start,
                end=bucket.start + MINUTE,
                granularity=granularity,
                aggregation=aggregation,
            )
            [cut] = store.metrics.buckets(alone)
            assert cut.values == bucket.values
    newest = store.metrics.newest(
        base.site_id, zone_ids=base.zone_ids, passage_ids=base.passage_ids, metrics=base.metrics
    )
    everything = replace(base, start=datetime(1960, 1, 1, tzinfo=UTC), end=datetime(2030, 1, 1, tzinfo=UTC))
    minutes = store.metrics.buckets(replace(everything, granularity=Granularity.MINUTE))
    assert newest == (minutes[-1] if minutes else None)
