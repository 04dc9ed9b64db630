"""Xovis counters of firmware 3 and 4 (PC2S): pushed reports as JSON, whose keys have hyphens.

A measurement of an element is an interval, and its values `fw` and `bw` count; those of zones have other
labels and do not. Elements are told apart by their names.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Final

from pydantic import Field

from service.sensors.adapter import Adapter, Form
from service.sensors.adapters.xovis_records import Count, Record, told_counts
from service.sensors.checked_report import checked_report
from service.sensors.json_report import ReportModel, Text, read_json
from service.sensors.told_count import Kind, Report, ToldCount

_OTHER: Final = "elements without the values fw and bw"


class _Value(Count):
    name: Annotated[str | None, Field(alias="label")] = None


class _Measurement(Record):
    counts: Annotated[tuple[_Value, ...], Field(alias="value")]


class _Element(ReportModel):
    name: Annotated[Text, Field(alias="element-name")]
    measurement: tuple[_Measurement, ...] = ()


class _Content(ReportModel):
    element: tuple[_Element, ...]


class _Sensor(ReportModel):
    serial: Annotated[Text, Field(alias="serial-number")]


class _Body(ReportModel):
    content: _Content
    sensor: Annotated[_Sensor, Field(alias="sensor-info")]


def _read(body: bytes) -> Report:
    told = read_json(body, _Body)
    measured = [one for element in told.content.element for one in element.measurement]
    is_all = all(one.people() for one in measured)
    return checked_report(_counts(told), left_out=() if is_all else [_OTHER])


def _counts(told: _Body) -> Iterator[ToldCount]:
    for element in told.content.element:
        yield from told_counts(told.sensor.serial, element.name, element.measurement)


XOVIS_3: Final = Adapter(
    maker="xovis-3",
    title="Xovis, firmware 3 and 4",
    kinds=frozenset({Kind.INTERVAL}),
    form=Form.JSON,
    forward="fw",
    has_lines=True,
    read=_read,
)
