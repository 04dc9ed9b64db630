"""Counters of every maker, as their bodies are known: what each sends next, and who crossed by it.

A report tells of some minutes one after another, in each of which as many people came and went: so it is
plain of which minute they are, also where a counter tells a sum or a running total alone. Now and then a
counter of running totals loses its power and begins again at 0. Nothing here knows the service.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from random import Random
from typing import Any, Final, NamedTuple

MINUTE: Final = timedelta(minutes=1)
RESTARTS: Final = 0.05
"""Part of the reports of running totals before which the counter begins again."""
MOST_PEOPLE: Final = 4
"""In a minute, each way."""


class Way(StrEnum):
    """How a source tells what it knows: its own format, or a maker's at `/ingest/{maker}`."""

    COUNTS = "counts"
    LEVELS = "levels"
    XOVIS_5 = "xovis-5"
    XOVIS_3 = "xovis-3"
    AXIS_3D = "axis-3d"
    AXIS_AOA = "axis-aoa"
    MILESIGHT = "milesight"
    HIKVISION = "hikvision"
    IRISYS = "irisys"
    TERABEE = "terabee"
    MAPPED = "gym-doors"
    """Read by a mapping that is kept under this name."""
    MAPPED_TOTAL = "turnstiles"


MAKERS: Final = tuple(way for way in Way if way not in {Way.COUNTS, Way.LEVELS})
TOTALS: Final = frozenset({Way.AXIS_AOA, Way.IRISYS, Way.TERABEE, Way.MAPPED_TOTAL})
"""Those that tell a running total."""
LINES: Final[Mapping[Way, str]] = {
    Way.XOVIS_5: "12",
    Way.XOVIS_3: "Door",
    Way.AXIS_AOA: "Device1Scenario1",
    Way.MILESIGHT: "3f0f1c1e",
    Way.HIKVISION: "1",
    Way.IRISYS: "Door",
    Way.MAPPED: "N",
}
"""How the one line of a counter is called, where it has a name."""
WRITTEN: Final[Mapping[Way, Mapping[str, Any]]] = {
    Way.MAPPED: {
        "kind": "interval",
        "timeFormat": "seconds",
        "rows": "doors",
        "serial": "body.box.id",
        "line": "row.door",
        "start": "row.from",
        "intervalSeconds": 60,
        "forward": "row.went.in",
        "backward": "sum(row.went.out[].people)",
    },
    Way.MAPPED_TOTAL: {
        "kind": "cumulative",
        "serial": "row.name",
        "end": "row.now",
        "forward": "row.totals[0]",
        "backward": "row.totals[1]",
    },
}
"""The mappings, as they are kept."""


class People(NamedTuple):
    came: int
    went: int

    def __add__(self, other: object) -> People:
        assert isinstance(other, People)
        return People(self.came + other.came, self.went + other.went)

    def times(self, number: int) -> People:
        return People(self.came * number, self.went * number)


NOBODY: Final = People(0, 0)


class Sent(NamedTuple):
    """A report on its way: the same each time it is sent."""

    path: str
    body: bytes
    headers: Mapping[str, str]
    start: datetime
    minutes: int
    people: People
    """Through the passage from outside and back in each of the minutes; inside, where a level is told."""
    counts: bool
    """False for the first running total: what it grows by from then on counts."""


class _Stretch(NamedTuple):
    """What one report tells of."""

    start: datetime
    minutes: int
    each: People
    """In each minute, as the counter names the directions."""

    @property
    def end(self) -> datetime:
        return self.start + self.minutes * MINUTE

    @property
    def sum(self) -> People:
        return self.each.times(self.minutes)

    def by_minute(self) -> list[tuple[str, str]]:
        starts = [self.start + number * MINUTE for number in range(self.minutes)]
        return [(one.isoformat(), (one + MINUTE).isoformat()) for one in starts]


@dataclass
class SimulatedCounter:
    way: Way
    number: int
    site_id: str
    zone_id: str
    passage_id: str
    is_swapped: bool = False
    total: People = NOBODY
    since: datetime | None = None
    """When the running total began; None before the first report."""
    chance: Random = field(default_factory=Random)

    @property
    def serial(self) -> str:
        return f"{self.way.value}-{self.number:04}"

    @property
    def line(self) -> str:
        return LINES.get(self.way, "")

    def next_report(self, start: datetime, minutes: int) -> Sent:
        """Of `minutes`, up to 15, from `start` on: where the last report ended."""
        each = People(self.chance.randrange(MOST_PEOPLE), self.chance.randrange(MOST_PEOPLE))
        if self.way is Way.AXIS_AOA:
            each = People(each.came, 0)
        stretch = _Stretch(start, minutes, each)
        is_first = self.since is None and self.way in TOTALS
        self._add(stretch)
        body = _BODIES[self.way](self, stretch)
        path = f"/ingest/{self.way.value}"
        through = People(each.went, each.came) if self.is_swapped else each
        return Sent(
            path,
            body if isinstance(body, bytes) else json.dumps(body).encode(),
            self._headers(start),
            start,
            minutes,
            People(each.came, 0) if self.way is Way.LEVELS else through,
            not is_first,
        )

    def _headers(self, start: datetime) -> dict[str, str]:
        headers = {"content-type": "application/json"}
        if self.way not in MAKERS:  # whose reports have an identity of their own
            headers["idempotency-key"] = f"{self.serial}_{start.isoformat()}"
        return headers

    def _add(self, stretch: _Stretch) -> None:
        begins_again = self.since is not None and self.chance.random() < RESTARTS
        # A total that is not lower than before would not tell that it has begun again.
        if begins_again and self.total.came > stretch.sum.came and self.total.went >= stretch.sum.went:
            self.total, self.since = NOBODY, stretch.start
        self.since = self.since or stretch.start
        self.total += stretch.sum


def _counts(counter: SimulatedCounter, told: _Stretch) -> Any:
    return [
        {
            "timestamp": start,
            "passageId": counter.passage_id,
            "forward": told.each[counter.is_swapped],
            "backward": told.each[not counter.is_swapped],
        }
        for start, _ in told.by_minute()
    ]


def _levels(counter: SimulatedCounter, told: _Stretch) -> Any:
    where = {"siteId": counter.site_id, "zoneId": counter.zone_id, "visitorsInside": told.each.came}
    return [{"timestamp": start, **where} for start, _ in told.by_minute()]


def _xovis_5(counter: SimulatedCounter, told: _Stretch) -> Any:
    counts = [
        {"id": 1, "name": "fw", "value": told.each.came},
        {"id": 2, "name": "bw", "value": told.each.went},
    ]
    records = [{"from": start, "to": end, "counts": counts} for start, end in told.by_minute()]
    logics = [{"id": counter.line, "name": "North", "info": "LINE_IN_OUT", "records": records}]
    return {"logics_data": {"sensor_info": {"serial_number": counter.serial}, "logics": logics}}


def _xovis_3(counter: SimulatedCounter, told: _Stretch) -> Any:
    value = [{"value": told.each.came, "label": "fw"}, {"value": told.each.went, "label": "bw"}]
    measurement = [{"from": start, "to": end, "value": value} for start, end in told.by_minute()]
    element = [{"element-name": counter.line, "data-type": "LINE", "measurement": measurement}]
    return {"sensor-info": {"serial-number": counter.serial}, "content": {"element": element}}


def _axis_3d(counter: SimulatedCounter, told: _Stretch) -> Any:
    items = [
        {"direction": "in", "count": told.each.came},
        {"direction": "out", "count": told.each.went},
    ]
    measurements = [
        {"kind": "people-counts", "utcFrom": start, "utcTo": end, "items": items}
        for start, end in told.by_minute()
    ]
    sensor = {"serial": counter.serial, "name": "Door"}
    return {"apiName": "Axis Retail Data", "data": {"measurements": measurements}, "sensor": sensor}


def _axis_aoa(counter: SimulatedCounter, told: _Stretch) -> Any:
    assert counter.since
    data = {
        "scenarioType": "CrosslineCounting",
        "startTime": counter.since.isoformat(),
        "total": str(counter.total.came),
        "totalHuman": str(counter.total.came),
    }
    return {
        "topic": f"axis:CameraApplicationPlatform/ObjectAnalytics/{counter.line}",
        "timestamp": int(told.end.timestamp()) * 1000,
        "serial": counter.serial,
        "message": {"source": {}, "key": {}, "data": data},
    }


def _milesight(counter: SimulatedCounter, told: _Stretch) -> Any:
    total = {"in": told.sum.came, "out": told.sum.went}
    return {
        "device_info": {"device_sn": counter.serial},
        "line_periodic_data": [{"line": 1, "line_uuid": counter.line, "total": total}],
        "time_info": {"start_time": told.start.isoformat(), "end_time": told.end.isoformat()},
    }


def _hikvision(counter: SimulatedCounter, told: _Stretch) -> bytes:
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<EventNotificationAlert version="2.0" xmlns="http://www.isapi.org/ver20/XMLSchema">
  <macAddress>{counter.serial}</macAddress>
  <channelID>{counter.line}</channelID>
  <eventType>PeopleCounting</eventType>
  <peopleCounting>
    <statisticalMethods>timeRange</statisticalMethods>
    <TimeRange>
      <startTime>{told.start.isoformat()}</startTime>
      <endTime>{told.end.isoformat()}</endTime>
    </TimeRange>
    <enter>{told.sum.came}</enter>
    <exit>{told.sum.went}</exit>
  </peopleCounting>
</EventNotificationAlert>""".encode()


def _irisys(counter: SimulatedCounter, told: _Stretch) -> Any:
    registers = [
        {"Name": f"{counter.line} in", "RegisterId": 0, "Value": counter.total.came},
        {"Name": f"{counter.line} out", "RegisterId": 1, "Value": counter.total.went},
    ]
    entry = {"LogEntryId": int(told.end.timestamp()), "Timestamp": told.end.isoformat(), "Counts": registers}
    return {"FriendlyDeviceSerial": counter.serial, "CountLogs": [entry]}


def _terabee(counter: SimulatedCounter, told: _Stretch) -> Any:
    return {
        "count_in": counter.total.came,
        "count_out": counter.total.went,
        "timestamp": str(int(told.end.timestamp())),
        "device_id": counter.serial,
    }


def _mapped(counter: SimulatedCounter, told: _Stretch) -> Any:
    went = {"in": told.each.came, "out": [{"people": told.each.went}]}
    starts = [told.start + number * MINUTE for number in range(told.minutes)]
    doors = [{"door": counter.line, "from": int(start.timestamp()), "went": went} for start in starts]
    return {"box": {"id": counter.serial}, "doors": doors}


def _mapped_total(counter: SimulatedCounter, told: _Stretch) -> Any:
    return {"name": counter.serial, "now": told.end.isoformat(), "totals": list(counter.total)}


_BODIES: Final[Mapping[Way, Callable[[SimulatedCounter, _Stretch], Any]]] = {
    Way.COUNTS: _counts,
    Way.LEVELS: _levels,
    Way.XOVIS_5: _xovis_5,
    Way.XOVIS_3: _xovis_3,
    Way.AXIS_3D: _axis_3d,
    Way.AXIS_AOA: _axis_aoa,
    Way.MILESIGHT: _milesight,
    Way.HIKVISION: _hikvision,
    Way.IRISYS: _irisys,
    Way.TERABEE: _terabee,
    Way.MAPPED: _mapped,
    Way.MAPPED_TOTAL: _mapped_total,
}
