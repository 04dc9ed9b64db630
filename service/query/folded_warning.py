"""`meta.warnings` of a range of which a part is kept as quarters of an hour alone."""

from __future__ import annotations

from typing import Any
from zoneinfo import ZoneInfo

from contract import DEFAULT_TIMEZONE, Aggregation, Granularity
from contract.warning_codes import WarningCode
from service.query.checked_query import CheckedQuery
from service.query.time_range import TimeRange, written
from service.store.upkeep_protocol import Retention


def folded_warnings(retention: Retention, query: CheckedQuery, asked: TimeRange) -> list[dict[str, Any]]:
    """One entry, or none where all of the range is kept by the minute; reads the store."""
    if asked.start >= asked.end:
        return []
    until = retention.folded_until(query.record.site.id)
    if until is None or asked.start >= until:
        return []
    moment = written(until, ZoneInfo(query.record.site.timezone or DEFAULT_TIMEZONE))
    message = f"Before {moment} counts are kept as quarters of an hour: {_without(query)}."
    return [{"code": WarningCode.MINUTES_FOLDED.value, "message": message, "details": {"until": moment}}]


def _without(query: CheckedQuery) -> str:
    """What has no points there."""
    if query.granularity is Granularity.MINUTE:
        return "there are no points by the minute"
    is_one_zone = query.series_count == 1 and not query.passage_ids
    if query.aggregation in {Aggregation.MINIMUM, Aggregation.MAXIMUM} and not is_one_zone:
        return f"there are no points of the {query.aggregation.value} of several zones, or of passages"
    return (
        "where a point takes single minutes, as where the range begins within a quarter or several zones or"
        " passages were not all counted in each minute, there is none"
    )
