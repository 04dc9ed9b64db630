"""The doors of a site: passages with the outside on one of their sides."""

from __future__ import annotations

from typing import NamedTuple

from analysis.subject import labels_of
from contract import Site


class Door(NamedTuple):
    passage_id: str
    label: str
    """Its name; followed by the id where several share the name."""
    name: str
    """Uncut."""
    zone_id: str
    """Where one is who has come in."""


def doors_of(site: Site) -> list[Door]:
    """The doors of the zones that are listed; passages between zones are none."""
    known = {zone.id for zone in site.zones}
    labels = labels_of(site.passages)
    inner = {
        passage.id: passage.to_zone_id if passage.from_zone_id is None else passage.from_zone_id
        for passage in site.passages
        if (passage.from_zone_id is None) != (passage.to_zone_id is None)
    }
    return [
        Door(passage.id, labels[passage.id], passage.name or passage.id, zone_id)
        for passage in site.passages
        if (zone_id := inner.get(passage.id)) in known and zone_id is not None
    ]
