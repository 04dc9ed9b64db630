"""Who stores of a site, where several may store at once."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import ColumnElement, Connection, select

from service.store.schema import PASSAGES, SITES


def lock_sites(connection: Connection, site_ids: Collection[str]) -> None:
    """Until the transaction ends nobody else stores of these sites, and what is read from now on has all that
    others have stored of them.

    In the order of their ids, so that two who want the same do not wait for each other.
    """
    if site_ids:
        _lock(connection, SITES.c.id.in_(site_ids))


def lock_sites_of(connection: Connection, passage_ids: Collection[str]) -> None:
    """The sites of these passages: until when they are folded is to be read after that."""
    if passage_ids:
        _lock(connection, SITES.c.id.in_(select(PASSAGES.c.site_id).where(PASSAGES.c.id.in_(passage_ids))))


def _lock(connection: Connection, chosen: ColumnElement[bool]) -> None:
    # One writer has a file to itself.
    if connection.dialect.name != "sqlite":
        own = select(SITES.c.id).where(chosen).order_by(SITES.c.id)
        connection.execute(own.with_for_update(key_share=True)).all()
