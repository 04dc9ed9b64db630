"""Rows of several zones, or passages, read as one series, as the columns that a query of buckets reduces.

Pure. `bucket_rows` reads the rows.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from contract import Aggregation
from service.store.bucket_query import extreme_of, is_of_counts, stored_or_difference, without_extreme
from service.store.protocol import Numbers

Columns = dict[str, Numbers]
"""Parallel, by name (see `Reduction.formula`); `key` is the first minute, or the bucket's key."""

LOST: Final = "lost"
"""The column that is not 0 where the minutes that a value takes are folded: the bucket has none."""

Choice = npt.NDArray[np.bool_]

_ALL: Final = 2
"""See `SummedMinutes.lack`."""

NO_EXTREME: Final = {
    Aggregation.MINIMUM: np.iinfo(np.int64).max,
    Aggregation.MAXIMUM: np.iinfo(np.int64).min,
}
"""What is no extreme of any other minute."""


class SummedMinutes(NamedTuple):
    """Minutes that several series have together: parallel columns, ascending."""

    minutes: Numbers
    entrances: Numbers
    exits: Numbers
    inside: Numbers
    """Zeros for passages, which have nobody inside."""
    lack: Numbers
    """0 where each row of a series has counts, 2 where none has, 1 where some have."""


class SummedQuarters(NamedTuple):
    """Quarters in which at least one series has a row: ascending, parallel."""

    minutes: Numbers
    """First minute of each."""
    reported: Numbers
    """How many series have a row."""
    fewest: Numbers
    """Minutes of the series that has the fewest."""
    most: Numbers
    """Minutes of the series that has the most."""
    entrances: Numbers
    exits: Numbers
    inside: Numbers
    stored: Numbers
    """Minutes of all series together."""
    uncounted: Numbers
    """Those of them without counts."""


def columns_of_minutes(minutes: SummedMinutes, names: list[str]) -> Columns:
    """Each minute by itself."""
    each = {
        "minutes": np.ones_like(minutes.minutes),
        "entrances": minutes.entrances,
        "exits": minutes.exits,
        "inside": minutes.inside,
        "counted": (minutes.lack != _ALL).astype(np.int64),
        "uncounted": (minutes.lack != 0).astype(np.int64),
    }
    found = {name: stored_or_difference(without_extreme(name), each) for name in names}
    if not each["counted"].all():
        # What is no extreme of any other minute; where there is no other, there is no value.
        found |= {
            name: np.where(each["counted"], found[name], NO_EXTREME[extreme])
            for name in names
            if (extreme := extreme_of(name)) and is_of_counts(name)
        }
    return {"key": minutes.minutes, LOST: np.zeros_like(minutes.minutes)} | found


def columns_of_quarters(quarters: SummedQuarters, even: Choice, names: list[str]) -> Columns:
    """Those of the chosen quarters that need no minutes."""
    # Of one series exact; where some of several lack counts, that there are some.
    counted = np.where(quarters.uncounted == 0, quarters.most, quarters.stored - quarters.uncounted)
    each = {
        "minutes": quarters.most,
        "entrances": quarters.entrances,
        "exits": quarters.exits,
        "inside": quarters.inside,
        "counted": counted,
        "uncounted": np.where(quarters.uncounted == 0, 0, quarters.most),
    }
    kept = quarters.minutes[even]
    return {"key": kept, LOST: np.zeros_like(kept)} | {
        name: stored_or_difference(name, each)[even] for name in names
    }


def columns_of_lost(quarters: SummedQuarters, lost: Choice, names: list[str]) -> Columns:
    """The chosen quarters by their names alone."""
    key = quarters.minutes[lost]
    return {"key": key, LOST: np.ones_like(key)} | dict.fromkeys(names, np.zeros_like(key))
