"""Folded minutes: what is answered after it is what was answered before, or nothing."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import cache
from math import isclose
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from sqlalchemy import text

from contract import METRICS, Aggregation, Granularity, MetricKey, Passage, Zone
from service.open_store import open_store
from service.store import retention, series_import
from service.store.errors import FoldedCountsError
from service.store.protocol import BucketQuery, PassageCount, SiteRecord, Store, WriteMode
from tests.crowded_site import ORGANIZATION, crowded_counts, crowded_site
from tests.database_of import database_of
from tests.every_store import LENT, URL_IN, Opened, opener
from tests.plain_metrics import PlainSeries, counts_of, plain_reduction, plain_series

ZURICH = "Europe/Zurich"
FIRST = int(datetime(2025, 3, 28, 12, tzinfo=UTC).timestamp()) // 60
LAST = FIRST + 4 * 1440
"""The clocks go forward in between."""
NOW = datetime(2025, 4, 2, 12, tzinfo=UTC)
KEPT_DAYS = 2
EDGE = datetime(2025, 3, 30, 2, tzinfo=UTC)
"""The reset at 4 of the site before its midnight of 31 March."""
ALL = tuple(MetricKey)
FLOWS = tuple(key for key, spec in METRICS.items() if spec.is_of_passages)
SELECTIONS: list[tuple[tuple[MetricKey, ...], tuple[str, ...], tuple[str, ...]]] = [
    (ALL, (), ()),
    (ALL, ("cafe",), ()),
    (ALL, ("hall", "loft"), ()),
    (FLOWS, (), ("arch", "south", "north")),
    (FLOWS, ("loft",), ("stairs",)),
]


@cache
def counts() -> tuple[PassageCount, ...]:
    """Dense ones, in which many quarters are whole, and then ones with gaps."""
    dense = crowded_counts(FIRST, FIRST + 1440, seed=1, share=1.0)
    return (*dense, *crowded_counts(FIRST + 1440, LAST, seed=2, share=0.4))


@pytest.fixture(autouse=True, scope="module")
def _at_once() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for module in (retention, series_import):
            patch.setattr(module, "ROOM_SECONDS", 0.0)
        patch.setattr(retention, "_MINUTES_TOGETHER", 4 * 1440)
        yield


Original = Callable[[str, bool], str]


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Original]:
    """The URL of a store of a kind that is filled, and folded if asked for, of which tests have copies."""
    with ExitStack() as lent:

        @cache
        def made(kind: str, is_folded: bool) -> str:
            url = lent.enter_context(LENT[kind](tmp_path_factory.mktemp("original")))
            with closing(open_store(url, clock=lambda: NOW)) as store:
                store.catalogue.save(ORGANIZATION, [crowded_site(ZURICH)])
                store.metrics.append(counts(), WriteMode.SET)
                if is_folded:
                    fold(store)
            return url

        yield made


@pytest.fixture(params=URL_IN)
def filled(request: pytest.FixtureRequest, tmp_path: Path, original: Original) -> Iterator[Opened]:
    with opener(request.param, tmp_path, original(request.param, False)) as opened:
        yield opened


@pytest.fixture
def store(filled: Opened) -> Store:
    return filled(clock=lambda: NOW)


@pytest.fixture(params=URL_IN)
def folded(request: pytest.FixtureRequest, tmp_path: Path, original: Original) -> Iterator[Store]:
    with opener(request.param, tmp_path, original(request.param, True)) as opened:
        yield opened(clock=lambda: NOW)


@pytest.fixture(scope="module", params=URL_IN)
def read_alone(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, original: Original
) -> Iterator[Store]:
    """Folded, for tests that change nothing of it."""
    folder = tmp_path_factory.mktemp("read_alone")
    with opener(request.param, folder, original(request.param, True)) as opened:
        yield opened(clock=lambda: NOW)


@cache
def plain(zones: tuple[str, ...], passages: tuple[str, ...]) -> PlainSeries:
    return plain_series(crowded_site(ZURICH), counts_of(counts()), zones, passages)


def fold(store: Store) -> None:
    assert store.retention.fold(KEPT_DAYS)


def is_sound(store: Store) -> bool:
    return not any(site.differences for site in store.metrics.check())


def rows(store: Store, table: str, before: datetime = EDGE) -> int:
    with database_of(store).reading() as connection:
        counted = text(f"SELECT COUNT(*) FROM {table} WHERE minute < :minute")
        return int(connection.execute(counted, {"minute": int(before.timestamp()) // 60}).scalar_one())


def asked(**changes: object) -> BucketQuery:
    whole: dict[str, object] = {
        "site_id": "crowded",
        "metrics": ALL,
        "start": datetime(2025, 3, 26, tzinfo=UTC),
        "end": NOW + timedelta(days=1),
        "granularity": Granularity.HOUR,
        "timezone": ZoneInfo(ZURICH),
    }
    return BucketQuery(**(whole | changes))  # type: ignore[arg-type]


def test_minutes_are_folded_up_to_a_reset_and_their_quarters_stand(store: Store) -> None:
    quarters = rows(store, "zone_quarters"), rows(store, "passage_quarters")
    assert store.retention.folded_until("crowded") is None
    fold(store)
    assert store.retention.folded_until("crowded") == EDGE
    assert (rows(store, "passage_minutes"), rows(store, "zone_minutes")) == (0, 0)
    assert (rows(store, "zone_quarters"), rows(store, "passage_quarters")) == quarters
    assert rows(store, "passage_minutes", NOW) > 0
    assert is_sound(store)
    assert not store.retention.fold(KEPT_DAYS), "there is nothing left to fold"


@pytest.mark.parametrize(
    ("granularity", "zone"),
    [
        (Granularity.MINUTE, ZURICH),  # all zones have the same ones
        *itertools.product(
            [one for one in Granularity if one is not Granularity.MINUTE],
            [ZURICH, "Asia/Kathmandu", "Etc/UTC"],
        ),
    ],
)
def test_each_point_is_what_it_was_or_is_not_there(
    read_alone: Store, granularity: Granularity, zone: str
) -> None:
    ranges = [
        (datetime(2025, 3, 26, tzinfo=UTC), NOW),
        (datetime(2025, 3, 28, 17, 7, tzinfo=UTC), datetime(2025, 3, 29, 18, 22, tzinfo=UTC)),
        (datetime(2025, 3, 29, 18, 22, tzinfo=UTC), datetime(2025, 3, 31, 5, 5, tzinfo=UTC)),
    ]
    told = {"one zone": 0, "several": 0}
    # Of a single minute, one aggregation says what another does.
    aggregations = [None, *Aggregation][: 2 if granularity is Granularity.MINUTE else None]
    for (start, end), (metrics, zones, passages), aggregation in itertools.product(
        ranges, SELECTIONS, aggregations
    ):
        query = asked(
            metrics=metrics, zone_ids=zones, passage_ids=passages, start=start, end=end,
            granularity=granularity, aggregation=aggregation, timezone=ZoneInfo(zone),
        )  # fmt: skip
        expected = dict(plain_reduction(plain(zones, passages), query))
        found = {bucket.start: bucket.values for bucket in read_alone.metrics.buckets(query)}
        for at, values in found.items():
            assert values.keys() == expected[at].keys()
            assert all(isclose(values[metric], expected[at][metric]) for metric in values), (query, at)
        left_out = expected.keys() - found.keys()
        assert all(at < EDGE for at in left_out), "what is kept by the minute is told"
        is_one_zone = not passages and len(zones) < 2
        told["one zone" if is_one_zone else "several"] += sum(at < EDGE for at in found)
        if is_one_zone and granularity is not Granularity.MINUTE:
            cut = [edge for edge in (start, end) if edge.minute % 15 and edge < EDGE]
            assert len(left_out) <= len(cut), "no more than what the range itself cuts"
    assert (told["one zone"] > 0) == (granularity is not Granularity.MINUTE)
    assert (told["several"] > 0) == (granularity is not Granularity.MINUTE)


@pytest.mark.parametrize("minutes", [-1, -1440])
def test_counts_of_folded_minutes_are_refused(folded: Store, minutes: int) -> None:
    until = int(EDGE.timestamp()) // 60
    late = PassageCount("north", until + minutes, 1, 0)
    with pytest.raises(FoldedCountsError, match="at crowded counts are taken from 2025-03-30T02:00:00"):
        folded.metrics.append([late], WriteMode.ADD)
    folded.metrics.append([late._replace(minute=until)], WriteMode.ADD)
    assert is_sound(folded)


def test_a_late_count_of_the_first_minutes_that_are_kept_changes_what_follows_from_it(folded: Store) -> None:
    until = int(EDGE.timestamp()) // 60
    added = [PassageCount("north", until + 40, 7, 0)]
    folded.metrics.append(added, WriteMode.ADD)
    assert is_sound(folded)
    kept = {key: count for key, count in counts_of(counts()).items() if key[1] >= until}
    ahead, back = kept.get(("north", until + 40), (0, 0))
    kept["north", until + 40] = (ahead + 7, back)
    record = crowded_site(ZURICH)
    for zone in record.site.zones:
        query = asked(granularity=Granularity.MINUTE, zone_ids=(zone.id,), start=EDGE)
        expected = plain_reduction(plain_series(record, kept, (zone.id,), ()), query)
        found = [(bucket.start, bucket.values) for bucket in folded.metrics.buckets(query)]
        assert found == expected


CHANGES: dict[str, Callable[[SiteRecord], SiteRecord]] = {
    "time zone": lambda record: replace(
        record, site=record.site.model_copy(update={"timezone": "Europe/Lisbon"})
    ),
    "reset hour": lambda record: replace(record, daily_reset_hour=0),
    "passage": lambda record: replace(
        record,
        site=record.site.model_copy(
            update={
                "passages": (*record.site.passages, Passage(id="new", name="New", to_zone_id="hall")),
                "zones": (*record.site.zones, Zone(id="annexe", name="Annexe")),
            }
        ),
    ),
    "passage that goes": lambda record: replace(
        record, site=record.site.model_copy(update={"passages": record.site.passages[1:]})
    ),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_site_that_changes_keeps_its_folded_history(folded: Store, change: str) -> None:
    query = asked(granularity=Granularity.DAY, zone_ids=("hall",), end=EDGE - timedelta(hours=3))
    before = folded.metrics.buckets(query)
    assert len(before) == 2
    folded.catalogue.save(ORGANIZATION, [CHANGES[change](crowded_site(ZURICH))])
    assert folded.metrics.buckets(query) == before
    assert is_sound(folded)
    folded.metrics.repair("crowded")
    assert folded.metrics.buckets(query) == before
    folded.metrics.append([PassageCount("south", int(EDGE.timestamp()) // 60 + 3, 1, 2)], WriteMode.ADD)
    assert is_sound(folded)
    folded.catalogue.save(ORGANIZATION, [crowded_site(ZURICH)])
    assert folded.metrics.buckets(query) == before
    assert is_sound(folded)


def test_repair_makes_what_was_damaged_again_and_leaves_folded_quarters(folded: Store) -> None:
    query = asked(granularity=Granularity.DAY, zone_ids=("hall",))
    before = folded.metrics.buckets(query)
    with database_of(folded).writing() as connection:
        connection.exec_driver_sql(
            "UPDATE zone_quarters SET entrances = entrances + 1 WHERE minute > 29055000"
        )
    assert not is_sound(folded)
    folded.metrics.repair("crowded")
    assert is_sound(folded)
    assert folded.metrics.buckets(query) == before


def test_counts_of_a_passage_that_left_its_site_are_folded_with_the_others(store: Store) -> None:
    query = asked(metrics=FLOWS, granularity=Granularity.DAY, passage_ids=("north",), end=EDGE)
    before = store.metrics.buckets(query)
    without = CHANGES["passage that goes"](crowded_site(ZURICH))
    store.catalogue.save(ORGANIZATION, [without])
    fold(store)
    assert rows(store, "passage_minutes") == 0
    store.catalogue.save(ORGANIZATION, [crowded_site(ZURICH)])
    assert store.metrics.buckets(query) == before


class Killed(BaseException):
    """Ends it as a signal does that nobody can catch."""


@pytest.mark.parametrize("last", range(6))
def test_a_fold_that_is_killed_leaves_days_that_are_folded_and_days_that_are_not(
    filled: Opened, last: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    query = asked(granularity=Granularity.DAY, zone_ids=("hall",))
    store = filled(clock=lambda: NOW)
    before = store.metrics.buckets(query)

    class Stop(threading.Event):
        left = last

        def is_set(self) -> bool:
            return self._next()

        def wait(self, timeout: float | None = None) -> bool:  # noqa: ARG002 -- as an Event's
            return self._next()

        def _next(self) -> bool:
            if not self.left:
                raise Killed
            self.left -= 1
            return False

    with pytest.raises(Killed):
        store.retention.fold(KEPT_DAYS, Stop())
    other = filled(clock=lambda: NOW)
    assert is_sound(other)
    assert other.metrics.buckets(query) == before
    other.retention.fold(KEPT_DAYS)
    assert is_sound(other)
    assert rows(other, "passage_minutes") == 0
    assert other.metrics.buckets(query) == before


def test_what_resets_hid_is_told_of_days_that_are_kept_alone(store: Store) -> None:
    query = asked(metrics=(MetricKey.VISITORS_INSIDE,), zone_ids=("hall",))
    before = store.metrics.hidden(query)
    fold(store)
    found = store.metrics.hidden(query)
    assert found == [one for one in before if one.since >= EDGE]
    assert 0 < len(found) < len(before)


def test_a_site_without_counts_takes_old_ones_and_folds_them_then(opened: Opened) -> None:
    store = opened(clock=lambda: NOW)
    store.catalogue.save(ORGANIZATION, [crowded_site(ZURICH)])
    assert not store.retention.fold(KEPT_DAYS)
    store.metrics.append(crowded_counts(FIRST, FIRST + 60, seed=3), WriteMode.SET)
    assert not store.retention.fold(KEPT_DAYS), "the last day that it has stays"
    store.metrics.append([PassageCount("north", FIRST + 2 * 1440, 1, 0)], WriteMode.SET)
    fold(store)
    assert rows(store, "passage_minutes") == 0
    assert store.retention.folded_until("crowded") == datetime(2025, 3, 29, 3, tzinfo=UTC)


def test_a_clock_that_was_ahead_for_a_moment_keeps_no_count_out(opened: Opened) -> None:
    clock = [NOW + timedelta(days=300)]
    store = opened(clock=lambda: clock[0])
    store.catalogue.save(ORGANIZATION, [crowded_site(ZURICH)])
    store.metrics.append(counts(), WriteMode.SET)
    fold(store)
    clock[0] = NOW
    store.metrics.append([PassageCount("north", LAST, 1, 0)], WriteMode.ADD)
    # Nor after one of that time, which is dated ahead.
    clock[0] += timedelta(days=300)
    store.metrics.append([PassageCount("north", LAST + 299 * 1440, 1, 0)], WriteMode.ADD)
    store.retention.fold(KEPT_DAYS)
    clock[0] = NOW
    store.metrics.append([PassageCount("north", LAST + 1440, 1, 0)], WriteMode.ADD)
    assert is_sound(store)


def test_the_believed_time_is_that_of_the_newest_count_until_it_is_noted(store: Store) -> None:
    assert store.retention.believed_time() == datetime.fromtimestamp(60 * (LAST - 1), UTC)
    for moment in (NOW, NOW - timedelta(days=1)):
        store.retention.note_believed_time(moment)
        assert store.retention.believed_time() == moment


def test_what_is_believed_to_be_the_present_says_what_is_old(store: Store) -> None:
    assert not store.retention.fold(KEPT_DAYS, present=NOW - timedelta(days=KEPT_DAYS))
    assert store.retention.fold(KEPT_DAYS, present=NOW)
    assert store.retention.folded_until("crowded") == EDGE


def test_an_empty_store_believes_no_time(opened: Opened) -> None:
    store = opened(clock=lambda: NOW)
    store.catalogue.save(ORGANIZATION, [crowded_site(ZURICH)])
    assert store.retention.believed_time() is None
