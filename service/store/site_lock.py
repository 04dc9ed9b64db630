"""Who stores of a site, where several may store at once."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import Connection, select

from service.store.schema import SITES


def lock_sites(connection: Connection, site_ids: Collection[str]) -> None:
    """Until the transaction ends nobody else stores of these sites, and what is read from now on has all that
    others have stored of them.

    In the order of their ids, so that two who want the same do not wait for each other.
    """
    # One writer has a file to itself.
    if site_ids and connection.dialect.name != "sqlite":
        own = select(SITES.c.id).where(SITES.c.id.in_(site_ids)).order_by(SITES.c.id)
        connection.execute(own.with_for_update(key_share=True)).all()
