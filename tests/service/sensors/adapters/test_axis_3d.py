from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from service.sensors.adapters.axis_3d import AXIS_3D
from service.sensors.told_count import Kind, ReportError, ToldCount
from tests.service.sensors.adapters.payload_files import values


def body(**changes: Any) -> bytes:
    told: dict[str, Any] = values("axis-3d")
    return json.dumps(told | changes).encode()


def test_an_interval_has_who_came_in_and_who_went_out() -> None:
    [told] = AXIS_3D.read(body()).counts
    start, end = (datetime(2026, 3, 28, 9, minute, tzinfo=UTC) for minute in (0, 15))
    assert told == ToldCount("ACCC8E000001", "", Kind.INTERVAL, start, end, 7, 4, "2026-03-28T09:00:00+00:00")


def test_what_is_not_of_people_is_left_out() -> None:
    other = {"kind": "occupancy", "utcFrom": "2026-03-28T09:00:00Z", "utcTo": "2026-03-28T09:15:00Z"}
    report = AXIS_3D.read(body(data={"measurements": [other]}))
    assert (report.counts, report.left_out) == ((), ("measurements of occupancy",))


def test_people_of_a_direction_that_is_not_known_are_left_out_and_all_others_counted() -> None:
    told = values("axis-3d")
    [measurement] = told["data"]["measurements"]
    measurement["items"].append({"direction": "across", "count": 5})
    report = AXIS_3D.read(json.dumps(told).encode())
    assert report.counts == AXIS_3D.read(body()).counts
    assert report.left_out == ("people of the direction across",)


def test_a_time_without_an_offset_is_utc_as_its_name_says() -> None:
    text = body().decode()
    assert AXIS_3D.read(text.replace("Z", "").encode()) == AXIS_3D.read(text.encode())


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"apiName": "Something else"}, "apiName"),
        ({"sensor": {}}, "sensor.serial"),
        ({"data": {}}, "data.measurements"),
    ],
)
def test_a_body_that_is_none_of_it_is_refused_by_name(changes: dict[str, Any], named: str) -> None:
    with pytest.raises(ReportError, match=named):
        AXIS_3D.read(body(**changes))
