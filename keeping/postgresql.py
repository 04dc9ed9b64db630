"""A database in PostgreSQL that several dashboards share, on one machine or on many."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Timer
from typing import Any, Final

import psycopg
from psycopg.conninfo import make_conninfo
from psycopg.types.string import StrDumperUnknown
from sqlalchemy import URL, Connection, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from keeping.reach import DatabaseAwayError, Reach, Reached

_SCHEME: Final = "postgresql"
_PATIENCE: Final = 5.0
"""Seconds that whoever asks waits for an answer; a page or a wall waits with them."""
_CONNECTIONS: Final = 5
"""Of one dashboard, at most."""
_USUAL: Final = {
    "connect_timeout": 3,
    "application_name": "headroom dashboard",
    # A firewall that forgets a quiet connection says nothing.
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
}
"""Of a connection, unless the URL says otherwise."""
IN_PLACE_OF_NUL: Final = "\x1a"
"""SUBSTITUTE, which nobody types."""
_GONE: Final = ("08", "28", "3D", "53300", "57P", "25006")
"""SQLSTATEs with which no statement has a chance: there is no connection, or one to a standby alone."""


def told_fault(url: str) -> str:
    """What is amiss with the URL, without what is in it, which may be a password; empty: nothing."""
    try:
        _read(url)
    except ValueError as error:
        return str(error)
    return ""


def _read(url: str) -> URL:
    """Raises ValueError with a sentence's end."""
    if url.partition(":")[0] != _SCHEME:
        raise ValueError(f"give a URL that begins with {_SCHEME}://, or leave it away: then files hold it")
    try:
        address = make_url(url).set(drivername=f"{_SCHEME}+psycopg")
        make_conninfo(**dict.fromkeys(address.query, "0"))
        create_engine(address)
    except (ArgumentError, ValueError, psycopg.ProgrammingError) as error:
        raise ValueError(
            "this is no URL of a database: give one such as postgresql://user@host/database"
        ) from error
    if "@" in (address.host or ""):
        # The end of a password would be taken for the host's name, and told.
        raise ValueError("this is no URL of a database, as it has two @: write %40 for an @ of a password")
    return address


def _told(address: URL) -> str:
    """Without who uses it, which is nobody's business."""
    hosts = [address.host, *_listed(address.query.get("host"))]
    ports = f":{address.port}" if address.port else ""
    return f"{_SCHEME}://{','.join(filter(None, hosts))}{ports}/{address.database or ''}"


def _listed(value: str | tuple[str, ...] | None) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else value or ()


class SharedDatabase:
    """Connects when it is first asked for something. Safe to share between threads.

    Whatever gives no answer within a few seconds is a DatabaseAwayError.
    """

    def __init__(self, url: str, patience: float = _PATIENCE) -> None:
        """Raises ValueError."""
        address = _read(url)
        self.where = _told(address)
        self._patience = patience
        self._reach = Reach(self.where)
        usual = {name: value for name, value in _USUAL.items() if name not in address.query}
        self._engine = create_engine(
            address,
            pool_size=_CONNECTIONS,
            max_overflow=0,
            pool_timeout=patience,
            isolation_level="AUTOCOMMIT",
            # Texts may be of any language, whatever the server's own is.
            connect_args=usual | {"client_encoding": "utf8"},
        )
        event.listen(self._engine, "connect", _without_nul)

    def __str__(self) -> str:
        return self.where

    @property
    def reached(self) -> Reached:
        """How it went the last time that something was asked."""
        return self._reach.now

    @contextmanager
    def connected(self) -> Iterator[Connection]:
        """What the block does is committed statement by statement. Raises DatabaseAwayError."""
        with self._reach.asking(), self._away_if_gone():
            connection = self._usable()
            self._reach.answered()
            try:
                with self._ended_late(connection):
                    yield connection
            except (DBAPIError, DatabaseAwayError) as error:
                if is_gone(error):
                    connection.invalidate()
                raise
            finally:
                connection.close()

    def close(self) -> None:
        self._engine.dispose()

    def _usable(self) -> Connection:
        """One that answers; those that a server that has begun anew knows nothing of are forgotten."""
        begun = time.monotonic()
        try:
            return self._answering()
        except DBAPIError:
            if time.monotonic() - begun >= self._patience:
                raise
            self._engine.dispose()
            return self._answering()

    def _answering(self) -> Connection:
        connection = self._engine.connect()
        try:
            with self._ended_late(connection):
                connection.exec_driver_sql("SELECT 1")
        except DBAPIError:
            connection.invalidate()
            connection.close()
            raise
        return connection

    @contextmanager
    def _ended_late(self, connection: Connection) -> Iterator[None]:
        """Cut it when its time is over: a server that is frozen leaves whoever asked waiting for ever."""
        timer = Timer(self._patience, _cut, (connection.connection.driver_connection,))
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    @contextmanager
    def _away_if_gone(self) -> Iterator[None]:
        try:
            yield
        except PoolTimeoutError as error:
            raise DatabaseAwayError("all connections to it are waiting for an answer") from error
        except DBAPIError as error:
            if not is_gone(error):
                raise
            # Else sessions of a server that is a standby now, or was one, go on being of no use.
            self._engine.dispose()
            raise DatabaseAwayError(said_of(error)) from error


class _WithoutNul(StrDumperUnknown):
    """PostgreSQL has no text with a NUL. Whoever asks for one is to find nothing, as in a file."""

    def dump(self, obj: str) -> Any:
        return super().dump(obj.replace("\0", IN_PLACE_OF_NUL))


def _without_nul(connection: Any, _: object) -> None:
    connection.adapters.register_dumper(str, _WithoutNul)


def _cut(connection: Any) -> None:
    """Whoever waits for its answer is told at once that there is none."""
    with (
        suppress(OSError, psycopg.Error, ValueError),
        socket.socket(fileno=os.dup(connection.pgconn.socket)) as own,
    ):
        own.shutdown(socket.SHUT_RDWR)


def is_gone(error: BaseException) -> bool:
    """Whether there is no connection with which another statement could go better."""
    if isinstance(error, DatabaseAwayError):
        return True
    reported = getattr(error, "orig", None)
    if not isinstance(reported, psycopg.Error):
        return False
    if not reported.sqlstate:
        return isinstance(reported, psycopg.OperationalError)
    return reported.sqlstate.startswith(_GONE)


def said_of(error: BaseException) -> str:
    """On one line, in the server's own words, or the library's."""
    reported = getattr(error, "orig", None) or error
    said = (isinstance(reported, psycopg.Error) and reported.diag.message_primary) or str(reported)
    return " ".join(said.split()).rstrip(".?") or type(reported).__name__
