"""The counters that the v3 API shows at passages, told from devices that a site's record names itself."""

from __future__ import annotations

from service.ingest.site_entries import SiteEntry
from service.store.site_protocol import SiteRecord

Counters = frozenset[tuple[str, str]]
"""Id and name of each as a device, as `shown_counters` has them."""


def without_placed(site: SiteEntry, stored: SiteRecord | None, counters: Counters) -> SiteEntry:
    """`site` without counters that an answer added to its passages, unless its record names them. `counters`
    are all of its organization: one may hang elsewhere since, or at a passage that was gone for a while.

    What was answered may come back as a record, which would name a counter for ever, wherever it hangs then.
    """
    named = {
        (passage.id, device.id)
        for passage in (stored.site.passages if stored else ())
        for device in passage.devices
    }
    passages = tuple(
        passage.model_copy(
            update={
                "devices": tuple(
                    one
                    for one in passage.devices
                    if (one.id, one.name) not in counters or (passage.id, one.id) in named
                )
            }
        )
        for passage in site.passages
    )
    return site.model_copy(update={"passages": passages})
