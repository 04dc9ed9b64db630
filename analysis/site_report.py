"""What is known of one site at one moment, as a list of sites compares them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from contract import Device, Number, Site, Zone

_ONLINE: Final = "online"


class SiteReport(NamedTuple):
    read_at: datetime
    """When it was read, UTC, by the dashboard's clock."""
    inside: Number | None = None
    """People inside by the newest minute; None: no count yet."""
    capacity: float | None = None
    """Of the top zone; None: not reported."""
    measured_at: datetime | None = None
    """Start of that minute, UTC."""
    silent_since: datetime | None = None
    """When counts ended that usually come at this hour, UTC; None: they come, or none are expected."""
    counted_at: datetime | None = None
    """Start of the newest minute that was surely counted, UTC; an answer to "now" alone proves none."""
    is_proven: bool = True
    """Whether its counter is known to have counted the value: of a minute in which nobody came or left, an
    answer to "now" proves nothing, and the past is asked for later or could not be read."""
    is_past_unread: bool = False
    """Whether it is not known if counts are missed, since the past days that would tell cannot be read."""
    is_unreliable: bool = False
    """Whether entrances and exits disagree by too much for the number inside to mean anything."""
    is_judged: bool = True
    """Whether the site's minutes were asked if it is silent and if its number means anything: values of all
    sites come first."""
    devices_offline: int = 0
    is_of_stream: bool = False
    """Whether the value came over its open stream, since the service did not answer the query for it."""
    failure: str = ""
    """A sentence, why the site could not be read; then nothing else is known."""
    clock_difference: timedelta = timedelta()
    """By how much the service's clock is ahead of the dashboard's."""

    @property
    def as_of(self) -> datetime:
        """When it was read by the service's clock, UTC: its minutes are as old as they are by that one."""
        return self.read_at + self.clock_difference


class ReadingRest(NamedTuple):
    """A pause in which no site is read, because the service fails or asks for it."""

    until: datetime
    """UTC."""
    reason: str
    """What the service said or did, a sentence for administrators."""
    summary: str
    """The same for everybody else."""


def zone_capacity(zone: Zone) -> float | None:
    """People; None: the service tells none."""
    return float(zone.capacity) if zone.capacity else None


def capacity_of(site: Site, zone_ids: Sequence[str]) -> float | None:
    """People, of `zone_ids` together; None without any, and as soon as one zone's is not reported."""
    zones = [zone_capacity(zone) for zone in site.zones if zone.id in zone_ids]
    reported = [capacity for capacity in zones if capacity]
    return sum(reported) if reported and len(reported) == len(zone_ids) else None


def has_several_doors(site: Site) -> bool:
    """One of them may have stopped while another counts."""
    return len(site.passages) > 1


def devices_offline(site: Site) -> int:
    """Devices whose status is reported and is not `Online`, the only one that the specification shows."""
    return sum(device.status.strip().casefold() not in {"", _ONLINE} for device in _devices(site))


def _devices(site: Site) -> Iterable[Device]:
    for zone in site.zones:
        yield from zone.devices
    for passage in site.passages:
        yield from passage.devices
