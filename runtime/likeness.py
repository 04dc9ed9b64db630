"""Whether dashboards that share a database are set up alike: what one signs the others must take, and who may
log in at one may at all. None tells a secret: each tells a digest of what it has.
"""

from __future__ import annotations

import json
import os
import secrets
import socket
from collections.abc import Callable, Mapping
from hashlib import blake2b
from typing import Final

import structlog
from sqlalchemy import Column, Float, MetaData, Table, delete, select

from keeping import Place, Tables, tables_at
from keeping.columns import WORDS, present, put

_NAME: Final = "likeness"
_FORMAT: Final = 1
COUNTED: Final = 30.0
"""Seconds after which a dashboard that told nothing is there no more."""
TABLES: Final = MetaData()
_SET_UP: Final = Table(
    "set_up",
    TABLES,
    Column("dashboard", WORDS, primary_key=True),
    # Unix time, by the clock of the database
    Column("seen_at", Float, nullable=False),
    # Where it runs
    Column("name", WORDS, nullable=False),
    # JSON: a digest of each thing that is to be alike, by its name
    Column("marks", WORDS, nullable=False),
)
_log = structlog.get_logger("runtime.likeness")


class LikenessError(RuntimeError):
    """It cannot be told or learned; the message says why."""


class Likeness:
    """`marks` gives digests, by the names of what is to be alike; `compare` may be called in any thread."""

    def __init__(self, place: Place, marks: Callable[[], Mapping[str, str]]) -> None:
        self._tables = _tables_at(place)
        self._marks = marks
        self._own = secrets.token_hex(8)
        self._name = f"{socket.gethostname()}, process {os.getpid()}"
        self.differences: tuple[str, ...] = ()
        """In sentences for whoever runs the dashboards, as it was found the last time."""

    def compare(self) -> None:
        """Tell of this dashboard, and look at the others. Raises LikenessError."""
        own = dict(self._marks())
        with self._tables.writing() as connection:
            now = present(connection).timestamp()
            values = {"seen_at": now, "name": self._name, "marks": json.dumps(own)}
            put(connection, _SET_UP, {"dashboard": self._own}, values)
            connection.execute(delete(_SET_UP).where(_SET_UP.c.seen_at < now - COUNTED))
            beside = select(_SET_UP.c.name, _SET_UP.c.marks).where(_SET_UP.c.dashboard != self._own)
            others = {name: _read(marks) for name, marks in connection.execute(beside)}
        found = tuple(
            f"The dashboard at {name} has another {what} than this one, at {self._name}:"
            " give both the same, and start again the one that was changed."
            for name, marks in sorted(others.items())
            for what, mark in own.items()
            if marks.get(what, mark) != mark
        )
        if found != self.differences:
            for difference in found:
                _log.error("dashboards are not set up alike", reason=difference)
            if not found:
                _log.info("dashboards are set up alike")
        self.differences = found

    def withdraw(self) -> None:
        """This dashboard ends. Raises LikenessError."""
        with self._tables.writing() as connection:
            connection.execute(delete(_SET_UP).where(_SET_UP.c.dashboard == self._own))


def running_dashboards(place: Place) -> list[str]:
    """Where those run that told lately that they share what is kept there. Raises LikenessError."""
    with _tables_at(place).reading() as connection:
        if connection is None:
            return []
        since = present(connection).timestamp() - COUNTED
        found = connection.execute(select(_SET_UP.c.name).where(_SET_UP.c.seen_at >= since))
        return sorted(str(name) for (name,) in found)


def _tables_at(place: Place) -> Tables:
    return tables_at(place, _NAME, TABLES, _FORMAT, what="How dashboards are set up", raised=LikenessError)


def mark_of(content: str) -> str:
    """A digest that tells it from another, and nothing of what it is to whoever cannot guess it."""
    return blake2b(content.encode("utf-8", "replace"), key=b"headroom likeness", digest_size=16).hexdigest()


def _read(marks: str) -> Mapping[str, str]:
    try:
        found = json.loads(marks)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
