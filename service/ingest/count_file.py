"""A CSV file of counts: `timestamp,passageId,forward,backward`, gzip or not; taken whole or refused whole.

The file is read once, and its rows are kept in a temporary file until all of them were checked: memory does
not grow with the file, and nothing is left to check while the store is written to.
"""

from __future__ import annotations

import csv
import gzip
import io
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from datetime import datetime
from functools import partial
from itertools import accumulate, islice
from pathlib import Path
from typing import IO, Final

from service.ingest.checked_counts import Absent, CheckedCounts, checked_counts
from service.ingest.count_file_form import GZIP_START, CountForm, count_form, refuse_other_forms
from service.ingest.count_findings import CountFileError, Findings, Problem
from service.ingest.count_rows import LONGEST_LINE, CountRows, FindSites
from service.ingest.staged_counts import StagedCounts

_ROWS_AT_ONCE: Final = 20_000
_LINE_BREAK: Final = re.compile(r"\r\n|\r|\n")
_MAGIC_BYTES: Final = 512
_SEPARATOR_LINE: Final = re.compile(r"\"?sep=[,;\t]\"?\s*", re.IGNORECASE)
"""What Excel may write above the header; the header itself shows its separator."""


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
        with path.open("rb") as raw, _text(raw) as text:
            lines = iter(partial(text.readline, LONGEST_LINE), "")
            header_line, header = _header(lines)
            form = count_form(header, header_line)
            rows = CountRows(form, interval or 1, now, find_sites, findings)
            for starts, chunk in _chunks(lines, header_line + 1, form, findings):
                staged.add(rows.read(starts, chunk))
                progress(raw.tell())
            counts = checked_counts(staged, rows, findings, interval=interval, absent=absent)
        kept.pop_all()
        return counts


def _text(raw: IO[bytes]) -> io.TextIOWrapper:
    """The file's text, unpacked. Bytes that are not UTF-8 become lone surrogates, to be told by line."""
    if not raw.seekable():
        raise CountFileError(["it is a pipe, not a file: save what comes through it to a file first"])
    compressed = raw.read(len(GZIP_START)) == GZIP_START
    raw.seek(0)
    unpacked = gzip.open(raw) if compressed else raw  # noqa: SIM115 - closed with the text
    refuse_other_forms(unpacked.read(_MAGIC_BYTES))
    unpacked.seek(0)
    return io.TextIOWrapper(unpacked, encoding="utf-8-sig", errors="surrogateescape", newline="")


def _header(lines: Iterator[str]) -> tuple[int, str]:
    """The first line that is not blank nor Excel's separator, and its number. Raises CountFileError."""
    found = (
        (number, line)
        for number, line in enumerate(lines, start=1)
        if line.strip() and not _SEPARATOR_LINE.fullmatch(line)
    )
    number, line = next(found, (1, ""))
    if len(line) == LONGEST_LINE:
        reason = f"line {number}: is longer than {LONGEST_LINE} characters: this is no CSV of counts"
        raise CountFileError([reason])
    return number, line


def _chunks(
    lines: Iterator[str], first_line: int, form: CountForm, findings: Findings
) -> Iterator[tuple[Sequence[int], list[list[str]]]]:
    """Where the rows begin, and the rows below the header: some thousands at a time."""
    reader = csv.reader(lines, delimiter=form.separator, skipinitialspace=True)
    more = True
    while more:
        rows: list[list[str]] = []
        before = reader.line_num
        error = None
        try:
            # Keeps those that were read before an error.
            rows.extend(islice(reader, _ROWS_AT_ONCE))
        except csv.Error as found:
            error = found
        starts: Sequence[int] = range(first_line, first_line + len(rows) + 1)
        if reader.line_num - before != len(rows):
            starts = list(accumulate(map(_line_breaks, rows), initial=first_line))
        first_line = starts[-1]
        if error is not None:
            reason = f"cannot be read, nor can what follows ({error}): is a quote not closed?"
            findings.add(first_line, Problem.FORM, reason)
        more = len(rows) == _ROWS_AT_ONCE and error is None
        if rows:
            yield starts[:-1], rows


def _line_breaks(row: Sequence[str]) -> int:
    """Line breaks of a row, its own and those within quotes."""
    return 1 + sum(len(_LINE_BREAK.findall(field)) for field in row)
