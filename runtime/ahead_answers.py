"""What Ahead answers is read: which past days mean something, and how many minutes hours have."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from analysis.ahead_answer import Ahead, ahead, closed_ahead, evening_before, today_of, today_since
from analysis.drift import Drift
from analysis.history_request import HistoryRequest
from analysis.opening_hours import OpeningHours
from contract import MetricKey, MetricPoint, MetricsQuery
from runtime.reads import read_points
from runtime.sound_days import read_sound_days


def ahead_queries(request: HistoryRequest) -> dict[str, MetricsQuery]:
    """What `read_ahead` needs: `hours` of the past weeks, and where there are any, `minutes` of today and of
    the `evening` before it.
    """
    (subject,) = request.subjects
    asked = {"hours": request.query(subject)}
    today, evening = today_of(request), evening_before(request)
    if not today.is_empty:
        asked["minutes"] = request.minutes(subject, today)
        if not evening.is_empty:
            asked["evening"] = request.minutes(subject, evening)
    return asked


def read_ahead(
    request: HistoryRequest,
    hours: Sequence[MetricPoint],
    minutes: Sequence[MetricPoint],
    spoilt: Drift | None,
    opening: OpeningHours | None,
) -> Ahead | None:
    """`hours` answer `request`, and `minutes` are today's; `spoilt` is the count that goes on, where its
    number inside means nothing. None where `hours` are none. Raises ApiClientError.
    """
    (subject,) = request.subjects
    closed = closed_ahead(opening, request) if opening else frozenset()
    if request.metrics[0] is not MetricKey.VISITORS_INSIDE:
        return ahead(request, {subject: hours}, run=read_points, closed=closed)
    return ahead(
        request,
        {subject: hours},
        run=read_points,
        read_sound=partial(read_sound_days, request),
        sound_today=today_since(minutes, spoilt, request),
        closed=closed,
    )
