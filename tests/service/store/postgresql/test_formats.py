"""Databases that earlier versions of the service made: a small site whose entrance counts an hour, as in the
files of `tests/service/store/sqlite/test_formats.py`, and of whose café a level is told at half past ten.

Each is what `pg_dump --inserts --no-owner --no-privileges` wrote of the schema `kept`, without its comments.
"""

from __future__ import annotations

import gzip
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import pytest

from contract import MetricKey
from service.open_store import open_store
from service.store.level_protocol import ZoneLevel
from service.store.migrations import noted_version
from service.store.protocol import KeyScope, PassageCount, WriteMode
from service.store.schema import VERSION
from tests.database_of import database_of
from tests.running_postgresql import postgresql_url, running_postgresql, schema_of
from tests.running_service import ROOT
from tests.service.store.sqlite.test_formats import sums
from tests.service.store.test_migrations import shape_of
from tests.small_site import SITE

FOLDER: Final = ROOT / "tests" / "service" / "store" / "postgresql" / "formats"
KEPT: Final = sorted(FOLDER.glob("format-*.sql.gz"))
FIRST: Final = 4
"""Earlier ones were never in PostgreSQL."""
MINUTE: Final = int(datetime(2025, 3, 3, 9, tzinfo=UTC).timestamp()) // 60


@pytest.fixture(params=KEPT, ids=lambda file: file.name.partition(".")[0])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Of what is kept, as it was."""
    url = postgresql_url(tmp_path)
    schema, server = schema_of(url), running_postgresql()
    server.run(f"DROP SCHEMA {schema}")
    server.run(gzip.decompress(request.param.read_bytes()).decode().replace("kept", schema))
    return url


def test_each_earlier_format_is_kept() -> None:
    assert [file.name for file in KEPT] == [f"format-{old}.sql.gz" for old in range(FIRST, VERSION)]


def test_an_older_database_is_brought_up_to_date_with_all_that_is_in_it(url: str, tmp_path: Path) -> None:
    with closing(open_store(url)) as store:
        assert sums(store) == (60, 30)
        newest = store.metrics.newest(SITE.id, zone_ids=("cafe",), metrics=[MetricKey.VISITORS_INSIDE])
        assert newest
        assert newest.values == {MetricKey.VISITORS_INSIDE: 7}
        assert all(not site.differences for site in store.metrics.check())
        assert [key.scope for key in store.keys.list_keys()] == [KeyScope.READ, KeyScope.INGEST]
        again = [PassageCount("entrance", MINUTE, 0, 0)]
        assert not store.metrics.append(again, WriteMode.ADD, idempotency=("corner once", "digest"))
        store.metrics.append([PassageCount("entrance", MINUTE, 5, 0)], WriteMode.ADD)
        assert store.levels.append([ZoneLevel(SITE.id, "shop", MINUTE + 90, 17)], organization_id="corner")
        assert sums(store) == (65, 30)
        assert all(not site.differences for site in store.metrics.check())
        with database_of(store).reading() as connection:
            assert noted_version(connection) == VERSION
            older = shape_of(connection)
    (tmp_path / "new").mkdir()
    with (
        closing(open_store(postgresql_url(tmp_path / "new"))) as store,
        database_of(store).reading() as connection,
    ):
        new = shape_of(connection)
    # Each has the months that its counts wanted.
    assert {table: older[table] for table in new if table in older} == {
        table: new[table] for table in new if table in older
    }
    assert {table for table in new if not table[-4:].startswith("20")} <= older.keys()
