"""An oracle: it adds up what was acknowledged, and holds it against what `/v3` answers, by zone and minute.

It knows the reports and where the counters hang, and nothing of how the service stores them.
"""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple

import httpx

from benchmarks.simulated_counters import MINUTE, NOBODY, People, Sent, SimulatedCounter, Way
from contract import Passage, Site, Zone

TOP: Final = "all"
DAY: Final = timedelta(days=1)
TIME: Final = "%Y-%m-%dT%H:%M:%S"


class Compared(NamedTuple):
    """Minutes of zones."""

    told: int
    lost: int
    """With fewer people than were acknowledged, or without an answer; of levels, with another."""
    doubled: int
    """With more."""
    first: str
    """What the first of them is; empty where all is well."""


@dataclass
class Acknowledged:
    """Of one organization; may be added to from several threads."""

    reports: int = 0
    _counted: dict[str, defaultdict[str, defaultdict[datetime, People]]] = field(default_factory=dict)
    """Site -> zone -> start of a minute -> who came and went."""
    _inside: dict[str, defaultdict[str, dict[datetime, int]]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, counter: SimulatedCounter, sent: Sent) -> None:
        with self._lock:
            self.reports += 1
            if not sent.counts:
                return
            starts = [sent.start + number * MINUTE for number in range(sent.minutes)]
            if counter.way is Way.LEVELS:
                inside = self._inside.setdefault(counter.site_id, defaultdict(dict))
                inside[counter.zone_id] |= dict.fromkeys(starts, sent.people.came)
                return
            zones = self._counted.setdefault(
                counter.site_id, defaultdict(lambda: defaultdict(lambda: NOBODY))
            )
            for zone in (counter.zone_id, TOP):
                for start in starts:
                    zones[zone][start] += sent.people

    def compared(self, client: httpx.Client) -> Compared:
        """`client` has the address and a key that reads."""
        told, wrong = 0, list[tuple[str, tuple[int, ...], tuple[int, ...] | None]]()
        for site, zones in self._counted.items():
            for zone, minutes in zones.items():
                told += len(minutes)
                found = _answered(client, site, zone, minutes, ("entrances", "exits"))
                # Nobody is expected in a minute of which nothing was told.
                for at in sorted({*minutes, *found}):
                    expected = tuple(minutes.get(at, (0, 0)))
                    if found.get(at) != expected:
                        wrong.append((f"{site} {zone} {at:{TIME}}Z", expected, found.get(at)))
        for site, levels in self._inside.items():
            for zone, inside in levels.items():
                told += len(inside)
                found = _answered(client, site, zone, inside, ("visitorsInside",))
                wrong += [
                    (f"{site} {zone} {at:{TIME}}Z", (people,), found.get(at))
                    for at, people in sorted(inside.items())
                    if found.get(at) != (people,)
                ]
        lost = [one for one in wrong if _is_lost(one[1], one[2])]
        first = "{}: acknowledged {}, answered {}".format(*wrong[0]) if wrong else ""
        return Compared(told, len(lost), len(wrong) - len(lost), first)


def _is_lost(expected: tuple[int, ...], found: tuple[int, ...] | None) -> bool:
    return found is None or any(one < other for one, other in zip(found, expected, strict=True))


def _answered(
    client: httpx.Client, site: str, zone: str, minutes: Collection[datetime], metrics: tuple[str, ...]
) -> dict[datetime, tuple[int, ...]]:
    """Start of a minute, of the first to the last of `minutes` -> values of the metrics."""
    found: dict[datetime, tuple[int, ...]] = {}
    start, last = min(minutes), max(minutes)
    while start <= last:
        end = min(start + DAY, last + MINUTE)
        asked = {
            "siteId": site, "metrics": metrics, "granularity": "minute", "timezone": "Etc/UTC",
            "from": f"{start:{TIME}}", "to": f"{end:{TIME}}", "filter": {"zoneIds": [zone]},
        }  # fmt: skip
        answer = client.post("/v3/metrics", json=asked)
        assert answer.status_code == httpx.codes.OK, answer.text
        for point in answer.json()["data"]:
            found[_utc(point["timestamp"])] = tuple(point["metrics"][name] for name in metrics)
        start = end
    return found


def _utc(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone(UTC)


def site_of(site_id: str, organization_id: str, doors: Mapping[str, int]) -> Site:
    """Zone -> number of doors, which lead there from outside."""
    zones = [TOP, *doors]
    return Site(
        id=site_id,
        name=site_id.capitalize(),
        timezone="Europe/Zurich",
        organization_id=organization_id,
        zones=tuple(Zone(id=zone, name=zone.capitalize(), capacity=50, area=80) for zone in zones),
        passages=tuple(
            Passage(id=door, name=door.capitalize(), from_zone_id=None, to_zone_id=zone)
            for zone, number in doors.items()
            for door in (door_of(site_id, zone, one) for one in range(number))
        ),
    )


def door_of(site_id: str, zone: str, number: int) -> str:
    """Passages' ids are an organization's."""
    return f"{site_id}-{zone}-{number}"
