"""Which tables a file of a version has, and how an older file gets those of this one."""

from __future__ import annotations

import sqlite3
from typing import Final

from sqlalchemy import Connection, Table, inspect
from sqlalchemy.schema import CreateColumn

from service.store.schema import METADATA, VERSION

_SINCE: Final = {
    **dict.fromkeys(
        (
            *("sensors", "sensor_lines", "sensor_reports", "waiting_reports", "spread_minutes"),
            "mappings",
            *("audit_log", "zone_levels", "corrections"),
            *("staged_counts", "count_imports", "folded_sites"),
        ),
        2,
    ),
    "believed_time": 3,
}
"""Version from which on there is a table, where that is not the first."""


def version_of(connection: sqlite3.Connection) -> int:
    """Format version of the file's tables; 0 before they are made."""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    return int(version)


def tables_in(connection: sqlite3.Connection) -> set[str]:
    return {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}


def tables_of(version: int) -> set[str]:
    """Names of those that a file of this version has; none before they are made."""
    return {name for name in METADATA.tables if _SINCE.get(name, 1) <= version}


def migrate(connection: Connection) -> None:
    """Bring a file of an earlier version to `VERSION`, in a transaction that the caller ends.

    Version 2 has tables of counters, mappings, levels, corrections, the audit log, imports and folded
    minutes, which 1 has not, and columns of keys and of what was told in the derived tables. Version 3 has
    the believed time, and which lines of counters are ignored.
    """
    METADATA.create_all(connection)
    for table in METADATA.sorted_tables:
        _add_columns(connection, table)
    connection.exec_driver_sql(f"PRAGMA user_version = {VERSION}")


def _add_columns(connection: Connection, table: Table) -> None:
    """Those that the file's table lacks; each may be null, as it is in every row that is there."""
    there = {column["name"] for column in inspect(connection).get_columns(table.name)}
    for column in table.columns:
        if column.name not in there:
            written = CreateColumn(column).compile(dialect=connection.dialect)
            connection.exec_driver_sql(f"ALTER TABLE {table.name} ADD COLUMN {written}")
