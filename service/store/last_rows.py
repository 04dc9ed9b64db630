"""The last row of each series that the archive has: the newest of a zone where nobody has been since.

Whoever asks for the newest value does not wait for the archive.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np
from sqlalchemy import Connection, Table, delete, select

from service.store.archive_tables import LAST_PASSAGE_MINUTES, LAST_ZONE_MINUTES
from service.store.archived_days import Span
from service.store.archived_rows import OWNERS, Rows
from service.store.batched import batched
from service.store.schema import PASSAGE_MINUTES, ZONE_MINUTES
from service.store.upsert import insert

LAST_ROWS: Final[Mapping[Table, Table]] = {
    PASSAGE_MINUTES: LAST_PASSAGE_MINUTES,
    ZONE_MINUTES: LAST_ZONE_MINUTES,
}
_ROWS_TOGETHER: Final = 1_000
"""Databases bound the parameters of a statement."""


def keep_last_rows(connection: Connection, rows: Rows) -> None:
    """Of rows that are the archive's now."""
    for table, last in LAST_ROWS.items():
        found = rows[table]
        is_last = np.diff(found[:, 0], append=-1) != 0
        for some in batched(found[is_last].tolist(), _ROWS_TOGETHER):
            told = [dict(zip(last.c.keys(), row, strict=True)) for row in some]
            noted = insert(last).values(told)
            again = noted.on_conflict_do_update(
                index_elements=["number"],
                set_={name: noted.excluded[name] for name in last.c.keys() if name != "number"},  # noqa: SIM118 -- no dict
                where=last.c.minute <= noted.excluded.minute,
            )
            connection.execute(again)


def forget_last_rows(connection: Connection, site_id: str, span: Span) -> None:
    """Those of days that have returned: the store has them itself."""
    for table, last in LAST_ROWS.items():
        owners = OWNERS[table]
        own = last.c.number.in_(select(owners.c.number).where(owners.c.site_id == site_id))
        connection.execute(delete(last).where(own, last.c.minute >= span.start, last.c.minute < span.end))
