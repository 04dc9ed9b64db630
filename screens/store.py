"""The saved screens: one small SQLite file that several dashboards may share.

A link's token is kept as it is, not as a digest: the page must show the link again, and whoever can read this
file could read the screens' values from the service anyway.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from sqlalchemy import (
    Column,
    Connection,
    Engine,
    Integer,
    MetaData,
    Table,
    Text,
    create_engine,
    delete,
    event,
    insert,
    select,
    update,
)
from sqlalchemy.exc import SQLAlchemyError

from screens.definition import Composition, Screen

FILE_NAME: Final = "screens.sqlite"
_TOKEN_BYTES: Final = 24
"""192 bits: no one guesses a link."""
_BUSY_SECONDS: Final = 10

_METADATA: Final = MetaData()
_SCREENS: Final = Table(
    "screens",
    _METADATA,
    Column("id", Text, primary_key=True),
    Column("token", Text, unique=True),
    Column("revision", Integer, nullable=False),
    Column("composition", Text, nullable=False),
    # ISO 8601, UTC
    Column("created_at", Text, nullable=False),
    Column("updated_at", Text, nullable=False),
)


class ScreenStoreError(RuntimeError):
    """The file cannot be read or written; the message says which and why."""


class UnknownScreenError(ScreenStoreError):
    """There is no screen with this id."""

    def __init__(self) -> None:
        super().__init__("This screen is no longer there: somebody has deleted it.")


class ScreenStore:
    """Safe to share between threads; what another process writes is seen by the next read.

    Every method raises ScreenStoreError where the file cannot be used.
    """

    def __init__(self, data_dir: Path) -> None:
        self._path = data_dir / FILE_NAME
        self._engine = _engine(self._path)
        self._writing = threading.Lock()
        with self._explained():
            data_dir.mkdir(parents=True, exist_ok=True)
        with self._writes() as connection:
            _METADATA.create_all(connection)

    def create(self, composition: Composition) -> Screen:
        now = _now()
        row = {
            "id": secrets.token_hex(8),
            "token": _new_token(),
            "revision": 1,
            "composition": composition.model_dump_json(),
            "created_at": now,
            "updated_at": now,
        }
        with self._writes() as connection:
            connection.execute(insert(_SCREENS).values(row))
        return _screen_of(row)

    def screens(self) -> tuple[Screen, ...]:
        """All of them, the oldest first."""
        with self._reads() as connection:
            rows = connection.execute(select(_SCREENS).order_by(_SCREENS.c.created_at, _SCREENS.c.id))
            return tuple(_screen_of(row) for row in rows.mappings())

    def by_token(self, token: str) -> Screen | None:
        """The screen that a link leads to; None: it leads nowhere, or no more."""
        with self._reads() as connection:
            found = connection.execute(select(_SCREENS).where(_SCREENS.c.token == token))
            row = found.mappings().one_or_none()
        return None if row is None else _screen_of(row)

    def revisions(self) -> dict[str, int]:
        """Token -> revision of every screen that has a link."""
        wanted = select(_SCREENS.c.token, _SCREENS.c.revision).where(_SCREENS.c.token.is_not(None))
        with self._reads() as connection:
            return {token: revision for token, revision in connection.execute(wanted)}  # noqa: C416 -- rows

    def replace(self, screen_id: str, composition: Composition) -> Screen:
        """Show something else, or under another name; the link stays. Raises UnknownScreenError."""
        return self._change(screen_id, {"composition": composition.model_dump_json()})

    def rotate(self, screen_id: str) -> Screen:
        """Give it a new link; the old one is dead. Raises UnknownScreenError."""
        return self._change(screen_id, {"token": _new_token()})

    def revoke(self, screen_id: str) -> Screen:
        """Take its link away; a new one may be given later. Raises UnknownScreenError."""
        return self._change(screen_id, {"token": None})

    def delete(self, screen_id: str) -> None:
        """Forget it, with its link. Raises UnknownScreenError."""
        with self._writes() as connection:
            deleted = connection.execute(delete(_SCREENS).where(_SCREENS.c.id == screen_id))
        if not deleted.rowcount:
            raise UnknownScreenError

    def close(self) -> None:
        self._engine.dispose()

    @contextmanager
    def _reads(self) -> Iterator[Connection]:
        with self._explained(), self._engine.connect() as connection:
            yield connection

    @contextmanager
    def _writes(self) -> Iterator[Connection]:
        with self._explained(), self._writing, self._engine.begin() as connection:
            yield connection

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except (OSError, SQLAlchemyError) as error:
            cause = getattr(error, "orig", None) or error
            raise ScreenStoreError(f"The saved screens in {self._path} cannot be used: {cause}.") from error

    def _change(self, screen_id: str, values: Mapping[str, Any]) -> Screen:
        changed = (
            update(_SCREENS)
            .where(_SCREENS.c.id == screen_id)
            .values(revision=_SCREENS.c.revision + 1, updated_at=_now(), **values)
            .returning(*_SCREENS.c)
        )
        with self._writes() as connection:
            row = connection.execute(changed).mappings().one_or_none()
        if row is None:
            raise UnknownScreenError
        return _screen_of(row)


def _screen_of(row: Mapping[Any, Any]) -> Screen:
    composition = Composition.model_validate_json(row["composition"])
    return Screen(
        **dict(composition),
        id=row["id"],
        token=row["token"],
        revision=row["revision"],
        created_at=datetime.fromisoformat(row["created_at"]),
        updated_at=datetime.fromisoformat(row["updated_at"]),
    )


def _now() -> str:
    return datetime.now(UTC).isoformat()


def _new_token() -> str:
    return secrets.token_urlsafe(_TOKEN_BYTES)


def _engine(path: Path) -> Engine:
    engine = create_engine(f"sqlite:///{path}", connect_args={"timeout": _BUSY_SECONDS})

    @event.listens_for(engine, "connect")
    def _prepare(connection: Any, _record: object) -> None:
        # WAL: a screen that opens never waits for somebody who saves.
        connection.execute("PRAGMA journal_mode = WAL")

    return engine
