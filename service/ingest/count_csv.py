"""A CSV file of counts as text: how it is packed, its header, its rows as fields, and what is wrong with it.

What is harmless is taken and said (`CountForm.notes`); for everything else the reason says what was found
and what to do.
"""

from __future__ import annotations

import csv
import gzip
import io
import re
from bisect import insort
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import accumulate, islice
from typing import IO, Final

from service.ingest.count_time import CountTimeError, read_count_time

MAXIMUM_REASONS: Final = 20
"""Reasons that are listed; the others are counted."""


class Problem(StrEnum):
    """A kind of fault, in the words in which it is counted."""

    FORM = "rows of another form than the header's"
    ENCODING = "rows that are not UTF-8"
    TIME = "bad timestamps"
    PASSAGE = "rows of unknown passages"
    PEOPLE = "bad numbers of people"
    TWICE = "rows that count a time again"


class CountFileError(Exception):
    """The file is refused. `reasons` are sentences, those on a line by line; at most twenty.

    `problems` is how many rows have which problem, whether listed or not.
    """

    def __init__(self, reasons: list[str], problems: Counter[Problem] | None = None) -> None:
        super().__init__("; ".join(reasons))
        self.reasons = tuple(reasons)
        self.problems = problems or Counter()


class Findings:
    """Collects what is wrong while a file is read. Keeps what is listed, and counts."""

    def __init__(self) -> None:
        self._general: list[str] = []
        self._by_line: list[tuple[int, str]] = []
        self._problems: Counter[Problem] = Counter()

    def add(self, line: int, problem: Problem, reason: str | None = None) -> None:
        """A row's problem; without a reason it is counted and not listed."""
        self._problems[problem] += 1
        if reason is not None:
            insort(self._by_line, (line, reason))
            del self._by_line[MAXIMUM_REASONS:]

    def count(self, problem: Problem, rows: int) -> None:
        """Rows of which it is known that none of them will be listed."""
        if rows:
            self._problems[problem] += rows

    def add_general(self, reason: str) -> None:
        """What is wrong with the file as a whole; listed before the rows."""
        self._general.append(reason)

    def check(self) -> None:
        """Raises CountFileError when anything was found."""
        listed = [f"line {line}: {reason}" for line, reason in self._by_line]
        if self._general or self._problems:
            raise CountFileError([*self._general, *listed], self._problems)


COLUMNS: Final = ("timestamp", "passageId", "forward", "backward")
GZIP_START: Final = b"\x1f\x8b"

LONGEST_LINE: Final = 64 * 1024
"""In characters. What is longer comes in pieces and is no row of counts, whatever it is."""

_ROWS_AT_ONCE: Final = 20_000
_LINE_BREAK: Final = re.compile(r"\r\n|\r|\n")
_MAGIC_BYTES: Final = 512
_SEPARATOR_LINE: Final = re.compile(r"\"?sep=[,;\t]\"?\s*", re.IGNORECASE)
"""What Excel may write above the header; the header itself shows its separator."""

_SEPARATORS: Final = {",": "commas", ";": "semicolons", "\t": "tabs"}
_SAVE_AS_CSV: Final = "save it as CSV (UTF-8) and import that"
_OTHER_FORMS: Final = {
    b"PK\x03\x04": "a ZIP archive or an Excel workbook: unpack it, or save the sheet as CSV (UTF-8)",
    b"\xd0\xcf\x11\xe0": f"an old Excel workbook: {_SAVE_AS_CSV}",
    b"\xff\xfe": f"text in UTF-16: {_SAVE_AS_CSV}",
    b"\xfe\xff": f"text in UTF-16: {_SAVE_AS_CSV}",
    b"BZh": "packed with bzip2: unpack it first (only gzip is read as it is)",
    b"\xfd7zXZ": "packed with xz: unpack it first (only gzip is read as it is)",
    b"\x28\xb5\x2f\xfd": "packed with zstd: unpack it first (only gzip is read as it is)",
    b"7z\xbc\xaf": "a 7-Zip archive: unpack it first (only gzip is read as it is)",
    GZIP_START: "gzip within gzip: unpack it once",
    b"PAR1": f"a Parquet file: {_SAVE_AS_CSV}",
    b"SQLite format 3": f"a SQLite database: {_SAVE_AS_CSV}",
    b"{": "JSON: counts are imported from CSV (sites from JSON, with `sites import`)",
    b"[": "JSON: counts are imported from CSV (sites from JSON, with `sites import`)",
    b"<": f"HTML or XML: {_SAVE_AS_CSV}",
}
_SHOWN_HEADER: Final = 120


@dataclass(frozen=True, slots=True)
class CountForm:
    """How the rows of one file are read."""

    separator: str
    columns: tuple[int, ...]
    """Positions of `COLUMNS` in a row."""
    width: int
    """Fields of the header."""
    notes: tuple[str, ...]
    """What was taken although it is not the form that is asked for."""


def refuse_other_forms(start: bytes) -> None:
    """Raises CountFileError when the first bytes (unpacked) are known not to be CSV in UTF-8."""
    for magic, name in _OTHER_FORMS.items():
        if start.startswith(magic):
            raise CountFileError([f"it is {name}"])
    if b"\0" in start:
        raise CountFileError([f"it is no text (it has zero bytes): {_SAVE_AS_CSV}"])


def count_form(header: str, line: int) -> CountForm:
    """The form that the header tells, which stands on this line. Raises CountFileError."""
    header = header.rstrip("\r\n")
    wanted = [name.casefold() for name in COLUMNS]
    for separator, separator_name in _SEPARATORS.items():
        fields = _fields(header, separator)
        found = [field.strip().casefold() for field in fields]
        if set(wanted) <= set(found):
            if twice := [name for name in COLUMNS if found.count(name.casefold()) > 1]:
                raise CountFileError([f"line {line}: the header has {', '.join(twice)} more than once"])
            notes = [f"Fields are separated by {separator_name}."] if separator != "," else []
            if f"{separator} " in header or any(field != field.strip() for field in fields):
                notes.append("Blanks around fields are left out.")
            notes += _renamed(fields)
            return CountForm(separator, tuple(map(found.index, wanted)), len(fields), tuple(notes))
    if not header:
        raise CountFileError([f"it is empty: it has to begin with the line {','.join(COLUMNS)}"])
    raise CountFileError([f"line {line}: {_header_refusal(header)}"])


def _fields(line: str, separator: str) -> list[str]:
    return next(csv.reader([line], delimiter=separator, skipinitialspace=True), [])


def _renamed(fields: list[str]) -> list[str]:
    names = {name.casefold(): name for name in COLUMNS}
    taken = {field: name for field in map(str.strip, fields) if (name := names.get(field.casefold()))}
    other = {field: name for field, name in taken.items() if field != name}
    return [f"Columns {', '.join(other)} are taken for {', '.join(other.values())}."] if other else []


def _header_refusal(header: str) -> str:
    separator = max(_SEPARATORS, key=header.count)
    fields = [field.strip() for field in _fields(header, separator)]
    if any(map(_is_time, fields)):
        return f"has counts and no column names: put {','.join(COLUMNS)} above it"
    found = {field.casefold() for field in fields}
    missing = [name for name in COLUMNS if name.casefold() not in found]
    shown = header.strip()
    shown = shown if len(shown) <= _SHOWN_HEADER else f"{shown[:_SHOWN_HEADER]}…"
    return (
        f"the header lacks {', '.join(missing)}; it is {shown!r} and has to name the columns"
        f" {','.join(COLUMNS)}"
    )


def _is_time(text: str) -> bool:
    try:
        read_count_time(text)
    except CountTimeError:
        return False
    return True


def opened_text(raw: IO[bytes]) -> io.TextIOWrapper:
    """The file's text, unpacked. Bytes that are not UTF-8 become lone surrogates, to be reported by line."""
    if not raw.seekable():
        raise CountFileError(["it is a pipe, not a file: save what comes through it to a file first"])
    compressed = raw.read(len(GZIP_START)) == GZIP_START
    raw.seek(0)
    unpacked = gzip.open(raw) if compressed else raw  # noqa: SIM115 - closed with the text
    refuse_other_forms(unpacked.read(_MAGIC_BYTES))
    unpacked.seek(0)
    return io.TextIOWrapper(unpacked, encoding="utf-8-sig", errors="surrogateescape", newline="")


def header_line(lines: Iterator[str]) -> tuple[int, str]:
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


def row_chunks(
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
