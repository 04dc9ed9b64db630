"""What a file says about its numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from analysis.history_data import HistoryData
from analysis.history_request import HistoryRequest
from components.sentences.metric_words import reduction
from contract import METRICS, Granularity, Site, format_local

_ROW_RULES: Final = {
    Granularity.MINUTE: "A row is a minute; it is named by its start.",
    Granularity.HOUR: "A row is a local hour, named by its start; an hour that the clocks repeat is two.",
    Granularity.DAY: "A row is a local day of 23, 24 or 25 hours, named by its start.",
    Granularity.MONTH: "A row is a local month, named by its start.",
}


def about(
    site: Site, request: HistoryRequest, data: HistoryData, request_ids: Sequence[str]
) -> dict[str, str]:
    """Query, time zone, what a row is and request ids, in words."""
    first, last = (format_local(moment, request.timezone) for moment in request.range)
    cut = [start.isoformat() for start, is_cut in zip(data.table.index, data.cut, strict=True) if is_cut]
    return {
        "Site": f"{site.name} ({site.id})",
        "From": first,
        "To": f"{last} (not included)",
        **_compared(data),
        "Time zone": request.timezone.key,
        "Rows": _ROW_RULES[data.granularity],
        "Rows that are only partly in the range": ", ".join(cut) or "none",
        "Numbers": "; ".join(
            f"{METRICS[metric].label}: {reduction(metric, data.aggregation, data.granularity)}"
            for metric in data.metrics
        ),
        **_untrusted(data),
        "Missing": "An empty cell means that no counts are stored; it is never 0.",
        "Request ids": ", ".join(request_ids),
    }


def _untrusted(data: HistoryData) -> dict[str, str]:
    """From when to when the number inside means nothing, of each zone."""
    spans = [
        f"{label}: {' to '.join(moment.astimezone(data.timezone).isoformat() for moment in one)}"
        for label, stretches in data.untrusted.items()
        for one in stretches
    ]
    return {"People inside cannot be trusted": "; ".join(spans)} if spans else {}


def _compared(data: HistoryData) -> dict[str, str]:
    if data.earlier_range is None:
        return {}
    first, last = (format_local(moment, data.timezone) for moment in data.earlier_range)
    return {"Compared with": f"{first} to {last} (not included)"}
