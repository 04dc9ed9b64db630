"""Passages and devices of a site as tables."""

from __future__ import annotations

from typing import Final

import pandas as pd

from analysis.names import LONGEST_CELL, LONGEST_NAME, one_line
from analysis.subject import labels_of
from components.number_format import UNKNOWN
from contract import Device, Site

_ONLINE: Final = "online"
_FINE: Final = "✓ Fine"
_PROBLEM: Final = "⚠ Look after it"
_NOT_TOLD: Final = "? Not told"
_ORDER: Final = (_PROBLEM, _NOT_TOLD, _FINE)
"""Of the rows of devices."""
_OUTSIDE: Final = "Outside"


def passages_table(site: Site) -> pd.DataFrame:
    """One row per passage: what it leads from and to."""
    labels = labels_of(site.zones)

    def end(zone_id: str | None) -> str:
        if zone_id is None:
            return _OUTSIDE
        return labels.get(zone_id) or f"unknown zone {one_line(zone_id, LONGEST_NAME)}"

    names = labels_of(site.passages)
    return pd.DataFrame(
        [
            {
                "Passage": names[passage.id],
                "From": end(passage.from_zone_id),
                "To": end(passage.to_zone_id),
                "Devices": len(passage.devices),
            }
            for passage in site.passages
        ]
    )


def devices_table(site: Site) -> pd.DataFrame:
    """One row per device; those that are not online come first, then those that may not be."""
    zones, passages = labels_of(site.zones), labels_of(site.passages)
    locations = [
        *((device, "Zone", zones[zone.id]) for zone in site.zones for device in zone.devices),
        *(
            (device, "Passage", passages[passage.id])
            for passage in site.passages
            for device in passage.devices
        ),
    ]
    locations.sort(key=lambda location: (_ORDER.index(_health(location[0])), location[0].name.casefold()))
    return pd.DataFrame(
        [
            {
                "Health": _health(device),
                "Status": one_line(device.status or UNKNOWN, LONGEST_CELL),
                "Device": one_line(device.name, LONGEST_CELL),
                "At": kind,
                "Place": location,
                "Id": one_line(device.id, LONGEST_CELL),
            }
            for device, kind, location in locations
        ]
    )


def _health(device: Device) -> str:
    """`Online` is the only status that the specification shows; every other one is a problem."""
    status = device.status.strip().casefold()
    return _FINE if status == _ONLINE else _PROBLEM if status else _NOT_TOLD


def device_count(site: Site) -> int:
    return len(_devices(site))


def untold_count(site: Site) -> int:
    """Devices of which the service tells no status."""
    return sum(_health(device) == _NOT_TOLD for device in _devices(site))


def _devices(site: Site) -> list[Device]:
    of_zones = [device for zone in site.zones for device in zone.devices]
    return of_zones + [device for passage in site.passages for device in passage.devices]
