"""Buckets against a row-by-row calculation: around awkward changes of the clocks, and around the epoch."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import cache
from math import isclose
from zoneinfo import ZoneInfo

import pytest

from contract import METRICS, Aggregation, Granularity, MetricKey
from service.store.bucket_keys import minute_range
from service.store.bucket_query import FORMULAS, Formula, Reduction
from service.store.buckets import statement_of_shape, zone_statement
from service.store.errors import UnknownSiteError
from service.store.protocol import BucketQuery, PassageCount, Store, WriteMode
from tests.crowded_site import ORGANIZATION, crowded_counts, crowded_site
from tests.every_store import URL_IN, Opened, opener
from tests.plain_metrics import (
    OF_A_MINUTE,
    PlainSeries,
    counts_of,
    plain_buckets,
    plain_reduction,
    plain_series,
)

MOMENTS = [
    ("Europe/Zurich", "2025-03-30T01:00"),
    ("Europe/Zurich", "2025-10-26T01:00"),
    ("Australia/Lord_Howe", "2025-04-05T15:00"),
    ("Australia/Lord_Howe", "2025-10-04T15:30"),
    ("Asia/Kathmandu", "2025-02-28T18:15"),
    ("Etc/UTC", "2025-02-01T00:00"),
    ("America/St_Johns", "2025-03-09T05:30"),
    ("America/St_Johns", "2025-11-02T04:30"),
    ("Asia/Beirut", "2025-03-29T22:00"),
    ("Asia/Beirut", "2025-10-25T21:00"),
    ("Atlantic/Azores", "2025-10-26T01:00"),
    ("America/New_York", "1970-01-01T04:59"),
    ("Asia/Kathmandu", "1969-12-31T18:31"),
]
TELLING = (MOMENTS[0], MOMENTS[2], MOMENTS[7], MOMENTS[11], MOMENTS[12])
"""Where engines could differ: in what they divide and order. Local time is worked out before."""
STORES = [
    pytest.param((kind, moment), marks=[] if kind == "sqlite" or moment in TELLING else pytest.mark.soak)
    for kind, moment in itertools.product(URL_IN, MOMENTS)
]
FLOWS = tuple(key for key, spec in METRICS.items() if spec.is_of_passages)
ALL = tuple(MetricKey)
SELECTIONS: list[tuple[tuple[MetricKey, ...], tuple[str, ...], tuple[str, ...]]] = [
    (ALL, (), ()),
    (ALL, ("cafe",), ()),
    (ALL, ("hall", "cafe", "loft"), ()),
    (FLOWS, (), ("arch", "south", "north")),
    (FLOWS, ("cafe", "hall"), ("arch", "south", "stairs")),
    (FLOWS, ("loft",), ("north",)),
]


class Known:
    """A site with counts around one moment, and its minutes worked out: the same for stores of every kind."""

    def __init__(self, timezone: str, moment: str) -> None:
        self.moment = datetime.fromisoformat(moment).replace(tzinfo=UTC)
        minute = int(self.moment.timestamp()) // 60
        self.record = crowded_site(timezone)
        self.stored = crowded_counts(minute - 400, minute + 400, seed=minute)
        self.stored += crowded_counts(minute - 2000, minute - 1700, seed=minute + 1, share=0.2)
        self.stored += crowded_counts(minute + 1500, minute + 1800, seed=minute + 2, share=0.2)
        self.counts = counts_of(self.stored)
        self._series: dict[object, PlainSeries] = {}

    def series(self, zone_ids: tuple[str, ...], passage_ids: tuple[str, ...]) -> PlainSeries:
        selection = (zone_ids, passage_ids)
        if selection not in self._series:
            self._series[selection] = plain_series(self.record, self.counts, zone_ids, passage_ids)
        return self._series[selection]


known = cache(Known)


class Around:
    """A store filled around one moment."""

    def __init__(self, store: Store, timezone: str, moment: str) -> None:
        self.known = known(timezone, moment)
        self.moment, self.record = self.known.moment, self.known.record
        self.store = store
        self.store.catalogue.save(ORGANIZATION, [self.record])
        self.store.metrics.append(self.known.stored, WriteMode.SET)

    def query(self, **changes: object) -> BucketQuery:
        asked: dict[str, object] = {
            "site_id": self.record.site.id,
            "metrics": ALL,
            "start": self.moment - timedelta(days=2),
            "end": self.moment + timedelta(days=2),
            "granularity": Granularity.HOUR,
            "timezone": ZoneInfo(self.record.site.timezone or ""),
        }
        return BucketQuery(**(asked | changes))  # type: ignore[arg-type]


@pytest.fixture(scope="module", params=STORES, ids=str)
def around(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Around]:
    kind, moment = request.param
    with opener(kind, tmp_path_factory.mktemp("store")) as opened:
        yield Around(opened(), *moment)


# Of a single minute, one aggregation says what another does.
@pytest.mark.parametrize(
    ("granularity", "aggregation"),
    [
        (granularity, aggregation)
        for granularity in Granularity
        for aggregation in (None, *Aggregation)
        if granularity is not Granularity.MINUTE or aggregation in {None, Aggregation.MAXIMUM}
    ],
)
def test_buckets_equal_the_calculation_row_by_row(
    around: Around, granularity: Granularity, aggregation: Aggregation | None
) -> None:
    check_buckets(around, granularity, aggregation)


@pytest.mark.parametrize("around", [("sqlite", moment) for moment in MOMENTS[:2]], indirect=True, ids=str)
@pytest.mark.parametrize("aggregation", Aggregation)
@pytest.mark.parametrize("granularity", Granularity)
def test_so_do_those_of_a_metric_that_is_a_difference_of_columns(
    around: Around, granularity: Granularity, aggregation: Aggregation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(FORMULAS, MetricKey.EXITS, Formula("entrances-exits"))
    monkeypatch.setitem(OF_A_MINUTE, MetricKey.EXITS, (lambda row: row.entrances - row.exits, lambda _: 1))
    statement_of_shape.cache_clear()
    try:
        check_buckets(around, granularity, aggregation)
    finally:
        statement_of_shape.cache_clear()


def check_buckets(around: Around, granularity: Granularity, aggregation: Aggregation | None) -> None:
    """Of all metrics, zones and passages."""
    whole = (timedelta(days=-2), timedelta(days=2))
    ragged = (timedelta(minutes=-307), timedelta(minutes=211, seconds=20))
    after = (timedelta(minutes=11, seconds=30), timedelta(days=1, minutes=7))
    ranges = (ragged,) if granularity is Granularity.MINUTE else (whole, ragged, after)
    for (start, end), (metrics, zone_ids, passage_ids) in itertools.product(ranges, SELECTIONS):
        query = around.query(
            metrics=metrics,
            start=around.moment + start,
            end=around.moment + end,
            granularity=granularity,
            aggregation=aggregation,
            zone_ids=zone_ids,
            passage_ids=passage_ids,
        )
        expected = plain_reduction(around.known.series(zone_ids, passage_ids), query)
        found = around.store.metrics.buckets(query)
        assert [bucket.start for bucket in found] == [start for start, _ in expected]
        for bucket, (_, values) in zip(found, expected, strict=True):
            assert bucket.values.keys() == values.keys()
            assert all(isclose(bucket.values[metric], values[metric]) for metric in values), bucket
            assert {type(value) for value in bucket.values.values()} <= {int, float}


@pytest.mark.parametrize("granularity", Granularity)
def test_the_same_hours_of_another_day_and_zone_are_asked_with_the_same_statement(
    granularity: Granularity,
) -> None:
    reduction = Reduction(ALL, granularity, None)
    weeks = [(NOON_MINUTE + 24 * 60 * day, NOON_MINUTE + 24 * 60 * (day + 7) + 20) for day in (0, 3)]
    statements, parameters = zip(
        *(
            zone_statement(reduction, zone, minute_range(*week, granularity, ZoneInfo("Europe/Zurich")))
            for zone, week in enumerate(weeks)
        ),
        strict=True,
    )
    assert statements[0] is statements[1], "to build it can take as long as to answer it"
    assert parameters[0] != parameters[1]


def test_another_zone_than_the_sites_cuts_the_same_minutes_differently(around: Around) -> None:
    query = around.query(timezone=ZoneInfo("Asia/Kathmandu"), granularity=Granularity.DAY)
    found = around.store.metrics.buckets(query)
    expected = plain_buckets(around.record, around.known.counts, query)
    assert [bucket.start for bucket in found] == [start for start, _ in expected]
    for bucket, (_, values) in zip(found, expected, strict=True):
        assert bucket.values == pytest.approx(values)


@pytest.fixture
def store(opened: Opened) -> Store:
    store = opened()
    store.catalogue.save(ORGANIZATION, [crowded_site("Europe/Zurich")])
    return store


NOON = datetime(2025, 6, 2, 10, tzinfo=UTC)
NOON_MINUTE = int(NOON.timestamp()) // 60


def ask(**changes: object) -> BucketQuery:
    asked: dict[str, object] = {
        "site_id": "crowded",
        "metrics": ALL,
        "start": NOON - timedelta(days=1),
        "end": NOON + timedelta(days=1),
        "granularity": Granularity.HOUR,
        "timezone": ZoneInfo("Europe/Zurich"),
    }
    return BucketQuery(**(asked | changes))  # type: ignore[arg-type]


def test_nothing_stored_yields_no_bucket(store: Store) -> None:
    assert store.metrics.buckets(ask()) == []


def test_a_zone_without_counts_yields_no_bucket(store: Store) -> None:
    store.metrics.append([PassageCount("north", NOON_MINUTE, 1, 0)], WriteMode.SET)
    assert store.metrics.buckets(ask(zone_ids=("loft",))) == []


def test_a_minute_counted_as_zero_is_a_bucket_of_zeros_without_time_spent(store: Store) -> None:
    store.metrics.append([PassageCount("north", NOON_MINUTE, 0, 0)], WriteMode.SET)
    (bucket,) = store.metrics.buckets(ask())
    assert bucket.values == {MetricKey.ENTRANCES: 0, MetricKey.EXITS: 0, MetricKey.VISITORS_INSIDE: 0}


def test_counts_and_the_level_of_a_minute_are_whole_numbers(store: Store) -> None:
    store.metrics.append([PassageCount("north", NOON_MINUTE, 3, 1)], WriteMode.SET)
    (bucket,) = store.metrics.buckets(ask(granularity=Granularity.MINUTE))
    assert [type(value) for value in bucket.values.values()] == [int, int, int, float]
    assert bucket.values[MetricKey.TIME_SPENT] == 40


def test_an_average_is_not_rounded(store: Store) -> None:
    counts = [PassageCount("north", NOON_MINUTE + after, 1 if after == 2 else 0, 0) for after in range(3)]
    store.metrics.append(counts, WriteMode.SET)
    (bucket,) = store.metrics.buckets(ask())
    assert bucket.values[MetricKey.VISITORS_INSIDE] == 1 / 3


def test_a_range_of_centuries_costs_no_more_than_its_answer(store: Store) -> None:
    store.metrics.append([PassageCount("north", NOON_MINUTE, 1, 0)], WriteMode.SET)
    query = ask(
        start=datetime(2, 1, 1, tzinfo=UTC),
        end=datetime(9999, 1, 1, tzinfo=UTC),
        granularity=Granularity.MONTH,
    )
    (bucket,) = store.metrics.buckets(query)
    assert bucket.start == datetime(2025, 5, 31, 22, tzinfo=UTC)


def test_a_change_of_the_clocks_within_a_quarter_hour_cuts_it_by_the_minute(store: Store) -> None:
    # St. John's changed its clocks at one minute past midnight until 2011: here from 00:01 back to 23:01.
    first = int(datetime(2010, 11, 7, 2, tzinfo=UTC).timestamp()) // 60
    counts = [PassageCount("north", first + after, 1, 0) for after in range(120)]
    store.metrics.append(counts, WriteMode.SET)
    query = ask(
        start=datetime(2010, 11, 7, tzinfo=UTC),
        end=datetime(2010, 11, 8, tzinfo=UTC),
        timezone=ZoneInfo("America/St_Johns"),
        metrics=(MetricKey.ENTRANCES,),
    )
    assert [bucket.values[MetricKey.ENTRANCES] for bucket in store.metrics.buckets(query)] == [30, 1, 59, 30]


def test_a_site_that_is_not_there_is_named(store: Store) -> None:
    with pytest.raises(UnknownSiteError, match="nowhere"):
        store.metrics.buckets(ask(site_id="nowhere"))
