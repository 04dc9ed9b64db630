"""Milesight people counters (VS125, VS135): their JSON over HTTP or MQTT.

They tell the same crossings up to three times: with each crossing (`line_trigger_data`), in intervals
(`line_periodic_data`) and as totals (`line_total_data`). The periodic report is what counts, and nothing
else, whatever the counter is set to send: an interval that comes twice is known by its beginning, it comes
also when nobody crossed, and one that is missing shows. So an installation sends the periodic report; a
trigger report may run beside and counts nothing. One that sends triggers alone counts nothing, and is told
so.

`capacity_counted` is the counter's own idea of who is inside and is not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from typing import Annotated, Any, Final, Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from service.sensors.adapter import Adapter, Form
from service.sensors.checked_report import checked_report
from service.sensors.json_report import People, ReportModel, Text, read_json
from service.sensors.told_count import Kind, Report, ToldCount
from service.sensors.told_time import IsoTime, identity_of

_OFFSET: Final = re.compile(r"UTC(?:([+-])(\d{1,2})(?::?([0-5]\d))?)?\b", re.ASCII)
_LARGEST_OFFSET: Final = timedelta(hours=14)
_TRIGGERS: Final = "line_trigger_data: crossings one by one; the periodic report is what is counted"
_TOTALS: Final = "line_total_data without line_periodic_data: the periodic report is what is counted"
_NO_LINES: Final = "a report without lines"


class _People(ReportModel):
    into: Annotated[People, Field(alias="in")]
    out: People


class _Line(ReportModel):
    number: Annotated[Text | None, Field(alias="line")] = None
    uuid: Annotated[Text | None, Field(alias="line_uuid")] = None
    total: _People

    @model_validator(mode="after")
    def _is_named(self) -> Self:
        if not self.name():
            raise PydanticCustomError("line", "Input should have a line_uuid or a line")
        return self

    def name(self) -> str:
        """The number of a line is given to another when lines are drawn anew; its UUID is not."""
        return self.uuid or self.number or ""


class _Device(ReportModel):
    serial: Annotated[Text, Field(alias="device_sn")]


class _Times(ReportModel):
    start_time: IsoTime | None = None
    end_time: IsoTime | None = None
    time_zone: str = ""
    dst_status: bool = False

    def interval(self) -> tuple[datetime, datetime]:
        assert self.start_time is not None
        assert self.end_time is not None
        return self._placed(self.start_time), self._placed(self.end_time)

    def _placed(self, moment: datetime) -> datetime:
        """A time without an offset has that of the time zone; in summer none, as nothing says by how much."""
        offset = None if moment.tzinfo or self.dst_status else _offset(self.time_zone)
        return moment if offset is None else moment.replace(tzinfo=offset)


class _Body(ReportModel):
    device_info: _Device
    time_info: _Times
    line_periodic_data: tuple[_Line, ...] | None = None
    line_trigger_data: Any = None
    line_total_data: Any = None

    @model_validator(mode="after")
    def _has_an_interval(self) -> Self:
        times = self.time_info
        if self.line_periodic_data and None in (times.start_time, times.end_time):
            raise PydanticCustomError("interval", "time_info has no start_time or no end_time")
        return self


def _read(body: bytes) -> Report:
    told = read_json(body, _Body)
    return checked_report(_counts(told), left_out=_left_out(told))


def _counts(told: _Body) -> Iterator[ToldCount]:
    for line in told.line_periodic_data or ():
        start, end = told.time_info.interval()
        yield ToldCount(
            serial=told.device_info.serial,
            line=line.name(),
            kind=Kind.INTERVAL,
            start=start,
            end=end,
            forward=line.total.into,
            backward=line.total.out,
            identity=identity_of(start),
        )


def _left_out(told: _Body) -> Iterator[str]:
    if told.line_trigger_data:
        yield _TRIGGERS
    if told.line_periodic_data is None and told.line_total_data:
        yield _TOTALS
    if not (told.line_periodic_data or told.line_trigger_data or told.line_total_data):
        yield _NO_LINES


def _offset(time_zone: str) -> timezone | None:
    """Of `UTC+8:00 China Standard Time (CT/CST)`; None where it says none."""
    found = _OFFSET.match(time_zone.strip())
    if not found:
        return None
    sign, hours, minutes = found.groups(default="0")
    length = timedelta(hours=int(hours), minutes=int(minutes))
    return timezone(-length if sign == "-" else length) if length <= _LARGEST_OFFSET else None


MILESIGHT: Final = Adapter(
    maker="milesight",
    title="Milesight VS125 and VS135",
    kinds=frozenset({Kind.INTERVAL}),
    form=Form.JSON,
    forward="in",
    has_lines=True,
    read=_read,
)
