"""A CSV file of counts: `timestamp,passageId,forward,backward`, gzip or not; taken whole or refused whole."""

from __future__ import annotations

import csv
import gzip
import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import IO, Final

from service.ingest.count_time import (
    LARGEST_COUNT,
    CountTimeError,
    check_not_future,
    minute_of,
    read_count_time,
)
from service.ingest.spreading import people_by_minute
from service.store.protocol import PassageCount

COLUMNS: Final = ("timestamp", "passageId", "forward", "backward")
MAXIMUM_REASONS: Final = 20
"""Bad rows that are named."""

_GZIP_START: Final = b"\x1f\x8b"


class CountFileError(Exception):
    """The file is refused. `reasons` are sentences with line numbers; `bad_rows` is how many rows are bad."""

    def __init__(self, reasons: list[str], bad_rows: int) -> None:
        super().__init__("; ".join(reasons))
        self.reasons = tuple(reasons)
        self.bad_rows = bad_rows


class _RowError(ValueError):
    """What is wrong with a row."""


@dataclass(frozen=True, slots=True)
class CountFile:
    counts: list[PassageCount]
    """One per passage and minute; a row of N minutes gives N of them, zeros included."""
    rows: int
    first_lines: dict[str, int]
    """Passage id -> line of its first row."""


def read_count_file(
    path: Path, interval: int, now: datetime, progress: Callable[[int], None] = lambda _: None
) -> CountFile:
    """The file's counts. `interval` is in minutes; `progress` hears how many bytes were read.

    Raises CountFileError, OSError, EOFError (gzip cut short), zlib.error (gzip damaged).
    """
    with path.open("rb") as raw:
        compressed = raw.read(len(_GZIP_START)) == _GZIP_START
        raw.seek(0)
        unpacked: IO[bytes] = gzip.open(raw) if compressed else raw  # type: ignore[assignment]  # noqa: SIM115
        text = io.TextIOWrapper(unpacked, encoding="utf-8-sig", newline="")
        return _Reading(interval, now).read(text, lambda: progress(raw.tell()))


class _Reading:
    """One reading of one file: what was found so far."""

    def __init__(self, interval: int, now: datetime) -> None:
        self._interval = interval
        self._now = now
        self._counts: list[PassageCount] = []
        self._lines: dict[tuple[str, int], int] = {}
        self._first_lines: dict[str, int] = {}
        self._reasons: list[str] = []
        self._bad_rows = 0

    def read(self, text: IO[str], progress: Callable[[], None]) -> CountFile:
        rows = csv.reader(text)
        number = 0
        try:
            columns = _columns(next(rows, []))
            # A blank line, as the last one often is, is no row.
            for number, row in enumerate(filter(None, rows), start=1):
                self._take(row, columns, rows.line_num)
                if number % 10_000 == 0:
                    progress()
        except (csv.Error, UnicodeDecodeError) as error:
            raise CountFileError([f"line {rows.line_num + 1}: is not CSV in UTF-8 ({error})"], 1) from error
        progress()
        if self._bad_rows:
            raise CountFileError(self._reasons, self._bad_rows)
        return CountFile(self._counts, number, self._first_lines)

    def _take(self, row: list[str], columns: list[int], line: int) -> None:
        try:
            counts = list(self._row_counts(row, columns, line))
        except (_RowError, CountTimeError) as error:
            self._bad_rows += 1
            if len(self._reasons) < MAXIMUM_REASONS:
                self._reasons.append(f"line {line}: {error}")
        else:
            self._counts += counts

    def _row_counts(self, row: list[str], columns: list[int], line: int) -> Iterator[PassageCount]:
        if len(row) <= max(columns):
            raise _RowError(f"has {len(row)} fields")
        timestamp, passage_id, forward, backward = (row[column] for column in columns)
        if not passage_id:
            raise _RowError("passageId is empty")
        first_minute = minute_of(self._start(timestamp))
        self._check_overlap(passage_id, first_minute, line)
        self._first_lines.setdefault(passage_id, line)
        forwards = people_by_minute(_people("forward", forward), self._interval)
        backwards = people_by_minute(_people("backward", backward), self._interval)
        for minute, (there, back) in enumerate(zip(forwards, backwards, strict=True), start=first_minute):
            yield PassageCount(passage_id, minute, there, back)

    def _start(self, timestamp: str) -> datetime:
        try:
            start = read_count_time(timestamp)
            check_not_future(start + timedelta(minutes=self._interval - 1), self._now)
        except CountTimeError as error:
            raise _RowError(f"timestamp {timestamp!r} {error}") from error
        if start.second or start.microsecond:
            raise _RowError(f"timestamp {timestamp!r} is not the start of a minute")
        return start

    def _check_overlap(self, passage_id: str, first_minute: int, line: int) -> None:
        for minute in range(first_minute, first_minute + self._interval):
            earlier = self._lines.setdefault((passage_id, minute), line)
            if earlier != line:
                raise _RowError(
                    f"counts passage {passage_id!r} at a time that line {earlier} counted already"
                )


def _columns(header: list[str]) -> list[int]:
    missing = [name for name in COLUMNS if name not in header]
    if missing:
        raise CountFileError([f"line 1: the header lacks {', '.join(missing)}"], 1)
    return [header.index(name) for name in COLUMNS]


def _people(name: str, text: str) -> int:
    # int() alone would take "1_000", " 7" and other scripts' digits.
    if not (text.isascii() and text.isdigit()) or int(text[:20]) > LARGEST_COUNT:
        raise _RowError(f"{name} {text!r} is not a whole number from 0 to {LARGEST_COUNT}")
    return int(text)
