"""Whether all that is derived from counts follows from them: read, worked out anew, held side by side.

In one state of the store, so that it may be asked while counts come in. Nothing is changed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np
from sqlalchemy import Connection, Table, func, select

from service.store.archived_days import kept_minutes
from service.store.checked import Checked, Difference
from service.store.protocol import Numbers
from service.store.recompute import derived
from service.store.schema import PASSAGE_QUARTERS, ZONE_MINUTES, ZONE_QUARTERS
from service.store.series_source import StoredSeries
from service.store.topology import Topology


def check_site(connection: Connection, topology: Topology) -> Checked:
    """What differs, by series and table; of each how many rows, and the first.

    Folded minutes are no more, and nothing tells whether their quarters are right.
    """
    names = {(PASSAGE_QUARTERS.name, number): f"passage {id_}" for id_, number in topology.passages.items()}
    for table in (ZONE_MINUTES, ZONE_QUARTERS):
        names |= {(table.name, number): f"zone {id_}" for id_, number in topology.zones.items()}
    until = kept_minutes(connection, topology.record.site.id).settled_until
    right: Counter[tuple[str, int]] = Counter()
    wrong: Counter[tuple[str, int]] = Counter()
    firsts: dict[tuple[str, int], int] = {}
    source = StoredSeries(connection)
    for table, number, span, expected in _expected(connection, topology):
        stored = source.rows(table, number, *span)
        rows, minutes = _compared(expected, stored)
        right[table.name, number] += rows
        if minutes.size:
            wrong[table.name, number] += len(minutes)
            firsts.setdefault((table.name, number), int(minutes[0]))
    found = [Difference(names[series], series[0], firsts[series], count) for series, count in wrong.items()]
    for (name, number), series in names.items():
        table = ZONE_MINUTES.metadata.tables[name]
        held = select(func.count()).where(table.c.number == number, table.c.minute >= until)
        surplus = connection.execute(held).scalar_one() - right[name, number]
        if surplus:
            found.append(Difference(series, name, None, surplus))
    return Checked(topology.record.site.id, right.total(), tuple(found))


def _expected(
    connection: Connection, topology: Topology
) -> Iterator[tuple[Table, int, tuple[int, int], Sequence[Numbers]]]:
    """Table, number of the series, span, and the columns that follow from the counts."""
    for part in derived(connection, topology):
        for number in topology.passages.values():
            empty = [np.empty(0, dtype=np.int64)] * (len(PASSAGE_QUARTERS.c) - 1)
            yield PASSAGE_QUARTERS, number, part.span, part.passage_quarters.get(number, empty)
        for number, minutes in part.zone_minutes.items():
            yield ZONE_MINUTES, number, part.span, minutes
        for number, quarters in part.zone_quarters.items():
            yield ZONE_QUARTERS, number, part.span, quarters


def _compared(expected: Sequence[Numbers], stored: Numbers) -> tuple[int, Numbers]:
    """How many stored rows there are, and the minutes of those that differ, lack or are too many."""
    wanted = np.column_stack(expected)
    if wanted.shape == stored.shape and (wanted == stored).all():
        return len(stored), np.empty(0, dtype=np.int64)
    rows, counts = np.unique(np.vstack([wanted, stored]), axis=0, return_counts=True)
    return len(stored), np.unique(rows[counts == 1][:, 0])
