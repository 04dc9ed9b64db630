"""What is kept, moved from one place to another: a few rows at a time, in one transaction, and compared; or
from one owner to another.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b
from typing import Any, Final, NamedTuple

from sqlalchemy import (
    Connection,
    Float,
    Integer,
    MetaData,
    Table,
    exists,
    func,
    insert,
    literal,
    select,
    tuple_,
    update,
)

from keeping.place import Tables
from keeping.postgresql import IN_PLACE_OF_NUL

_AT_ONCE: Final = 20
"""Rows: one that is a picture has five million characters."""


class MoveError(RuntimeError):
    """Nothing of this kind was moved; the message says why."""


class Moved(NamedTuple):
    """Of one table."""

    table: str
    rows: int
    """That are there now, as they were."""
    damaged: int
    """That somebody has put something into that is none of its column; they are left where they were."""


def move(source: Tables, target: Tables, tables: MetaData) -> list[Moved]:
    """All or nothing. What is there already is not moved again; other rows there are a MoveError.

    `source` is left as it is. Nobody else may use either meanwhile.
    """
    with source.reading() as found:
        if found is None:
            return []
        with target.writing() as written:
            moved = [_move(found, written, table) for table in tables.sorted_tables]
        with target.reading() as kept:
            for table in tables.sorted_tables:
                if kept is None or _digest(kept, table) != _digest(found, table):
                    raise MoveError(f"{table.name}: what is there now is not what was moved.")
    return moved


def hand_over(tables: Tables, of: MetaData, owner: str, old: str, new: str) -> tuple[int, int]:
    """Rows of which the column `owner`, a part of the key, is `old` are of `new` then, in one transaction.

    How many are; and how many are not, as there is one in their place.
    """
    with tables.reading() as found:
        if found is None:
            return 0, 0
    moved = left = 0
    with tables.writing() as connection:
        for table in of.sorted_tables:
            beside = table.alias()
            keys = [column.name for column in table.primary_key if column.name != owner]
            is_there = exists(literal(1)).where(
                beside.c[owner] == new, *(beside.c[name] == table.c[name] for name in keys)
            )
            own = table.c[owner] == old
            changed = connection.execute(update(table).where(own, ~is_there).values({owner: new}))
            moved += changed.rowcount
            left += connection.execute(select(func.count()).select_from(table).where(own)).scalar_one()
    return moved, left


def _move(found: Connection, written: Connection, table: Table) -> Moved:
    rows, damaged = 0, 0
    is_empty = not written.execute(select(func.count()).select_from(table)).scalar_one()
    if not is_empty and _digest(written, table) != _digest(found, table):
        raise MoveError(
            f"{table.name}: there are other rows already. Move into a place where nothing is kept yet."
        )
    for row in _rows(found, table):
        if row is None:
            damaged += 1
            continue
        rows += 1
        if is_empty:
            written.execute(insert(table).values(row))
    return Moved(table.name, rows, damaged)


def _digest(connection: Connection, table: Table) -> tuple[int, str]:
    digest, rows = blake2b(), 0
    for row in _rows(connection, table):
        if row is not None:
            rows += 1
            digest.update(repr(list(row.values())).encode("utf-8", "backslashreplace"))
    return rows, digest.hexdigest()


def _rows(connection: Connection, table: Table) -> Iterator[dict[str, Any] | None]:
    """In the order of their keys; None: one that is damaged."""
    key = list(table.primary_key.columns)
    last: tuple[Any, ...] | None = None
    while True:
        wanted = select(table).order_by(*key).limit(_AT_ONCE)
        if last is not None:
            wanted = wanted.where(tuple_(*key) > tuple_(*last))
        rows = connection.execute(wanted).mappings().all()
        for row in rows:
            yield _clean(table, {column.name: row[column] for column in table.columns})
        if len(rows) < _AT_ONCE:
            return
        last = tuple(rows[-1][column] for column in key)


def _clean(table: Table, row: dict[str, Any]) -> dict[str, Any] | None:
    """SQLite keeps anything in any column, if somebody has put it there."""
    for column in table.columns:
        value = row[column.name]
        if value is None:
            continue
        if isinstance(column.type, Integer | Float):
            if not isinstance(value, int | float):
                return None
        else:
            text = value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
            row[column.name] = text.replace("\0", IN_PLACE_OF_NUL)
    return row
