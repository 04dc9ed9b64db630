"""A file of counts, read and checked: CSV, `timestamp,passageId,forward,backward`, gzip or not.

It is taken whole or refused whole. The file is read once, and its rows are kept in a temporary file until all
of them were checked: memory does not grow with the file, and nothing is left to check while the store is
written to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Final

import numpy as np

from contract.minutes import MINUTES_A_DAY
from service.ingest.allocation import people_by_minutes
from service.ingest.count_csv import (
    LONGEST_LINE,
    MAXIMUM_REASONS,
    CountFileError,
    Findings,
    Problem,
    count_form,
    header_line,
    opened_text,
    row_chunks,
)
from service.ingest.count_rows import CountRows, FindSites
from service.ingest.row_spacing import (
    RowSpacing,
    gap_notes,
    refusal_of_interval,
    refusal_of_mixture,
    refusal_without_interval,
    row_spacing,
)
from service.ingest.staged_counts import RowOrder, Rows, StagedCounts, row_order
from service.store.protocol import CountSeries, WriteMode

_MINUTES_AT_ONCE: Final = 32 * MINUTES_A_DAY


class Absent(StrEnum):
    """What it means that a file has no row for a minute."""

    MISSING = "missing"
    """Nobody knows: the minute has no value."""
    ZERO = "zero"
    """Nobody came: the counter leaves out quiet minutes. Holds for all passages of the file, from the first
    row of their site to the end of its last. What is stored for such a minute already stays."""


@dataclass(frozen=True, slots=True)
class CheckedCounts:
    """A file's counts, ready to be stored."""

    rows: int
    interval: int
    """Minutes that a row counts."""
    notes: tuple[str, ...]
    """What the person who imports it should know, in sentences."""
    _staged: StagedCounts
    _passages: Sequence[str]
    """Ids by number."""
    _filled: Sequence[tuple[int, int]]
    """By passage number, the minutes [start, end) in which an absent row means zero."""

    @property
    def minutes(self) -> int:
        """Passage minutes that the rows count."""
        return self.rows * self.interval

    @property
    def filled(self) -> int:
        """Passage minutes without a row that are taken for zero."""
        return sum(end - start for start, end in self._filled) - self.minutes if self._filled else 0

    def series(self) -> Iterator[CountSeries]:
        """All counts by passage, minute by minute, zeros included; as often as asked."""
        offsets = np.arange(self.interval)
        together = max(1, _MINUTES_AT_ONCE // self.interval)
        for piece in self._staged.pieces():
            for first in range(0, len(piece.lines), together):
                rows = Rows(*(column[first : first + together] for column in piece))
                yield CountSeries(
                    self._passages[int(rows.passages[0])],
                    (rows.minutes[:, np.newaxis] + offsets).ravel(),
                    people_by_minutes(rows.forward, self.interval).ravel(),
                    people_by_minutes(rows.backward, self.interval).ravel(),
                )
        for passage, (start, end) in enumerate(self._filled):
            for first in range(start, end, _MINUTES_AT_ONCE):
                yield self._zeros(passage, first, min(first + _MINUTES_AT_ONCE, end))

    def _zeros(self, passage: int, start: int, end: int) -> CountSeries:
        """Zeros for the minutes of [start, end) that no row counts."""
        begins = self._staged.minutes(passage, start - self.interval + 1, end)
        covered = (begins[:, np.newaxis] + np.arange(self.interval)).ravel()
        minutes = np.setdiff1d(np.arange(start, end), covered, assume_unique=True)
        zeros = np.zeros_like(minutes)
        return CountSeries(self._passages[passage], minutes, zeros, zeros, WriteMode.FILL)

    def close(self) -> None:
        """Forget the rows."""
        self._staged.close()


def read_count_file(
    path: Path,
    interval: int | None,
    now: datetime,
    find_sites: FindSites,
    *,
    absent: Absent = Absent.MISSING,
    progress: Callable[[int], None] = lambda _: None,
) -> CheckedCounts:
    """The file's counts, all checked; to be closed. `progress` hears how many bytes were read.

    `interval` is in minutes; None: as the rows show, which are refused when that is not one minute.

    Raises CountFileError, OSError, EOFError (gzip cut short), zlib.error (gzip damaged), StagingError (no
    room for the temporary file).
    """
    findings = Findings()
    with ExitStack() as kept:
        staged = kept.enter_context(closing(StagedCounts()))
        with path.open("rb") as raw, opened_text(raw) as text:
            lines = iter(partial(text.readline, LONGEST_LINE), "")
            number, header = header_line(lines)
            form = count_form(header, number)
            rows = CountRows(form, interval or 1, now, find_sites, findings)
            for starts, chunk in row_chunks(lines, number + 1, form, findings):
                staged.add(rows.read(starts, chunk))
                progress(raw.tell())
            counts = _checked_counts(staged, rows, findings, interval=interval, absent=absent)
        kept.pop_all()
        return counts


def _checked_counts(
    staged: StagedCounts,
    rows: CountRows,
    findings: Findings,
    *,
    interval: int | None,
    absent: Absent,
) -> CheckedCounts:
    """The counts of all sound rows. Raises CountFileError when there were others, or these do not fit."""
    order = row_order(staged, interval or 1)
    passages = list(rows.passages)
    spacing = row_spacing({passages[number]: steps for number, steps in order.steps.items()})
    refusal = _refusal_of_spacing(spacing, interval, order.overlaps)
    if refusal is not None:
        findings.add_general(refusal)
    _report_overlaps(order, passages, findings, is_interval=interval is not None and refusal is not None)
    findings.check()
    if not order.rows:
        raise CountFileError(["it has a header and no rows: there is nothing to import"])
    used = interval or 1
    said = [*rows.form.notes, *gap_notes(used, spacing)]
    if interval is None and spacing.interval is None:
        said.append("No passage has two rows: each was taken to count one minute (--interval says other).")
    if absent is Absent.MISSING and not order.zero_rows and order.absent:
        said.append(
            "No row says that nobody came, and for"
            f" {order.absent} minutes between rows there is none: they stay missing, they are not zero. If"
            " the counter leaves quiet minutes out, import the file again with --absent zero."
        )
    filled = _filled(order, rows.sites, used) if absent is Absent.ZERO else ()
    return CheckedCounts(order.rows, used, tuple(said), staged, passages, filled)


def _refusal_of_spacing(spacing: RowSpacing, interval: int | None, overlaps: int) -> str | None:
    if mixture := refusal_of_mixture(spacing):
        return mixture
    if interval is None:
        return refusal_without_interval(spacing)
    return refusal_of_interval(interval, spacing) if overlaps > MAXIMUM_REASONS else None


def _report_overlaps(
    order: RowOrder, passages: Sequence[str], findings: Findings, *, is_interval: bool
) -> None:
    """Row by row, unless they are many and it is reported already that the interval is wrong."""
    reported = [] if is_interval and order.overlaps > MAXIMUM_REASONS else order.first_overlaps
    for overlap in reported:
        passage = passages[overlap.passage]
        reason = f"counts passage {passage!r} at a time that line {overlap.earlier_line} counted already"
        findings.add(overlap.line, Problem.TWICE, reason)
    findings.count(Problem.TWICE, order.overlaps - len(reported))


def _filled(order: RowOrder, sites: Sequence[str], interval: int) -> list[tuple[int, int]]:
    spans = [order.spans[passage] for passage in range(len(sites))]
    starts: dict[str, int] = {}
    ends: dict[str, int] = {}
    for site, (first, last) in zip(sites, spans, strict=True):
        starts[site] = min(first, starts.get(site, first))
        ends[site] = max(last + interval, ends.get(site, 0))
    return [(starts[site], ends[site]) for site in sites]
