"""What past minutes tell of sites without an open feed: whether one is silent, whether its number drifts.

By the same rules as a feed. The newest values are asked for by themselves, so that one that comes well says
nothing about the past.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

import structlog

from analysis.drift import Drift, is_large, present_drift
from api_client import ApiClientError, Client, Forbidden, MetricsAnswer, NotFound
from contract import MetricPoint, MetricsQuery
from live import GrantedFeed, queries
from live.cadence import SILENT_AFTER, Absence, Cadence, is_worth_asking, learn, spans_to_ask
from live.clock import local_zone
from live.deliveries import Deliveries
from live.snapshot import UP, FeedKey, Snapshot
from runtime.cache import Cache
from runtime.cooldown import Cooldown
from runtime.upstream import Account

_FAILURES_BEFORE: Final = 3
_log: Final = structlog.get_logger("runtime.past_minutes")

_ASK_AGAIN: Final = 600.0
"""Seconds until past days that could not be read are asked for again, as a feed does."""

DRIFT_AGE: Final = timedelta(minutes=30)
"""At most. A day of minutes is a large answer, and drift comes slowly."""
_DRIFT_AGE_NEAR: Final = timedelta(minutes=15)
"""Where it spoils the number, or is not far from it."""
_FAR: Final = 2
"""Times as many people would not spoil it either."""
_MOST_SITES: Final = 10_000


def drift_age(drift: Drift | None) -> timedelta:
    """How long it is believed: of most sites it is far from spoiling the number, and asked half as often."""
    is_near = drift is not None and is_large(_FAR * drift.people, drift.peak)
    return _DRIFT_AGE_NEAR if is_near else DRIFT_AGE


_drifts: Final = Cache[tuple[Account, str], Drift | None](drift_age, most=_MOST_SITES)


class PastMinutes:
    """Reads past minutes of all sites of one service, pausing for all of them when it fails.

    Where they cannot be read for one site after another, or the service asks for peace, no other site's are
    asked for meanwhile. Safe to use from any thread.
    """

    def __init__(self, client: Client) -> None:
        self._client = client
        self._cooldown = Cooldown(_FAILURES_BEFORE)

    def read(self, query: MetricsQuery) -> MetricsAnswer:
        """Raises ApiClientError: without asking, the last error again, as long as the pause holds."""
        if pause := self._cooldown.pause:
            raise pause.not_asked()
        try:
            answer = self._client.metrics(query)
        except (NotFound, Forbidden):
            raise  # of this site alone
        except ApiClientError as error:
            if self._cooldown.failed(error):
                _log.warning(
                    "past minutes cannot be read",
                    site=query.site_id,
                    status=error.status,
                    code=error.code,
                    request_id=error.request_id,
                )
            raise
        if self._cooldown.worked():
            _log.info("past minutes can be read again", site=query.site_id)
        return answer


@dataclass(slots=True)
class _Known:
    """What is known of the time since one site's newest minute."""

    absence: Absence
    cadence: Cadence | None = None
    ask_at: float = 0.0
    """When its past may be asked for, in monotonic seconds."""


class Silences:
    """Whether sites of one service have fallen silent; remembers what it judged. A feed is a whole site's.

    Few more queries than a list asks anyway, and only where the newest minute is no longer young. How late
    a site's counts usually come shows in a feed alone: of a site of which none was ever open, a list says as
    little as a feed that was opened just now, and neither calls it silent within one block of an hour.

    `ask` reads past minutes, `deliveries` tells what feeds have learned. Safe to use from any thread, by one
    at a time for each site.
    """

    def __init__(
        self, ask: Callable[[MetricsQuery], MetricsAnswer], deliveries: Callable[[FeedKey], Deliveries]
    ) -> None:
        self._ask = ask
        self._deliveries = deliveries
        self._known: dict[FeedKey, _Known] = {}

    def counted_at(
        self, feed: GrantedFeed, newest: MetricPoint, known: datetime | None, now: datetime
    ) -> datetime | None:
        """The newest minute that was surely counted; `known` was one with the same value, if any is known.

        A service may date the last value anew each time it is asked, with the crossings of its minute, too:
        its past has no such minute. None: today has no minute at all.
        Raises ApiClientError.
        """
        if known and newest.timestamp <= known:
            return newest.timestamp
        if known and not is_worth_asking(known, now):
            return known
        today = queries.span_of_today(now, local_zone(feed.timezone))
        for span in (SILENT_AFTER,) if known else (SILENT_AFTER, today):
            answer = self._ask(queries.since(feed.key, feed.timezone, span))
            if minutes := list(_minutes(answer)):
                return max(minutes)
        return known

    def is_silent(self, feed: GrantedFeed, newest: datetime, now: datetime) -> bool | None:
        """Whether counts that usually come by `now` are missed since `newest`.

        None: not known, since the past days that would tell cannot be read.
        """
        expected = now - self._deliveries(feed.key).allowance
        known = self._known_since(feed.key, newest)
        if not is_worth_asking(newest, expected):
            return False
        self._judge(known, expected)
        try:
            is_learned = self._learn(known, feed, expected)
        except ApiClientError:
            known.ask_at = time.monotonic() + _ASK_AGAIN
            is_learned = False
        return True if known.absence.gap is not None else False if is_learned else None

    def _known_since(self, key: FeedKey, newest: datetime) -> _Known:
        known = self._known.setdefault(key, _Known(Absence.since(newest)))
        if known.absence.newest != newest:
            known.absence = Absence.since(newest)
        return known

    def _learn(self, known: _Known, feed: GrantedFeed, expected: datetime) -> bool:
        """Whether the past days tell what came by `expected`. Raises ApiClientError."""
        while begin := known.absence.unjudged_from(expected, known.cadence):
            if time.monotonic() < known.ask_at:
                return False
            known.cadence = self._learned(feed, known.absence.newest, begin)
            self._judge(known, expected)
        return True

    def _judge(self, known: _Known, expected: datetime) -> None:
        if known.cadence:
            known.absence = known.absence.judged(expected, known.cadence)

    def _learned(self, feed: GrantedFeed, newest: datetime, begin: datetime) -> Cadence:
        zone = local_zone(feed.timezone)
        spans = spans_to_ask(newest, begin, zone)
        counted = [_minutes(self._ask(queries.within(feed.key, span))) for span in spans]
        return learn(spans, counted, begin, zone)


def _minutes(answer: MetricsAnswer) -> Iterable[datetime]:
    readings, _ = queries.usable(answer.points)
    return [reading.measured_at for reading in readings]


class Drifts:
    """Whether the number inside a site means anything, of the sites of one service: one query for a day of
    minutes, as often as `drift_age` says. `ask` reads past minutes, `snapshot` tells what open feeds know.
    """

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
