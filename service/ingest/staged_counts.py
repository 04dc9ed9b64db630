"""Rows of a count file, kept aside on disk in the order of passage and time until all of them were checked.

SQLite keeps a database without a name in a temporary file of its own, which vanishes with the connection.
A file of any size takes the same memory here. It is no store: whatever the store is, rows wait here for it.
`row_order` looks at the rows once: what they cover, where they overlap.
"""

from __future__ import annotations

import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from typing import Final, NamedTuple

import numpy as np

from service.ingest.count_csv import MAXIMUM_REASONS
from service.store.protocol import Numbers

_ROWS_AT_ONCE: Final = 20_000


class Rows(NamedTuple):
    """Columns of rows. Parallel."""

    passages: Numbers
    """Numbers that the reader of the file gave."""
    minutes: Numbers
    """First minute that the row counts, since the epoch, UTC."""
    lines: Numbers
    """Where the row begins in the file, from 1."""
    forward: Numbers
    backward: Numbers


class StagingError(RuntimeError):
    """Rows cannot be kept aside, as when the disk of temporary files is full."""


class StagedCounts:
    """A temporary table of rows. Raises StagingError."""

    def __init__(self) -> None:
        self._connection = sqlite3.connect("", isolation_level=None)
        with _explained():
            for setting in ("journal_mode = OFF", "synchronous = OFF", "cache_size = -16384"):
                self._connection.execute(f"PRAGMA {setting}")
            self._connection.execute(
                "CREATE TABLE staged (passage INT, minute INT, line INT, forward INT, backward INT,"
                " PRIMARY KEY (passage, minute, line)) WITHOUT ROWID"
            )
            self._connection.execute("BEGIN")

    def add(self, rows: Rows) -> None:
        # In the order of the table, whose pages are then written one after the other.
        order = np.lexsort((rows.minutes, rows.passages))
        with _explained():
            self._connection.executemany(
                "INSERT INTO staged VALUES (?, ?, ?, ?, ?)", np.column_stack(rows)[order].tolist()
            )

    def pieces(self) -> Iterator[Rows]:
        """All rows by passage, minute and line; a piece has rows of one passage."""
        with _explained():
            ordered = self._connection.execute("SELECT * FROM staged ORDER BY passage, minute, line")
        while found := _fetched(ordered):
            rows = np.fromiter(chain.from_iterable(found), dtype=np.int64).reshape(-1, len(Rows._fields))
            for piece in np.split(rows, np.flatnonzero(np.diff(rows[:, 0])) + 1):
                yield Rows(*piece.T)

    def minutes(self, passage: int, start: int, end: int) -> Numbers:
        """Minutes of [start, end) at which a row of the passage begins, ascending."""
        with _explained():
            found = self._connection.execute(
                "SELECT minute FROM staged WHERE passage = ? AND minute >= ? AND minute < ?",
                (passage, start, end),
            )
            return np.fromiter(chain.from_iterable(found), dtype=np.int64)

    def close(self) -> None:
        self._connection.close()


def _fetched(rows: sqlite3.Cursor) -> list[tuple[int, ...]]:
    with _explained():
        return rows.fetchmany(_ROWS_AT_ONCE)


@contextmanager
def _explained() -> Iterator[None]:
    """Raise what SQLite reports as a StagingError."""
    try:
        yield
    except sqlite3.Error as error:
        raise StagingError(str(error)) from error


class Overlap(NamedTuple):
    line: int
    earlier_line: int
    passage: int


class RowOrder:
    """What the order shows; in memory that does not grow with the rows."""

    def __init__(self, interval: int) -> None:
        self.steps: defaultdict[int, Counter[int]] = defaultdict(Counter)
        """Passage -> minutes from row to row -> how often. They are few: all different ones add up to the
        time that the file covers."""
        self.spans: dict[int, tuple[int, int]] = {}
        """Passage -> its first row's first minute, its last row's."""
        self.overlaps = 0
        """Rows that count a minute that an earlier row of their passage counts."""
        self.first_overlaps: list[Overlap] = []
        """The first of them by line, MAXIMUM_REASONS at most."""
        self.absent = 0
        """Minutes between a passage's rows that none of them counts."""
        self.zero_rows = 0
        """Rows that say that nobody came."""
        self.rows = 0
        self._interval = interval
        self._last_line = 0

    def take(self, rows: Rows) -> None:
        """The next piece, of one passage."""
        passage = int(rows.passages[0])
        minutes, lines = rows.minutes, rows.lines
        if passage in self.spans:
            first, last = self.spans[passage]
            minutes = np.concatenate(([last], minutes))
            lines = np.concatenate(([self._last_line], lines))
        else:
            first = int(minutes[0])
        steps = np.diff(minutes)
        self.spans[passage] = first, int(rows.minutes[-1])
        self._last_line = int(rows.lines[-1])
        self._count(passage, steps)
        self._note_overlaps(passage, steps, lines)
        self.rows += len(rows.lines)
        self.zero_rows += int(np.count_nonzero(rows.forward + rows.backward == 0))

    def _count(self, passage: int, steps: Numbers) -> None:
        different, times = np.unique(steps[steps > 0], return_counts=True)
        self.steps[passage].update(dict(zip(different.tolist(), times.tolist(), strict=True)))
        self.absent += int(np.maximum(steps - self._interval, 0).sum())

    def _note_overlaps(self, passage: int, steps: Numbers, lines: Numbers) -> None:
        [indices] = np.nonzero(steps < self._interval)
        self.overlaps += len(indices)
        pairs = np.sort(np.stack([lines[indices], lines[indices + 1]]), axis=0)
        first = np.argsort(pairs[1])[:MAXIMUM_REASONS]
        found = [Overlap(later, earlier, passage) for earlier, later in pairs[:, first].T.tolist()]
        self.first_overlaps = sorted([*self.first_overlaps, *found])[:MAXIMUM_REASONS]


def row_order(staged: StagedCounts, interval: int) -> RowOrder:
    """The order of all rows, each of which counts `interval` minutes."""
    order = RowOrder(interval)
    for rows in staged.pieces():
        order.take(rows)
    return order
