"""What the service says of the places that a screen shows: names, zones, time zones, capacities."""

from __future__ import annotations

from dataclasses import dataclass

from analysis.site_report import capacity_of
from api_client import Client
from api_client.site_now import newest_query, site_now
from contract import DEFAULT_TIMEZONE, Site, Zone
from live.clock import local_zone


@dataclass(frozen=True, slots=True)
class Place:
    site: Site
    top_zone_ids: tuple[str, ...]
    """The zones that stand for the whole site; empty: the service did not say."""

    @property
    def timezone(self) -> str:
        """IANA name."""
        return known_timezone(self.site.timezone)

    @property
    def capacity(self) -> float | None:
        """People, of the zones that stand for the whole; None as soon as one zone's is not told."""
        return capacity_of(self.site, self.top_zone_ids)

    @property
    def inner_zones(self) -> tuple[Zone, ...]:
        """All zones but those that stand for the whole."""
        return tuple(zone for zone in self.site.zones if zone.id not in self.top_zone_ids)

    def zone(self, zone_id: str) -> Zone | None:
        return next((zone for zone in self.site.zones if zone.id == zone_id), None)


def known_timezone(told: str | None) -> str:
    """The zone that a service tells of a site; UTC where there is none of that name."""
    return local_zone(told or DEFAULT_TIMEZONE).key


def read_place(client: Client, site_id: str) -> Place:
    """Raises ApiClientError."""
    site = client.site(site_id)
    answer = client.newest(newest_query(site_id, known_timezone(site.timezone)))
    return Place(site, site_now(answer).zone_ids)
