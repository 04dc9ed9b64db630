"""The form of a count file: is it text at all, what separates its fields, where are the columns.

What is harmless is taken and said (`CountForm.notes`); for everything else the reason says what was found
and what to do.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from typing import Final

from service.ingest.count_findings import CountFileError
from service.ingest.count_time import CountTimeError, read_count_time

COLUMNS: Final = ("timestamp", "passageId", "forward", "backward")
GZIP_START: Final = b"\x1f\x8b"

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
