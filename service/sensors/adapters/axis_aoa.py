"""AXIS Object Analytics, scenarios of the type crossline counting: an event in MQTT with each crossing.

A scenario is a line and counts in one direction alone: its people are forward, nobody is backward. Another
scenario that counts in the other direction is a line of its own at the same passage, the other way round.

`totalHuman` runs on from `startTime`, when it was last reset; `total` has vehicles in it and is not counted.
Scenarios of other types send events, too. Where the type is left out, as older firmware does, those that
count crossings are known by their `startTime`.
"""

from __future__ import annotations

import re
from typing import Annotated, Final

from pydantic import Field

from service.sensors.adapter import Adapter, Form
from service.sensors.checked_report import checked_report
from service.sensors.json_report import ReportModel, Text, Total, read_json
from service.sensors.told_count import Kind, Report, ToldCount
from service.sensors.told_time import MillisecondTime, UtcTime, identity_of

_SCENARIO: Final = re.compile(r".*ObjectAnalytics/(Device\d+Scenario\d+)", re.ASCII)
_COUNTING: Final = "crosslinecounting"
_OTHER: Final = "events of what is no scenario for crossline counting"
_NO_PEOPLE: Final = "a scenario that counts no humans: choose them among its classes"


class _Data(ReportModel):
    start_time: Annotated[UtcTime | None, Field(alias="startTime")] = None
    scenario_type: Annotated[str, Field(alias="scenarioType")] = ""
    total_human: Annotated[Total | None, Field(alias="totalHuman")] = None

    def counts_crossings(self) -> bool:
        named = self.scenario_type.lower()
        return named == _COUNTING or (not named and self.start_time is not None)


class _Message(ReportModel):
    data: _Data


class _Body(ReportModel):
    topic: Text
    timestamp: MillisecondTime
    serial: Text
    message: _Message


def _read(body: bytes) -> Report:
    told = read_json(body, _Body)
    data, scenario = told.message.data, _SCENARIO.fullmatch(told.topic)
    if not scenario or not data.counts_crossings():
        return checked_report((), left_out=[_OTHER])
    if data.total_human is None:
        return checked_report((), left_out=[_NO_PEOPLE])
    since = identity_of(data.start_time) if data.start_time else ""
    return checked_report(
        [
            ToldCount(
                serial=told.serial,
                line=scenario[1],
                kind=Kind.CUMULATIVE,
                start=None,
                end=told.timestamp,
                forward=data.total_human,
                backward=0,
                identity=f"{identity_of(told.timestamp)} {data.total_human}",
                since=since,
            )
        ]
    )


AXIS_AOA: Final = Adapter(
    maker="axis-aoa",
    title="AXIS Object Analytics",
    kinds=frozenset({Kind.CUMULATIVE}),
    form=Form.JSON,
    forward="the direction of the scenario",
    has_lines=True,
    read=_read,
)
