from __future__ import annotations

import json
from contextlib import suppress
from datetime import UTC, datetime
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as any_

from service.sensors.exports import EXPORTS
from service.sensors.told_count import Kind, ReportError, ToldCount

EXPORT = EXPORTS["axis-3d-export"]
ZURICH = ZoneInfo("Europe/Zurich")
SERIAL = "ACCC8E000001"


def row(start: str, end: str, came: object = 3, went: object = 1) -> dict[str, object]:
    return {"start": start, "end": end, "in": came, "out": went}


def told(*rows: dict[str, object]) -> list[ToldCount]:
    return list(EXPORT.read(json.dumps({"data": rows}).encode(), SERIAL, ZURICH).counts)


def test_a_row_is_an_interval_in_the_zone_of_the_camera() -> None:
    [one] = told(row("2026-11-21 10:00:00", "2026-11-21 10:15:00"))
    start, end = (datetime(2026, 11, 21, 9, minute, tzinfo=UTC) for minute in (0, 15))
    assert one == ToldCount(SERIAL, "", Kind.INTERVAL, start, end, 3, 1, "2026-11-21T09:00:00+00:00")


def test_the_csv_tells_the_same() -> None:
    text = "start,end,in,out\r\n2026-11-21 10:00:00,2026-11-21 10:15:00,3,1\r\n"
    assert list(EXPORT.read(text.encode(), SERIAL, ZURICH).counts) == told(
        row("2026-11-21 10:00:00", "2026-11-21 10:15:00")
    )


def test_an_hour_that_the_clocks_repeat_is_two() -> None:
    times = ["02:00", "02:30", "02:00", "02:30", "03:00"]
    rows = [row(f"2026-10-25 {start}:00", f"2026-10-25 {end}:00") for start, end in pairwise(times)]
    starts = [one.identity for one in told(*rows)]
    assert starts == [f"2026-10-25T{time}:00+00:00" for time in ("00:00", "00:30", "01:00", "01:30")]


def test_the_same_row_twice_is_one_and_another_number_is_refused() -> None:
    one = row("2026-11-21 10:00:00", "2026-11-21 10:15:00")
    assert len(told(one, one)) == 1
    with pytest.raises(ReportError, match="two different counts"):
        told(one, one | {"in": 4})


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"{}", "data: Field required"),
        (b'{"error": {"message": "Validation failed"}}', "data: Field required"),
        (b'{"data": [{"start": "soon"}]}', "Input should be a time"),
        (b"start,end,in,out\n2026-11-21 10:00:00,2026-11-21 10:15:00,3,many\n", "line 2: out: "),
        (b"start,end,in\n2026-11-21 10:00:00,2026-11-21 10:15:00,3\n", "with the columns out"),
        (b"<html>", "neither JSON nor a CSV with the columns start, end, in, out"),
        (b"", "neither JSON nor a CSV"),
        (b"start,end,in,out\n2026-11-21 10:00:00,2026-11-21 10:15:00,3\n", "line 2: out: "),
        (b"\xff\xfe", "not UTF-8 at byte 0"),
        (b'start,end,in,out\n"', "line "),
    ],
)
def test_what_is_no_export_is_refused_in_words(body: bytes, reason: str) -> None:
    with pytest.raises(ReportError, match=reason):
        EXPORT.read(body, SERIAL, ZURICH)


@given(any_.binary() | any_.text().map(str.encode))
def test_every_body_is_read_or_refused(body: bytes) -> None:
    for one in EXPORTS.values():
        with suppress(ReportError):
            one.read(body, SERIAL, ZURICH)
