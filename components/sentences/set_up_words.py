"""What is said of a site that was set up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from analysis.names import LONGEST_NAME, one_line
from analysis.site_draft import inner_zones, uncounted_zones
from analysis.zone_graph import counted
from contract import Passage, Zone
from contract.administration import NamedOrganization, SiteSetUp, SiteStored

NOT_STORED: Final = "Not stored yet: it is lost when this page is loaded anew."
UNHEARD: Final = (
    "It was sent, and no answer told whether it is stored. Press again once the service answers: it is "
    "stored once. What is written is lost when this page is loaded anew."
)
_MOST_NAMED: Final = 3


def stored_words(site: SiteStored) -> str:
    """`Corner shop is stored: 2 zones and 3 passages`, and what the service says of it."""
    parts = f"{counted(len(inner_zones(site)), 'zone')} and {counted(len(site.passages), 'passage')}"
    archived = " It is archived: in no list." if site.archived else ""
    said = " ".join(site.notes)
    return f"{one_line(site.name, LONGEST_NAME)} is stored: {parts}.{archived} {said}".strip()


def came_words(site: SiteSetUp) -> str:
    """Of a site that is found as it was sent, though no answer came."""
    name = one_line(site.name, LONGEST_NAME)
    return f"{name} is stored as it was sent, though the answer that says so did not come."


def other_organization_words(form: Mapping[str, object], organization: NamedOrganization) -> str:
    """That a site in a file is of another organization than the one it becomes part of; empty: it is not."""
    named = form.get("organizationId")
    if not isinstance(named, str) or named in ("", organization.id):
        return ""
    own = one_line(organization.name, LONGEST_NAME)
    return (
        f"The file is of another organization ({one_line(named, LONGEST_NAME)}). The site becomes one of "
        f"{own}; the other keeps its own, and counts are not taken along."
    )


def uncounted_words(site: SiteSetUp) -> str:
    """Which zones no passage leads into, so that nothing can be counted there; empty: none."""
    apart = uncounted_zones(site)
    if not apart:
        return ""
    return (
        f"No passage leads into {_named(apart)}, so that no door counts there. Add one, or choose the zone "
        "under From or To."
    )


def taken_out_words(site: SiteSetUp, stored: SiteSetUp | None) -> str:
    """Which doors are to go that are stored, and what becomes of their counts; empty: none."""
    stay = {one.id for one in site.passages}
    gone = [one for one in stored.passages if one.id not in stay] if stored else []
    if not gone:
        return ""
    return (
        f"To be taken out: {_named(gone)}. What was counted there is kept, but in no number of the site any "
        "more, until a passage of the same first name is added again. A counter that hangs there is to be "
        "placed anew."
    )


def _named(parts: Sequence[Zone | Passage]) -> str:
    """`Hall, Gym, Yard and 2 more`."""
    named = ", ".join(one_line(one.name or one.id, LONGEST_NAME) for one in parts[:_MOST_NAMED])
    return f"{named} and {len(parts) - _MOST_NAMED} more" if len(parts) > _MOST_NAMED else named
