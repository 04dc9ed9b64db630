"""Counts of days that lie in the archive: taken at once, and counted when those days are back.

Whoever counts does not wait for the archive, and is not refused because it is away. A late count is counted
once: it is set aside in the transaction that takes it, and set aside no more in the one that counts it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt
from sqlalchemy import Connection, delete, func, insert, select

from contract.minutes import MINUTES_A_DAY
from service.store.archive_tables import LATE_COUNTS
from service.store.archived_days import kept_minutes, returned_days
from service.store.batched import batched
from service.store.packed_counts import packed_rows, unpacked
from service.store.protocol import Numbers, WriteMode

_DAYS_TOGETHER: Final = 31
_NUMBERS_TOGETHER: Final = 10_000
"""Of rows; databases bound the parameters of a statement."""


class LateCounts(NamedTuple):
    """Of one passage, on one UTC day."""

    number: int
    passage: int
    mode: WriteMode
    columns: list[Numbers]
    """Minutes, forward and backward."""


def without_late(
    connection: Connection, site_id: str, passage: int, columns: Sequence[Numbers], mode: WriteMode
) -> list[Numbers]:
    """Set aside what is of days in the archive, and give the rest: minutes, forward and backward, ascending.

    The site is locked.
    """
    is_late = late_minutes(connection, site_id, columns[0])
    if not is_late.any():
        return list(columns)
    set_aside(connection, site_id, passage, [column[is_late] for column in columns], mode)
    return [column[~is_late] for column in columns]


def late_minutes(connection: Connection, site_id: str, minutes: Numbers) -> npt.NDArray[np.bool_]:
    """Which of these minutes lie in the archive, or are of a day of which others wait: what is told later is
    counted later.
    """
    until = kept_minutes(connection, site_id).archived_until
    is_old: npt.NDArray[np.bool_] = minutes < until
    is_late = is_old.copy()
    if is_old.any():
        for start, end in returned_days(connection, site_id, int(minutes.min()), until):
            is_late &= (minutes < start) | (minutes >= end)
        if not np.array_equal(is_late, is_old):
            is_late |= is_old & np.isin(minutes // MINUTES_A_DAY, _waiting_days(connection, site_id))
    return is_late


def _waiting_days(connection: Connection, site_id: str) -> list[int]:
    days = select(LATE_COUNTS.c.day).where(LATE_COUNTS.c.site_id == site_id).distinct()
    return list(connection.execute(days).scalars())


def set_aside(
    connection: Connection, site_id: str, passage: int, columns: Sequence[Numbers], mode: WriteMode
) -> None:
    """Minutes, forward and backward; in any order of the minutes, each as often as it was told."""
    order = np.argsort(columns[0], kind="stable")
    rows = packed_rows(site_id, passage, mode, [column[order] for column in columns])
    connection.execute(insert(LATE_COUNTS), list(rows))


def next_late_counts(connection: Connection, site_id: str) -> list[LateCounts]:
    """All that is set aside of the oldest days of a site, in the order in which it came."""
    late = LATE_COUNTS.c
    days = select(late.day).where(late.site_id == site_id).distinct().order_by(late.day)
    oldest = list(connection.execute(days.limit(_DAYS_TOGETHER)).scalars())
    own = select(late.number, late.passage, late.mode, late.counts, late.day)
    found = own.where(late.site_id == site_id, late.day.in_(oldest)).order_by(late.number)
    return [
        LateCounts(number, passage, WriteMode(mode), unpacked(counts, day))
        for number, passage, mode, counts, day in connection.execute(found)
    ]


def has_late_counts(connection: Connection, site_id: str) -> bool:
    own = select(LATE_COUNTS.c.number).where(LATE_COUNTS.c.site_id == site_id)
    return connection.execute(own.limit(1)).first() is not None


def sites_with_late_counts(connection: Connection) -> list[str]:
    return list(connection.execute(select(LATE_COUNTS.c.site_id).distinct()).scalars())


def forget_late_counts(connection: Connection, numbers: Sequence[int]) -> int:
    """How many there were."""
    some = batched(numbers, _NUMBERS_TOGETHER)
    return sum(
        connection.execute(delete(LATE_COUNTS).where(LATE_COUNTS.c.number.in_(own))).rowcount for own in some
    )


def count_late_minutes(connection: Connection) -> int:
    return int(connection.execute(select(func.coalesce(func.sum(LATE_COUNTS.c.minutes), 0))).scalar_one())
