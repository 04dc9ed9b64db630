"""What Rhythm tells of some weeks is read, and worked out once of the same answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from analysis.counted_minutes import minutes_queries
from analysis.history_request import HistoryRequest
from analysis.rhythm_answer import Bounds, RhythmAnswer, rhythm_answer, today_request
from analysis.spoilt_days import judged_hours
from analysis.untrusted import SPOILT_METRICS
from contract import Granularity, MetricKey, MetricPoint, MetricsQuery
from runtime.asked_together import AskedTogether, as_of_its_quarter


def rhythm_queries(request: HistoryRequest) -> dict[str, MetricsQuery]:
    """Of the `weeks`, and of `today` where any minute of it is counted."""
    (subject,), today = request.subjects, today_request(request)
    return {"weeks": request.query(subject)} | ({"today": today.query(subject)} if today else {})


def read_rhythm(
    request: HistoryRequest,
    chosen: HistoryRequest,
    hours: Sequence[MetricPoint],
    metric: MetricKey,
    *,
    bounds: Bounds | None,
) -> RhythmAnswer | None:
    """`rhythm_answer` of the weeks of `request`, which are those of `chosen` that are counted; `hours` answer
    it. It is shared by all pages, and must not be changed.

    Raises CancelledError, and asks no more, once nobody waits for what is read in the background.
    """
    asking, (subject,) = AskedTogether(), request.subjects
    query = chosen.query(subject)

    def answer() -> RhythmAnswer | None:
        # They are asked for again as what the outcome rests on, and mostly known.
        own = asking.points({subject: query}).get(subject, hours)
        _ask_for_what_it_takes(asking, request, metric)
        if asking.is_waiting:
            return None  # a year would be laid out in vain
        return rhythm_answer(request, {subject: own}, metric, run=asking.points, bounds=bounds)

    key = "rhythm", as_of_its_quarter(request), query.model_dump_json(), metric, bounds
    return asking.worked_out(partial(asking.remembered, key, answer))


def _ask_for_what_it_takes(asking: AskedTogether, request: HistoryRequest, metric: MetricKey) -> None:
    """All of it side by side, which the answer asks for one after the other."""
    asking.points(minutes_queries(request, Granularity.HOUR))
    if metric in SPOILT_METRICS and not (judged := judged_hours(request)).range.is_empty:
        asking.points(judged.queries())
        asking.points(minutes_queries(replace(judged, opening=None), Granularity.HOUR))
