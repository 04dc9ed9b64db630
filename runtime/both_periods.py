"""The hours of two periods in one question: what a question costs is not its hours, but that it is asked."""

from __future__ import annotations

from dataclasses import replace

from analysis.history_request import HistoryRequest
from analysis.league_period import LeagueRanges
from analysis.time_range import TimeRange, time_text
from api_client import Client, InvalidQuery, MetricsAnswer, within_range
from contract import Granularity, MetricsQuery

_Text = tuple[str | None, str | None]
"""From when to when, as a query says it."""


class BothPeriods:
    """Asks a service about one place: questions about the hours of either of two periods, once for both.

    Where the first ends within an hour, that hour of it would be answered whole; and some service may accept
    one period and not both: then each is asked for by itself.
    """

    def __init__(self, request: HistoryRequest, ranges: LeagueRanges, client: Client) -> None:
        self._request = request
        self._client = client
        self._both = self._text(TimeRange(ranges.earlier.start, ranges.present.end))
        end = ranges.earlier.end.astimezone(request.timezone)
        is_whole = end.replace(minute=0, second=0, microsecond=0) == end
        self._periods = {self._text(one) for one in (ranges.present, ranges.earlier)} if is_whole else set()
        self._known: dict[str, MetricsAnswer | None] = {}
        """By the question, as JSON; None: the service does not accept it."""

    def metrics(self, query: MetricsQuery) -> MetricsAnswer:
        """The answer to `query`. Raises ApiClientError."""
        if query.granularity is Granularity.HOUR and (query.from_, query.to) in self._periods:
            begin, end = self._both
            if whole := self._asked(query.model_copy(update={"from_": begin, "to": end})):
                own = within_range(whole, query, self._client.service_time)
                return replace(own, left_out=whole.left_out)  # of the other period nothing was left out
        return self._client.metrics(query)

    def _asked(self, query: MetricsQuery) -> MetricsAnswer | None:
        name = query.model_dump_json()
        if name not in self._known:
            try:
                self._known[name] = self._client.metrics(query)
            except InvalidQuery:
                self._known[name] = None
        return self._known[name]

    def _text(self, range_: TimeRange) -> _Text:
        asked_at, timezone = self._request.asked_at, self._request.timezone
        return time_text(range_.start, asked_at, timezone), time_text(range_.end, asked_at, timezone)
