"""The rows of a site that lie in an archive, or will, as the store's own tables have them."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from typing import Final

import numpy as np
from sqlalchemy import Connection, Table, delete, func, select

from service.store.archived_days import Span
from service.store.folded_minutes import folded_until
from service.store.protocol import Numbers
from service.store.raw_minutes import by_series
from service.store.schema import (
    PASSAGE_MINUTES,
    PASSAGE_QUARTERS,
    PASSAGES,
    ZONE_LEVELS,
    ZONE_MINUTES,
    ZONE_QUARTERS,
    ZONES,
)
from service.store.series_rows import numbered
from service.store.zone_series import passage_quarters

OWNERS: Final[Mapping[Table, Table]] = {
    PASSAGE_MINUTES: PASSAGES,
    PASSAGE_QUARTERS: PASSAGES,
    ZONE_LEVELS: ZONES,
    ZONE_MINUTES: ZONES,
    ZONE_QUARTERS: ZONES,
}
"""Table of rows that are archived -> table that says of which site a number is."""

Rows = Mapping[Table, Numbers]
"""Whole rows of each of these tables, in the order of their keys."""


def site_rows(connection: Connection, site_id: str, span: Span) -> Rows:
    """Of a site in these minutes."""
    found = {}
    for table, owners in OWNERS.items():
        own = table.c.number.in_(select(owners.c.number).where(owners.c.site_id == site_id))
        within = (table.c.minute >= span.start) & (table.c.minute < span.end)
        asked = select(table).where(own, within).order_by(table.c.number, table.c.minute)
        # NumPy would ask every row whether it is an array before it looked inside.
        numbers = np.fromiter(chain.from_iterable(connection.execute(asked)), dtype=np.int64)
        found[table] = numbers.reshape(-1, len(table.c))
    begin = folded_until(connection, site_id)
    found[PASSAGE_QUARTERS] = _with_former(found[PASSAGE_QUARTERS], found[PASSAGE_MINUTES], begin)
    return found


def _with_former(quarters: Numbers, minutes: Numbers, begin: int) -> Numbers:
    """Quarters of passages, of minutes that are not folded also of those that the site has no more: they keep
    their counts, in case they come back.
    """
    counted = by_series(minutes[minutes[:, 1] >= begin])
    made = (numbered(number, passage_quarters(*rows.T)) for number, rows in counted.items())
    all_ = np.concatenate([quarters[quarters[:, 1] < begin], *made])
    ordered: Numbers = all_[np.lexsort((all_[:, 1], all_[:, 0]))]
    return ordered


def first_row(connection: Connection, site_id: str, begin: int) -> int | None:
    """The first minute of any row of a site, not before `begin`."""
    firsts = []
    for table, owners in OWNERS.items():
        # Of each series the first row is found at once.
        own = (table.c.number == owners.c.number) & (table.c.minute >= begin)
        first = select(func.min(table.c.minute)).where(own).scalar_subquery()
        found = connection.execute(select(func.min(first)).where(owners.c.site_id == site_id)).scalar()
        firsts += [] if found is None else [int(found)]
    return min(firsts, default=None)


def delete_rows(connection: Connection, site_id: str, span: Span) -> None:
    """Of a site in these minutes."""
    for table, owners in OWNERS.items():
        own = table.c.number.in_(select(owners.c.number).where(owners.c.site_id == site_id))
        connection.execute(delete(table).where(own, table.c.minute >= span.start, table.c.minute < span.end))
