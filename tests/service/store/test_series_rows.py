"""Rows by the thousand, on each engine."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import numpy as np
import psycopg
import pytest
from sqlalchemy import Connection, Table, select

from service.open_store import open_store
from service.store.errors import StoreFullError
from service.store.protocol import Numbers, WriteMode
from service.store.schema import PASSAGE_MINUTES, ZONE_QUARTERS
from service.store.series_rows import COPIED_FROM, write_rows
from tests.database_of import database_of
from tests.every_store import Opened
from tests.running_postgresql import postgresql_url, running_postgresql

MANY = COPIED_FROM + 200
LARGE = 2**62
"""As a sum may become."""


def rows_of(table: Table, first: int, value: int) -> Numbers:
    """Of two series, in no order."""
    minutes = np.arange(first, first + MANY)
    columns = [minutes % 2, minutes, *([minutes * 0 + value] * (len(table.c) - 2))]
    found: Numbers = np.column_stack(columns).astype(np.int64)[::-1]
    return found


def stored(connection: Connection, table: Table) -> dict[tuple[int, ...], tuple[int, ...]]:
    return {tuple(row[:2]): tuple(row[2:]) for row in connection.execute(select(table))}


@pytest.mark.parametrize("mode", WriteMode)
def test_many_rows_are_stored_as_few_are_whatever_is_there(opened: Opened, mode: WriteMode) -> None:
    with database_of(opened()).writing() as connection:
        write_rows(connection, PASSAGE_MINUTES, rows_of(PASSAGE_MINUTES, 0, LARGE // 2), mode)
        write_rows(connection, PASSAGE_MINUTES, rows_of(PASSAGE_MINUTES, MANY // 2, 1), mode)
        both = {WriteMode.ADD: LARGE // 2 + 1, WriteMode.SET: 1, WriteMode.FILL: LARGE // 2}[mode]
        found = stored(connection, PASSAGE_MINUTES)
    wanted = {
        minute: LARGE // 2 if minute < MANY // 2 else both if minute < MANY else 1
        for minute in range(MANY + MANY // 2)
    }
    assert found == {(minute % 2, minute): (value, value) for minute, value in wanted.items()}


def test_columns_of_every_width_hold_what_they_were_given(opened: Opened) -> None:
    rows = rows_of(ZONE_QUARTERS, 29_000_000, 15)
    rows[:, 3:-1] = np.arange(rows.size - 4 * MANY).reshape(MANY, -1) + LARGE
    with database_of(opened()).writing() as connection:
        write_rows(connection, ZONE_QUARTERS, rows, WriteMode.SET)
        assert stored(connection, ZONE_QUARTERS) == {tuple(row[:2]): tuple(row[2:]) for row in rows.tolist()}


def test_thousands_of_new_rows_are_copied_and_few_are_not(tmp_path: Path) -> None:
    rows = rows_of(PASSAGE_MINUTES, 0, 1)
    with closing(open_store(postgresql_url(tmp_path))) as store, database_of(store).writing() as writing:
        write_rows(writing, PASSAGE_MINUTES, rows, WriteMode.SET)
        assert asked_last(writing).startswith("COPY passage_minutes ")
        write_rows(writing, PASSAGE_MINUTES, rows[:1], WriteMode.SET)
        assert asked_last(writing).startswith("INSERT INTO passage_minutes ")


def asked_last(connection: Connection) -> str:
    """As the server tells it to others."""
    driver = connection.connection.driver_connection
    assert isinstance(driver, psycopg.Connection)
    with psycopg.connect(running_postgresql().address) as other:
        asked = "SELECT query FROM pg_stat_activity WHERE pid = %s"
        [(found,)] = other.execute(asked, [driver.info.backend_pid]).fetchall()
        return str(found)


def test_a_number_that_does_not_fit_is_refused_and_never_cut(tmp_path: Path) -> None:
    rows = rows_of(PASSAGE_MINUTES, 0, 1)
    rows[0, 0] = 2**31
    with closing(open_store(postgresql_url(tmp_path))) as store:
        for some in (rows, rows[:1]):
            with pytest.raises(StoreFullError, match="no numbers"), database_of(store).writing() as writing:
                write_rows(writing, PASSAGE_MINUTES, some, WriteMode.SET)
