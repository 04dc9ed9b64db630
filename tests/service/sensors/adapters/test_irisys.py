from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from service.sensors.adapters.irisys import IRISYS
from service.sensors.told_count import Kind, ReportError, ToldCount
from tests.service.sensors.adapters.payload_files import changed, payload

ENTRY = ("CountLogs", 1)


def lines_of(*registers: dict[str, Any]) -> dict[str, tuple[int, int]]:
    told = IRISYS.read(changed("irisys", *ENTRY, "Counts", to=list(registers))).counts
    return {one.line: (one.forward, one.backward) for one in told if "5120" in one.identity}


def test_registers_of_one_name_but_for_in_and_out_are_the_totals_of_a_line() -> None:
    report = IRISYS.read(payload("irisys"))
    serial = "V4D-00000014"
    first, second = (datetime(2026, 3, 28, 9, minute, tzinfo=UTC) for minute in (15, 30))
    of_first, of_second = "5120 2026-03-28T09:15:00+00:00", "5121 2026-03-28T09:30:00+00:00"
    assert report.counts == (
        ToldCount(serial, "Main door", Kind.CUMULATIVE, None, first, 410, 388, of_first),
        ToldCount(serial, "Line 3", Kind.CUMULATIVE, None, first, 35, 0, of_first),
        ToldCount(serial, "Main door", Kind.CUMULATIVE, None, second, 415, 400, of_second),
        ToldCount(serial, "Line 3", Kind.CUMULATIVE, None, second, 35, 0, of_second),
    )
    assert report.left_out == ("register Average dwell: neither its tags nor its name say in or out",)


@pytest.mark.parametrize(
    ("name", "tags", "line", "people"),
    [
        ("Door IN", [], "Door", (5, 0)),
        ("Door_out", [], "Door", (0, 5)),
        ("out - Door", [], "Door", (0, 5)),
        ("In", [], "", (5, 0)),
        ("Line 2", ["site=a", "direction=OUT"], "Line 2", (0, 5)),
        ("Door in", ["direction=IN"], "Door", (5, 0)),
        ("Walk-in", ["direction=OUT"], "Walk-in", (0, 5)),
    ],
)
def test_the_direction_stands_in_the_tags_or_at_an_end_of_the_name(
    name: str, tags: list[str], line: str, people: tuple[int, int]
) -> None:
    assert lines_of({"Name": name, "Tags": tags, "RegisterId": 7, "Value": 5}) == {line: people}


@pytest.mark.parametrize("name", ["Line 1", "Inner door", "Checkout", "Main exit"])
def test_a_register_without_a_direction_is_not_counted(name: str) -> None:
    assert lines_of({"Name": name, "RegisterId": 7, "Value": 5}) == {}


def test_a_register_without_a_name_is_named_as_such_or_is_the_only_line() -> None:
    assert lines_of({"RegisterId": 7, "Value": 5, "Tags": ["direction=IN"]}) == {"": (5, 0)}
    without = changed("irisys", *ENTRY, "Counts", to=[{"RegisterId": 7, "Value": "none"}])
    assert IRISYS.read(without).left_out[0].startswith("register without a name")


def test_tags_of_both_directions_are_none() -> None:
    both = ["direction=IN", "direction=OUT"]
    assert lines_of({"Name": "Door in", "Tags": both, "RegisterId": 7, "Value": 5}) == {}


@pytest.mark.parametrize(
    ("path", "to", "named"),
    [
        (("FriendlyDeviceSerial",), ..., "FriendlyDeviceSerial"),
        (("CountLogs",), {}, "CountLogs"),
        ((*ENTRY, "Timestamp"), ..., "CountLogs.1.Timestamp"),
        ((*ENTRY, "Counts", 0, "Value"), -1, "CountLogs.1.Counts.0.Value"),
        ((*ENTRY, "Counts", 0, "Value"), 1.5, "CountLogs.1.Counts.0.Value"),
        ((*ENTRY, "Counts", 0, "Value"), ..., "CountLogs.1.Counts.0: Value should be a number"),
        ((*ENTRY, "Counts", 1, "Name"), "Main door in", "CountLogs.1: two registers have one name"),
    ],
)
def test_what_would_be_counted_wrongly_is_refused_by_name(
    path: tuple[str | int, ...], to: Any, named: str
) -> None:
    with pytest.raises(ReportError, match=named):
        IRISYS.read(changed("irisys", *path, to=to))


def test_a_time_without_an_offset_is_utc_as_all_of_them_are() -> None:
    told = IRISYS.read(changed("irisys", *ENTRY, "Timestamp", to="2026-03-28T09:15:00")).counts
    assert told == IRISYS.read(payload("irisys")).counts
