"""The list of sites, page by page: when it ends, and whether all of it was read."""

from __future__ import annotations

from typing import Final

from api_client.answers import SitesPage
from api_client.errors import ApiClientError
from contract import ErrorCode, SiteSummary

MOST_SITES: Final = 10_000
"""Of one key; a service that lists more is read no further."""
MOST_PAGES: Final = 200
"""However few sites are on a page."""
MOST_REPEATED_PAGES: Final = 3
"""In a row, with no site that is not known: of a service that tells one page again and again."""


class SiteList:
    """What the pages so far had."""

    def __init__(self) -> None:
        self._found: dict[str, SiteSummary] = {}
        self._pages = self._repeated = 0
        self.offset = 0
        """Of the page that is to be asked for."""
        self.goes_on = True
        """Whether there is one."""
        self.has_more = False
        """Whether the service lists sites that are not read."""

    @property
    def sites(self) -> list[SiteSummary]:
        """In the service's order."""
        return list(self._found.values())[:MOST_SITES]

    def take(self, page: SitesPage) -> None:
        """A page that was told."""
        known = len(self._found)
        for site in page.sites:
            self._found.setdefault(site.id, site)
        self.offset += page.received
        self._pages += 1
        # A site that is added meanwhile moves all behind it on: a page may tell those of the one before.
        self._repeated = 0 if len(self._found) > known else self._repeated + 1
        is_enough = (
            len(self._found) >= MOST_SITES
            or self._pages >= MOST_PAGES
            or self._repeated >= MOST_REPEATED_PAGES
        )
        # A page without sites is the end, whatever it promises.
        is_over = not (page.has_next and page.received)
        self.goes_on, self.has_more = not (is_over or is_enough), is_enough and not is_over

    def refused(self, error: ApiClientError) -> None:
        """A page was: one that is out of range ends the list, where there were others before. Raises any
        other error.
        """
        if not self._found or error.code != ErrorCode.INVALID_PAGINATION_PARAMS:
            raise error
        self.goes_on, self.has_more = False, True
