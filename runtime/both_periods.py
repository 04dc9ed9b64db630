"""The hours of two periods in one question: what a question costs is not its hours, but that it is asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Final

from analysis.granularity import answered_in, past_the_hour
from analysis.history_request import HistoryRequest
from analysis.league_period import LeagueRanges
from analysis.time_range import TimeRange, time_text
from api_client import Client, InvalidQuery, MetricsAnswer, ServiceFailure, within_range
from contract import Granularity, MetricPoint, MetricsQuery

_DAY: Final = timedelta(days=1)
"""A place may be closed for nearly as long: longer without counts may be a part that is not answered."""

_Text = tuple[str | None, str | None]
"""From when to when, as a query says it."""


class BothPeriods:
    """Asks a service about one place: questions about the hours of either of two periods, once for both.

    Where the first ends within an hour, that hour of it would be answered whole; what is no hour of the local
    clock may reach from one period into the other, or from what lies between; some service may accept one
    period and not both, or answer only a part of so many points: then each is asked for by itself.
    """

    def __init__(self, request: HistoryRequest, ranges: LeagueRanges, client: Client) -> None:
        self._request = request
        self._ranges = ranges
        self._client = client
        self._both = self._text(TimeRange(ranges.earlier.start, ranges.present.end))
        end = ranges.earlier.end.astimezone(request.timezone)
        is_whole = end.replace(minute=0, second=0, microsecond=0) == end
        periods = (ranges.present, ranges.earlier) if is_whole else ()
        self._periods = {self._text(one): one for one in periods}
        self._known: dict[str, MetricsAnswer | None] = {}
        """By the question, as JSON; None: the service does not accept it, or fails at it."""

    def metrics(self, query: MetricsQuery) -> MetricsAnswer:
        """The answer to `query`. Raises ApiClientError."""
        period = self._periods.get((query.from_, query.to))
        if query.granularity is Granularity.HOUR and period:
            begin, end = self._both
            whole = self._asked(query.model_copy(update={"from_": begin, "to": end}))
            if whole and self._tells(whole.points, period):
                own = within_range(whole, query, self._client.service_time)
                return replace(own, left_out=whole.left_out)  # of the other period nothing was left out
        return self._client.metrics(query)

    def _asked(self, query: MetricsQuery) -> MetricsAnswer | None:
        name = query.model_dump_json()
        if name not in self._known:
            try:
                self._known[name] = self._client.metrics(query)
            except (InvalidQuery, ServiceFailure):
                self._known[name] = None
        return self._known[name]

    def _tells(self, points: Sequence[MetricPoint], period: TimeRange) -> bool:
        """Whether they are hours, and nothing of `period` seems to be left out at its outer end."""
        timezone = self._request.timezone
        if len(points) == 1:  # of what stands alone nobody knows how long it is
            return False
        is_hourly = answered_in(points, Granularity.HOUR, timezone) is Granularity.HOUR
        if not points or not is_hourly or past_the_hour(points, timezone):
            return not points
        first, last = points[0].timestamp, points[-1].timestamp
        if period == self._ranges.present:
            return last >= max(period.start, period.end - _DAY)
        return first < min(period.end, period.start + _DAY)

    def _text(self, range_: TimeRange) -> _Text:
        asked_at, timezone = self._request.asked_at, self._request.timezone
        return time_text(range_.start, asked_at, timezone), time_text(range_.end, asked_at, timezone)
