"""Xovis counters and multisensors of firmware 5 (PC2SV5): JSON packages of the agents for logics and status.

A record of a logic is an interval. Its counters `fw` and `bw` count; others, such as `balance`, do not: who
gave them names of their own describes them with a mapping. Live data tell the same crossings one by one, and
some of them twice (as `LINE_CROSS_...` and as `COUNT_...`): they are never counted, so that an agent for them
may run beside. A record that is sent again, by another agent or out of the history, begins at the same time,
and is the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, Self

from pydantic import model_validator
from pydantic_core import PydanticCustomError

from service.sensors.adapter import Adapter, Form
from service.sensors.adapters.xovis_records import Record, told_counts
from service.sensors.checked_report import checked_report
from service.sensors.json_report import ReportModel, Text, read_json
from service.sensors.told_count import Kind, Report, ToldCount, ToldStatus

_LIVE: Final = "live_data: crossings one by one; an agent for logics sends what is counted"
_OTHER: Final = "logics without the counters fw and bw"


class _Logic(ReportModel):
    id: Text
    records: tuple[Record, ...] = ()


class _Sensor(ReportModel):
    serial_number: Text


class _Logics(ReportModel):
    sensor_info: _Sensor
    logics: tuple[_Logic, ...]


class _Status(ReportModel):
    sensor_info: _Sensor


class _Package(ReportModel):
    logics_data: _Logics | None = None
    status_data: _Status | None = None
    live_data: Any = None
    connection_test: Any = None

    @model_validator(mode="after")
    def _is_known(self) -> Self:
        if not self.model_fields_set:
            known = ", ".join(type(self).model_fields)
            raise PydanticCustomError("package", "Input should have one of {known}", {"known": known})
        return self


def _read(body: bytes) -> Report:
    told = read_json(body, _Package)
    return checked_report(_counts(told), statuses=_statuses(told), left_out=_left_out(told))


def _counts(told: _Package) -> Iterator[ToldCount]:
    if told.logics_data:
        for logic in told.logics_data.logics:
            yield from told_counts(told.logics_data.sensor_info.serial_number, logic.id, logic.records)


def _statuses(told: _Package) -> Iterator[ToldStatus]:
    """Who says how it is, is there: more is not told in a way that is known."""
    if told.status_data:
        yield ToldStatus(told.status_data.sensor_info.serial_number, is_online=True)


def _left_out(told: _Package) -> Iterator[str]:
    if told.live_data is not None:
        yield _LIVE
    logics = told.logics_data.logics if told.logics_data else ()
    if not all(record.people() for logic in logics for record in logic.records):
        yield _OTHER


XOVIS_5: Final = Adapter(
    maker="xovis-5",
    title="Xovis, firmware 5",
    kinds=frozenset({Kind.INTERVAL}),
    form=Form.JSON,
    forward="fw",
    has_lines=True,
    read=_read,
)
