"""`meta.warnings` of what visitorsInside does not show: who was left over at resets, who left uncounted."""

from __future__ import annotations

from typing import Any
from zoneinfo import ZoneInfo

from contract import DEFAULT_TIMEZONE, MetricKey
from contract.warning_codes import WarningCode
from service.query.checked_query import CheckedQuery
from service.query.points import bucket_query
from service.query.time_range import TimeRange, written
from service.store.protocol import HiddenPeople, MetricStore


def hidden_warnings(store: MetricStore, query: CheckedQuery, asked: TimeRange) -> list[dict[str, Any]]:
    """One entry, or none where nothing is hidden or visitorsInside is not asked for; reads the store.

    Its details have all counts of the range, also those that hid nobody: whoever reads them sees which are
    told.
    """
    if MetricKey.VISITORS_INSIDE not in query.metrics or asked.start >= asked.end:
        return []
    counts = store.hidden(bucket_query(query, asked))
    left_over = sum(one.left_over for one in counts if one.is_reset)
    unentered = sum(one.unentered for one in counts)
    if not left_over and not unentered:
        return []
    were = "was" if left_over == 1 else "were"
    message = (
        f"visitorsInside hides that {left_over} {were} left over at daily resets, and {_exits(unentered)}."
    )
    timezone = ZoneInfo(query.record.site.timezone or DEFAULT_TIMEZONE)
    details = dict(_detail(one, timezone) for one in counts)
    return [{"code": WarningCode.PEOPLE_HIDDEN.value, "message": message, "details": details}]


def _detail(one: HiddenPeople, timezone: ZoneInfo) -> tuple[str, str]:
    if one.is_reset:
        return written(one.until, timezone), f"{one.left_over} left over, {_exits(one.unentered)}"
    return f"since {written(one.since, timezone)}", f"{_exits(one.unentered)}"


def _exits(people: int) -> str:
    return f"{people} {'exit' if people == 1 else 'exits'} found nobody inside"
