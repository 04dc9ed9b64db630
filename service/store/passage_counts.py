"""The write path of raw counts: into `passage_minutes`, and nowhere else."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import Final

import numpy as np
from sqlalchemy import Connection, bindparam, select

from contract.minutes import MINUTES_A_DAY
from service.store.database import driver
from service.store.errors import UnknownPassageError
from service.store.protocol import CountSeries, PassageCount, WriteMode
from service.store.schema import PASSAGE_MINUTES, PASSAGES
from service.store.series_rows import addition, filling, replacement, write_rows

_BATCH: Final = 20_000

STATEMENTS: Final = {
    WriteMode.ADD: addition(PASSAGE_MINUTES),
    WriteMode.SET: replacement(PASSAGE_MINUTES),
    WriteMode.FILL: filling(PASSAGE_MINUTES),
}

_FIND_PASSAGES: Final = select(PASSAGES.c.id, PASSAGES.c.number, PASSAGES.c.site_id).where(
    PASSAGES.c.present, PASSAGES.c.id.in_(bindparam("passage_ids", expanding=True))
)


@dataclass(slots=True)
class SiteChange:
    """Which counts of one site changed."""

    passages: set[int] = field(default_factory=set)
    """Numbers."""
    first_changes: set[int] = field(default_factory=set)
    """For every passage and UTC day with a change, the first changed minute."""


def write_counts(
    connection: Connection, counts: Iterable[PassageCount], mode: WriteMode
) -> Mapping[str, SiteChange]:
    """Store counts; site id -> what changed.

    Raises UnknownPassageError once all counts are read; the transaction is to be undone then.
    """
    known: dict[str, tuple[int, str]] = {}
    unknown: set[str] = set()
    changes: defaultdict[str, SiteChange] = defaultdict(SiteChange)
    for batch in _batches(counts):
        asked = {count.passage_id for count in batch}
        known |= find_passages(connection, asked - known.keys())
        unknown |= asked - known.keys()
        if not unknown:
            rows = [
                (known[passage][0], minute, forward, backward) for passage, minute, forward, backward in batch
            ]
            driver(connection).executemany(STATEMENTS[mode], rows)
            _note_changes(changes, {known[passage] for passage in asked}, rows)
    if unknown:
        raise UnknownPassageError(unknown)
    return changes


def write_series(connection: Connection, series: Iterable[CountSeries]) -> Mapping[str, SiteChange]:
    """`write_counts` for columns.

    Raises UnknownPassageError once all columns are read; the transaction is to be undone then.
    """
    known: dict[str, tuple[int, str]] = {}
    unknown: set[str] = set()
    changes: defaultdict[str, SiteChange] = defaultdict(SiteChange)
    for passage_id, minutes, forward, backward, mode in series:
        if passage_id not in known:
            known |= find_passages(connection, [passage_id])
        if passage_id not in known:
            unknown.add(passage_id)
        elif not unknown and len(minutes):
            number, site_id = known[passage_id]
            write_rows(connection, STATEMENTS[mode], number, [minutes, forward, backward])
            _, firsts = np.unique(minutes // MINUTES_A_DAY, return_index=True)
            changes[site_id].passages.add(number)
            changes[site_id].first_changes.update(minutes[firsts].tolist())
    if unknown:
        raise UnknownPassageError(unknown)
    return changes


def _batches(counts: Iterable[PassageCount]) -> Iterator[list[PassageCount]]:
    remaining = iter(counts)
    while batch := list(islice(remaining, _BATCH)):
        yield batch


def find_passages(connection: Connection, passage_ids: Collection[str]) -> dict[str, tuple[int, str]]:
    """Passage id -> number and site id, for those that a site has now."""
    if not passage_ids:
        return {}
    rows = connection.execute(_FIND_PASSAGES, {"passage_ids": list(passage_ids)})
    return {row.id: (row.number, row.site_id) for row in rows}


def _note_changes(
    changes: defaultdict[str, SiteChange],
    passages: Collection[tuple[int, str]],
    rows: Collection[tuple[int, int, int, int]],
) -> None:
    sites = dict(passages)
    columns = np.fromiter(chain.from_iterable(rows), dtype=np.int64).reshape(-1, 4).T
    order = np.lexsort((columns[1], columns[0]))
    numbers, minutes = columns[0][order], columns[1][order]
    days = minutes // MINUTES_A_DAY
    new_number, new_day = (np.diff(column, prepend=column[0] - 1) != 0 for column in (numbers, days))
    firsts = np.flatnonzero(new_number | new_day)
    for number, minute in zip(numbers[firsts].tolist(), minutes[firsts].tolist(), strict=True):
        change = changes[sites[number]]
        change.passages.add(number)
        change.first_changes.add(minute)
