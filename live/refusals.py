"""Which feeds a service refuses the past, so that none asks for it again and again.

A service that gives values and no past refuses each place of a site alike. Once two of them are refused and
none is answered, one asks for all.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from live.snapshot import FeedKey

_PROOF: Final = 2
"""Places that are refused before others of their site are taken to be refused, too: one may be so for itself,
as a zone that is no more."""


@dataclass(slots=True)
class _SitePast:
    """Of one site."""

    refused: dict[FeedKey, float] = field(default_factory=dict)
    """Until when each is let alone, in monotonic seconds."""
    answered: set[FeedKey] = field(default_factory=set)

    @property
    def is_refused(self) -> bool:
        return len(self.refused) >= _PROOF and not self.answered


class Refusals:
    """Of all feeds of a hub, also those that were closed. Moments in monotonic seconds; lives in one loop."""

    def __init__(self) -> None:
        self._sites: dict[str, _SitePast] = {}

    def may_ask(self, key: FeedKey, now: float) -> bool:
        site = self._sites.get(key.site_id)
        if site is None:
            return True
        if site.is_refused:
            return max(site.refused.values()) <= now
        return site.refused.get(key, now) <= now

    def asks(self, key: FeedKey, until: float) -> None:
        """The feed asks now. Where its whole site is refused, no other does before `until`."""
        site = self._sites.get(key.site_id)
        if site and site.is_refused:
            site.refused[key] = until

    def refused(self, key: FeedKey, until: float) -> None:
        """It was refused what does not change by itself, and is let alone until then."""
        site = self._sites.setdefault(key.site_id, _SitePast())
        site.answered.discard(key)
        site.refused[key] = until

    def answered(self, key: FeedKey) -> None:
        """It was. The others of a site that was refused may ask anew."""
        site = self._sites.setdefault(key.site_id, _SitePast())
        if site.is_refused:
            site.refused.clear()
        site.refused.pop(key, None)
        site.answered.add(key)

    def forget(self, key: FeedKey) -> None:
        """It was refused more than the past: that says nothing of the past."""
        if site := self._sites.get(key.site_id):
            site.refused.pop(key, None)

    def drop(self, key: FeedKey) -> None:
        """Nothing of the feed is kept any more."""
        if site := self._sites.get(key.site_id):
            site.refused.pop(key, None)
            site.answered.discard(key)
            if not site.refused and not site.answered:
                del self._sites[key.site_id]
