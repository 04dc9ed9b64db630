"""A store moved from one database to another, table by table: resumed where it was left, and compared.

Rows go in the order of their keys, some thousands in a transaction, so that what is there of a table is its
beginning. Nobody else may store meanwhile, neither here nor there. Until all is compared the target is
marked, and not opened as a store. One with something in it and without a mark may be in use by now: it is
compared, and nothing is written to it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from hashlib import blake2b
from itertools import chain
from typing import Any, Final, NamedTuple

import numpy as np
from sqlalchemy import Connection, Row, Table, func, select, text, tuple_

from service.store.archive_tables import METADATA
from service.store.database import Database
from service.store.errors import StoreMoveError
from service.store.move_mark import is_marked, mark, unmark
from service.store.protocol import WriteMode
from service.store.schema import ALEMBIC_VERSION, ORGANIZATIONS
from service.store.series_rows import write_rows
from service.store.upsert import insert

_ROWS_TOGETHER: Final = 20_000
_OF_SERIES: Final = ["number", "minute"]


class Moved(NamedTuple):
    table: str
    rows: int
    """That it has now, in both."""


def move(
    source: Database, target: Database, progress: Callable[[str, int], None] = lambda *_: None
) -> Iterator[Moved]:
    """Each table once it is there and the same; `progress` hears of table and rows as they come.

    Raises StoreMoveError where the target has, or gets, other rows, and StoreError; called again, it goes on.
    """
    with source.writing() as reading:
        is_whole = _is_whole(reading, target)
        if not is_whole:
            with target.writing() as connection:
                mark(connection)
        for table in METADATA.sorted_tables:
            if table is not ALEMBIC_VERSION:
                if not is_whole:
                    _copy(reading, target, table, progress)
                yield _compared(reading, target, table)
    if not is_whole:
        with target.writing() as connection:
            unmark(connection)


def _is_whole(reading: Connection, target: Database) -> bool:
    """Whether there is something in the target that no move has left behind. Raises StoreMoveError."""
    if is_marked(reading):
        raise StoreMoveError(
            "The first store has a part of the counts alone, as a move into it is not finished: end that, or"
            " name another one."
        )
    with target.reading() as there:
        known, owners = (
            set(connection.execute(select(ORGANIZATIONS.c.id)).scalars()) for connection in (reading, there)
        )
        is_begun = is_marked(there)
    if not known:
        raise StoreMoveError("There is nothing in the first store.")
    if others := sorted(owners - known):
        raise StoreMoveError(
            f"The second store has organizations that the first has not, such as {others[0]!r}: move into an"
            " empty database, or one that a move has begun to fill."
        )
    return bool(owners) and not is_begun


def _copy(reading: Connection, target: Database, table: Table, progress: Callable[[str, int], None]) -> None:
    with target.reading() as there:
        newest = select(*table.primary_key).order_by(*(column.desc() for column in table.primary_key))
        last = there.execute(newest.limit(1)).first()
    moved = 0
    for rows in _pieces(reading, table, last):
        with target.writing() as connection:
            _write(connection, table, rows)
        moved += len(rows)
        progress(table.name, moved)
    with target.writing() as connection:
        _go_on_numbering(connection, table)


def _pieces(
    connection: Connection, table: Table, last: Sequence[Any] | None = None
) -> Iterator[Sequence[Row[Any]]]:
    """The rows after a key, all without one, in the order of their keys."""
    keys = list(table.primary_key)
    ordered = select(table).order_by(*keys).limit(_ROWS_TOGETHER)
    while True:
        after = ordered if last is None else ordered.where(tuple_(*keys) > tuple_(*last))
        rows = connection.execute(after).all()
        if not rows:
            return
        yield rows
        last = [rows[-1]._mapping[key] for key in keys]  # noqa: SLF001 -- SQLAlchemy's public name


def _write(connection: Connection, table: Table, rows: Sequence[Row[Any]]) -> None:
    if table.primary_key.columns.keys() == _OF_SERIES:
        # NumPy would ask every row whether it is an array before it looked inside.
        matrix = np.fromiter(chain.from_iterable(rows), dtype=np.int64).reshape(-1, len(table.c))
        write_rows(connection, table, matrix, WriteMode.FILL)
    else:
        connection.execute(insert(table).on_conflict_do_nothing(), [dict(row._mapping) for row in rows])  # noqa: SLF001


def _go_on_numbering(connection: Connection, table: Table) -> None:
    """SQLite numbers rows after the last by itself; PostgreSQL keeps in mind what it gave."""
    [key, *others] = table.primary_key
    if connection.dialect.name != "postgresql" or others or table.autoincrement_column is not key:
        return
    newest = connection.execute(select(func.max(key))).scalar()
    if newest is not None:
        asked = {"table": table.name, "key": key.name, "newest": newest}
        connection.execute(text("SELECT setval(pg_get_serial_sequence(:table, :key), :newest)"), asked)


def _compared(reading: Connection, target: Database, table: Table) -> Moved:
    with target.reading() as there:
        ours, theirs = _summed(reading, table), _summed(there, table)
    if ours != theirs:
        raise StoreMoveError(
            f"{table.name} is not the same in both: {ours[0]:,} rows in the first store, {theirs[0]:,} in the"
            " second. Nothing is lost: move into an empty database."
        )
    return Moved(table.name, ours[0])


def _summed(connection: Connection, table: Table) -> tuple[int, str]:
    """How many rows, and a digest of them in their order."""
    number, digest = 0, blake2b(digest_size=16)
    for rows in _pieces(connection, table):
        number += len(rows)
        digest.update(repr([tuple(row) for row in rows]).encode())
    return number, digest.hexdigest()
