"""The 15-minute rollup: counts, sums, minima and maxima of minute rows, made again where minutes changed."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Table, func, select
from sqlalchemy.dialects.sqlite import insert

from service.store.schema import PASSAGE_MINUTES, PASSAGE_QUARTERS, ZONE_MINUTES, ZONE_QUARTERS

QUARTER: Final = 15
"""Minutes in a rollup row. Today's UTC offsets are all multiples of it."""


def quarter_floor(minute: int) -> int:
    return minute - minute % QUARTER


def quarter_ceiling(minute: int) -> int:
    return minute + -minute % QUARTER


def roll_up_passages(connection: Connection, numbers: Collection[int], start: int, end: int) -> None:
    """Make the quarters that share a minute with [start, end) again, for these passages."""
    minutes = PASSAGE_MINUTES.c
    columns: dict[str, ColumnElement[Any]] = {
        "minutes": func.count(),
        "forward": func.sum(minutes.forward),
        "backward": func.sum(minutes.backward),
    }
    _roll_up(
        connection, PASSAGE_MINUTES, PASSAGE_QUARTERS, columns, _touched(PASSAGE_MINUTES, numbers, start, end)
    )


def roll_up_zones(connection: Connection, numbers: Collection[int], start: int, end: int) -> None:
    """Make the quarters that share a minute with [start, end) again, for these zones."""
    columns: dict[str, ColumnElement[Any]] = {"minutes": func.count()}
    for name in ("entrances", "exits", "inside"):
        column = ZONE_MINUTES.c[name]
        columns[name] = func.sum(column)
        columns[f"{name}_minimum"] = func.min(column)
        columns[f"{name}_maximum"] = func.max(column)
    _roll_up(connection, ZONE_MINUTES, ZONE_QUARTERS, columns, _touched(ZONE_MINUTES, numbers, start, end))


def _touched(source: Table, numbers: Collection[int], start: int, end: int) -> ColumnElement[bool]:
    within = (source.c.minute >= quarter_floor(start)) & (source.c.minute < quarter_ceiling(end))
    return source.c.number.in_(numbers) & within


def _roll_up(
    connection: Connection,
    source: Table,
    target: Table,
    columns: dict[str, ColumnElement[Any]],
    touched: ColumnElement[bool],
) -> None:
    quarter = source.c.minute - source.c.minute % QUARTER
    rows = (
        select(source.c.number, quarter, *columns.values()).where(touched).group_by(source.c.number, quarter)
    )
    statement = insert(target).from_select(["number", "minute", *columns], rows)
    connection.execute(
        statement.on_conflict_do_update(set_={name: statement.excluded[name] for name in columns})
    )
