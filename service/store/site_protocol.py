"""Organizations and their sites as a store keeps them, and what may be asked of it about them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Protocol

from contract import Site
from service.store.audit_protocol import SERVICE_ITSELF, Author

DEFAULT_DAILY_RESET_HOUR = 4
"""Site-local hour at which visitorsInside begins again at 0, unless the site says otherwise."""


@dataclass(frozen=True, slots=True)
class SiteRecord:
    """A site as the service keeps it: the public resource and what the specification does not show."""

    site: Site
    top_zone_id: str
    """The zone that is the whole site; its flows are the passages with an outside end."""
    daily_reset_hour: int = DEFAULT_DAILY_RESET_HOUR


@dataclass(frozen=True, slots=True)
class Organization:
    id: str
    name: str


class SiteCatalogue(Protocol):
    def save(
        self, organization: Organization, sites: Sequence[SiteRecord], *, author: Author = SERVICE_ITSELF
    ) -> None:
        """Insert or update an organization and sites, all or nothing. The records have been checked.

        What depends on counts is made again for sites whose zones, passages, time zone or reset hour changed.
        Raises PassageTakenError.
        """

    def save_all(
        self,
        content: Sequence[tuple[Organization, Sequence[SiteRecord]]],
        *,
        author: Author = SERVICE_ITSELF,
    ) -> None:
        """`save` for several organizations: all of them or none."""

    def change_site(
        self, site_id: str, decide: Callable[[SiteRecord | None], SiteRecord], *, author: Author
    ) -> SiteRecord:
        """Store what `decide` makes of the site as it is stored, in one transaction: nobody comes between.

        What `decide` raises is raised, and nothing is stored then. Raises PassageTakenError.
        """

    def organizations(self) -> list[Organization]:
        """All organizations, ordered by id."""

    def list_sites(
        self, organization_id: str, *, limit: int, offset: int, site_ids: Collection[str] | None = None
    ) -> tuple[list[SiteRecord], int]:
        """One page of sites that are not archived, by name and id, and how many there are in all.

        Only of these sites, unless `site_ids` is None.
        """

    def all_sites(self, organization_id: str) -> list[SiteRecord]:
        """All sites of the organization, archived ones too, by name and id."""

    def find(self, site_id: str) -> SiteRecord | None:
        """The site, whichever organization owns it, archived or not."""

    def find_at_once(self, site_id: str) -> SiteRecord | None:
        """`find` where nothing may wait: None may also mean that only `find` can tell.

        Takes microseconds: an event loop may call it. What another process changed in a site that this one
        knows is seen by both from the next `MetricStore.poll_changes` on.
        """

    def site_ids_of_passages(
        self, passage_ids: Collection[str], *, with_former: bool = False
    ) -> dict[str, str]:
        """Passage id -> site id, for those that exist. Passage ids are unique across the service.

        `with_former`: also for those that left their site, whose ids no other site can have.
        """
