from __future__ import annotations

from datetime import UTC, datetime

import pytest

from service.sensors.adapters.xovis_3 import XOVIS_3
from service.sensors.told_count import Kind, ReportError, ToldCount
from tests.service.sensors.adapters.payload_files import changed, payload

MEASUREMENT = ("content", "element", 0, "measurement", 0)


def test_a_measurement_of_a_line_is_an_interval_and_one_of_a_zone_is_none() -> None:
    report = XOVIS_3.read(payload("xovis-3"))
    times = [datetime(2026, 3, 28, 8, minute, tzinfo=UTC) for minute in (0, 1, 2)]
    serial, door = "00:6E:02:00:0B:02", "South door"
    assert report.counts == (
        ToldCount(serial, door, Kind.INTERVAL, times[0], times[1], 3, 1, "2026-03-28T08:00:00+00:00"),
        ToldCount(serial, door, Kind.INTERVAL, times[1], times[2], 0, 6, "2026-03-28T08:01:00+00:00"),
    )
    assert report.left_out == ("elements without the values fw and bw",)


@pytest.mark.parametrize(
    ("body", "named"),
    [
        (changed("xovis-3", "sensor-info", "serial-number", to=...), "sensor-info.serial-number"),
        (changed("xovis-3", "content", to={}), "content.element"),
        (
            changed("xovis-3", "content", "element", 0, "element-name", to=""),
            "content.element.0.element-name",
        ),
        (changed("xovis-3", *MEASUREMENT, "to", to=None), "content.element.0.measurement.0.to"),
        (changed("xovis-3", *MEASUREMENT, "value", 0, "value", to=10**400), "measurement.0.value.0.value"),
        (
            changed("xovis-3", *MEASUREMENT, "value", 1, "label", to="fw"),
            "measurement.0: fw or bw stands twice",
        ),
    ],
)
def test_what_would_be_counted_wrongly_is_refused_by_name(body: bytes, named: str) -> None:
    with pytest.raises(ReportError, match=named):
        XOVIS_3.read(body)
