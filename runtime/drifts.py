"""Whether the number inside a site without an open feed means anything, by the same rule as a feed: one
question for the minutes of a day, and only each quarter of an hour.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final

from analysis.drift import Drift, present_drift
from api_client import ApiClientError, MetricsAnswer
from contract import MetricsQuery
from live import GrantedFeed, queries
from live.snapshot import UP, FeedKey, Snapshot
from runtime.remembered import Remembered
from runtime.upstream import Account

AGE: Final = timedelta(minutes=15)
"""A day of minutes is a large answer, and drift comes slowly."""
_MOST_SITES: Final = 10_000
_drifts: Final = Remembered[tuple[Account, str], Drift | None](AGE, most=_MOST_SITES)


class Drifts:
    """Of the sites of one service. `ask` reads past minutes, `snapshot` tells what open feeds know."""

    def __init__(
        self,
        ask: Callable[[MetricsQuery], MetricsAnswer],
        account: Account,
        snapshot: Callable[[FeedKey], Snapshot],
    ) -> None:
        self._ask = ask
        self._account = account
        self._snapshot = snapshot

    def is_spoiling(self, feed: GrantedFeed, now: datetime) -> bool:
        """Whether it spoils the number inside. Of a site whose minutes cannot be read nothing is said."""
        known = self._snapshot(feed.key)
        if known.state in UP and known.readings:
            drift = known.drift  # as its card shows it
        else:
            try:
                drift = _drifts.get((self._account, feed.key.site_id), lambda: self._read(feed, now))
            except ApiClientError:
                return False
        return drift is not None and drift.is_spoiling

    def _read(self, feed: GrantedFeed, now: datetime) -> Drift | None:
        day = queries.LONGEST_MINUTE_RANGE
        answer = self._ask(queries.since(feed.key, feed.timezone, day))
        readings, _ = queries.usable(answer.points)
        return present_drift(readings[:-1], now - day)  # the last minute is not over yet
