"""AXIS 3D People Counter (P8815-2), asked for its statistics: `/a3dpc/api/export/json` and `.../csv`.

Each row is an interval, `start`, `end`, `in`, `out`, in the local time of the camera and without an offset.
Neither form has the camera's serial.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Annotated, Any, Final
from zoneinfo import ZoneInfo

from pydantic import Field, ValidationError

from service.sensors.checked_report import MOST_COUNTS, checked_report
from service.sensors.exports.export import Export, in_zone
from service.sensors.json_report import People, ReportModel, faults, read_json
from service.sensors.told_count import Kind, Report, ReportError, ToldCount
from service.sensors.told_time import IsoTime, identity_of

_COLUMNS: Final = ("start", "end", "in", "out")


class _Row(ReportModel):
    start: IsoTime
    end: IsoTime
    came: Annotated[People, Field(alias="in")]
    went: Annotated[People, Field(alias="out")]


class _Body(ReportModel):
    data: tuple[_Row, ...]


def _read(body: bytes, serial: str, zone: ZoneInfo) -> Report:
    is_json = body.lstrip()[:1] == b"{"
    rows = list(read_json(body, _Body).data if is_json else _rows_of_csv(body))
    return checked_report(_counts(rows, serial, zone))


def _counts(rows: list[_Row], serial: str, zone: ZoneInfo) -> Iterator[ToldCount]:
    moments = in_zone(chain.from_iterable((row.start, row.end) for row in rows), zone)
    for row, start, end in zip(rows, moments, moments, strict=True):
        yield ToldCount(serial, "", Kind.INTERVAL, start, end, row.came, row.went, identity_of(start))


def _rows_of_csv(body: bytes) -> Iterator[_Row]:
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ReportError(f"body: not UTF-8 at byte {error.start}") from error
    rows = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    names = {str(name).strip().lower() for name in _header(rows)}
    if missing := [name for name in _COLUMNS if name not in names]:
        # Also of a page that somebody else answered.
        raise ReportError(f"body: neither JSON nor a CSV with the columns {', '.join(missing)}")
    while True:
        try:
            row: dict[Any, Any] | None = next(rows, None)
            if row is None:
                return
            if rows.line_num > MOST_COUNTS + 1:
                raise ReportError(f"more than {MOST_COUNTS:,} counts in one report")
            yield _Row.model_validate({str(name).strip().lower(): value for name, value in row.items()})
        except ValidationError as error:
            raise ReportError(f"line {rows.line_num}: {faults(error)}") from error
        except csv.Error as error:
            raise ReportError(f"line {rows.line_num}: {error}") from error


def _header(rows: csv.DictReader[str]) -> Sequence[str]:
    try:
        return rows.fieldnames or ()
    except csv.Error as error:
        raise ReportError(f"line 1: {error}") from error


AXIS_3D_EXPORT: Final = Export(
    name="axis-3d-export",
    title="AXIS 3D People Counter, /a3dpc/api/export/json or csv",
    maker="axis-3d",
    read=_read,
)
