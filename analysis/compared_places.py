"""Which places a league is of: the sites that can be read, or the zones of one of them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final, NamedTuple

from analysis.entrances import zones_to_rank
from analysis.league import Place
from analysis.names import distinct_labels
from analysis.subject import Subject, whole_site, zone_subjects
from contract import Site, SiteSummary

WHOLE: Final = ""
"""In the place of a zone's id, the whole site beside its zones."""


class ComparedPlace(NamedTuple):
    site: SiteSummary
    """That it is, or lies in."""
    subject: Subject
    """What is asked about."""
    place: Place


def compared_sites(sites: Sequence[SiteSummary]) -> list[ComparedPlace]:
    """By name. Their sizes are known only from answers."""
    labels = distinct_labels({one.id: one.name for one in sites})
    ordered = sorted(sites, key=lambda one: (labels[one.id].casefold(), one.id))
    return [ComparedPlace(one, whole_site(one), Place(one.id, labels[one.id])) for one in ordered]


def compared_zones(site: Site, top_zone_ids: Collection[str]) -> list[ComparedPlace]:
    """All but those that stand for the whole site, `top_zone_ids`."""
    areas = {one.id: float(one.area) if one.area else None for one in site.zones}
    ids = [one.zone_id for one in zones_to_rank(site, top_zone_ids)]
    return [
        ComparedPlace(site, one, Place(one.id, one.label, areas[one.id], one.capacity))
        for one in zone_subjects(site, ids)
    ]


def whole_of(site: SiteSummary) -> ComparedPlace:
    """The site beside its zones: it is told of, and not ranked."""
    return ComparedPlace(site, whole_site(site), Place(WHOLE, "Whole site"))
