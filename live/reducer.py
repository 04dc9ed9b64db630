"""What an event does to a snapshot. Pure: snapshot and event in, snapshot out; the moment is passed in.

Two questions are kept apart. "Is the stream open?" decides between live and reconnecting. "Does the service
still stand by the newest value?" decides between live and late: an event for the newest minute or a check
(`now` to `now`) confirms it, and silence alone neither confirms nor denies it, because a closed shop sends
nothing. A value never goes back in time: readings are merged by minute, and the newest minute wins. That is
why no minute of the future may come in: it would stay the newest until it is past.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from contract import MetricKey
from live.clock import Moment
from live.snapshot import FeedState, Reading, Snapshot

KEPT: Final = timedelta(hours=26)
"""Longer than the longest local day; as readings are of whole minutes, it bounds them, too."""
RECENT: Final = timedelta(minutes=3)
"""A first value after a connect needs no check when its minute is not older than this."""
TOLERATED_LAG: Final = timedelta(minutes=2)
"""A check may answer with a minute this much older than the stream's: data may be published late."""
OFFLINE_AFTER: Final = 6
"""Attempts without success after which a feed is offline rather than reconnecting: some 15 s."""

_CONNECTED: Final = frozenset({FeedState.LIVE, FeedState.LATE})


@dataclass(frozen=True, slots=True)
class Connected:
    """The service has accepted the stream; no value has come yet."""


@dataclass(frozen=True, slots=True)
class ReadingsReceived:
    """What came over the stream together, in any order."""

    readings: tuple[Reading, ...]


@dataclass(frozen=True, slots=True)
class HistoryReceived:
    """Past minutes that were asked for; they say nothing about the newest value."""

    readings: tuple[Reading, ...]


@dataclass(frozen=True, slots=True)
class EventsSkipped:
    """Events that hold no usable value; one reason each."""

    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StreamProven:
    """The stream has stayed open long enough to be trusted instead of polling."""


@dataclass(frozen=True, slots=True)
class ValueConfirmed:
    """The service was asked for its newest value and answered; `reading` is None when it has none."""

    reading: Reading | None
    top_zone_ids: tuple[str, ...] = ()
    server_tag: str = ""
    polling: bool = False
    """Whether asking has taken the place of the stream."""
    retry_at: float | None = None
    """When the stream is tried again, in monotonic seconds, while polling."""


@dataclass(frozen=True, slots=True)
class CheckFailed:
    """The service was asked for its newest value and gave none that can be trusted; the stream stays open."""

    reason: str
    request_id: str = ""
    next_step: str = "Asking again, then reconnecting."
    retry_at: float | None = None
    """When the stream is tried again, in monotonic seconds, while polling."""


@dataclass(frozen=True, slots=True)
class StreamLost:
    """No stream, and no value by other means."""

    reason: str
    retry_at: float
    failures: int
    """Attempts in a row without a value."""
    request_id: str = ""


@dataclass(frozen=True, slots=True)
class AccessRefused:
    """The service refuses the key, the site or the question."""

    reason: str
    retry_at: float
    request_id: str = ""


FeedEvent = (
    Connected
    | ReadingsReceived
    | HistoryReceived
    | EventsSkipped
    | StreamProven
    | ValueConfirmed
    | CheckFailed
    | StreamLost
    | AccessRefused
)


def reduce(  # noqa: PLR0911 -- one return per event
    snapshot: Snapshot, event: FeedEvent, moment: Moment
) -> Snapshot:
    match event:
        case Connected():
            return replace(snapshot, retry_at=None, next_step="Waiting for the first value.")
        case ReadingsReceived(readings):
            return _received(snapshot, readings, moment)
        case HistoryReceived(readings):
            return _merged(snapshot, readings)
        case EventsSkipped(reasons):
            return replace(snapshot, skipped=dict(Counter(snapshot.skipped) + Counter(reasons)))
        case StreamProven():
            proven = snapshot.state is FeedState.POLLING
            return _entered(snapshot, FeedState.LIVE, moment) if proven else snapshot
        case ValueConfirmed():
            return _confirmed(snapshot, event, moment)
        case CheckFailed(reason, request_id, step, retry_at):
            return _entered(
                snapshot,
                FeedState.LATE,
                moment,
                reason=reason,
                next_step=step,
                retry_at=retry_at,
                request_id=request_id,
            )
        case StreamLost():
            return _lost(snapshot, event, moment)
        case AccessRefused(reason, retry_at, request_id):
            return _entered(
                snapshot,
                FeedState.REFUSED,
                moment,
                reason=reason,
                next_step="Asking again.",
                retry_at=retry_at,
                request_id=request_id,
            )


def _received(snapshot: Snapshot, readings: tuple[Reading, ...], moment: Moment) -> Snapshot:
    merged = _merged(snapshot, readings)
    newest = max(readings, key=lambda reading: reading.measured_at)
    if snapshot.latest and newest.measured_at < snapshot.latest.measured_at:
        return merged
    if snapshot.state not in _CONNECTED and newest.measured_at < moment.wall - RECENT:
        return merged
    confirmed = replace(merged, confirmed_at=moment.monotonic)
    if snapshot.state is FeedState.POLLING:
        return confirmed
    return _entered(confirmed, FeedState.LIVE, moment)


def _confirmed(snapshot: Snapshot, answer: ValueConfirmed, moment: Moment) -> Snapshot:
    known = replace(
        snapshot,
        top_zone_ids=answer.top_zone_ids or snapshot.top_zone_ids,
        server_tag=answer.server_tag or snapshot.server_tag,
    )
    latest, reading = snapshot.latest, answer.reading
    if latest and (reading is None or reading.measured_at < latest.measured_at - TOLERATED_LAG):
        reason = "The service answers with an older value than it gave before."
        return _entered(known, FeedState.LATE, moment, reason=reason, retry_at=answer.retry_at)
    merged = _merged(known, (reading,)) if reading else known
    confirmed = replace(merged, confirmed_at=moment.monotonic)
    if answer.polling:
        reason = "The stream is cut again and again; the value is asked for instead."
        step = "Trying the stream again."
        return _entered(
            confirmed, FeedState.POLLING, moment, reason=reason, next_step=step, retry_at=answer.retry_at
        )
    reason = "" if merged.readings else "The service has no counts yet."
    return _entered(confirmed, FeedState.LIVE, moment, reason=reason)


def _lost(snapshot: Snapshot, loss: StreamLost, moment: Moment) -> Snapshot:
    return _entered(
        replace(snapshot, reconnects=snapshot.reconnects + 1),
        FeedState.OFFLINE if loss.failures >= OFFLINE_AFTER else FeedState.RECONNECTING,
        moment,
        reason=loss.reason,
        next_step="Trying again.",
        retry_at=loss.retry_at,
        request_id=loss.request_id,
    )


def _entered(
    snapshot: Snapshot,
    state: FeedState,
    moment: Moment,
    *,
    reason: str = "",
    next_step: str = "",
    retry_at: float | None = None,
    request_id: str = "",
) -> Snapshot:
    return replace(
        snapshot,
        state=state,
        since=snapshot.since if snapshot.state is state and snapshot.since else moment.wall,
        reason=reason,
        next_step=next_step,
        retry_at=retry_at,
        request_id=request_id,
    )


def _merged(snapshot: Snapshot, readings: Iterable[Reading]) -> Snapshot:
    """A later reading of the same minute replaces the earlier one; minutes beyond the kept span go.

    A minute that does not come again stays: an answer may leave out what an earlier one had. A reading that
    says nothing new stays the same object, by which others see what changed.
    """
    merged = {reading.measured_at: reading for reading in snapshot.readings}
    changed = False
    for reading in readings:
        if merged.get(reading.measured_at) != reading:
            merged[reading.measured_at] = reading
            changed = True
    if not changed:
        return snapshot
    ordered = sorted(merged.values(), key=_minute)
    kept = bisect_left(ordered, ordered[-1].measured_at - KEPT, key=_minute)
    return replace(snapshot, readings=tuple(ordered[kept:]))


def without_future(snapshot: Snapshot, latest: datetime, moment: Moment) -> Snapshot:
    """Without the minutes that begin after `latest`, which came in under a clock that was wrong then."""
    if snapshot.latest is None or snapshot.latest.measured_at <= latest:
        return snapshot
    kept = bisect_right(snapshot.readings, latest, key=_minute)
    past = replace(snapshot, readings=snapshot.readings[:kept], confirmed_at=None)
    if snapshot.state not in _CONNECTED:
        return past
    reason = "The newest value was dated in the future, and has been taken away."
    return _entered(past, FeedState.LATE, moment, reason=reason, next_step="Waiting for the next value.")


def _minute(reading: Reading) -> datetime:
    return reading.measured_at


def inside(reading: Reading | None) -> float | None:
    """People inside, as the reading says it; None without a reading."""
    return None if reading is None else reading.values.get(MetricKey.VISITORS_INSIDE)
