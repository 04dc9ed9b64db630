"""How many are inside a zone as it was told: by levels of sources that know it, or set by hand.

In one minute, what was set by hand last goes before a level. What was set and withdrawn leaves the minute,
with the level that it would have without: a bucket that a stream has told cannot be taken from its readers.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from itertools import chain
from typing import Final

import numpy as np
from sqlalchemy import Connection

from service.store.prepared import NUMBERS, Prepared
from service.store.protocol import Numbers
from service.store.raw_minutes import by_series
from service.store.zone_series import UNTOLD, ToldMinutes

_TOLD: Final = Prepared(
    """
    WITH zones(zone) AS MATERIALIZED ({numbers})
    SELECT zone, minute, inside, 0 FROM zones CROSS JOIN zone_levels
    WHERE zone_levels.number = zones.zone AND minute >= :start AND minute < :end
    UNION ALL
    SELECT zones.zone, minute, CASE WHEN withdrawn_at IS NULL THEN inside ELSE -1 END, number
    FROM zones CROSS JOIN corrections
    WHERE corrections.zone = zones.zone AND minute >= :start AND minute < :end ORDER BY 1""",
    numbers=NUMBERS,
)
"""Zone, minute, people inside (`UNTOLD` where withdrawn) and the number of the correction, 0 for a level."""

_FIRST_MINUTES: Final = Prepared("""
    SELECT MIN(minute) FROM (
        SELECT minute FROM zones JOIN zone_levels USING (number) WHERE site_id = :site_id
        UNION ALL
        SELECT minute FROM zones JOIN corrections ON corrections.zone = zones.number WHERE site_id = :site_id
    ) AS told WHERE minute >= :begin GROUP BY minute / 1440""")


def told_minutes(
    connection: Connection, zones: Collection[int], start: int, end: int
) -> Mapping[int, ToldMinutes]:
    """Number of a zone -> what was told of it in [start, end); only of those of which anything was."""
    rows = _TOLD.run(connection, numbers=json.dumps(list(zones)), start=start, end=end)
    matrix = np.fromiter(chain.from_iterable(rows), dtype=np.int64).reshape(-1, 4)
    return {zone: _in_force(told) for zone, told in by_series(matrix).items()}


def first_told_minutes(connection: Connection, site_id: str, begin: int) -> list[int]:
    """Of each UTC day the first minute, not before `begin`, in which anything was told of one of the site's
    zones.
    """
    found = _FIRST_MINUTES.run(connection, site_id=site_id, begin=begin).fetchall()
    return [minute for (minute,) in found]


def _in_force(rows: Numbers) -> ToldMinutes:
    """Of rows of minute, people inside and number (0: a level), what holds in each minute.

    The last that is not withdrawn, in the order of the numbers.
    """
    minute, inside, number = rows.T
    # Withdrawn ones first: whatever else is told of the minute comes after them.
    order = np.lexsort((np.where(inside == UNTOLD, UNTOLD, number), minute))
    minute, inside = minute[order], inside[order]
    is_last = np.append(minute[1:] != minute[:-1], True)
    return ToldMinutes(minute[is_last], inside[is_last])
