from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from service.sensors.adapters.milesight import MILESIGHT
from service.sensors.told_count import Kind, ReportError, ToldCount
from tests.service.sensors.adapters.payload_files import changed, payload, values

LINE = ("line_periodic_data", 0)


def test_the_periodic_report_is_an_interval_of_each_line() -> None:
    start, end = (datetime(2026, 3, 28, 9, minute, tzinfo=UTC) for minute in (0, 10))
    serial, identity = "6384X00000000003", "2026-03-28T09:00:00+00:00"
    gate, side_door = (f"3f0f1c1e-0000-4000-8000-00000000000{number}" for number in (1, 2))
    assert MILESIGHT.read(payload("milesight")).counts == (
        ToldCount(serial, gate, Kind.INTERVAL, start, end, 12, 5, identity),
        ToldCount(serial, side_door, Kind.INTERVAL, start, end, 0, 3, identity),
    )


def test_triggers_beside_the_periodic_report_count_nothing() -> None:
    whole = values("milesight")
    both = whole | {"line_trigger_data": whole["line_periodic_data"]}
    report = MILESIGHT.read(json.dumps(both).encode())
    assert report.counts == MILESIGHT.read(payload("milesight")).counts
    assert report.left_out[0].startswith("line_trigger_data")


@pytest.mark.parametrize("alone", ["line_trigger_data", "line_total_data", "region_trigger_data"])
def test_what_comes_without_the_periodic_report_counts_nothing_and_is_named(alone: str) -> None:
    body = {
        "device_info": {"device_sn": "6384X00000000003"},
        "time_info": {"time": "2026-03-28T17:03:12+08:00", "time_zone": "UTC+8:00"},
        alone: [{"line": 1, "total": {"in": 1, "out": 0}}],
    }
    report = MILESIGHT.read(json.dumps(body).encode())
    assert report.counts == ()
    assert len(report.left_out) == 1


@pytest.mark.parametrize(
    ("time_zone", "summer", "minutes"),
    [
        ("UTC+8:00 China Standard Time (CT/CST)", False, 480),
        ("UTC-3:30 Newfoundland", False, -210),
        ("UTC+5:45 Kathmandu", False, 345),
        ("UTC Coordinated Universal Time", False, 0),
        ("UTC+1:00 Central European Time", True, None),
        ("UTC+99:00", False, None),
        ("Europe/Zurich", False, None),
        ("", False, None),
    ],
)
def test_a_time_without_an_offset_has_that_of_the_time_zone_or_is_local_to_the_site(
    time_zone: str, summer: bool, minutes: int | None
) -> None:
    times = {
        "start_time": "2026-03-28T17:00:00",
        "end_time": "2026-03-28T17:10:00",
        "time_zone": time_zone,
        "dst_status": summer,
    }
    start = MILESIGHT.read(changed("milesight", "time_info", to=times)).counts[0].start
    assert start is not None
    offset = start.utcoffset()
    assert (None if offset is None else offset.total_seconds() / 60) == minutes


def test_a_line_without_a_uuid_is_known_by_its_number() -> None:
    assert MILESIGHT.read(changed("milesight", *LINE, "line_uuid", to=...)).counts[0].line == "1"


@pytest.mark.parametrize(
    ("path", "to", "named"),
    [
        (("device_info",), {}, "device_info.device_sn"),
        (("time_info", "start_time"), ..., "time_info has no start_time"),
        (("time_info", "start_time"), 1774688400000, "time_info.start_time"),
        (("time_info", "end_time"), "2026-03-28T17:00:00+08:00", "the interval .* ends"),
        ((*LINE, "total", "in"), -1, "line_periodic_data.0.total.in"),
        ((*LINE, "total", "out"), True, "line_periodic_data.0.total.out: Input should be a number"),
        ((*LINE, "total"), ..., "line_periodic_data.0.total"),
        ((*LINE,), {"total": {"in": 1, "out": 1}}, "line_periodic_data.0: Input should have a line_uuid"),
        ((*LINE, "line_uuid"), "3f0f1c1e-0000-4000-8000-000000000002", "two different counts"),
    ],
)
def test_what_would_be_counted_wrongly_is_refused_by_name(
    path: tuple[str | int, ...], to: Any, named: str
) -> None:
    with pytest.raises(ReportError, match=named):
        MILESIGHT.read(changed("milesight", *path, to=to))


def test_who_is_inside_by_the_counters_own_idea_is_not_read() -> None:
    absurd = changed("milesight", "line_total_data", 0, "total", "capacity_counted", to="a lot")
    assert MILESIGHT.read(absurd) == MILESIGHT.read(payload("milesight"))
