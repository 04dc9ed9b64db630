"""The counters of a site as devices of the v3 API: at the passages where they are, with their status."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from contract import Device, Passage, Site
from service.ingest.site_entries import SiteEntry
from service.sensors.adapters import ADAPTERS
from service.sensors.presence import presence
from service.store.sensor_protocol import SensorLine
from service.store.site_protocol import SiteRecord


def with_devices(site: Site, lines: Sequence[SensorLine], now: datetime, listening_since: datetime) -> Site:
    """`site` with its placed counters; one that its record names by the same serial has its real status."""
    if not lines:
        return site
    passages = tuple(
        _with_own(passage, [line for line in lines if _is_at(line, passage)], now, listening_since)
        for passage in site.passages
    )
    return site.model_copy(update={"passages": passages})


def without_placed(site: SiteEntry, stored: SiteRecord | None, lines: Sequence[SensorLine]) -> SiteEntry:
    """`site` without the counters that `with_devices` adds to its passages, unless its record names them.

    What was answered may come back as a record, which would name a counter for ever, wherever it hangs then.
    """
    named = {
        (passage.id, device.id)
        for passage in (stored.site.passages if stored else ())
        for device in passage.devices
    }
    placed = {(line.placement.passage_id, line.name.serial) for line in lines if line.placement} - named
    if not placed:
        return site
    passages = tuple(
        passage.model_copy(
            update={"devices": tuple(one for one in passage.devices if (passage.id, one.id) not in placed)}
        )
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
    maker, serial = line.name.maker, line.name.serial
    title = ADAPTERS[maker].title if maker in ADAPTERS else maker
    status = presence(line.sensor, now, listening_since).status
    return Device(id=serial, name=f"{title} {serial}", status=status.value)
