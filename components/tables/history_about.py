"""What a file says about its numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from components.tables.history_data import HistoryData
from components.tables.history_request import HistoryRequest
from components.tables.metric_words import LABELS, reduction
from contract import Granularity, MetricKey, Site, format_local

_BUCKET_RULES: Final = {
    Granularity.MINUTE: "A bucket is a minute; it is named by its start.",
    Granularity.HOUR: "A bucket is a local hour, named by its start; an hour that the clocks repeat is two.",
    Granularity.DAY: "A bucket is a local day of 23, 24 or 25 hours, named by its start.",
    Granularity.MONTH: "A bucket is a local month, named by its start.",
}


def about(
    site: Site, request: HistoryRequest, data: HistoryData, request_ids: Sequence[str]
) -> dict[str, str]:
    """Query, time zone, bucket rule and request ids, in words."""
    first, last = (format_local(moment, request.timezone) for moment in request.range)
    cut = [start.isoformat() for start, is_cut in zip(data.table.index, data.cut, strict=True) if is_cut]
    return {
        "Site": f"{site.name} ({site.id})",
        "From": first,
        "To": f"{last} (not included)",
        "Time zone": request.timezone.key,
        "Buckets": _BUCKET_RULES[data.granularity],
        "Buckets that the range holds only in part": ", ".join(cut) or "none",
        "Numbers": "; ".join(f"{LABELS[metric]}: {_unit(metric, data)}" for metric in data.metrics),
        "Missing": "An empty cell means that no counts are stored; it is never 0.",
        "Request ids": ", ".join(request_ids),
    }


def _unit(metric: MetricKey, data: HistoryData) -> str:
    """The table holds timeSpent in seconds, as the service gives it."""
    return reduction(metric, data.aggregation, data.granularity).replace("minutes", "seconds")
