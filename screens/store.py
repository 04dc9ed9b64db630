"""The saved screens: in one small SQLite file, or in the database that several dashboards share.

Of a link only a digest is kept: whoever reads that, or a copy of it, cannot open a screen.
"""

from __future__ import annotations

import secrets
from collections.abc import Collection, Mapping
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple

from sqlalchemy import ColumnElement, Connection, Update, delete, insert, select, update

from keeping import Place, SharedDatabase, SharedTables
from keeping.columns import present
from screens.definition import Composition, Screen, UnreadableScreen, digest_of
from screens.store_file import FORMAT, OPENED, SCREENS, TABLES, ScreensFile, forget_deleted
from screens.stored import UnreadableError, read_composition

FILE_NAME: Final = "screens.sqlite"
_WHAT: Final = "The saved screens"
_TOKEN_BYTES: Final = 24
"""192 bits: no one guesses a link, so that a fast digest keeps it as well as a slow one."""
_OPENED_AGAIN: Final = timedelta(minutes=10)
"""A wall that connects anew more often than this writes nothing."""


class ScreenStoreError(RuntimeError):
    """They cannot be read or written; the message says where and why."""


class UnknownScreenError(ScreenStoreError):
    """There is no screen with this id."""

    def __init__(self) -> None:
        super().__init__("This screen is no longer there: somebody has deleted it.")


class ChangedScreenError(ScreenStoreError):
    """Somebody has changed the screen since, so that what was taken away may be so on purpose."""

    def __init__(self) -> None:
        super().__init__("This is not undone: the screen was changed meanwhile. It can be given a new link.")


class NewLink(NamedTuple):
    """A link when it is made: the only moment at which its token is known."""

    id: str
    """Of the screen that it leads to."""
    token: str
    """What the link ends in: whoever knows it may look."""


class LinkedRevision(NamedTuple):
    """What tells whether a screen still is what it was."""

    revision: int
    link: str | None
    """Digest; None: revoked."""


class Removed(NamedTuple):
    """What `revoke` and `delete` took away, to be put back."""

    row: Mapping[str, Any]
    """The screen as it was stored."""
    revision: int
    """What the screen had once it was revoked; where it was deleted, the last one that it had."""
    is_deleted: bool
    """Else only its link was taken."""


class ScreenStore:
    """Safe to share between threads; what another process writes is seen by the next read.

    Every method raises ScreenStoreError where the file, or the database, cannot be used.
    """

    def __init__(self, place: Place) -> None:
        """A file is made at once; a database is asked when something is."""
        self._tables: ScreensFile | SharedTables
        if isinstance(place, SharedDatabase):
            self._tables = SharedTables(
                place, FILE_NAME, TABLES, FORMAT, what=_WHAT, raised=ScreenStoreError, tidy=forget_deleted
            )
        else:
            self._tables = ScreensFile(place / FILE_NAME, what=_WHAT, raised=ScreenStoreError)

    def create(self, composition: Composition) -> NewLink:
        made = NewLink(secrets.token_hex(8), new_token())
        with self._tables.writing() as connection:
            now = present(connection).isoformat()
            row = {
                "id": made.id,
                "link": digest_of(made.token),
                "revision": 1,
                "composition": composition.model_dump_json(),
                "created_at": now,
                "updated_at": now,
            }
            connection.execute(insert(SCREENS).values(row))
        return made

    def screens(self) -> tuple[Screen | UnreadableScreen, ...]:
        """All of them, the oldest first."""
        with self._tables.reading() as connection:
            rows = connection.execute(select(SCREENS).order_by(SCREENS.c.created_at, SCREENS.c.id))
            return tuple(_screen_of(row) for row in rows.mappings())

    def by_token(self, token: str) -> Screen | UnreadableScreen | None:
        """The screen that a link leads to; None: it leads nowhere, or no more."""
        return self._one(SCREENS.c.link == digest_of(token))

    def by_id(self, screen_id: str) -> Screen | UnreadableScreen | None:
        """None: there is none, or no more."""
        return self._one(SCREENS.c.id == screen_id)

    def revisions(self) -> dict[str, LinkedRevision]:
        """Link and revision of every screen, by screen id."""
        wanted = select(SCREENS.c.id, SCREENS.c.revision, SCREENS.c.link)
        with self._tables.reading() as connection:
            found = connection.execute(wanted)
            return {screen_id: LinkedRevision(revision, link) for screen_id, revision, link in found}

    def opened(self) -> dict[str, datetime | None]:
        """When a wall last connected, UTC, by screen id; None: before that was kept, or no time is stored;
        absent: never.
        """
        with self._tables.reading() as connection:
            return _opened(connection)

    def note_opened(self, screen_ids: Collection[str]) -> None:
        """Walls connect to the streams of these screens, as each does every hour or two while it looks."""
        with self._tables.reading() as connection:
            now, opened = present(connection), _opened(connection)
        due = [screen_id for screen_id in screen_ids if _is_long_ago(opened.get(screen_id), now)]
        if due:
            with self._tables.writing() as connection:
                connection.execute(delete(OPENED).where(OPENED.c.screen_id.in_(due)))
                rows = [{"screen_id": screen_id, "at": now.isoformat()} for screen_id in due]
                connection.execute(insert(OPENED), rows)

    def replace(self, screen_id: str, composition: Composition) -> None:
        """Show something else, or under another name; the link stays. Raises UnknownScreenError."""
        self._change(screen_id, {"composition": composition.model_dump_json()})

    def rotate(self, screen_id: str) -> NewLink:
        """Give it a new link; the old one is dead. Raises UnknownScreenError."""
        made = NewLink(screen_id, new_token())
        self._change(screen_id, {"link": digest_of(made.token)})
        return made

    def revoke(self, screen_id: str) -> Removed:
        """Take its link away; a new one may be given later. Raises UnknownScreenError."""
        with self._tables.writing() as connection:
            row = _row_of(connection, screen_id)
            connection.execute(_changed(connection, screen_id, {"link": None}))
        return Removed(row, row["revision"] + 1, is_deleted=False)

    def delete(self, screen_id: str) -> Removed:
        """Forget it, with its link. Raises UnknownScreenError."""
        with self._tables.writing() as connection:
            row = _row_of(connection, screen_id)
            connection.execute(delete(SCREENS).where(SCREENS.c.id == screen_id))
        return Removed(row, row["revision"], is_deleted=True)

    def put_back(self, removed: Removed) -> None:
        """Undo `revoke` or `delete`: the link that was in use opens the screen again.

        Raises UnknownScreenError where a revoked screen was deleted meanwhile, and ChangedScreenError where
        it was changed: a link that was replaced on purpose must open nothing again.
        """
        row = removed.row
        with self._tables.writing() as connection:
            wanted = select(SCREENS.c.revision).where(SCREENS.c.id == row["id"])
            revision = connection.execute(wanted).scalar_one_or_none()
            if revision is None and not removed.is_deleted:
                raise UnknownScreenError
            if revision is None:
                connection.execute(insert(SCREENS).values({**row, "revision": row["revision"] + 1}))
            elif removed.is_deleted or revision != removed.revision:
                raise ChangedScreenError
            else:
                connection.execute(_changed(connection, row["id"], {"link": row["link"]}))

    def close(self) -> None:
        self._tables.close()

    def _one(self, wanted: ColumnElement[bool]) -> Screen | UnreadableScreen | None:
        with self._tables.reading() as connection:
            row = connection.execute(select(SCREENS).where(wanted)).mappings().one_or_none()
        return None if row is None else _screen_of(row)

    def _change(self, screen_id: str, values: Mapping[str, Any]) -> None:
        with self._tables.writing() as connection:
            found = connection.execute(_changed(connection, screen_id, values)).rowcount
        if not found:
            raise UnknownScreenError


def new_token() -> str:
    """What a link ends in: letters, digits, `-` and `_`."""
    return secrets.token_urlsafe(_TOKEN_BYTES)


def _changed(connection: Connection, screen_id: str, values: Mapping[str, Any]) -> Update:
    changed, now = update(SCREENS).where(SCREENS.c.id == screen_id), present(connection).isoformat()
    return changed.values(revision=SCREENS.c.revision + 1, updated_at=now, **values)


def _opened(connection: Connection) -> dict[str, datetime | None]:
    rows = connection.execute(select(OPENED.c.screen_id, OPENED.c.at))
    return {screen_id: _moment_of(at) for screen_id, at in rows}


def _moment_of(stored: str | None) -> datetime | None:
    """None also where somebody has put something else there."""
    try:
        moment = datetime.fromisoformat(stored) if stored else None
    except (TypeError, ValueError):
        return None
    return moment if moment and moment.tzinfo else None


def _is_long_ago(opened: datetime | None, now: datetime) -> bool:
    """Whether it is to be written anew; a time of the future is one of a clock that was wrong."""
    return opened is None or not timedelta() <= now - opened <= _OPENED_AGAIN


def _row_of(connection: Connection, screen_id: str) -> dict[str, Any]:
    row = connection.execute(select(SCREENS).where(SCREENS.c.id == screen_id)).mappings().one_or_none()
    if row is None:
        raise UnknownScreenError
    return dict(row)


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
