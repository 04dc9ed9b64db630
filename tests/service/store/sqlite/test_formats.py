"""Files that earlier versions of the service made: a small site whose entrance counts an hour.

60 minutes from 2025-03-03 09:00 UTC on; in minute m, m % 3 came in and m % 2 went out: 60 and 30.
"""

from __future__ import annotations

import gzip
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final
from zoneinfo import ZoneInfo

import pytest

from contract import Granularity, MetricKey
from service.clock import present
from service.open_store import open_store, store_url
from service.store.audit_protocol import AuditAction, Author
from service.store.key_protocol import KeyUse
from service.store.level_protocol import ZoneLevel
from service.store.protocol import BucketQuery, KeyScope, PassageCount, Store, WriteMode
from service.store.schema import VERSION
from service.store.sqlite.store_file import FILE_NAME
from tests.running_service import ROOT
from tests.small_site import SITE

KEPT: Final = sorted((ROOT / "tests" / "service" / "store" / "sqlite" / "formats").glob("format-*.sqlite.gz"))
NINE: Final = datetime(2025, 3, 3, 9, tzinfo=UTC)


@pytest.fixture(params=KEPT, ids=lambda file: file.name.partition(".")[0])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    (tmp_path / FILE_NAME).write_bytes(gzip.decompress(request.param.read_bytes()))
    return tmp_path


def format_of(file: Path) -> int:
    with closing(sqlite3.connect(file)) as connection:
        (version,) = connection.execute("PRAGMA user_version").fetchone()
    return int(version)


def sums(store: Store) -> tuple[float, float]:
    metrics = (MetricKey.ENTRANCES, MetricKey.EXITS)
    asked = BucketQuery(SITE.id, metrics, NINE, NINE + timedelta(hours=1), Granularity.HOUR, ZoneInfo("UTC"))
    [hour] = store.metrics.buckets(asked)
    return hour.values[MetricKey.ENTRANCES], hour.values[MetricKey.EXITS]


def test_each_earlier_format_is_kept() -> None:
    assert [file.name for file in KEPT] == [f"format-{old}.sqlite.gz" for old in range(1, VERSION)]


def test_an_older_file_is_brought_up_to_date_and_kept_as_it_was(folder: Path) -> None:
    version = format_of(folder / FILE_NAME)
    before = (folder / FILE_NAME).read_bytes()
    with closing(open_store(store_url(folder))) as store:
        assert sums(store) == (60, 30)
        store.metrics.append([PassageCount("entrance", int(NINE.timestamp()) // 60, 5, 0)], WriteMode.ADD)
        assert sums(store) == (65, 30)
        assert store.sensors.lines("corner") == []
        assert all(not site.differences for site in store.metrics.check())
        level = ZoneLevel(SITE.id, "shop", int(NINE.timestamp()) // 60 + 90, 17)
        assert store.levels.append([level], organization_id="corner")
        store.levels.correct(level, "we counted", Author("Desk", "key"), NINE)
        assert all(not site.differences for site in store.metrics.check())
        assert sums(store) == (65, 30)
    assert format_of(folder / FILE_NAME) == VERSION
    [kept] = folder.glob(f"{FILE_NAME}.format-*")
    assert kept.name == f"{FILE_NAME}.format-{version}"
    assert format_of(kept) == version
    with closing(sqlite3.connect(kept)) as copy, closing(sqlite3.connect(":memory:")) as old:
        old.deserialize(before)
        assert "\n".join(copy.iterdump()) == "\n".join(old.iterdump())
    assert kept.stat().st_mode & 0o777 == 0o600


def test_keys_of_an_older_file_open_as_they_did_and_can_do_what_is_new(folder: Path) -> None:
    """They have no end and are for all sites; the log begins with what is changed from then on."""
    with closing(open_store(store_url(folder))) as store:
        assert store.audit.entries("corner", limit=10) == []
        old = store.keys.list_keys()
        assert old
        for key in old:
            assert (key.expires_at, key.site_ids, key.replaced_by, key.last_used) == (None, None, None, None)
        store.keys.note_uses({old[0].id: KeyUse(NINE, "192.0.2.7")})
        end = present().replace(microsecond=0) + timedelta(hours=1)
        made, secret = store.keys.create(
            "corner", "new", KeyScope.READ, expires_at=end, site_ids=["corner-shop"]
        )
        assert store.keys.rotate(old[-1].id, timedelta(hours=1))
    with closing(open_store(store_url(folder))) as store:
        assert store.keys.verify(secret) == made
        found = store.keys.find(old[0].id)
        assert found is not None
        assert found.last_used == KeyUse(NINE, "192.0.2.7")
        assert [entry.change.action for entry in store.audit.entries("corner", limit=10)] == [
            *(AuditAction.KEY_ROTATED, AuditAction.KEY_CREATED, AuditAction.KEY_CREATED),
        ]


def test_an_older_file_gets_the_tables_that_a_new_one_has(folder: Path, tmp_path: Path) -> None:
    def tables(where: Path) -> dict[str, list[tuple[object, ...]]]:
        open_store(store_url(where)).close()
        with closing(sqlite3.connect(where / FILE_NAME)) as connection:
            names = connection.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'index')")
            return {
                name: connection.execute(
                    f"SELECT name, type, \"notnull\", pk FROM pragma_table_xinfo('{name}')"
                ).fetchall()
                for (name,) in names.fetchall()
            }

    assert tables(folder) == tables(tmp_path / "new")


def test_a_file_that_is_up_to_date_is_not_kept_again(folder: Path) -> None:
    for _ in range(2):
        open_store(store_url(folder)).close()
        kept = [file.stat().st_mtime_ns for file in folder.glob(f"{FILE_NAME}.format-*")]
        assert len(kept) == 1


def test_what_killed_upgrades_left_of_a_copy_is_removed(folder: Path) -> None:
    version = format_of(folder / FILE_NAME)
    for ending in ("999999999", "999999999-journal"):
        (folder / f"{FILE_NAME}.format-{version}.unfinished-{ending}").touch()
    open_store(store_url(folder)).close()
    assert [file.name for file in folder.glob(f"{FILE_NAME}.format-*")] == [f"{FILE_NAME}.format-{version}"]
