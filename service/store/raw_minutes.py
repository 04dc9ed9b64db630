"""What zone minutes are made of, read for all series of a site at once: each question is waited for."""

from __future__ import annotations

import json
from collections.abc import Collection
from itertools import chain
from typing import Final

import numpy as np
from sqlalchemy import Connection

from service.store.batched import batched
from service.store.prepared import NUMBERS, Prepared
from service.store.protocol import Numbers

_ROWS_AT_ONCE: Final = 250_000
"""Bounds what a driver holds."""

COUNTS: Final = Prepared(
    """
    WITH asked(series) AS MATERIALIZED ({numbers})
    SELECT number, minute, forward, backward FROM asked CROSS JOIN passage_minutes
    WHERE number = asked.series AND minute >= :start AND minute < :end ORDER BY number, minute""",
    numbers=NUMBERS,
)
_LEVELS: Final = Prepared(
    """
    WITH asked(series) AS MATERIALIZED ({numbers})
    SELECT series, (
        SELECT inside FROM zone_minutes
        WHERE number = asked.series AND minute >= :start AND minute < :end ORDER BY minute DESC LIMIT 1
    ) FROM asked""",
    numbers=NUMBERS,
)


def read_counts(
    connection: Connection, passages: Collection[int], start: int, end: int
) -> dict[int, Numbers]:
    """Number of a passage -> its rows of minute, forward, backward in [start, end), ascending, as a matrix of
    three columns; only those with rows.
    """
    found: dict[int, Numbers] = {}
    for numbers in batched(sorted(passages), max(1, _ROWS_AT_ONCE // max(end - start, 1))):
        rows = COUNTS.run(connection, numbers=json.dumps(numbers), start=start, end=end)
        # NumPy would ask every row whether it is an array before it looked inside.
        matrix = np.fromiter(chain.from_iterable(rows), dtype=np.int64).reshape(-1, 4)
        found |= by_series(matrix)
    return found


def by_series(rows: Numbers) -> dict[int, Numbers]:
    """Of rows that begin with the number of their series, which ascends: the rest of each series."""
    if not len(rows):
        return {}
    edges = np.flatnonzero(np.diff(rows[:, 0])) + 1
    numbers = rows[[0, *edges], 0].tolist()
    return dict(zip(numbers, np.split(rows[:, 1:], edges), strict=True))


def levels_before(connection: Connection, zones: Collection[int], begin: int, end: int) -> dict[int, int]:
    """Number of a zone -> how many were inside in its last minute of [begin, end); 0 without one."""
    rows = _LEVELS.run(connection, numbers=json.dumps(list(zones)), start=begin, end=end)
    return {number: level or 0 for number, level in rows}
