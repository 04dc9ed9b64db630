"""The newest values of all sites in one stream: an extension of this project's service, beside v3.

The specification answers for one site at a time. What is told here is in its words all the same: a point is
a Metric point of the top zone, as `POST /v3/metrics` answers to `now`.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from contract.resources import MetricPoint, Number, Resource

LATEST_SITES_PATH: Final = "/live/sites"
"""Below the root of a service, not below /v3."""


class LatestKind(StrEnum):
    """What one object of the stream tells, in its member `kind`."""

    SITE = "site"
    """The newest value of a site; a later one of the same site replaces it."""
    GONE = "gone"
    """A site is not listed any more: it was archived, or the key cannot read it."""
    COMPLETE = "complete"
    """Every site was told once since the stream was opened; what follows are changes."""
    HEARTBEAT = "heartbeat"
    """Nothing is new; where comments are not possible (NDJSON)."""


class LatestOfSite(Resource):
    """An object of kind `site`."""

    kind: LatestKind = LatestKind.SITE
    site_id: str
    name: str = ""
    timezone: str | None = None
    """IANA name of the site's zone."""
    top_zone_id: str
    """The zone that is the whole site, of which everything here is told."""
    capacity: Number | None = None
    """People the top zone may hold; None: not reported."""
    devices_offline: int = 0
    """Devices of the site whose status is not `Online`."""
    newest: MetricPoint | None = None
    """visitorsInside, entrances and exits of the newest stored minute, as far as it is filled; None before
    the first count. Its timestamp is that of the count, never of the answer."""
