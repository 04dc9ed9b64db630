"""Days that are brought to ClickHouse, and back: what fails meanwhile, and what comes late."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from sqlalchemy import Table, text

from contract import Granularity, MetricKey, Passage
from contract.minutes import minute_number
from service.open_store import open_database, open_store
from service.store import archive_spans
from service.store.audit_protocol import Author
from service.store.clickhouse.archive import ClickHouseArchive
from service.store.errors import ArchiveAwayError, ArchivedMinutesError, FoldedCountsError
from service.store.level_protocol import ZoneLevel
from service.store.moving import move
from service.store.protocol import (
    BucketQuery,
    CountSeries,
    Numbers,
    PassageCount,
    SiteRecord,
    Store,
    WriteMode,
)
from tests.database_of import database_of
from tests.every_store import Opened, opener
from tests.running_clickhouse import RunningClickHouse
from tests.running_postgresql import postgresql_url
from tests.small_site import ORGANIZATION, SITE

NOW = datetime(2025, 6, 20, 12, tzinfo=UTC)
DAYS = 5
OLD = datetime(2025, 6, 3, 10, tzinfo=UTC)
"""Of a day that lies in the archive."""
NEW = datetime(2025, 6, 18, 10, tzinfo=UTC)
EDGE = datetime(2025, 6, 14, 2, tzinfo=UTC)
"""The last reset before the fifth local day before now."""
FLOWS = (MetricKey.ENTRANCES, MetricKey.EXITS, MetricKey.VISITORS_INSIDE)


def count(moment: datetime, forward: int, door: str = "entrance") -> PassageCount:
    return PassageCount(door, minute_number(moment), forward, 0)


def query(**changes: object) -> BucketQuery:
    whole: dict[str, object] = {
        "site_id": SITE.id,
        "metrics": FLOWS,
        "start": datetime(2025, 5, 1, tzinfo=UTC),
        "end": NOW,
        "granularity": Granularity.DAY,
        "timezone": ZoneInfo("Europe/Zurich"),
    }
    return BucketQuery(**(whole | changes))  # type: ignore[arg-type]


def entrances(store: Store, **changes: object) -> dict[str, int | float]:
    """By the local date of the bucket."""
    buckets = store.metrics.buckets(query(**changes))
    zone = ZoneInfo("Europe/Zurich")
    return {f"{one.start.astimezone(zone):%m-%d}": one.values[MetricKey.ENTRANCES] for one in buckets}


def ship(store: Store) -> int:
    return store.archiving.ship(DAYS, NOW, threading.Event())


def take(store: Store) -> int:
    return store.archiving.take_late(threading.Event())


def rows(store: Store, table: str = "passage_minutes", until: datetime = EDGE) -> int:
    with database_of(store).reading() as connection:
        counted = text(f"SELECT COUNT(*) FROM {table} WHERE minute < :minute")
        return int(connection.execute(counted, {"minute": minute_number(until)}).scalar_one())


@pytest.fixture
def archive(tmp_path: Path, clickhouse: RunningClickHouse) -> str:
    return clickhouse.url(tmp_path)


@pytest.fixture
def store(opened: Opened, archive: str) -> Store:
    return filled(opened(archive=archive, clock=lambda: NOW))


@pytest.fixture
def in_a_file(tmp_path: Path) -> Iterator[Opened]:
    """For what no engine does in its own way."""
    with opener("sqlite", tmp_path) as opened:
        yield opened


def filled(store: Store) -> Store:
    store.catalogue.save(ORGANIZATION, [SiteRecord(SITE, "shop", 4)])
    days = [OLD + timedelta(days=day) for day in range(17)]
    counts = [count(day + timedelta(minutes=after), 1) for day in days for after in range(3)]
    store.metrics.append([*counts, *(count(day, 1, "archway") for day in days)], WriteMode.SET)
    return store


def test_old_days_lie_in_the_archive_alone_and_are_answered_from_there(store: Store) -> None:
    before = store.metrics.buckets(query())
    assert ship(store)
    assert [rows(store, table) for table in ("passage_minutes", "zone_minutes", "zone_quarters")] == [0, 0, 0]
    assert rows(store, until=NOW)
    assert store.metrics.buckets(query()) == before
    assert ship(store) == 0
    assert store.archiving.trouble() is None


def test_a_few_days_wait_for_others(in_a_file: Opened, archive: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive_spans, "FEWEST_DAYS", 3)
    store = filled(in_a_file(archive=archive, clock=lambda: NOW))
    ship(store)
    found = [store.archiving.ship(days, NOW, threading.Event()) for days in (DAYS - 2, DAYS - 3)]
    assert found == [0, 1]


def test_a_late_count_alone_in_a_body_waits_until_its_day_is_back(store: Store) -> None:
    ship(store)
    assert store.metrics.append([count(OLD, 7)], WriteMode.ADD)
    assert store.archiving.late_minutes() == 1
    assert entrances(store)["06-03"] == 3
    assert take(store) == 1
    assert entrances(store)["06-03"] == 10
    assert ship(store) == 1
    assert entrances(store)["06-03"] == 10
    assert rows(store) == 0


@pytest.mark.parametrize(("mode", "found"), [(WriteMode.ADD, 8), (WriteMode.SET, 5), (WriteMode.FILL, 3)])
def test_a_late_count_means_what_it_means_in_time(
    in_a_file: Opened, archive: str, mode: WriteMode, found: int
) -> None:
    store = filled(in_a_file(archive=archive, clock=lambda: NOW))
    ship(store)
    store.metrics.append([count(OLD, 3), count(NEW, 1)], WriteMode.SET)
    store.metrics.append([count(OLD, 5)], mode)
    assert take(store)
    assert entrances(store, end=OLD + timedelta(minutes=1))["06-03"] == found


def test_of_two_with_the_same_key_one_is_counted(store: Store) -> None:
    ship(store)
    for is_first in (True, False):
        key = ("key", "digest")
        assert store.metrics.append([count(OLD, 7)], WriteMode.ADD, idempotency=key) is is_first
    assert take(store) == 1
    assert entrances(store)["06-03"] == 10


def test_what_is_told_of_a_day_of_which_others_wait_waits_too(in_a_file: Opened, archive: str) -> None:
    store = filled(in_a_file(archive=archive, clock=lambda: NOW))
    ship(store)
    evening = OLD.replace(hour=1) + timedelta(days=1)
    store.metrics.append([count(OLD, 7)], WriteMode.SET)
    assert take(store) == 1
    # The night after it is of the day that returned; the morning of the same date is not.
    store.metrics.append([count(evening + timedelta(hours=9), 2)], WriteMode.SET)
    store.metrics.append([count(evening, 4)], WriteMode.SET)
    store.metrics.append([count(evening, 6)], WriteMode.SET)
    assert store.archiving.late_minutes() == 3
    assert take(store) == 3
    assert entrances(store, start=evening, end=evening + timedelta(minutes=1)) == {"06-04": 6}


def test_an_import_of_years_before_the_archive_began_arrives_there(in_a_file: Opened, archive: str) -> None:
    store = filled(in_a_file(archive=archive, clock=lambda: NOW))
    ship(store)
    first = minute_number(datetime(2024, 3, 1, 10, tzinfo=UTC))
    minutes = np.arange(40, dtype=np.int64) * 1440 + first
    ones = np.ones_like(minutes)
    store.imports.store([CountSeries("entrance", minutes, ones, ones * 0, WriteMode.SET)])
    assert store.archiving.late_minutes() == 40
    assert take(store) == 40
    asked = query(start=datetime(2024, 1, 1, tzinfo=UTC), granularity=Granularity.MONTH)
    before = [bucket.values[MetricKey.ENTRANCES] for bucket in store.metrics.buckets(asked)]
    assert before == [31, 9, 51]
    assert ship(store)
    assert rows(store) == 0
    assert [bucket.values[MetricKey.ENTRANCES] for bucket in store.metrics.buckets(asked)] == before


def test_levels_of_archived_days_are_refused_and_say_from_when_on_they_are_taken(store: Store) -> None:
    ship(store)
    with pytest.raises(ArchivedMinutesError, match="2025-06-14T02:00:00"):
        store.levels.append([level_at(OLD)], organization_id=ORGANIZATION.id)
    assert store.levels.append([level_at(NEW)], organization_id=ORGANIZATION.id)


def level_at(moment: datetime) -> ZoneLevel:
    return ZoneLevel(SITE.id, "hall", minute_number(moment), 3)


class Killed(BaseException):
    """Ends it as a signal does that nobody can catch."""


@pytest.mark.parametrize("last", [0, 4])
def test_a_copy_that_is_killed_is_made_again_and_nothing_is_doubled(
    opened: Opened, archive: str, last: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = filled(opened(archive=archive, clock=lambda: NOW))
    before = store.metrics.buckets(query())
    asked = iter(range(last))

    def killed(of: object, table: Table, site_id: str, *asked_of: object) -> Numbers:
        if next(asked, None) is None:
            raise Killed
        return found(of, table, site_id, *asked_of)  # type: ignore[arg-type]

    found = ClickHouseArchive.rows
    with monkeypatch.context() as patch:
        patch.setattr(ClickHouseArchive, "rows", killed)
        with pytest.raises(Killed):
            ship(store)
    other = opened(archive=archive, clock=lambda: NOW)
    assert other.metrics.buckets(query()) == before
    ship(other)
    assert rows(other) == 0
    assert other.metrics.buckets(query()) == before


def test_what_changes_while_it_is_copied_stays(
    opened: Opened, archive: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = filled(opened(archive=archive, clock=lambda: NOW))
    another = opened(archive=archive, clock=lambda: NOW)
    between(monkeypatch, lambda: another.metrics.append([count(OLD, 7)], WriteMode.ADD))
    assert ship(store) == 0
    assert rows(store)
    assert entrances(store)["06-03"] == 10
    assert ship(store)
    assert rows(store) == 0
    assert entrances(store)["06-03"] == 10


def test_what_comes_of_before_all_that_is_copied_stays_too(
    opened: Opened, archive: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = filled(opened(archive=archive, clock=lambda: NOW))
    another = opened(archive=archive, clock=lambda: NOW)
    long_before = count(OLD - timedelta(days=20), 7)
    between(monkeypatch, lambda: another.metrics.append([long_before], WriteMode.ADD))
    assert ship(store) == 0
    assert ship(store)
    assert rows(store) == 0
    assert entrances(store)["05-14"] == 7


def test_of_two_that_copy_the_same_the_later_one_ends_it(
    opened: Opened, archive: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = filled(opened(archive=archive, clock=lambda: NOW))
    before = store.metrics.buckets(query())
    another = opened(archive=archive, clock=lambda: NOW)
    between(monkeypatch, lambda: ship(another))
    assert ship(store) == 0
    assert rows(store) == 0
    assert store.metrics.buckets(query()) == another.metrics.buckets(query()) == before


def test_of_two_that_take_the_same_late_count_one_counts_it(
    opened: Opened, archive: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = filled(opened(archive=archive, clock=lambda: NOW))
    another = opened(archive=archive, clock=lambda: NOW)
    ship(store)
    store.metrics.append([count(OLD, 7)], WriteMode.ADD)
    between(monkeypatch, lambda: take(another), of="rows")
    assert take(store) == 0
    assert entrances(store) == entrances(another)
    assert entrances(store)["06-03"] == 10


def test_a_day_that_goes_to_the_archive_while_its_late_count_is_taken_is_brought_back_first(
    opened: Opened, archive: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = filled(opened(archive=archive, clock=lambda: NOW))
    another = opened(archive=archive, clock=lambda: NOW)
    ship(store)
    store.metrics.append([count(OLD, 7)], WriteMode.ADD)
    assert take(store)
    # The morning is of a day that lies there, and the night before it, which is here, waits with it.
    night = OLD.replace(hour=1) + timedelta(days=1)
    for late in (count(night + timedelta(hours=9), 2), count(night, 4)):
        store.metrics.append([late], WriteMode.ADD)
    assert store.archiving.late_minutes() == 2
    between(monkeypatch, lambda: ship(another), of="rows")
    while store.archiving.late_minutes():
        take(store)
    for _ in range(2):
        found = entrances(store, start=OLD, end=OLD + timedelta(days=1, minutes=1))
        assert found == {"06-03": 10, "06-04": 4 + 1 + 2}
        ship(store)
    assert rows(store) == 0


def test_a_store_that_moves_takes_along_what_it_knows_of_its_archive(
    in_a_file: Opened, archive: str, tmp_path: Path
) -> None:
    store = filled(in_a_file(archive=archive, clock=lambda: NOW))
    ship(store)
    store.metrics.append([count(OLD, 7)], WriteMode.ADD)
    before = store.metrics.buckets(query())
    target = postgresql_url(tmp_path)
    with closing(open_database(target)) as moved:
        assert all(one.rows is not None for one in move(database_of(store), moved))
    with closing(open_store(target, archive=archive, clock=lambda: NOW)) as there:
        assert there.metrics.buckets(query()) == before
        assert take(there) == 1
        assert entrances(there)["06-03"] == 10


def test_a_site_that_loses_its_doors_while_it_is_copied_is_copied_again(
    in_a_file: Opened, archive: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = filled(in_a_file(archive=archive, clock=lambda: NOW))
    bare = SiteRecord(SITE.model_copy(update={"passages": ()}), "shop", 4)
    between(monkeypatch, lambda: store.catalogue.save(ORGANIZATION, [bare]))
    assert ship(store) == 0
    assert ship(store)
    assert entrances(store) == {}


def test_rows_that_a_day_no_longer_has_are_gone_from_the_archive_too(store: Store) -> None:
    ship(store)
    moved = [
        passage.model_copy(update={"to_zone_id": "cafe"}) if passage.id == "entrance" else passage
        for passage in SITE.passages
        if passage.id != "archway"
    ]
    changed = SITE.model_copy(update={"passages": (*moved, Passage(id="new", name="New", to_zone_id="hall"))})
    assert store.metrics.buckets(query(zone_ids=("hall",)))
    store.catalogue.save(ORGANIZATION, [SiteRecord(changed, "shop", 4)])
    # Days that lie there stay as they were made; one that returns follows from the site as it is.
    store.metrics.append([count(OLD, 4)], WriteMode.ADD)
    assert take(store)
    assert ship(store)
    assert list(entrances(store, zone_ids=("hall",)))[:2] == ["06-04", "06-05"]
    assert entrances(store, zone_ids=("cafe",))["06-03"] == 7
    assert store.archiving.trouble() is None


@pytest.mark.parametrize("granularity", list(Granularity))
def test_a_passage_that_comes_back_has_its_counts_of_days_that_were_archived_without_it(
    in_a_file: Opened, archive: str, granularity: Granularity
) -> None:
    store = filled(in_a_file(archive=archive, clock=lambda: NOW))
    counts = [count(OLD + timedelta(days=day), 3, "terrace") for day in range(3)]
    store.metrics.append(counts, WriteMode.SET)
    end = OLD + timedelta(hours=9) if granularity is Granularity.MINUTE else NOW
    asked = query(metrics=FLOWS[:2], passage_ids=("terrace",), granularity=granularity, end=end)
    before = store.metrics.buckets(asked)
    assert before
    others = tuple(passage for passage in SITE.passages if passage.id != "terrace")
    bare = SITE.model_copy(update={"passages": others})
    store.catalogue.save(ORGANIZATION, [SiteRecord(bare, "shop", 4)])
    assert ship(store)
    store.catalogue.save(ORGANIZATION, [SiteRecord(SITE, "shop", 4)])
    assert store.metrics.buckets(asked) == before


def without_cafe() -> SiteRecord:
    zones = tuple(zone for zone in SITE.zones if zone.id != "cafe")
    doors = tuple(passage for passage in SITE.passages if passage.id == "entrance")
    return SiteRecord(SITE.model_copy(update={"zones": zones, "passages": doors}), "shop", 4)


LEVEL = query(metrics=FLOWS[2:], zone_ids=("cafe",), granularity=Granularity.MINUTE, end=EDGE)


def told_of_cafe(store: Store) -> Store:
    """By levels, and by hand, of a day before anything is counted."""
    store.catalogue.save(ORGANIZATION, [SiteRecord(SITE, "shop", 4)])
    first = OLD - timedelta(days=2)
    level = ZoneLevel(SITE.id, "cafe", minute_number(first), 7)
    store.levels.append([level], organization_id=ORGANIZATION.id)
    by_hand = level._replace(minute=level.minute + 1, inside=8)
    store.levels.correct(by_hand, "we counted", Author("Desk", "key"), first)
    return store


def test_a_zone_that_comes_back_has_its_levels_of_days_that_were_archived_without_it(
    opened: Opened, archive: str
) -> None:
    store = told_of_cafe(opened(archive=archive, clock=lambda: NOW))
    before = store.metrics.buckets(LEVEL)
    assert [one.values[MetricKey.VISITORS_INSIDE] for one in before] == [7, 8]
    store.catalogue.save(ORGANIZATION, [without_cafe()])
    store.metrics.append([count(OLD + timedelta(days=day), 1) for day in range(17)], WriteMode.SET)
    assert ship(store)
    assert rows(store, "zone_minutes") == rows(store, "zone_levels") == 0
    store.catalogue.save(ORGANIZATION, [SiteRecord(SITE, "shop", 4)])
    assert store.metrics.buckets(LEVEL) == before
    newest = store.metrics.newest(SITE.id, zone_ids=["cafe"], metrics=FLOWS[2:])
    assert newest == before[-1]


@pytest.mark.parametrize("is_shipped_first", [True, False])
def test_a_zone_has_them_too_where_a_day_returned_while_it_was_away(
    in_a_file: Opened, archive: str, *, is_shipped_first: bool
) -> None:
    store = told_of_cafe(in_a_file(archive=archive, clock=lambda: NOW))
    store.metrics.append([count(OLD + timedelta(days=day), 1) for day in range(17)], WriteMode.SET)
    before = store.metrics.buckets(LEVEL)
    assert ship(store)
    store.catalogue.save(ORGANIZATION, [without_cafe()])
    store.metrics.append([count(OLD - timedelta(days=2), 3)], WriteMode.ADD)
    assert take(store)
    if is_shipped_first:
        assert ship(store)
    store.catalogue.save(ORGANIZATION, [SiteRecord(SITE, "shop", 4)])
    assert store.metrics.buckets(LEVEL) == before
    assert ship(store) == 0 if is_shipped_first else ship(store)
    assert store.metrics.buckets(LEVEL) == before


def test_a_zone_that_left_keeps_the_quarters_of_what_was_folded_before(
    in_a_file: Opened, archive: str
) -> None:
    store = filled(told_of_cafe(in_a_file(archive=archive, clock=lambda: NOW)))
    by_day = replace(LEVEL, granularity=Granularity.DAY)
    assert store.retention.fold(4)
    before = store.metrics.buckets(by_day)
    store.catalogue.save(ORGANIZATION, [without_cafe()])
    assert ship(store)
    store.catalogue.save(ORGANIZATION, [SiteRecord(SITE, "shop", 4)])
    assert store.metrics.buckets(by_day) == before


def test_what_was_set_by_hand_of_an_archived_day_is_not_made_again_here_for_the_day_before(
    store: Store,
) -> None:
    night, morning = (OLD.replace(hour=hour) + timedelta(days=1) for hour in (1, 3))
    store.metrics.append([count(night, 1)], WriteMode.SET)
    level = ZoneLevel(SITE.id, "hall", minute_number(morning), 9)
    store.levels.correct(level, "we counted", Author("Desk", "key"), morning)
    ship(store)
    # The night is of the day that returns, and of the date of the one that does not.
    store.metrics.append([count(OLD, 7)], WriteMode.ADD)
    assert take(store)
    assert rows(store, "zone_minutes", until=morning) > 0
    assert rows(store, "zone_minutes") == rows(store, "zone_minutes", until=morning)
    assert ship(store)
    assert rows(store, "zone_minutes") == rows(store, "zone_quarters") == 0


def test_a_store_that_was_restored_from_before_outdoes_what_was_brought_since(
    in_a_file: Opened, archive: str, tmp_path: Path
) -> None:
    older = filled(in_a_file(archive=archive, clock=lambda: NOW))
    with opener("sqlite", tmp_path / "lost") as lost:
        store = filled(lost(archive=archive, clock=lambda: NOW))
        for _ in range(4):
            ship(store)
            store.metrics.append([count(OLD, 9)], WriteMode.ADD)
            take(store)
        ship(store)
    ship(older)
    ship(older)
    assert rows(older) == 0
    assert older.archiving.trouble() is None
    assert entrances(older)["06-03"] == 3


NAMES: Sequence[str] = ("it's", 'a "shop"', "100%s %(site)s", "back\\slash\\", "Zürich 雪", "`{x:String}`")


def test_sites_of_any_name_find_their_own_days(in_a_file: Opened, archive: str) -> None:
    store = in_a_file(archive=archive.rsplit("/", 1)[0] + "/odd%25 %60na'me", clock=lambda: NOW)
    for number, name in enumerate(NAMES):
        door = Passage(id=f"door {name}", name="", to_zone_id="hall")
        site = SITE.model_copy(update={"id": name, "passages": (door,)})
        store.catalogue.save(ORGANIZATION, [SiteRecord(site, "shop", 4)])
        told = [count(OLD, number + 1, door.id), count(NEW, 1, door.id)]
        store.metrics.append(told, WriteMode.SET)
    assert ship(store) == len(NAMES)
    found = [entrances(store, site_id=name, end=EDGE) for name in NAMES]
    assert found == [{"06-03": number + 1} for number in range(len(NAMES))]


def test_without_the_url_of_its_archive_a_store_says_what_to_set_and_counts_on(
    opened: Opened, archive: str
) -> None:
    ship(filled(opened(archive=archive, clock=lambda: NOW)))
    store = opened(clock=lambda: NOW)
    with pytest.raises(ArchiveAwayError, match="HEADROOM_SERVICE_ARCHIVE") as refused:
        store.metrics.buckets(query())
    assert refused.value.held_from == EDGE
    assert entrances(store, start=EDGE)
    store.metrics.append([count(OLD, 7), count(NEW, 2)], WriteMode.ADD)
    assert store.archiving.late_minutes() == 1
    assert not store.archiving.is_set
    assert ship(store) == take(store) == 0


def test_checks_and_repairs_leave_archived_days_alone(store: Store) -> None:
    before = store.metrics.buckets(query())
    ship(store)
    assert not any(checked.differences for checked in store.metrics.check())
    store.metrics.repair(SITE.id)
    assert store.metrics.buckets(query()) == before


def test_another_reset_hour_leaves_archived_days_as_they_were(store: Store) -> None:
    ship(store)
    before = store.metrics.buckets(query(end=EDGE, granularity=Granularity.HOUR))
    store.catalogue.save(ORGANIZATION, [SiteRecord(SITE, "shop", 2)])
    assert store.metrics.buckets(query(end=EDGE, granularity=Granularity.HOUR)) == before
    store.metrics.append([count(OLD, 7)], WriteMode.ADD)
    assert take(store)
    assert ship(store)
    assert entrances(store)["06-03"] == 10
    assert store.archiving.trouble() is None


def test_where_the_archive_ended_at_another_reset_a_late_count_before_it_changes_nothing_after_it(
    in_a_file: Opened, archive: str
) -> None:
    store = filled(in_a_file(archive=archive, clock=lambda: NOW))
    store.metrics.append([count(EDGE + timedelta(hours=1), 1)], WriteMode.ADD)
    ship(store)
    store.catalogue.save(ORGANIZATION, [SiteRecord(SITE, "shop", 10)])
    after = query(start=EDGE, granularity=Granularity.MINUTE)
    before = store.metrics.buckets(after)
    store.metrics.append([count(EDGE - timedelta(hours=4), 7)], WriteMode.ADD)
    assert take(store)
    assert not any(checked.differences for checked in store.metrics.check())
    assert store.metrics.buckets(after) == before


def test_folded_minutes_are_archived_as_quarters(in_a_file: Opened, archive: str, tmp_path: Path) -> None:
    store = filled(in_a_file(archive=archive, clock=lambda: NOW))
    with opener("sqlite", tmp_path / "plain") as plain:
        twin = filled(plain(clock=lambda: NOW))
        for one in (store, twin):
            assert one.retention.fold(4)
        assert ship(store)
        for zones, granularity in ((), Granularity.HOUR), (("hall", "cafe"), Granularity.DAY):
            asked = query(zone_ids=zones, granularity=granularity)
            assert store.metrics.buckets(asked) == twin.metrics.buckets(asked)
        with pytest.raises(FoldedCountsError):
            store.metrics.append([count(OLD, 1)], WriteMode.ADD)


def between(monkeypatch: pytest.MonkeyPatch, done: Callable[[], object], of: str = "put") -> None:
    """Once, when rows have been read and are about to be brought; or to be read there (`rows`)."""
    method = getattr(ClickHouseArchive, of)

    def interrupted(self: ClickHouseArchive, *told: object, **more: object) -> object:
        monkeypatch.setattr(ClickHouseArchive, of, method)
        done()
        return method(self, *told, **more)

    monkeypatch.setattr(ClickHouseArchive, of, interrupted)


def test_nothing_is_folded_while_late_counts_of_before_wait(in_a_file: Opened, archive: str) -> None:
    store = filled(in_a_file(archive=archive, clock=lambda: NOW))
    ship(store)
    store.metrics.append([count(OLD, 7)], WriteMode.ADD)
    assert not store.retention.fold(4)
    assert take(store) == 1
    assert store.retention.fold(4)
    assert entrances(store)["06-03"] == 10


def test_what_a_slow_copy_brings_after_another_has_ended_is_read_by_nobody(
    in_a_file: Opened, archive: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = filled(in_a_file(archive=archive, clock=lambda: NOW))
    another = in_a_file(archive=archive, clock=lambda: NOW)
    bare = SiteRecord(SITE.model_copy(update={"passages": ()}), "shop", 4)

    def changed_and_shipped() -> None:
        another.catalogue.save(ORGANIZATION, [bare])
        assert ship(another)

    between(monkeypatch, changed_and_shipped)
    ship(store)
    assert entrances(store) == entrances(another) == {}


def test_what_was_set_by_hand_before_the_first_count_of_a_day_is_there_when_the_day_returns(
    store: Store,
) -> None:
    morning = OLD - timedelta(hours=1)
    by_hand = ZoneLevel(SITE.id, "hall", minute_number(morning), 7)
    store.levels.correct(by_hand, "we counted", Author("Desk", "key"), morning)
    asked = query(zone_ids=("hall",), metrics=(MetricKey.VISITORS_INSIDE,), granularity=Granularity.MINUTE)
    before = store.metrics.buckets(asked)
    assert before[0].values == {MetricKey.VISITORS_INSIDE: 7}
    assert ship(store)
    store.metrics.append([count(OLD, 0)], WriteMode.ADD)
    assert take(store)
    assert store.metrics.buckets(asked) == before
