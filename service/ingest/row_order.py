"""One look at the rows of a file in order of passage and time: what they cover, where they overlap."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import NamedTuple

import numpy as np

from service.ingest.count_findings import MAXIMUM_REASONS
from service.ingest.staged_counts import Rows, StagedCounts
from service.store.protocol import Numbers


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
        """As many as are told, by line."""
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
        [places] = np.nonzero(steps < self._interval)
        self.overlaps += len(places)
        pairs = np.sort(np.stack([lines[places], lines[places + 1]]), axis=0)
        told = np.argsort(pairs[1])[:MAXIMUM_REASONS]
        found = [Overlap(later, earlier, passage) for earlier, later in pairs[:, told].T.tolist()]
        self.first_overlaps = sorted([*self.first_overlaps, *found])[:MAXIMUM_REASONS]


def row_order(staged: StagedCounts, interval: int) -> RowOrder:
    """The order of all rows, each of which counts `interval` minutes."""
    order = RowOrder(interval)
    for rows in staged.pieces():
        order.take(rows)
    return order
