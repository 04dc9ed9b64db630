"""Counts by the minute as a short CSV, checked by the rules by which `POST /ingest/counts` takes JSON.

A large file of another interval is for `counts import`.
"""

from __future__ import annotations

import csv
import io
import re
from datetime import datetime
from typing import Final

import orjson

from contract import ErrorCode, listed, quoted
from service.exception_handlers import refusal
from service.ingest.count_batch import LONGEST_ELEMENT, read_count_batch
from service.store.protocol import PassageCount

_COLUMNS: Final = {name.lower(): name for name in ("timestamp", "passageId", "forward", "backward")}
_PEOPLE: Final = frozenset({"forward", "backward"})
_DIGITS: Final = re.compile(r"\s*\d{1,9}\s*", re.ASCII)


def read_count_csv(body: bytes, now: datetime, limit: int) -> list[PassageCount]:
    """The counts, at most `limit`; ServiceError that names what is wrong. The first row is `[0]`.

    With a header of these four columns, in any order; commas, semicolons or tabs.
    """
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise refusal(ErrorCode.INVALID_BODY, f"The CSV is not UTF-8 at byte {error.start}.") from error
    header, _, _ = text.lstrip().partition("\n")
    delimiter = next((one for one in ";\t" if one in header), ",")
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    elements: list[dict[str, object]] = []
    try:
        names = [_COLUMNS.get(name.strip().lower(), name) for name in next(rows, [])]
        if sorted(names) != sorted(_COLUMNS.values()):
            found = listed([quoted(name) for name in names[:10]]) or "nothing"
            needed = ", ".join(_COLUMNS.values())
            message = f"The CSV needs the columns {needed} and no others; found: {found}."
            raise refusal(ErrorCode.INVALID_BODY, message)
        for row in rows:
            if not row:
                continue
            if len(row) != len(names) or sum(map(len, row)) > LONGEST_ELEMENT // 2:
                message = f"The CSV has another form than its header's in line {rows.line_num}."
                raise refusal(ErrorCode.INVALID_BODY, message)
            elements.append({name: _value(name, value) for name, value in zip(names, row, strict=True)})
            if len(elements) > limit:
                break  # the check says so
    except csv.Error as error:
        message = f"The CSV is broken in line {rows.line_num}: {error}."
        raise refusal(ErrorCode.INVALID_BODY, message) from error
    return read_count_batch(orjson.dumps(elements), now, limit)


def _value(name: str, value: str) -> object:
    return int(value) if name in _PEOPLE and _DIGITS.fullmatch(value) else value.strip()
