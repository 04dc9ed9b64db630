"""Which of the shipments to the archive hold: those that came to their end.

What is brought there may arrive long after its sender has given it up, and after a later shipment of the same
days was read back and held. Of rows that both have the later one holds. But the site may have lost some in
between, which the later shipment does not have: so nobody reads what a shipment brought that did not hold.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from sqlalchemy import Connection, bindparam, delete, select, update

from service.store.archive_tables import ARCHIVED_SITES, VOID_SHIPMENTS
from service.store.archived_days import Span
from service.store.folded_minutes import NEVER
from service.store.prepared import Prepared
from service.store.upsert import insert

_VOID: Final = Prepared(
    select(VOID_SHIPMENTS.c.first, VOID_SHIPMENTS.c.last)
    .where(VOID_SHIPMENTS.c.site_id == bindparam("site_id"))
    .order_by(VOID_SHIPMENTS.c.first)
)


class Shipments(NamedTuple):
    """From the first to the last."""

    first: int
    last: int


def begin_shipment(connection: Connection, site_id: str, span: Span) -> int:
    """Its number, which is later than those of all before; it does not hold yet. The site is locked."""
    copied = {"copied_from": span.start, "copied_to": span.end}
    noted = insert(ARCHIVED_SITES).values(site_id=site_id, until=NEVER, shipment=1, **copied)
    again = noted.on_conflict_do_update(
        index_elements=["site_id"], set_={"shipment": ARCHIVED_SITES.c.shipment + 1, **copied}
    )
    number: int = connection.execute(again.returning(ARCHIVED_SITES.c.shipment)).scalar_one()
    table = VOID_SHIPMENTS
    before = (table.c.site_id == site_id) & (table.c.last == number - 1)
    if not connection.execute(update(table).where(before).values(last=number)).rowcount:
        connection.execute(insert(table).values(site_id=site_id, first=number, last=number))
    return number


def hold_shipment(connection: Connection, site_id: str, number: int) -> None:
    """The one that began last."""
    table = VOID_SHIPMENTS
    own = (table.c.site_id == site_id) & (table.c.last == number)
    connection.execute(delete(table).where(own, table.c.first == number))
    connection.execute(update(table).where(own).values(last=number - 1))


def void_shipments(connection: Connection, site_id: str) -> Sequence[Shipments]:
    """Those that do not hold, also those that are under way."""
    return [Shipments(*row) for row in _VOID.run(connection, site_id=site_id)]


def void_beside(connection: Connection, site_id: str, number: int) -> Sequence[Shipments]:
    """Those that do not hold whatever becomes of this one, which began last."""
    found = (one._replace(last=min(one.last, number - 1)) for one in void_shipments(connection, site_id))
    return [one for one in found if one.first <= one.last]
