"""The write path of raw counts: into `passage_minutes`, and nowhere else."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import Final, NamedTuple

import numpy as np
from sqlalchemy import Connection, bindparam, func, select

from contract.minutes import MINUTES_A_DAY
from service.store.archive_tables import ARCHIVED_SITES
from service.store.batched import batched
from service.store.errors import FoldedCountsError, UnknownPassageError
from service.store.folded_minutes import NEVER
from service.store.late_counts import late_minutes, set_aside, without_late
from service.store.protocol import CountSeries, Numbers, PassageCount, WriteMode
from service.store.schema import FOLDED_SITES, PASSAGE_MINUTES, PASSAGES
from service.store.series_rows import write_rows, write_series_rows
from service.store.site_lock import lock_sites_of

_BATCH: Final = 20_000

_FIND_PASSAGES: Final = (
    select(
        PASSAGES.c.id,
        PASSAGES.c.number,
        PASSAGES.c.site_id,
        func.coalesce(FOLDED_SITES.c.until, NEVER).label("folded_until"),
        func.coalesce(ARCHIVED_SITES.c.until, NEVER).label("archived_until"),
    )
    .outerjoin(FOLDED_SITES, FOLDED_SITES.c.site_id == PASSAGES.c.site_id)
    .outerjoin(ARCHIVED_SITES, ARCHIVED_SITES.c.site_id == PASSAGES.c.site_id)
    .where(PASSAGES.c.present, PASSAGES.c.id.in_(bindparam("passage_ids", expanding=True)))
)


class KnownPassage(NamedTuple):
    number: int
    site_id: str
    folded_until: int
    archived_until: int

    def check(self, first: int) -> None:
        """Raise FoldedCountsError where a count of that minute is refused."""
        if first < self.folded_until:
            raise FoldedCountsError(self.site_id, self.folded_until)


@dataclass(slots=True)
class SiteChange:
    """Which raw rows of one site changed."""

    passages: set[int] = field(default_factory=set)
    """Numbers of those whose counts changed."""
    zones: set[int] = field(default_factory=set)
    """Numbers of those of which something else was told."""
    first_changes: set[int] = field(default_factory=set)
    """For every passage, or zone, and UTC day with a change, the first changed minute at least."""


def write_counts(
    connection: Connection, counts: Iterable[PassageCount], mode: WriteMode
) -> Mapping[str, SiteChange]:
    """Store counts; site id -> what changed.

    Raises UnknownPassageError once all counts are read, FoldedCountsError; the transaction is to be undone
    then.
    """
    known: dict[str, KnownPassage] = {}
    unknown: set[str] = set()
    changes: defaultdict[str, SiteChange] = defaultdict(SiteChange)
    for batch in batched(counts, _BATCH):
        asked = {count.passage_id for count in batch}
        lock_sites_of(connection, asked - known.keys())
        known |= find_passages(connection, asked - known.keys())
        unknown |= asked - known.keys()
        if not unknown:
            _check_folded(known, asked, batch)
            numbers = (
                (known[passage].number, minute, forward, backward)
                for passage, minute, forward, backward in batch
            )
            # NumPy would ask every row whether it is an array before it looked inside.
            rows = np.fromiter(chain.from_iterable(numbers), dtype=np.int64).reshape(-1, 4)
            rows = _without_late(connection, {known[passage] for passage in asked}, rows, mode)
            if not len(rows):
                continue
            write_rows(connection, PASSAGE_MINUTES, rows, mode)
            _note_changes(changes, {known[passage] for passage in asked}, rows)
    if unknown:
        raise UnknownPassageError(unknown)
    return changes


def write_series(connection: Connection, series: Iterable[CountSeries]) -> Mapping[str, SiteChange]:
    """`write_counts` for columns.

    Raises UnknownPassageError once all columns are read, FoldedCountsError; the transaction is to be undone
    then.
    """
    known: dict[str, KnownPassage] = {}
    unknown: set[str] = set()
    changes: defaultdict[str, SiteChange] = defaultdict(SiteChange)
    for passage_id, minutes, forward, backward, mode in series:
        if passage_id not in known:
            lock_sites_of(connection, [passage_id])
            known |= find_passages(connection, [passage_id])
        if passage_id not in known:
            unknown.add(passage_id)
        elif not unknown and len(minutes):
            number, site_id, *_ = known[passage_id]
            known[passage_id].check(int(minutes[0]))
            columns = without_late(connection, site_id, number, [minutes, forward, backward], mode)
            if not len(columns[0]):
                continue
            write_series_rows(connection, PASSAGE_MINUTES, number, columns, mode)
            _, firsts = np.unique(columns[0] // MINUTES_A_DAY, return_index=True)
            changes[site_id].passages.add(number)
            changes[site_id].first_changes.update(columns[0][firsts].tolist())
    if unknown:
        raise UnknownPassageError(unknown)
    return changes


def _without_late(
    connection: Connection, passages: Collection[KnownPassage], rows: Numbers, mode: WriteMode
) -> Numbers:
    """Set aside those of days that lie in the archive; rows of number, minute, forward and backward."""
    for number, site_id, _, archived_until in passages:
        if archived_until == NEVER:
            continue
        is_late = rows[:, 0] == number
        is_late[is_late] = late_minutes(connection, site_id, rows[is_late, 1])
        if is_late.any():
            set_aside(connection, site_id, number, list(rows[is_late, 1:].T), mode)
            rows = rows[~is_late]
    return rows


def without_folded(connection: Connection, counts: Iterable[PassageCount]) -> list[PassageCount]:
    """Those of minutes that are not folded, or of passages that nobody knows."""
    kept = list(counts)
    asked = {count.passage_id for count in kept}
    lock_sites_of(connection, asked)
    known = find_passages(connection, asked)
    return [
        count
        for count in kept
        if count.passage_id not in known or count.minute >= known[count.passage_id].folded_until
    ]


def _check_folded(
    known: Mapping[str, KnownPassage], asked: Collection[str], batch: Collection[PassageCount]
) -> None:
    if any(known[passage].folded_until != NEVER for passage in asked):
        for count in batch:
            known[count.passage_id].check(count.minute)


def find_passages(connection: Connection, passage_ids: Collection[str]) -> dict[str, KnownPassage]:
    """Passage id -> number and site id, for those that a site has now."""
    if not passage_ids:
        return {}
    rows = connection.execute(_FIND_PASSAGES, {"passage_ids": list(passage_ids)})
    return {
        row.id: KnownPassage(row.number, row.site_id, row.folded_until, row.archived_until) for row in rows
    }


def _note_changes(
    changes: defaultdict[str, SiteChange],
    passages: Collection[KnownPassage],
    rows: Numbers,
) -> None:
    """Of rows of a passage's number, minute, forward and backward."""
    sites = {passage.number: passage.site_id for passage in passages}
    order = np.lexsort((rows[:, 1], rows[:, 0]))
    numbers, minutes = rows[order, :2].T
    days = minutes // MINUTES_A_DAY
    new_number, new_day = (np.diff(column, prepend=column[0] - 1) != 0 for column in (numbers, days))
    firsts = np.flatnonzero(new_number | new_day)
    for number, minute in zip(numbers[firsts].tolist(), minutes[firsts].tolist(), strict=True):
        change = changes[sites[number]]
        change.passages.add(number)
        change.first_changes.add(minute)
