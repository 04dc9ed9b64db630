"""`meta.warnings` of visitorsInside that somebody set by hand."""

from __future__ import annotations

from itertools import islice
from typing import Any
from zoneinfo import ZoneInfo

from contract import DEFAULT_TIMEZONE, MAXIMUM_NAMED, MetricKey
from contract.warning_codes import WarningCode
from service.query.checked_query import CheckedQuery
from service.query.points import bucket_query
from service.query.time_range import TimeRange, written
from service.store.level_protocol import LevelSet, LevelStore

_OF_LEVELS = frozenset({MetricKey.VISITORS_INSIDE, MetricKey.TIME_SPENT})


def level_warnings(store: LevelStore, query: CheckedQuery, asked: TimeRange) -> list[dict[str, Any]]:
    """One entry, or none where nothing was set in the range or it is not asked for; reads the store."""
    if not _OF_LEVELS & set(query.metrics) or query.passage_ids or asked.start >= asked.end:
        return []
    levels = store.set_by_hand(bucket_query(query, asked))
    if not levels:
        return []
    times = "once" if len(levels) == 1 else f"{len(levels)} times"
    timezone = ZoneInfo(query.record.site.timezone or DEFAULT_TIMEZONE)
    details = dict(_detail(one, timezone) for one in islice(levels, MAXIMUM_NAMED))
    message = f"visitorsInside was set by hand {times}; counts go on from there."
    return [{"code": WarningCode.LEVEL_SET.value, "message": message, "details": details}]


def _detail(one: LevelSet, timezone: ZoneInfo) -> tuple[str, str]:
    return f"{one.zone_id} at {written(one.at, timezone)}", f"set to {one.inside}: {one.reason}"
