"""AXIS 3D People Counter (P8815-2): pushed reports, `apiName` "Axis Retail Data".

Each measurement is an interval in UTC. `adults`, where it is told, is a part of `count`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import Annotated, Final, Literal

from pydantic import Field

from service.sensors.adapter import Adapter, Form
from service.sensors.checked_report import checked_report
from service.sensors.json_report import People, ReportModel, Text, read_json
from service.sensors.told_count import Kind, Report, ToldCount
from service.sensors.told_time import UtcTime, identity_of

_PEOPLE: Final = "people-counts"


class _Direction(StrEnum):
    IN = "in"
    OUT = "out"


class _Item(ReportModel):
    direction: Text
    count: People


class _Measurement(ReportModel):
    kind: Text
    utc_from: Annotated[UtcTime, Field(alias="utcFrom")]
    utc_to: Annotated[UtcTime, Field(alias="utcTo")]
    items: tuple[_Item, ...] = ()


class _Data(ReportModel):
    measurements: tuple[_Measurement, ...]


class _Sensor(ReportModel):
    serial: Text


class _Body(ReportModel):
    api_name: Annotated[Literal["Axis Retail Data"], Field(alias="apiName")]
    data: _Data
    sensor: _Sensor


def _read(body: bytes) -> Report:
    told = read_json(body, _Body)
    return checked_report(_counts(told), left_out=_left_out(told.data.measurements))


def _left_out(measurements: Iterable[_Measurement]) -> Iterator[str]:
    for one in measurements:
        if one.kind != _PEOPLE:
            yield f"measurements of {one.kind}"
            continue
        for item in one.items:
            if item.direction not in tuple(_Direction):
                yield f"people of the direction {item.direction}"


def _counts(told: _Body) -> Iterator[ToldCount]:
    for one in told.data.measurements:
        if one.kind != _PEOPLE:
            continue
        people = {way: sum(item.count for item in one.items if item.direction == way) for way in _Direction}
        yield ToldCount(
            serial=told.sensor.serial,
            line="",
            kind=Kind.INTERVAL,
            start=one.utc_from,
            end=one.utc_to,
            forward=people[_Direction.IN],
            backward=people[_Direction.OUT],
            identity=identity_of(one.utc_from),
        )


AXIS_3D: Final = Adapter(
    maker="axis-3d",
    title="AXIS 3D People Counter",
    kinds=frozenset({Kind.INTERVAL}),
    form=Form.JSON,
    forward="in",
    has_lines=False,
    read=_read,
)
