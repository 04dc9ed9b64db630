"""How a database in PostgreSQL is reached: by its URL, and by what each connection to it has of itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from select import POLLIN, poll
from typing import Any, Final

from psycopg import OperationalError, ProgrammingError
from psycopg.conninfo import make_conninfo
from psycopg.pq import ExecStatus
from psycopg.types.string import StrDumperUnknown
from sqlalchemy import URL, Engine, NullPool, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, InvalidatePoolError
from sqlalchemy.pool import ConnectionPoolEntry

from service.store.errors import StoreUrlError
from service.store.postgresql.reading_connection import SILENT_SECONDS, ReadingConnection

BUSY_SECONDS: Final = 20
"""How long a writer waits for others before it gives up, and anybody for a connection."""
_IS_NEW: Final = "headroom_is_new"
_CONNECTIONS: Final = 20
"""Of one process, at most; a server of PostgreSQL has a hundred as a rule."""

_USUAL: Final = {
    "connect_timeout": BUSY_SECONDS,
    "application_name": "headroom",
    # A firewall that forgets a quiet connection says nothing: else it would be found out in hours.
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": BUSY_SECONDS * 1000,
}
"""Of a connection, unless the URL says otherwise."""
_NOTHING: Final[Mapping[str, object]] = {}
_EXAMPLE: Final = "postgresql://user:password@host/database"
_IN_PLACE_OF_NUL: Final = "\x1a"
"""SUBSTITUTE, which no text has that is stored: control characters are refused before."""


class _WithoutNul(StrDumperUnknown):
    """PostgreSQL has no text with a NUL. Whoever asks for one is to find nothing, as in a file."""

    def dump(self, obj: str) -> Any:
        return super().dump(obj.replace("\0", _IN_PLACE_OF_NUL))


def read_address(url: str) -> URL:
    """Raises StoreUrlError, without what it is of: that may hold a password."""
    try:
        address = make_url(url).set(drivername="postgresql+psycopg")
        # What the library does not know, and where several hosts are named in two ways.
        make_conninfo(**dict.fromkeys(address.query, "0"))
        create_engine(address)
    # Of a port that is no number the second.
    except (ArgumentError, ValueError) as error:
        raise StoreUrlError(f"This is no URL of a database in PostgreSQL: {_EXAMPLE} is one.") from error
    except ProgrammingError as error:
        raise StoreUrlError(
            f"This is no URL of a database in PostgreSQL: {error}. {_EXAMPLE} is one."
        ) from error
    if "@" in (address.host or ""):
        # The end of a password would be taken for the host's name, and told.
        raise StoreUrlError(
            f"This is no URL of a database in PostgreSQL, as it has two @. {_EXAMPLE} is one; an @ of a"
            " password is written %40."
        )
    return address


def told_address(address: URL) -> str:
    """A password, and what else is asked of the connection, is nobody's business."""
    return address.set(query={}, drivername="postgresql").render_as_string(hide_password=True)


def engine_of(address: URL, own: Mapping[str, object] = _NOTHING, *, is_pooled: bool = True) -> Engine:
    """Connects when it is first asked for a connection; not pooled, whenever it is.

    `own` is asked of each connection, unless the URL says otherwise.
    """
    pooled = {
        "pool_size": _CONNECTIONS // 2,
        "max_overflow": _CONNECTIONS // 2,
        "pool_timeout": BUSY_SECONDS,
    }
    pool = pooled if is_pooled else {"poolclass": NullPool}
    usual = {name: value for name, value in (_USUAL | dict(own)).items() if name not in address.query}
    engine = create_engine(
        address,
        isolation_level="READ COMMITTED",
        # Texts may be of any language, whatever the server's own is.
        connect_args=usual | {"client_encoding": "utf8"},
        **pool,
    )
    event.listen(engine, "do_connect", _connected)
    event.listen(engine, "connect", _prepare)
    event.listen(engine, "checkin", _forget_reading)
    if is_pooled:
        event.listen(engine, "checkout", _ask_whether_it_answers)
    return engine


def _connected(_: object, __: object, texts: Sequence[Any], named: Mapping[str, Any]) -> ReadingConnection:
    return ReadingConnection.connect(*texts, **named)


def _ask_whether_it_answers(connection: Any, record: ConnectionPoolEntry, _: object) -> None:
    """In place of `pool_pre_ping`, which waits for ever for a server that is frozen."""
    if record.info.pop(_IS_NEW, False):
        return
    asked = connection.pgconn
    try:
        asked.send_query(b"")
        asked.flush()
        waiting = poll()
        waiting.register(asked.socket, POLLIN)
        while asked.is_busy():
            readable = waiting.poll(SILENT_SECONDS * 1000)
            if not readable:
                raise InvalidatePoolError("it does not answer")
            asked.consume_input()
        while answer := asked.get_result():
            # A server that has ended the connection has said so before.
            if answer.status != ExecStatus.EMPTY_QUERY:
                raise InvalidatePoolError("it was ended")
    except OperationalError as error:
        raise InvalidatePoolError(str(error)) from error


def _forget_reading(connection: Any, _: object) -> None:
    """After it has read alone SQLAlchemy would have it write, also where the database is read-only."""
    if connection is not None:
        connection.read_only = None


def _prepare(connection: Any, record: ConnectionPoolEntry) -> None:
    connection.adapters.register_dumper(str, _WithoutNul)
    record.info[_IS_NEW] = True
