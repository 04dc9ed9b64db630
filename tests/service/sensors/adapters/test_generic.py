from __future__ import annotations

import json
import time
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from service.sensors.adapters.generic import generic_adapter, try_mapping
from service.sensors.adapters.milesight import MILESIGHT
from service.sensors.adapters.terabee import TERABEE
from service.sensors.adapters.xovis_3 import XOVIS_3
from service.sensors.mapping import Mapping
from service.sensors.told_count import Kind, Report, ReportError, ToldCount
from tests.service.sensors.adapters.payload_files import changed, payload, values

DOORS = {
    "box": {"id": 77},
    "doors": [
        {"door": "N", "from": 1774688400, "went": {"in": 3, "out": 1}, "n": 1},
        {"door": "S", "from": 1774688400, "went": {"in": "4", "out": 0}, "n": 2},
    ],
}
OF_DOORS = {
    "kind": "interval",
    "time_format": "seconds",
    "rows": "doors",
    "serial": "body.box.id",
    "line": "row.door",
    "start": "row.from",
    "interval_seconds": 900,
    "forward": "row.went.in",
    "backward": "row.went.out",
}
OF_TERABEE = {
    "kind": "cumulative",
    "time_format": "seconds",
    "serial": "row.device_id",
    "end": "row.timestamp",
    "forward": "row.count_in",
    "backward": "row.count_out",
}


def tried(mapping: dict[str, Any], body: object) -> Report | dict[str, str]:
    return try_mapping(mapping, body if isinstance(body, bytes) else json.dumps(body).encode())


def test_rows_of_a_body_are_counts_of_lines() -> None:
    start = datetime(2026, 3, 28, 9, tzinfo=UTC)
    end = start + timedelta(minutes=15)
    identity = "2026-03-28T09:00:00+00:00"
    assert tried(OF_DOORS, DOORS) == Report(
        (
            ToldCount("77", "N", Kind.INTERVAL, start, end, 3, 1, identity),
            ToldCount("77", "S", Kind.INTERVAL, start, end, 4, 0, identity),
        )
    )


def test_a_mapping_of_a_known_maker_tells_what_its_adapter_tells() -> None:
    assert tried(OF_TERABEE, payload("terabee")) == TERABEE.read(payload("terabee"))
    of_milesight = {
        "kind": "interval",
        "rows": "line_periodic_data",
        "serial": "body.device_info.device_sn",
        "line": "row.line_uuid",
        "start": "body.time_info.start_time",
        "end": "body.time_info.end_time",
        "forward": "row.total.in",
        "backward": "row.total.out",
    }
    assert tried(of_milesight, payload("milesight")) == MILESIGHT.read(payload("milesight"))
    of_xovis = {
        "kind": "interval",
        "rows": "content.element[?\"data-type\"=='LINE'].measurement[]",
        "serial": 'body."sensor-info"."serial-number"',
        "line": 'body.content.element[0]."element-name"',
        "start": "row.from",
        "end": "row.to",
        "forward": "row.value[?label=='fw'].value | [0]",
        "backward": "row.value[?label=='bw'].value | [0]",
    }
    report = tried(of_xovis, payload("xovis-3"))
    assert isinstance(report, Report)
    assert report.counts == XOVIS_3.read(payload("xovis-3")).counts


def test_an_event_is_told_apart_by_what_the_mapping_says() -> None:
    mapping = {
        "kind": "event",
        "serial": "row.sn",
        "end": "row.at",
        "forward": "row.in",
        "identity": "join('/', [row.sn, row.n])",
    }
    report = tried(mapping, {"sn": "A1", "n": "17", "at": "2026-03-28T10:00:00", "in": 1})
    moment = datetime(2026, 3, 28, 10)  # noqa: DTZ001 - local to the site
    assert report == Report((ToldCount("A1", "", Kind.EVENT, None, moment, 1, 0, "A1/17"),))


def test_since_may_be_missing_and_nothing_else() -> None:
    mapping = OF_TERABEE | {"since": "row.reset", "line": "row.line"}
    assert tried(mapping, payload("terabee")) == {"line": "finds nothing"}
    [told] = generic_adapter(Mapping.model_validate(mapping)).read(changed("terabee", "line", to=3)).counts
    assert (told.line, told.since) == ("3", "")


def test_an_end_and_the_seconds_are_an_interval_too() -> None:
    mapping = OF_DOORS | {"start": "", "end": "row.from"}
    report = tried(mapping, DOORS)
    assert isinstance(report, Report)
    assert report.counts[0].start == datetime(2026, 3, 28, 8, 45, tzinfo=UTC)


def test_utc_without_an_offset_is_read_as_utc_where_the_mapping_says_so() -> None:
    body = changed("terabee", "timestamp", to="2026-03-28T09:00:00")
    report = tried(OF_TERABEE | {"time_format": "iso-utc"}, body)
    assert report == TERABEE.read(payload("terabee"))


def test_no_rows_are_no_counts_and_are_named() -> None:
    assert tried(OF_DOORS, DOORS | {"doors": []}) == Report((), left_out=("a body without rows",))


@pytest.mark.parametrize(
    ("changes", "body", "faults"),
    [
        ({"forward": "row["}, DOORS, {"forward": "cannot be read"}),
        (
            {"kind": "event"},
            DOORS,
            {"interval_seconds": "is of", "start": "is of", "end": "", "identity": ""},
        ),
        ({"forward": "row.went"}, DOORS, {"forward": "Input should be a valid integer"}),
        (
            {"forward": "row.wend", "serial": "box"},
            DOORS,
            {"forward": "finds nothing", "serial": "finds nothing"},
        ),
        ({"time_format": "iso"}, DOORS, {"start": "Input should be a time as"}),
        ({"time_format": "milliseconds"}, {"doors": 3}, {"rows": "finds a value, and no rows"}),
        ({"rows": "door"}, DOORS, {"rows": "finds nothing"}),
        ({"rows": "doors == doors"}, DOORS, {"rows": "compares lists"}),
        ({}, b"", {"body": "Invalid JSON"}),
        ({}, b'{"doors": NaN', {"body": "Invalid JSON"}),
        ({}, b"\xff\xfe", {"body": "Invalid JSON"}),
        ({}, b"[" * 100_000, {"body": "Invalid JSON"}),
        ({}, {"doors": [1] * 10_001}, {"rows": "finds more than 10,000 rows"}),
        ({"line": ""}, DOORS, {"rows": "the line: two different counts"}),
        ({"line": "body.box.id"}, DOORS, {"rows": "line 77: two different counts"}),
    ],
)
def test_what_is_wrong_is_said_by_field(
    changes: dict[str, Any], body: object, faults: dict[str, str]
) -> None:
    found = tried(OF_DOORS | changes, body)
    assert isinstance(found, dict)
    assert found.keys() == faults.keys()
    for field, why in faults.items():
        assert found[field].startswith(why)


def test_the_error_of_a_report_names_the_row_and_the_field() -> None:
    adapter = generic_adapter(Mapping.model_validate(OF_DOORS))
    broken = values("terabee") | DOORS
    broken["doors"] = [DOORS["doors"][0], {"door": "S", "from": "secret", "went": {"in": -1, "out": 2}}]  # type: ignore[index]
    with pytest.raises(ReportError, match=r"^row 2: start: .*; forward: ") as raised:
        adapter.read(json.dumps(broken).encode())
    assert "secret" not in str(raised.value)


ONE: dict[str, Any] = {
    "kind": "interval",
    "time_format": "seconds",
    "rows": "rows",
    "interval_seconds": 60,
    "serial": "body.sn",
    "start": "row.t",
}
DIGITS = "to_number(body.n)<`0`"
HOSTILE = {
    "digits": DIGITS,
    "texts within texts": "contains(body.n, '99x')",
    "texts that are compared": "body.n != body.n",
    "the body for each row": "length(body.rows[?a == b].a) < `0`",
    "everything in objects": "length(body.rows[].*) < `0`",
    "many arguments": "not_null(a,b,c,d,e,f,g,h,i,j,k,l,m,n)",
}


def seconds_of(mapping: dict[str, Any], body: object) -> tuple[float, Report | dict[str, str]]:
    """Of this thread's time on a processor."""
    told = json.dumps(body).encode()
    begun = time.thread_time()
    found = tried(mapping, told)
    return time.thread_time() - begun, found


@pytest.mark.parametrize("part", HOSTILE.values(), ids=list(HOSTILE))
def test_a_hostile_mapping_takes_little_more_of_a_processor_than_an_honest_one(part: str) -> None:
    rows = [
        {"t": 1774688400 + number, "line": f"{number}", "counts": [{"name": "fw", "value": 1}] * 4}
        for number in range(200)
    ]
    counted = "sum(row.counts[?starts_with(name, 'fw') && ends_with(name, 'w')].value)"
    honest = ONE | {"line": "not_null(row.line, 'N')", "forward": counted, "backward": counted}
    usual, found = seconds_of(honest, {"sn": "A1", "rows": rows})
    assert isinstance(found, Report)
    assert len(found.counts) == 200
    written = "||".join([part] * (290 // (len(part) + 2)) + ["`1`"])
    many = [{"t": 1774688400 + 60 * number} for number in range(9_000)]
    took, said = seconds_of(ONE | {"forward": written}, {"sn": "A1", "n": "9" * 4_200, "rows": many})
    assert isinstance(said, dict)
    assert said["forward"].startswith("takes too long")
    assert took < 50 * usual


def test_rows_that_each_ask_the_whole_body_end_with_a_word_and_not_with_a_hang() -> None:
    body = {"sn": "A1", "rows": [{"t": 1774688400 + 60 * number, "in": 1} for number in range(9_000)]}
    mapping = ONE | {"forward": "sum(body.rows[].in)"}
    found = tried(mapping, body)
    assert isinstance(found, dict)
    assert found["forward"].startswith("takes too long")
    report = tried(mapping | {"forward": "row.in"}, body)
    assert isinstance(report, Report)
    assert len(report.counts) == 9_000
