"""What is said of a site that was set up."""

from __future__ import annotations

from analysis.names import LONGEST_NAME, one_line
from analysis.site_draft import inner_zones
from analysis.zone_graph import counted
from contract.administration import SiteStored


def stored_words(site: SiteStored) -> str:
    """`Corner shop is stored: 2 zones and 3 passages`, and what the service says of it."""
    parts = f"{counted(len(inner_zones(site)), 'zone')} and {counted(len(site.passages), 'passage')}"
    archived = " It is archived: in no list." if site.archived else ""
    said = " ".join(site.notes)
    return f"{one_line(site.name, LONGEST_NAME)} is stored: {parts}.{archived} {said}".strip()
