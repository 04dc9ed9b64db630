"""Who looks at screens that other dashboards serve, as each of them writes it down every few seconds.

One that was killed writes nothing any more, and is not counted soon after. Moments are told by the clock of
the database, so that machines whose clocks differ agree; in a file, which is of one machine, by its own.
"""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from threading import Lock
from typing import Final

from sqlalchemy import Column, Connection, Float, MetaData, Table, delete, select

from keeping import Place, tables_at
from keeping.columns import WORDS, present, put, put_all
from screens.viewers import Viewer

FILE_NAME: Final = "viewers.sqlite"
BEAT: Final = 4.0
"""Seconds after which a dashboard writes down anew who looks."""
_COUNTED: Final = 3.5 * BEAT
"""Seconds after which one that wrote nothing is not counted any more."""
_FORGOTTEN: Final = 600.0
_READ_AGAIN: Final = 2.0
"""Seconds for which what was read of the others stands."""
_CLOCK_SET: Final = timedelta(seconds=1)
"""By which two clocks differ more, or less, when one of them was set."""
_FORMAT: Final = 1

TABLES: Final = MetaData()
_DASHBOARDS: Final = Table(
    "dashboards",
    TABLES,
    Column("id", WORDS, primary_key=True),
    # Unix time
    Column("seen_at", Float, nullable=False),
)
_LOOKING: Final = Table(
    "looking",
    TABLES,
    Column("dashboard", WORDS, primary_key=True),
    Column("screen_id", WORDS, primary_key=True),
    # JSON: of each address, agent and Unix time since when
    Column("viewers", WORDS, nullable=False),
)


class ViewersError(RuntimeError):
    """Viewers at other dashboards are not known; the message says why, for people."""


class SharedViewers:
    """Safe to share between threads. Every method but `others` raises ViewersError."""

    def __init__(self, place: Place) -> None:
        self._tables = tables_at(
            place,
            FILE_NAME,
            TABLES,
            _FORMAT,
            what="Who looks at screens",
            raised=ViewersError,
            is_lasting=False,
        )
        self._own = secrets.token_hex(8)
        self._written: dict[str, str] | None = None
        """By screen id; None: there is nothing of this dashboard."""
        self._ahead = timedelta()
        """By how much the clock of the database is before this machine's."""
        self._lock = Lock()
        self._others: Mapping[str, Sequence[Viewer]] = {}
        self._others_until = 0.0

    def write(self, viewers: Mapping[str, Sequence[Viewer]]) -> None:
        """Those of this dashboard, by screen id. While there are none, nothing is written."""
        if not viewers and self._written is None:
            return
        if not viewers:
            self.withdraw()
            return
        with self._tables.writing() as connection:
            now = present(connection)
            ahead = now - datetime.now(UTC)
            if abs(ahead - self._ahead) > _CLOCK_SET:
                self._ahead = ahead
            looking = {screen_id: _written(own, self._ahead) for screen_id, own in viewers.items()}
            self._change(connection, looking)
            put(connection, _DASHBOARDS, {"id": self._own}, {"seen_at": now.timestamp()})
            _forget(connection, now.timestamp() - _FORGOTTEN)
        self._written = looking

    def _change(self, connection: Connection, looking: Mapping[str, str]) -> None:
        own = select(_DASHBOARDS.c.id).where(_DASHBOARDS.c.id == self._own)
        is_there = connection.execute(own).scalar_one_or_none() is not None
        known = (self._written or {}) if is_there else {}
        left = _LOOKING.c.dashboard == self._own
        if is_there:
            left &= _LOOKING.c.screen_id.in_(known.keys() - looking.keys())
        connection.execute(delete(_LOOKING).where(left))
        rows = [
            {"dashboard": self._own, "screen_id": screen_id, "viewers": text}
            for screen_id, text in looking.items()
            if known.get(screen_id) != text
        ]
        put_all(connection, _LOOKING, ("dashboard", "screen_id"), rows)

    def withdraw(self) -> None:
        """Nobody looks here any more."""
        with self._tables.writing() as connection:
            connection.execute(delete(_LOOKING).where(_LOOKING.c.dashboard == self._own))
            connection.execute(delete(_DASHBOARDS).where(_DASHBOARDS.c.id == self._own))
        self._written = None

    def others(self) -> Mapping[str, Sequence[Viewer]]:
        """Those of all other dashboards, by screen id; none where that cannot be read, which whoever writes
        notices.
        """
        with self._lock:
            if time.monotonic() >= self._others_until:
                try:
                    self._others = self._read()
                except ViewersError:
                    self._others = {}
                self._others_until = time.monotonic() + _READ_AGAIN
            return self._others

    def _read(self) -> Mapping[str, Sequence[Viewer]]:
        found: dict[str, list[Viewer]] = {}
        with self._tables.reading() as connection:
            if connection is None:
                return {}
            now = present(connection)
            ahead, oldest = now - datetime.now(UTC), now.timestamp() - _COUNTED
            beside = (_DASHBOARDS.c.id == _LOOKING.c.dashboard) & (_DASHBOARDS.c.id != self._own)
            rows = select(_LOOKING.c.screen_id, _LOOKING.c.viewers).where(
                beside, _DASHBOARDS.c.seen_at > oldest
            )
            for screen_id, text in connection.execute(rows):
                found.setdefault(screen_id, []).extend(_read_viewers(text, ahead))
        return found


def _forget(connection: Connection, oldest: float) -> None:
    """Dashboards that are no more."""
    gone = select(_DASHBOARDS.c.id).where(_DASHBOARDS.c.seen_at < oldest)
    connection.execute(delete(_LOOKING).where(_LOOKING.c.dashboard.in_(gone)))
    connection.execute(delete(_DASHBOARDS).where(_DASHBOARDS.c.seen_at < oldest))


def _written(viewers: Sequence[Viewer], ahead: timedelta) -> str:
    in_order = sorted(viewers, key=lambda viewer: viewer.since)
    return json.dumps([[one.address, one.agent, (one.since + ahead).timestamp()] for one in in_order])


def _read_viewers(text: str, ahead: timedelta) -> list[Viewer]:
    """None of what somebody else has put there."""
    try:
        return [
            Viewer(str(address), str(agent), datetime.fromtimestamp(since, UTC) - ahead)
            for address, agent, since in json.loads(text)
        ]
    except (TypeError, ValueError, OverflowError, OSError):
        return []
