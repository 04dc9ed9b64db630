"""Schemas that tests use one after the other, and copies of stores that are filled once."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import psycopg
import pytest
from psycopg.sql import SQL, Identifier

from service.open_store import open_store
from tests import lent_schema
from tests.database_of import database_of
from tests.every_store import LENT, URL_IN, opener
from tests.running_postgresql import postgresql_url, running_postgresql, schema_of
from tests.service.store.test_moving import fill, told_of


@pytest.fixture(autouse=True)
def none_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lent_schema, "_free", [])


def kept_in(url: str) -> dict[str, list[object]]:
    """Rows by table, and after which number each sequence goes on."""
    schema = schema_of(url)
    with psycopg.connect(running_postgresql().address) as connection:
        listed = "SELECT tablename FROM pg_tables WHERE schemaname = %s"
        tables = [name for (name,) in connection.execute(listed, [schema])]
        of_table = SQL("SELECT * FROM {}")
        rows = {
            name: list[object](connection.execute(of_table.format(Identifier(schema, name))))
            for name in tables
        }
        numbers = "SELECT sequencename, last_value FROM pg_sequences WHERE schemaname = %s ORDER BY 1"
        return rows | {"": list[object](connection.execute(numbers, [schema]))}


def test_what_was_lent_before_is_as_a_new_store(tmp_path: Path) -> None:
    new = postgresql_url(tmp_path / "new")
    open_store(new).close()
    with lent_schema.lent_schema(tmp_path / "first") as url, closing(open_store(url)) as store:
        fill(store)
    with lent_schema.lent_schema(tmp_path / "second") as again:
        assert again == url
        assert kept_in(again) == kept_in(new)


@pytest.mark.parametrize(
    "changed",
    [
        "ALTER TABLE zones ADD COLUMN more TEXT",
        "DROP TABLE spread_minutes",
        "UPDATE alembic_version SET version_num = 9",
    ],
)
def test_one_whose_tables_were_changed_is_not_lent_again(tmp_path: Path, changed: str) -> None:
    with (
        lent_schema.lent_schema(tmp_path / "first") as url,
        closing(open_store(url)) as store,
        database_of(store).writing() as connection,
    ):
        connection.exec_driver_sql(changed)
    with lent_schema.lent_schema(tmp_path / "second") as another:
        assert another != url


def test_nor_is_one_in_which_something_is_at_work(tmp_path: Path) -> None:
    with psycopg.connect(running_postgresql().address) as killed:
        with lent_schema.lent_schema(tmp_path / "first") as url:
            killed.execute("SELECT 1")
        with lent_schema.lent_schema(tmp_path / "second") as another:
            assert another != url


@pytest.mark.parametrize("kind", URL_IN)
def test_a_copy_answers_as_the_store_that_was_filled_and_goes_on(kind: str, tmp_path: Path) -> None:
    for name in ("original", "copy"):
        (tmp_path / name).mkdir()
    with LENT[kind](tmp_path / "original") as original:
        with closing(open_store(original)) as store:
            fill(store)
            told = told_of(store)
        with opener(kind, tmp_path / "copy", original) as opened:
            assert told_of(opened()) == told
            fill(opened())
