from __future__ import annotations

import gzip
from collections.abc import Iterator
from contextlib import contextmanager
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, inspect, update

from service.open_store import open_store
from service.store import migrations
from service.store.archive_tables import (
    FORMER_RESETS,
    LAST_PASSAGE_MINUTES,
    LAST_ZONE_MINUTES,
    VOID_SHIPMENTS,
)
from service.store.errors import StoreVersionError
from service.store.migrations import noted_version
from service.store.protocol import Store, WriteMode
from service.store.schema import ALEMBIC_VERSION, METADATA, VERSION
from service.store.sqlite.store_file import FILE_NAME, sqlite_url
from tests.database_of import database_of
from tests.every_store import URL_IN, Opened
from tests.running_service import ROOT

KEPT = sorted((ROOT / "tests" / "service" / "store" / "sqlite" / "formats").glob("format-*.sqlite.gz"))
OF_FORMAT_5 = (VOID_SHIPMENTS, FORMER_RESETS, LAST_PASSAGE_MINUTES, LAST_ZONE_MINUTES)


def shape_of(connection: Connection) -> dict[str, Any]:
    """Of each table its columns, keys and indexes, in no order."""
    found = inspect(connection)
    return {
        table: (
            {
                column["name"]: (str(column["type"]), column["nullable"])
                for column in found.get_columns(table)
            },
            found.get_pk_constraint(table)["constrained_columns"],
            {tuple(key["constrained_columns"]) for key in found.get_foreign_keys(table)},
            {tuple(unique["column_names"]) for unique in found.get_unique_constraints(table)},
            {(index["name"], tuple(index["column_names"])) for index in found.get_indexes(table)},
        )
        for table in found.get_table_names()
    }


@contextmanager
def opened_at(url: str) -> Iterator[Store]:
    store = open_store(url)
    try:
        yield store
    finally:
        store.close()


def test_a_new_store_has_the_tables_that_the_statements_ask(opened: Opened) -> None:
    with database_of(opened()).reading() as connection:
        # Those of months are PostgreSQL's business.
        named = {"include_name": lambda name, kind, _: kind != "table" or not fnmatch(name, "*_????_??")}
        context = MigrationContext.configure(connection, opts=named)
        assert compare_metadata(context, METADATA) == []
        assert noted_version(connection) == VERSION


@pytest.mark.parametrize("kept", KEPT, ids=lambda file: file.name.partition(".")[0])
def test_an_older_file_gets_the_tables_that_a_new_one_has(kept: Path, tmp_path: Path) -> None:
    older = tmp_path / "older"
    older.mkdir()
    (older / FILE_NAME).write_bytes(gzip.decompress(kept.read_bytes()))
    shapes = []
    for folder in (older, tmp_path / "new"):
        with opened_at(sqlite_url(folder)) as store, database_of(store).reading() as connection:
            shapes.append(shape_of(connection))
            assert noted_version(connection) == VERSION
    assert shapes[0] == shapes[1]


def test_a_database_of_the_format_before_gets_the_tables_that_a_new_one_has(tmp_path: Path) -> None:
    url, shapes = URL_IN["postgresql"](tmp_path), []
    for _ in range(2):
        with opened_at(url) as store, database_of(store).writing() as connection:
            shapes.append(shape_of(connection))
            for table in OF_FORMAT_5:
                table.drop(connection)
            connection.execute(update(ALEMBIC_VERSION).values(version_num="4"))
    assert shapes[0] == shapes[1]


def test_there_is_a_step_for_each_format() -> None:
    steps = ScriptDirectory(str(Path(migrations.__file__).parent)).walk_revisions()
    assert [step.revision for step in steps] == [str(version) for version in range(VERSION, 0, -1)]


def test_a_database_of_a_later_version_is_refused(tmp_path: Path) -> None:
    url = URL_IN["postgresql"](tmp_path)
    with opened_at(url) as store, database_of(store).writing() as connection:
        connection.execute(update(ALEMBIC_VERSION).values(version_num=str(VERSION + 1)))
    with pytest.raises(StoreVersionError, match="Update the service"), opened_at(url):
        pass


def test_whoever_has_a_database_open_that_a_later_version_took_over_stores_nothing_more(
    tmp_path: Path,
) -> None:
    """What that keeps elsewhere this one does not know: it would acknowledge what nobody reads."""
    url = URL_IN["postgresql"](tmp_path)
    with opened_at(url) as store:
        with database_of(store).writing() as connection:
            connection.execute(update(ALEMBIC_VERSION).values(version_num=str(VERSION + 1)))
        with pytest.raises(StoreVersionError, match=f"format {VERSION + 1}"):
            store.metrics.append([], WriteMode.ADD)
        assert isinstance(store.trouble(), StoreVersionError)
