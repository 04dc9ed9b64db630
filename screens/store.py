"""The saved screens: one small SQLite file that several dashboards may share.

Of a link only a digest is kept: whoever reads the file, or a copy of it, cannot open a screen.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, NamedTuple

from sqlalchemy import ColumnElement, Connection, delete, insert, select, update
from sqlalchemy.exc import SQLAlchemyError

from screens.definition import Composition, Screen, UnreadableScreen
from screens.links import NewLink, digest_of, new_token
from screens.store_file import SCREENS, open_file
from screens.stored import UnreadableError, read_composition

FILE_NAME: Final = "screens.sqlite"


class ScreenStoreError(RuntimeError):
    """The file cannot be read or written; the message says which and why."""


class UnknownScreenError(ScreenStoreError):
    """There is no screen with this id."""

    def __init__(self) -> None:
        super().__init__("This screen is no longer there: somebody has deleted it.")


class Standing(NamedTuple):
    """What tells whether a screen still is what it was."""

    revision: int
    link: str | None
    """Digest; None: revoked."""


class ScreenStore:
    """Safe to share between threads; what another process writes is seen by the next read.

    Every method raises ScreenStoreError where the file cannot be used.
    """

    def __init__(self, data_dir: Path) -> None:
        self._path = data_dir / FILE_NAME
        self._writing = threading.Lock()
        with self._explained():
            self._engine = open_file(self._path)

    def create(self, composition: Composition) -> NewLink:
        made, now = NewLink(secrets.token_hex(8), new_token()), _now()
        row = {
            "id": made.id,
            "link": digest_of(made.token),
            "revision": 1,
            "composition": composition.model_dump_json(),
            "created_at": now,
            "updated_at": now,
        }
        with self._writes() as connection:
            connection.execute(insert(SCREENS).values(row))
        return made

    def screens(self) -> tuple[Screen | UnreadableScreen, ...]:
        """All of them, the oldest first."""
        with self._reads() as connection:
            rows = connection.execute(select(SCREENS).order_by(SCREENS.c.created_at, SCREENS.c.id))
            return tuple(_screen_of(row) for row in rows.mappings())

    def by_token(self, token: str) -> Screen | UnreadableScreen | None:
        """The screen that a link leads to; None: it leads nowhere, or no more."""
        return self._one(SCREENS.c.link == digest_of(token))

    def by_id(self, screen_id: str) -> Screen | UnreadableScreen | None:
        """None: there is none, or no more."""
        return self._one(SCREENS.c.id == screen_id)

    def standings(self) -> dict[str, Standing]:
        """Of every screen, by its id."""
        wanted = select(SCREENS.c.id, SCREENS.c.revision, SCREENS.c.link)
        with self._reads() as connection:
            found = connection.execute(wanted)
            return {screen_id: Standing(revision, link) for screen_id, revision, link in found}

    def replace(self, screen_id: str, composition: Composition) -> None:
        """Show something else, or under another name; the link stays. Raises UnknownScreenError."""
        self._change(screen_id, {"composition": composition.model_dump_json()})

    def rotate(self, screen_id: str) -> NewLink:
        """Give it a new link; the old one is dead. Raises UnknownScreenError."""
        made = NewLink(screen_id, new_token())
        self._change(screen_id, {"link": digest_of(made.token)})
        return made

    def revoke(self, screen_id: str) -> None:
        """Take its link away; a new one may be given later. Raises UnknownScreenError."""
        self._change(screen_id, {"link": None})

    def delete(self, screen_id: str) -> None:
        """Forget it, with its link. Raises UnknownScreenError."""
        with self._writes() as connection:
            deleted = connection.execute(delete(SCREENS).where(SCREENS.c.id == screen_id))
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

    def _one(self, wanted: ColumnElement[bool]) -> Screen | UnreadableScreen | None:
        with self._reads() as connection:
            row = connection.execute(select(SCREENS).where(wanted)).mappings().one_or_none()
        return None if row is None else _screen_of(row)

    def _change(self, screen_id: str, values: Mapping[str, Any]) -> None:
        changed = (
            update(SCREENS)
            .where(SCREENS.c.id == screen_id)
            .values(revision=SCREENS.c.revision + 1, updated_at=_now(), **values)
        )
        with self._writes() as connection:
            found = connection.execute(changed).rowcount
        if not found:
            raise UnknownScreenError


def _screen_of(row: Mapping[Any, Any]) -> Screen | UnreadableScreen:
    try:
        stored = read_composition(row["composition"])
        return Screen(
            **dict(stored.composition),
            id=row["id"],
            link=row["link"],
            revision=row["revision"],
            created_at=datetime.fromisoformat(row["created_at"]),
            updated_at=datetime.fromisoformat(row["updated_at"]),
            left_out=stored.left_out,
        )
    except UnreadableError as error:
        return UnreadableScreen(row["id"], error.name, str(error), row["link"])
    except (TypeError, ValueError) as error:
        return UnreadableScreen(row["id"], "", f"What was stored of it is damaged ({error}).", row["link"])


def _now() -> str:
    return datetime.now(UTC).isoformat()
