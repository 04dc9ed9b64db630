"""Hikvision people counting cameras: alerts in XML, of either of their two namespaces.

`timeRange` is an interval, `realTime` a running total, and a camera may send both of the same crossings. So
they are two lines, `1` and `1 realTime` of channel 1, of which somebody places one. Where a channel counts in
several regions, each but the first has lines of its own, `1/2` and `1/2 realTime`.

Alerts of other types, such as the heartbeat that is called `videoloss`, count nothing. `pass`, who went by,
is nobody who came in, and children stand apart and are not counted once more.

A camera that sends an alert again later (`isDataRetransmission`) says the same time in it.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Final, Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from service.sensors.adapter import Adapter, Form
from service.sensors.checked_report import checked_report
from service.sensors.json_report import ReportModel, Text, Total
from service.sensors.told_count import Kind, Report, ReportError, ToldCount
from service.sensors.told_time import IsoTime, identity_of
from service.sensors.xml_report import read_values, read_xml

_ROOT: Final = "EventNotificationAlert"
_COUNTING: Final = "peoplecounting"
_REAL_TIME: Final = "realTime"
_TIME_RANGE: Final = "timeRange"
_FIRST_REGION: Final = "1"


class _Event(ReportModel):
    type: Annotated[Text, Field(alias="eventType")]


class _TimeRange(ReportModel):
    start: Annotated[IsoTime, Field(alias="startTime")]
    end: Annotated[IsoTime, Field(alias="endTime")]


class _RealTime(ReportModel):
    time: IsoTime


class _Counting(ReportModel):
    method: Annotated[Text, Field(alias="statisticalMethods")]
    time_range: Annotated[_TimeRange | None, Field(alias="TimeRange")] = None
    real_time: Annotated[_RealTime | None, Field(alias="RealTime")] = None
    enter: Total
    exit: Total
    region: Annotated[Text, Field(alias="regionsID")] = _FIRST_REGION

    @model_validator(mode="after")
    def _has_an_interval(self) -> Self:
        if self.method == _TIME_RANGE and not self.time_range:
            raise PydanticCustomError("interval", "TimeRange: Field required")
        return self


class _Alert(ReportModel):
    serial: Annotated[Text, Field(alias="macAddress")]
    channel: Annotated[Text, Field(alias="channelID")]
    time: Annotated[IsoTime | None, Field(alias="dateTime")] = None
    counting: Annotated[_Counting, Field(alias="peopleCounting")]

    def line(self) -> str:
        people = self.counting
        where = self.channel if people.region == _FIRST_REGION else f"{self.channel}/{people.region}"
        return f"{where} {_REAL_TIME}" if people.method == _REAL_TIME else where

    def told(self, kind: Kind, start: datetime | None, end: datetime, identity: str) -> ToldCount:
        people = self.counting
        return ToldCount(self.serial, self.line(), kind, start, end, people.enter, people.exit, identity)


def _read(body: bytes) -> Report:
    values = read_xml(body, _ROOT)
    event = read_values(values, _Event)
    if event.type.lower() != _COUNTING:
        return checked_report((), left_out=[f"alerts of the type {event.type}"])
    alert = read_values(values, _Alert)
    people, interval = alert.counting, alert.counting.time_range
    if people.method == _TIME_RANGE and interval:
        identity = identity_of(interval.start)
        return checked_report([alert.told(Kind.INTERVAL, interval.start, interval.end, identity)])
    if people.method == _REAL_TIME:
        moment = people.real_time.time if people.real_time else alert.time
        if not moment:
            raise ReportError("dateTime: Field required")
        identity = f"{identity_of(moment)} {people.enter} {people.exit}"
        return checked_report([alert.told(Kind.CUMULATIVE, None, moment, identity)])
    return checked_report((), left_out=[f"counts by the method {people.method}"])


HIKVISION: Final = Adapter(
    maker="hikvision",
    title="Hikvision people counting",
    kinds=frozenset({Kind.INTERVAL, Kind.CUMULATIVE}),
    form=Form.XML,
    forward="enter",
    has_lines=True,
    read=_read,
)
