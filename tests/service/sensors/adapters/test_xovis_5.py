from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from service.sensors.adapters.xovis_5 import XOVIS_5
from service.sensors.told_count import Kind, ReportError, ToldCount, ToldStatus
from tests.service.sensors.adapters.payload_files import changed, payload, values

RECORD = ("logics_data", "logics", 0, "records", 0)


def at(hour: int, minute: int) -> datetime:
    return datetime(2026, 3, 28, hour, minute, tzinfo=UTC)


def test_a_record_of_a_line_is_an_interval_with_the_part_in_which_it_was_counted() -> None:
    report = XOVIS_5.read(payload("xovis-5"))
    serial, door = "80:1F:12:00:0A:01", "12"
    assert report.counts == (
        ToldCount(
            serial, door, Kind.INTERVAL, at(8, 0), at(8, 15), 21, 8, "2026-03-28T08:00:00+00:00", "", 1.0
        ),
        ToldCount(
            serial, door, Kind.INTERVAL, at(8, 15), at(8, 30), 4, 11, "2026-03-28T08:15:00+00:00", "", 0.5
        ),
    )
    assert report.left_out == ("logics without the counters fw and bw",)


def test_times_in_milliseconds_are_the_same_times_and_the_same_counts() -> None:
    milliseconds = changed("xovis-5", *RECORD, "from", to=1774684800000)
    assert XOVIS_5.read(milliseconds).counts == XOVIS_5.read(payload("xovis-5")).counts


def test_a_record_that_comes_again_in_another_package_has_the_same_identity() -> None:
    again = changed("xovis-5", "logics_data", "package_info", to={"version": "5.0", "id": 9, "agent_id": 8})
    assert XOVIS_5.read(again).counts == XOVIS_5.read(payload("xovis-5")).counts


def test_a_line_that_counts_one_way_has_nobody_the_other_way() -> None:
    one_way = changed("xovis-5", *RECORD, "counts", to=[{"name": "bw", "value": 3}])
    told = XOVIS_5.read(one_way).counts[0]
    assert (told.forward, told.backward) == (0, 3)


@pytest.mark.parametrize("samples", [(None, None), (450, None), (None, 900), (0, 0)])
def test_without_samples_nothing_is_said_of_how_much_was_counted(samples: tuple[Any, Any]) -> None:
    whole = values("xovis-5")
    record = whole["logics_data"]["logics"][0]["records"][0]
    record["samples"], record["samples_expected"] = samples
    assert XOVIS_5.read(json.dumps(whole).encode()).counts[0].counted is None


def test_more_samples_than_expected_are_all_of_them() -> None:
    assert XOVIS_5.read(changed("xovis-5", *RECORD, "samples", to=901)).counts[0].counted == 1.0


def test_live_data_beside_the_intervals_count_nothing_and_are_named() -> None:
    events = [{"type": kind, "category": "COUNT"} for kind in ("LINE_CROSS_FORWARD", "COUNT_INCREMENT")]
    live = {"live_data": {"frames": [{"time": 1774684800000, "events": events}]}}
    alone = XOVIS_5.read(json.dumps(live).encode())
    beside = XOVIS_5.read(json.dumps(values("xovis-5") | live).encode())
    assert alone.counts == ()
    assert beside.counts == XOVIS_5.read(payload("xovis-5")).counts
    assert alone.left_out[0].startswith("live_data")
    assert beside.left_out[0].startswith("live_data")


def test_who_tells_its_status_is_there() -> None:
    status = {"status_data": {"sensor_info": {"serial_number": "80:1F:12:00:0A:01"}, "uptime": 17}}
    report = XOVIS_5.read(json.dumps(status).encode())
    assert (report.counts, report.statuses) == ((), (ToldStatus("80:1F:12:00:0A:01", is_online=True),))


def test_a_test_of_the_connection_is_no_report_and_no_error() -> None:
    assert XOVIS_5.read(b'{"connection_test": {"time": 1774684800000}}').counts == ()


@pytest.mark.parametrize(
    ("body", "named"),
    [
        (b"{}", "body: Input should have one of logics_data, status_data, live_data, connection_test"),
        (changed("xovis-5", "logics_data", "sensor_info", to={}), "logics_data.sensor_info.serial_number"),
        (changed("xovis-5", *RECORD, "from", to=...), "logics.0.records.0.from"),
        (
            changed("xovis-5", *RECORD, "from", to="yesterday"),
            "logics.0.records.0.from: Input should be a time",
        ),
        (changed("xovis-5", *RECORD, "counts", 0, "value", to=-1), "logics.0.records.0.counts.0.value"),
        (changed("xovis-5", *RECORD, "counts", 0, "value", to=...), "logics.0.records.0.counts.0: fw has no"),
        (
            changed("xovis-5", *RECORD, "counts", 1, "name", to="fw"),
            "logics.0.records.0: fw or bw stands twice",
        ),
        (changed("xovis-5", *RECORD, "to", to=1774684800000), "line 12: the interval .* ends"),
        (changed("xovis-5", *RECORD, "samples", to="many"), "logics.0.records.0.samples"),
    ],
)
def test_what_would_be_counted_wrongly_is_refused_by_name(body: bytes, named: str) -> None:
    with pytest.raises(ReportError, match=named):
        XOVIS_5.read(body)


def test_two_agents_that_send_one_record_with_other_numbers_are_refused_in_one_body() -> None:
    whole = values("xovis-5")
    records = whole["logics_data"]["logics"][0]["records"]
    records.append(json.loads(json.dumps(records[0])) | {"counts": [{"name": "fw", "value": 1}]})
    with pytest.raises(ReportError, match="line 12: two different counts of 2026-03-28T08:00:00"):
        XOVIS_5.read(json.dumps(whole).encode())
