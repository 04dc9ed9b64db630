"""Zones, passages and devices of a site as tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final
from urllib.parse import urlencode

import pandas as pd

from components.number_format import NOT_TOLD
from components.plain_text import LONGEST_CELL, LONGEST_NAME, one_line
from components.tables.subject import labels_of
from components.tables.zone_values import UNKNOWN_VALUE, ZoneValue
from components.theme import Thresholds, share_of
from contract import Device, Site

_ONLINE: Final = "online"
_OUTSIDE: Final = "Outside"


def zones_table(
    site: Site, values: Mapping[str, ZoneValue], thresholds: Thresholds, *, root: str = "/"
) -> pd.DataFrame:
    """One row per zone, fullest first; numbers that are not told are missing, never 0.

    `root` is the path of the dashboard, with a slash at its end.
    """
    labels = labels_of(site.zones)
    rows = []
    for zone in site.zones:
        value = values.get(zone.id, UNKNOWN_VALUE)
        rows.append(
            {
                "Zone": labels[zone.id],
                "Live": f"{root}live?{urlencode({'site': site.id, 'zone': zone.id})}",
                "Category": one_line(zone.category or NOT_TOLD, LONGEST_CELL),
                "Level": value.level(zone, thresholds).value.word,
                "Inside": value.inside,
                "Capacity": zone.capacity or None,
                "Share": share_of(value.inside, zone.capacity),
                "Area": zone.area or None,
                "Per 100 m²": 100 * value.inside / zone.area
                if value.inside is not None and zone.area
                else None,
                "Measured": value.measured_at,
            }
        )
    table = pd.DataFrame(rows)
    return table if table.empty else table.sort_values("Share", ascending=False, kind="stable")


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
    """One row per device; those that are not online come first."""
    zones, passages = labels_of(site.zones), labels_of(site.passages)
    places = [
        *((device, "Zone", zones[zone.id]) for zone in site.zones for device in zone.devices),
        *(
            (device, "Passage", passages[passage.id])
            for passage in site.passages
            for device in passage.devices
        ),
    ]
    places.sort(key=lambda place: (is_online(place[0]), place[0].name.casefold()))
    return pd.DataFrame(
        [
            {
                "Health": "✓ Fine" if is_online(device) else "⚠ Look after it",
                "Status": one_line(device.status or NOT_TOLD, LONGEST_CELL),
                "Device": one_line(device.name, LONGEST_CELL),
                "At": kind,
                "Place": place,
                "Id": one_line(device.id, LONGEST_CELL),
            }
            for device, kind, place in places
        ]
    )


def is_online(device: Device) -> bool:
    """`Online` is the only status that the specification shows; every other one is a problem."""
    return device.status.strip().casefold() == _ONLINE


def device_count(site: Site) -> int:
    return len(_devices(site))


def problem_count(site: Site) -> int:
    return sum(not is_online(device) for device in _devices(site))


def _devices(site: Site) -> list[Device]:
    of_zones = [device for zone in site.zones for device in zone.devices]
    return of_zones + [device for passage in site.passages for device in passage.devices]
