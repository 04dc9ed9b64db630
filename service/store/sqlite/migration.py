"""Which tables a file of a version has, and which version it is of."""

from __future__ import annotations

import sqlite3
from typing import Final

from service.store.archive_tables import METADATA
from service.store.schema import ALEMBIC_VERSION

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
    **dict.fromkeys(("archived_sites", "returned_days", "late_counts"), 4),
    **dict.fromkeys(("void_shipments", "former_resets", "last_passage_minutes", "last_zone_minutes"), 5),
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
    # By which steps a file came about is noted in those that were made, or upgraded, since.
    return {name for name in METADATA.tables if _SINCE.get(name, 1) <= version} - {ALEMBIC_VERSION.name}
