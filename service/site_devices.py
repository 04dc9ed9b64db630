"""The counters of a site as devices of the v3 API: at the passages where they are, with their status."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from contract import Device, Passage, Site
from service.sensors.presence import presence
from service.shown_counters import shown_name
from service.store.sensor_protocol import SensorLine


def with_devices(site: Site, lines: Sequence[SensorLine], now: datetime, listening_since: datetime) -> Site:
    """`site` with its placed counters; one that its record names by the same serial has its real status."""
    if not lines:
        return site
    passages = tuple(
        _with_own(passage, [line for line in lines if _is_at(line, passage)], now, listening_since)
        for passage in site.passages
    )
    return site.model_copy(update={"passages": passages})


def _is_at(line: SensorLine, passage: Passage) -> bool:
    return line.placement is not None and line.placement.passage_id == passage.id


def _with_own(
    passage: Passage, lines: Sequence[SensorLine], now: datetime, listening_since: datetime
) -> Passage:
    # Two lines of one counter may be at the same passage.
    own = {line.name.serial: _device(line, now, listening_since) for line in lines}
    named = [
        device.model_copy(update={"status": own.pop(device.id).status}) if device.id in own else device
        for device in passage.devices
    ]
    return passage.model_copy(update={"devices": (*named, *own.values())})


def _device(line: SensorLine, now: datetime, listening_since: datetime) -> Device:
    status = presence(line.sensor, now, listening_since).status
    return Device(id=line.name.serial, name=shown_name(line), status=status.value)
