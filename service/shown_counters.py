"""How answers name the counters that are placed at a site's passages."""

from __future__ import annotations

from collections.abc import Iterable

from service.sensors.adapters import ADAPTERS
from service.store.sensor_protocol import SensorLine


def shown_name(line: SensorLine) -> str:
    maker, serial = line.name.maker, line.name.serial
    return f"{ADAPTERS[maker].title if maker in ADAPTERS else maker} {serial}"


def shown_counters(lines: Iterable[SensorLine]) -> frozenset[tuple[str, str]]:
    """Id and name of each as a device."""
    return frozenset((line.name.serial, shown_name(line)) for line in lines)
