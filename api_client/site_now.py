"""A site now: the one query for its newest values, and all that is read from the answer."""

from __future__ import annotations

from datetime import datetime
from typing import Final, NamedTuple

from api_client.answers import FUTURE, MetricsAnswer
from api_client.points import IMPOSSIBLE
from contract import CROSSINGS, MetricKey, MetricPoint, MetricsFilter, MetricsQuery, Number

_NEWEST_METRICS: Final = (MetricKey.VISITORS_INSIDE, *CROSSINGS)
ALL_FUTURE: Final = (
    "The service's newest value is dated in the future, so it is not shown: "
    "its clock or a counter's is wrong."
)
NO_COUNT: Final = (
    "The service sent as people inside what no counter can have counted "
    "(no number, below 0, or more than a billion), so it is not shown."
)
NOT_TOLD: Final = "The service's newest value does not say how many people are inside, so no number is shown."
UNEVEN: Final = (
    "The service's newest value is not of a whole minute, so it is not shown: "
    "more than one may be of the same minute."
)


class SiteNow(NamedTuple):
    """What an answer to `newest_query` says."""

    newest: MetricPoint | None
    """The newest minute; None: no count yet."""
    zone_ids: tuple[str, ...]
    """The zones that it is of, for a whole site its top zone; empty: the service did not say."""
    distrust: str
    """Why its value cannot be right, a sentence; empty: it can, or there is none."""

    @property
    def inside(self) -> Number | None:
        """People inside; None: not known."""
        return self.newest.metrics.get(MetricKey.VISITORS_INSIDE) if self.newest else None

    @property
    def measured_at(self) -> datetime | None:
        """Start of the newest minute, UTC."""
        return self.newest.timestamp if self.newest else None


def newest_query(site_id: str, timezone: str, zone_ids: tuple[str, ...] = ()) -> MetricsQuery:
    """For `Client.newest`, and without a range for a stream; no `zone_ids`: of the whole site."""
    zones = MetricsFilter(zone_ids=zone_ids) if zone_ids else None
    return MetricsQuery(metrics=_NEWEST_METRICS, site_id=site_id, timezone=timezone, filter=zones)


def site_now(answer: MetricsAnswer) -> SiteNow:
    newest = answer.points[-1] if answer.points else None
    return SiteNow(newest, _zones_answered_for(answer, newest), _distrust(answer))


def is_of_minute(point: MetricPoint) -> bool:
    """Whether the point begins with a minute, as all buckets do."""
    return not (point.timestamp.second or point.timestamp.microsecond)


def has_crossings(point: MetricPoint) -> bool:
    """Whether anybody came or left within it: then it was surely counted."""
    return any(point.metrics.get(metric) for metric in CROSSINGS)


def _distrust(answer: MetricsAnswer) -> str:
    valued = [point for point in answer.points if MetricKey.VISITORS_INSIDE in point.metrics]
    if valued:
        return "" if any(map(is_of_minute, valued)) else UNEVEN
    if answer.left_out[IMPOSSIBLE]:
        return NO_COUNT
    if answer.points:
        return NOT_TOLD
    return ALL_FUTURE if answer.left_out[FUTURE] else ""


def _zones_answered_for(answer: MetricsAnswer, newest: MetricPoint | None) -> tuple[str, ...]:
    """The API names no top zone: it shows in `matchingFilters`, and before the first count only in the
    parameters that the service filled in.
    """
    if newest and newest.matching_filters:
        return newest.matching_filters.zone_ids
    inferred = answer.inferred.get("filter")
    zones = inferred.get("zoneIds") if isinstance(inferred, dict) else None
    return tuple(str(zone) for zone in zones) if isinstance(zones, list) else ()
