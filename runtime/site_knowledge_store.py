"""What this dashboard knows of sites and no service tells, such as when they are open: a document each.

In one small SQLite file, made by the first that keeps something, or in the database that several dashboards
share. What a document says is its reader's: here it is text.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from typing import Final, NamedTuple

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    MetaData,
    Table,
    and_,
    delete,
    func,
    not_,
    select,
)

from keeping import Place, is_away, tables_at
from keeping.columns import WORDS, present, put
from keeping.sqlite_file import moment_of

FILE_NAME: Final = "site-knowledge.sqlite"
MOST_DOCUMENTS: Final = 100_000
"""Of all services together."""
LONGEST_DOCUMENT: Final = 200_000
"""Characters."""
LONGEST_PICTURE: Final = 5_600_000
"""Characters of a document that is a picture: base64 of four million bytes."""
LONGEST_ID: Final = 500
"""Characters of a site's id."""
FORMAT: Final = 1
"""`PRAGMA user_version`; 0: nothing was kept yet."""

TABLES: Final = MetaData()
_DOCUMENTS: Final = Table(
    "documents",
    TABLES,
    Column("service", WORDS, primary_key=True),
    Column("site_id", WORDS, primary_key=True),
    Column("kind", WORDS, primary_key=True),
    # One of its kind and site
    Column("name", WORDS, primary_key=True),
    Column("body", WORDS, nullable=False),
    # ISO 8601, UTC
    Column("updated_at", WORDS, nullable=False),
)


class SiteKnowledgeError(RuntimeError):
    """It cannot be read or written, or holds what cannot be used; the message says which and why."""

    @property
    def is_lasting(self) -> bool:
        """Whether somebody has to mend it; a database that was away is back by itself."""
        return not is_away(self)


class Pictures(NamedTuple):
    """Of one kind, that are kept and forgotten with another document of their site, or not at all."""

    kind: str
    kept: Mapping[str, str]
    """By name."""
    forgotten: Collection[str]
    """Names."""


class SiteKnowledgeStore:
    """Safe to share between threads; what another process writes is seen by the next read.

    `service` tells apart whose sites are meant. Every method raises SiteKnowledgeError.
    """

    def __init__(self, place: Place, refusal: Callable[[str], str] = lambda _site_id: "") -> None:
        """`refusal` says why whoever asks may change nothing of a site, by its id; empty: they may."""
        self._refusal = refusal
        self._tables = tables_at(
            place, FILE_NAME, TABLES, FORMAT, what="What is known of sites", raised=SiteKnowledgeError
        )

    def of(self, service: str, site_id: str, kind: str) -> dict[str, str]:
        """By name."""
        with self._tables.reading() as connection:
            if connection is None:
                return {}
            found = select(_DOCUMENTS.c.name, _DOCUMENTS.c.body).where(_are(service, site_id, kind))
            return {str(name): _text(body) for name, body in connection.execute(found)}

    def of_all(self, service: str, kind: str) -> dict[str, dict[str, str]]:
        """`of` each site that has any, by its id."""
        found: dict[str, dict[str, str]] = {}
        with self._tables.reading() as connection:
            if connection is None:
                return {}
            own = _DOCUMENTS.c
            rows = select(own.site_id, own.name, own.body).where(own.service == service, own.kind == kind)
            for site_id, name, body in connection.execute(rows):
                found.setdefault(str(site_id), {})[str(name)] = _text(body)
        return found

    def changed_at(self, service: str, kind: str) -> dict[str, str]:
        """By the id of each site that has any: when the last of them was kept, ISO 8601, UTC."""
        with self._tables.reading() as connection:
            if connection is None:
                return {}
            own = _DOCUMENTS.c
            last = select(own.site_id, func.max(own.updated_at)).group_by(own.site_id)
            found = connection.execute(last.where(own.service == service, own.kind == kind))
            return {str(site_id): str(moment) for site_id, moment in found}

    def one(self, service: str, site_id: str, kind: str, name: str) -> str | None:
        """None: there is none of that name."""
        with self._tables.reading() as connection:
            if connection is None:
                return None
            found = select(_DOCUMENTS.c.body).where(_is(service, site_id, kind, name))
            body = connection.execute(found).scalar_one_or_none()
            return None if body is None else _text(body)

    def kept_at(self, service: str, site_id: str, kind: str, name: str) -> datetime | None:
        """UTC; None: there is none of that name, or it does not tell."""
        with self._tables.reading() as connection:
            if connection is None:
                return None
            found = select(_DOCUMENTS.c.updated_at).where(_is(service, site_id, kind, name))
            return moment_of(connection.execute(found).scalar_one_or_none())

    def keep(self, service: str, site_id: str, kind: str, name: str, body: str) -> None:
        """It replaces the one of that name."""
        _check_length(site_id, body)
        with self._changing(site_id) as connection:
            _put(connection, (service, site_id, kind, name), body)

    def replace(
        self,
        service: str,
        site_id: str,
        kind: str,
        name: str,
        body: str | None,
        *,
        before: str | None,
        aside: str = "",
        pictures: Pictures | None = None,
    ) -> bool:
        """Keep `body` (None: nothing) where `before` stood (None: nothing), unless something else stands
        there: then False. An empty one is nothing. With `aside`, what stood there is kept as of that kind, by
        the present moment. With `pictures`, they change in the same transaction: whoever is ended in the
        middle has changed none.
        """
        _check_length(site_id, body or "")
        for content in pictures.kept.values() if pictures else ():
            _check_length(site_id, content, LONGEST_PICTURE)
        own = (service, site_id, kind, name)
        with self._changing(site_id) as connection:
            found = connection.execute(select(_DOCUMENTS.c.body).where(_is(*own))).scalar_one_or_none()
            if ("" if found is None else _text(found)) != (before or ""):
                return False
            if aside and before is not None:
                _put(connection, (service, site_id, aside, present(connection).isoformat()), before)
            if body is None:
                connection.execute(delete(_DOCUMENTS).where(_is(*own)))
            else:
                _put(connection, own, body)
            if pictures:
                _change(connection, service, site_id, pictures)
            return True

    def forget(self, service: str, site_id: str, kind: str, name: str) -> None:
        with self._changing(site_id) as connection:
            connection.execute(delete(_DOCUMENTS).where(_is(service, site_id, kind, name)))

    @contextmanager
    def _changing(self, site_id: str) -> Iterator[Connection]:
        if refusal := self._refusal(site_id):
            raise SiteKnowledgeError(refusal)
        with self._tables.writing() as connection:
            yield connection


def _are(service: str, site_id: str, kind: str) -> ColumnElement[bool]:
    own = _DOCUMENTS.c
    return and_(own.service == service, own.site_id == site_id, own.kind == kind)


def _is(service: str, site_id: str, kind: str, name: str) -> ColumnElement[bool]:
    return and_(_are(service, site_id, kind), _DOCUMENTS.c.name == name)


def _text(body: object) -> str:
    """SQLite keeps bytes in a column of text, too, if somebody has put them there."""
    return body.decode("utf-8", "replace") if isinstance(body, bytes) else str(body)


def _check_length(site_id: str, body: str, longest: int = LONGEST_DOCUMENT) -> None:
    if len(site_id) > LONGEST_ID:
        raise SiteKnowledgeError("Nothing can be kept of this site: its id is too long.")
    if len(body) > longest:
        raise SiteKnowledgeError(f"This is longer than {longest:,} characters; shorten it.")


def _put(connection: Connection, own: tuple[str, str, str, str], body: str) -> None:
    """`own` is service, site id, kind and name."""
    _check_room(connection, _is(*own))
    named = dict(zip(("service", "site_id", "kind", "name"), own, strict=True))
    put(connection, _DOCUMENTS, named, {"body": body, "updated_at": present(connection).isoformat()})


def _change(connection: Connection, service: str, site_id: str, pictures: Pictures) -> None:
    for name in pictures.forgotten:
        connection.execute(delete(_DOCUMENTS).where(_is(service, site_id, pictures.kind, name)))
    for name, content in pictures.kept.items():
        _put(connection, (service, site_id, pictures.kind, name), content)


def _check_room(connection: Connection, replaced: ColumnElement[bool]) -> None:
    others = select(func.count()).select_from(_DOCUMENTS).where(not_(replaced))
    kept = connection.execute(others).scalar_one()
    if kept >= MOST_DOCUMENTS:
        raise SiteKnowledgeError(f"{kept:,} things are kept of sites; there is no room for more.")
