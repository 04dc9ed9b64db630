"""A site while somebody sets it up: begun, with zones and passages added and taken out. Pure.

Ids are made of the first name of a thing and stay as it is renamed: counts are kept under them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection
from typing import Final

from contract import Passage, Site, Zone
from contract.administration import SiteSetUp

USUAL_RESET_HOUR: Final = 4
MOST_PEOPLE: Final = 10_000_000
"""Of a capacity."""
LARGEST_AREA: Final = 1_000_000_000.0
"""Square metres."""
LAST_HOUR: Final = 23
MOST_PARTS: Final = 60
"""Zones, and passages, that one page lets be written; sites with more are for a file."""
_LONGEST: Final = 60


def begun(name: str, timezone: str, taken: Collection[str]) -> SiteSetUp:
    """A site that is one zone, the whole of it. `taken` are the ids of the others."""
    site_id = identifier(name, taken, "site")
    whole = Zone(id=f"{site_id}-whole", name="Whole site")
    return SiteSetUp(
        id=site_id,
        name=name,
        timezone=timezone,
        zones=(whole,),
        top_zone_id=whole.id,
        daily_reset_hour=USUAL_RESET_HOUR,
    )


def inner_zones(site: SiteSetUp) -> tuple[Zone, ...]:
    """Those that are not the whole site."""
    return tuple(zone for zone in site.zones if zone.id != site.top_zone_id)


def top_zone(site: SiteSetUp) -> Zone:
    """The zone that is the whole site; an empty one where the service names one that is not there."""
    found = [zone for zone in site.zones if zone.id == site.top_zone_id]
    return found[0] if found else Zone(id=site.top_zone_id, name="Whole site")


def with_zone(site: SiteSetUp, name: str) -> SiteSetUp:
    zone_id = identifier(f"{site.id}-{name}", {zone.id for zone in site.zones}, "zone")
    return site.model_copy(update={"zones": (*site.zones, Zone(id=zone_id, name=name))})


def without_zone(site: SiteSetUp, zone_id: str) -> SiteSetUp:
    """What led to it leads to the whole site then."""
    ends = {zone_id: site.top_zone_id}
    return site.model_copy(
        update={
            "zones": tuple(zone for zone in site.zones if zone.id != zone_id),
            "passages": tuple(
                one.model_copy(
                    update={
                        "from_zone_id": ends.get(one.from_zone_id or "", one.from_zone_id),
                        "to_zone_id": ends.get(one.to_zone_id or "", one.to_zone_id),
                    }
                )
                for one in site.passages
            ),
        }
    )


def with_passage(site: SiteSetUp, name: str) -> SiteSetUp:
    """From outside into the first zone."""
    passage_id = identifier(f"{site.id}-{name}", {one.id for one in site.passages}, "passage")
    first = (*inner_zones(site), top_zone(site))[0]
    return site.model_copy(
        update={"passages": (*site.passages, Passage(id=passage_id, name=name, to_zone_id=first.id))}
    )


def without_passage(site: SiteSetUp, passage_id: str) -> SiteSetUp:
    return site.model_copy(update={"passages": tuple(one for one in site.passages if one.id != passage_id)})


def faults_of(site: SiteSetUp) -> list[str]:
    """What has to be mended before it can be stored, in sentences; the service checks the rest."""
    found = [
        f"The passage “{one.name}” leads to the side that it comes from. Choose another for one end."
        for one in _turning(site)
    ]
    named = (*((zone.name, "zone") for zone in site.zones), *((one.name, "passage") for one in site.passages))
    nameless = {kind for name, kind in named if not name.strip()}
    found += [f"A {kind} has no name. Give it one, or remove it." for kind in sorted(nameless)]
    if not site.name.strip():
        found.append("The site has no name. Give it one.")
    return found + _beyond(site)


def uncounted_zones(site: SiteSetUp) -> tuple[Zone, ...]:
    """Zones of which no passage leads in or out; none while there is no passage at all."""
    touched = {end for one in site.passages for end in (one.from_zone_id, one.to_zone_id)}
    return tuple(zone for zone in inner_zones(site) if site.passages and zone.id not in touched)


def sketched(site: SiteSetUp) -> Site:
    """What is drawn of it: without the zone that is the whole site, unless a passage leads into it."""
    touched = {end for one in site.passages for end in (one.from_zone_id, one.to_zone_id)}
    zones = tuple(
        zone
        for zone in site.zones
        if zone.id != site.top_zone_id or zone.id in touched or len(site.zones) == 1
    )
    named = tuple(
        zone.model_copy(update={"name": site.name}) if zone.id == site.top_zone_id else zone for zone in zones
    )
    return Site(id=site.id, name=site.name, zones=named, passages=site.passages)


def identifier(name: str, taken: Collection[str], otherwise: str) -> str:
    """Letters a to z, digits and hyphens of the name; with a number where another has it already."""
    spelled = unicodedata.normalize("NFKD", name[: 4 * _LONGEST].replace("ß", "ss")).encode("ascii", "ignore")
    own = re.sub("[^a-z0-9]+", "-", spelled.decode().lower()).strip("-")[:_LONGEST].rstrip("-") or otherwise
    numbered = (own if number == 1 else f"{own}-{number}" for number in range(1, len(taken) + 2))
    return next(one for one in numbered if one not in taken)


def _beyond(site: SiteSetUp) -> list[str]:
    """Numbers that nothing takes."""
    found = []
    for zone in site.zones:
        name = site.name if zone.id == site.top_zone_id else zone.name
        if not 0 <= (zone.capacity or 0) <= MOST_PEOPLE:
            found.append(f"The capacity of “{name}” is too small or too large. Write another.")
        if not 0 <= (zone.area or 0) <= LARGEST_AREA:
            found.append(f"The area of “{name}” is too small or too large. Write another.")
    if not 0 <= site.daily_reset_hour <= LAST_HOUR:
        found.append(f"Counts begin at 0 at an hour from 0 to {LAST_HOUR}. Write one of these.")
    return found


def _turning(site: SiteSetUp) -> list[Passage]:
    return [one for one in site.passages if one.from_zone_id == one.to_zone_id]
