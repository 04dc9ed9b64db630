from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from service.sensors.adapters.axis_aoa import AXIS_AOA
from service.sensors.told_count import Kind, ReportError, ToldCount
from tests.service.sensors.adapters.payload_files import changed, payload, values

DATA = ("message", "data")


def test_humans_run_on_since_the_reset_in_the_direction_of_the_scenario() -> None:
    moment = datetime(2026, 3, 28, 9, 0, 0, 250_000, tzinfo=UTC)
    assert AXIS_AOA.read(payload("axis-aoa")).counts == (
        ToldCount(
            serial="B8A44F000002",
            line="Device1Scenario2",
            kind=Kind.CUMULATIVE,
            start=None,
            end=moment,
            forward=323,
            backward=0,
            identity="2026-03-28T09:00:00.250000+00:00 323",
            since="2026-03-28T00:00:00+00:00",
        ),
    )


def test_a_reset_changes_since() -> None:
    before, after = (
        AXIS_AOA.read(changed("axis-aoa", *DATA, "startTime", to=time)).counts[0].since
        for time in ("2026-03-28T00:00:00Z", "2026-03-29T00:00:00Z")
    )
    assert before != after


def test_older_firmware_without_the_type_is_known_by_its_reset() -> None:
    told = AXIS_AOA.read(changed("axis-aoa", *DATA, "scenarioType", to=...))
    assert told == AXIS_AOA.read(payload("axis-aoa"))


@pytest.mark.parametrize(
    ("path", "to"),
    [
        ((*DATA, "scenarioType"), "OccupancyInArea"),
        (DATA, {"active": "1"}),
        (DATA, {"totalHuman": "3"}),
        (("topic",), "axis:CameraApplicationPlatform/ObjectAnalytics/Device1Scenario2Interval"),
        (("topic",), "axis:CameraApplicationPlatform/ObjectAnalytics/Device1ScenarioANY"),
        (("topic",), "onvif:Device/axis:IO/Port"),
    ],
)
def test_events_of_anything_else_count_nothing_and_are_named(path: tuple[str, ...], to: Any) -> None:
    report = AXIS_AOA.read(changed("axis-aoa", *path, to=to))
    assert (report.counts, report.left_out) == (
        (),
        ("events of what is no scenario for crossline counting",),
    )


def test_a_scenario_of_vehicles_alone_says_what_to_change() -> None:
    report = AXIS_AOA.read(changed("axis-aoa", *DATA, "totalHuman", to=...))
    assert (report.counts, report.left_out[0].split(":")[0]) == ((), "a scenario that counts no humans")


@pytest.mark.parametrize(
    ("path", "to", "named"),
    [
        (("serial",), None, "serial: "),
        (("timestamp",), "2026-03-28T09:00:00Z", "timestamp: "),
        (("timestamp",), float("nan"), "timestamp: "),
        ((*DATA, "totalHuman"), "-3", "message.data.totalHuman: "),
        ((*DATA, "totalHuman"), "many", "message.data.totalHuman: "),
        ((*DATA, "totalHuman"), "9" * 400, "message.data.totalHuman: "),
        ((*DATA, "startTime"), "0001-01-01T00:00:00Z", "message.data.startTime: "),
    ],
)
def test_what_would_be_counted_wrongly_is_refused_by_name(path: tuple[str, ...], to: Any, named: str) -> None:
    with pytest.raises(ReportError, match=f"^{named}"):
        AXIS_AOA.read(changed("axis-aoa", *path, to=to))


def test_vehicles_are_no_people() -> None:
    data = values("axis-aoa")["message"]["data"]
    assert int(data["total"]) - int(data["totalCar"]) == AXIS_AOA.read(payload("axis-aoa")).counts[0].forward
