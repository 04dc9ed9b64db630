"""What is told of how many are inside a zone, beside counts: levels of sources, corrections by hand.

See `service/store/protocol.py`; its words hold here, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple, Protocol

from service.store.audit_protocol import Author

if TYPE_CHECKING:
    from service.store.protocol import BucketQuery


class ZoneLevel(NamedTuple):
    """How many were inside a zone in a minute, as a source tells that does not count who crosses."""

    site_id: str
    zone_id: str
    minute: int
    """Minutes since the epoch, UTC."""
    inside: int


@dataclass(frozen=True, slots=True)
class Correction:
    """visitorsInside of a zone as somebody set it."""

    number: int
    zone_id: str
    at: datetime
    """The minute from which on it holds, UTC."""
    inside: int
    inside_before: int | None
    """What it was then, as far as it was counted when it was set; None: nothing since the daily reset."""
    reason: str
    made_at: datetime
    made_by: Author
    withdrawn_at: datetime | None
    withdrawn_by: Author | None


class LevelSet(NamedTuple):
    """A correction that holds."""

    zone_id: str
    at: datetime
    """UTC."""
    inside: int
    reason: str


class LevelStore(Protocol):
    """Raw counts are never changed by it; what is derived is made again in the same transaction."""

    def append(
        self,
        levels: Sequence[ZoneLevel],
        *,
        organization_id: str,
        idempotency: tuple[str, str] | None = None,
    ) -> bool:
        """Store levels; of several of the same zone and minute the last one holds. See `MetricStore.append`.

        Raises UnknownZoneError for zones that no site of the organization has, FoldedCountsError,
        IdempotencyConflictError; nothing is stored then.
        """

    def correct(self, level: ZoneLevel, reason: str, author: Author, now: datetime) -> Correction:
        """Set visitorsInside of a zone from a minute on. Raises UnknownZoneError, FoldedCountsError."""

    def corrections(
        self, site_id: str, start: datetime | None, end: datetime | None, *, limit: int
    ) -> list[Correction]:
        """Those of the minutes [start, end) in their order, withdrawn ones, too; no more than `limit`."""

    def withdraw(self, site_id: str, number: int, author: Author, now: datetime) -> Correction | None:
        """Take a correction back, which stays as a record. None when the site has no such; the first to take
        one back stays in the record. Raises FoldedCountsError.
        """

    def set_by_hand(self, query: BucketQuery) -> list[LevelSet]:
        """What was set by hand in the range, of the zones of the query and not withdrawn, in order; of one
        zone and minute the last. Raises UnknownSiteError.
        """
