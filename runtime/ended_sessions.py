"""Sessions that were logged out, told to all dashboards that share what is kept: a copy of their cookies
opens nothing at any of them, also after a restart.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Final

from sqlalchemy import Column, Float, MetaData, Table, delete, select

from keeping import Place, tables_at
from keeping.columns import WORDS, put_all

FILE_NAME: Final = "sessions.sqlite"
FORMAT: Final = 1
TABLES: Final = MetaData()
_ENDED: Final = Table(
    "ended_sessions",
    TABLES,
    # Digest of what was signed of its cookies
    Column("session", WORDS, primary_key=True),
    # Unix time at which it would have been over
    Column("until", Float, nullable=False),
)


class EndedSessionsError(RuntimeError):
    """They cannot be told or learned; the message says why."""


class EndedSessions:
    """Safe to share between threads. Every method raises EndedSessionsError."""

    def __init__(self, place: Place) -> None:
        self._tables = tables_at(
            place, FILE_NAME, TABLES, FORMAT, what="Which sessions are over", raised=EndedSessionsError
        )

    def tell(self, ended: Mapping[str, float]) -> None:
        """By digest, until when (Unix time) they would have lasted."""
        rows = [{"session": session, "until": until} for session, until in ended.items()]
        with self._tables.writing() as connection:
            connection.execute(delete(_ENDED).where(_ENDED.c.until < time.time()))
            put_all(connection, _ENDED, ("session",), rows)

    def all(self) -> dict[str, float]:
        """Of all dashboards, likewise."""
        with self._tables.reading() as connection:
            if connection is None:
                return {}
            rows = connection.execute(select(_ENDED.c.session, _ENDED.c.until))
            return {session: until for session, until in rows if until > time.time()}
