"""Rows of one zone as the columns that a query of buckets reduces, where SQL cannot reduce them: of a range
that lies in several places.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from sqlalchemy import Table

from contract import Granularity
from service.store.bucket_keys import MinuteRange
from service.store.bucket_query import (
    Reduction,
    extreme_of,
    is_of_counts,
    stored_or_difference,
    without_extreme,
)
from service.store.protocol import Numbers
from service.store.schema import ZONE_MINUTES, ZONE_QUARTERS
from service.store.series_source import SeriesSource
from service.store.summed_columns import LOST, NO_EXTREME, Columns


def zone_columns(
    source: SeriesSource, zone: int, reduction: Reduction, minutes: MinuteRange
) -> Iterator[Columns]:
    """As `SummedSeries.columns`, but that extremes are read from quarters, too."""
    names = reduction.column_names()
    are_in_quarters = reduction.granularity is not Granularity.MINUTE and all(
        name in ZONE_QUARTERS.c for name in names if extreme_of(name)
    )
    first, last = minutes.whole_quarters if are_in_quarters else (minutes.end, minutes.end)
    parts = (
        (ZONE_MINUTES, minutes.start, first),
        (ZONE_QUARTERS, first, last),
        (ZONE_MINUTES, last, minutes.end),
    )
    for table, start, end in parts:
        if start < end and len(rows := source.rows(table, zone, start, end)):
            yield _columns(table, rows, names)


def _columns(table: Table, rows: Numbers, names: Sequence[str]) -> Columns:
    _, *stored = table.c.keys()
    each = {"minutes": np.ones_like(rows[:, 0])} | dict(zip(stored, rows.T, strict=True))
    each["counted"] = each["minutes"] - each["uncounted"]
    found = {"key": each["minute"], LOST: np.zeros_like(each["minute"])}
    for name in names:
        value = each[name] if name in each else stored_or_difference(without_extreme(name), each)
        extreme = extreme_of(name)
        if extreme and is_of_counts(name):
            value = np.where(each["counted"], value, NO_EXTREME[extreme])
        found[name] = value
    return found
