"""The counters that the v3 API shows at passages, told from devices that a site's record names itself."""

from __future__ import annotations

from collections.abc import Sequence

from service.ingest.site_entries import SiteEntry
from service.sensors.adapters import ADAPTERS
from service.store.sensor_protocol import SensorLine
from service.store.site_protocol import SiteRecord


def shown_name(line: SensorLine) -> str:
    """How an answer calls the counter."""
    maker, serial = line.name.maker, line.name.serial
    return f"{ADAPTERS[maker].title if maker in ADAPTERS else maker} {serial}"


def without_placed(site: SiteEntry, stored: SiteRecord | None, lines: Sequence[SensorLine]) -> SiteEntry:
    """`site` without counters that an answer added to its passages, unless its record names them. `lines` are
    all of its organization: a counter may hang elsewhere since, or at a passage that was gone for a while.

    What was answered may come back as a record, which would name a counter for ever, wherever it hangs then.
    """
    named = {
        (passage.id, device.id)
        for passage in (stored.site.passages if stored else ())
        for device in passage.devices
    }
    shown = {(line.name.serial, shown_name(line)) for line in lines}
    passages = tuple(
        passage.model_copy(
            update={
                "devices": tuple(
                    one
                    for one in passage.devices
                    if (one.id, one.name) not in shown or (passage.id, one.id) in named
                )
            }
        )
        for passage in site.passages
    )
    return site.model_copy(update={"passages": passages})
