"""Which zone of a site in a file is the whole of it, where the file leaves that open. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any


def open_whole_zone(form: Mapping[str, Any]) -> dict[str, str]:
    """Names by id of the zones among which somebody has to choose; empty: it is told, or follows.

    What a service answers to `GET /v3/sites/{siteId}` does not tell it. It follows where there is one zone,
    or one that no passage touches (`top_zone_of` of the service). `form` is any JSON object.
    """
    if form.get("topZoneId") is not None:
        return {}
    zones = {str(zone.get("id")): str(zone.get("name") or zone.get("id")) for zone in _objects(form, "zones")}
    touched = {one.get(end) for one in _objects(form, "passages") for end in ("fromZoneId", "toZoneId")}
    possible = {id_: name for id_, name in zones.items() if id_ not in touched} or zones
    return possible if len(possible) > 1 else {}


def _objects(form: Mapping[str, Any], field: str) -> Iterator[Mapping[str, Any]]:
    found = form.get(field)
    yield from (one for one in found if isinstance(one, dict)) if isinstance(found, list) else ()
