"""`meta.warnings` of minutes of which counters told a sum alone, spread evenly over them."""

from __future__ import annotations

from datetime import timedelta
from itertools import islice
from typing import Any
from zoneinfo import ZoneInfo

from contract import DEFAULT_TIMEZONE, MAXIMUM_NAMED
from contract.warning_codes import WarningCode
from service.query.checked_query import CheckedQuery
from service.query.points import bucket_query
from service.query.time_range import TimeRange, written
from service.store.protocol import MetricStore, SpreadMinutes


def spread_warnings(store: MetricStore, query: CheckedQuery, asked: TimeRange) -> list[dict[str, Any]]:
    """One entry, or none where each count is of its minute; reads the store."""
    if asked.start >= asked.end:
        return []
    stretches = store.spread(bucket_query(query, asked))
    if not stretches:
        return []
    minutes = sum((one.end - one.start) // timedelta(minutes=1) for one in stretches)
    message = (
        f"Of {minutes} minutes of passages counters told no more than sums of longer stretches;"
        " their people are spread evenly."
    )
    timezone = ZoneInfo(query.record.site.timezone or DEFAULT_TIMEZONE)
    details = dict(_detail(one, timezone) for one in islice(stretches, MAXIMUM_NAMED))
    return [{"code": WarningCode.COUNTS_SPREAD.value, "message": message, "details": details}]


def _detail(one: SpreadMinutes, timezone: ZoneInfo) -> tuple[str, str]:
    return f"{one.passage_id} from {written(one.start, timezone)}", f"until {written(one.end, timezone)}"
