"""What an event does to a snapshot. Pure: snapshot and event in, snapshot out; the moment is passed in.

Two questions are kept apart. "Is the stream open?" decides between live and reconnecting. "Does the service
still stand by the newest value?" decides between live and late: an event for the newest minute or a check
(`now` to `now`) confirms it, and silence alone neither confirms nor denies it, because a closed shop sends
nothing. A value never goes back in time: readings are merged by minute, and the newest minute wins. That is
why no minute of the future may come in: it would stay the newest until it is past. A stream that was just
opened may replay past minutes: they are merged, and none of them is reported as the newest before it is
known.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, timedelta
from operator import is_
from typing import Final

from analysis.drift import drifts
from contract import MetricKey
from live.clock import Moment
from live.events import (
    AccessRefused,
    CheckFailed,
    Connected,
    EventsSkipped,
    FeedEvent,
    HistoryReceived,
    ReadingsReceived,
    ReplayEnded,
    StreamLost,
    StreamProven,
    ValueConfirmed,
)
from live.proof import (
    BEGINNING,
    RECENT,
    WITHOUT_STREAM,
    is_repeated,
    is_whole,
    lacks_past,
    proven,
    without_refuted,
    without_repeated,
)
from live.queries import LONGEST_MINUTE_RANGE
from live.snapshot import MINUTE_OF, STREAMING, FeedState, Reading, Snapshot

KEPT: Final = timedelta(hours=25)
"""The longest local day, and the longest count; as readings are of whole minutes, it bounds them, too."""
TOLERATED_LAG: Final = timedelta(minutes=2)
"""A check may answer with a minute this much older than the stream's: data may be published late."""
OFFLINE_AFTER: Final = 6
"""Attempts without success after which a feed is offline rather than reconnecting: some 15 s."""


def reduce(snapshot: Snapshot, event: FeedEvent, moment: Moment) -> Snapshot:
    """`moment.wall` goes by the service's clock, where that is known."""
    now = moment.wall
    return _judged(snapshot, _after(snapshot, event, moment, now - RECENT), now)


def _after(  # noqa: C901, PLR0911 -- one return per event
    snapshot: Snapshot, event: FeedEvent, moment: Moment, recent: datetime
) -> Snapshot:
    """A minute that began at `recent` or later may be the newest."""
    match event:
        case Connected():
            return _connected(snapshot)
        case ReadingsReceived():
            return _received(snapshot, event, moment, recent)
        case ReplayEnded():
            return _replayed(snapshot, event, moment, recent)
        case HistoryReceived(readings, is_today):
            return _remembered(snapshot, readings, is_today=is_today)
        case EventsSkipped(reasons):
            return replace(snapshot, skipped=dict(Counter(snapshot.skipped) + Counter(reasons)))
        case StreamProven():
            proven = snapshot.state is FeedState.POLLING
            return _entered(snapshot, FeedState.LIVE, moment) if proven else snapshot
        case ValueConfirmed():
            return _confirmed(snapshot, event, moment)
        case CheckFailed():
            return _doubted(snapshot, event, moment)
        case StreamLost():
            return _lost(snapshot, event, moment)
        case AccessRefused(reason, retry_at, request_id, summary):
            return _entered(
                _ended(snapshot),
                FeedState.REFUSED,
                moment,
                reason=reason,
                next_step="Asking again.",
                retry_at=retry_at,
                request_id=request_id,
                summary=summary,
            )


def _connected(snapshot: Snapshot) -> Snapshot:
    newest = snapshot.newest
    reported_until = snapshot.reported_until or (newest.measured_at if newest else BEGINNING)
    return replace(
        snapshot,
        retry_at=None,
        next_step="Waiting for the first value.",
        reported_until=None if snapshot.state is FeedState.POLLING else reported_until,
        awaits_past=snapshot.awaits_past or newest is None,
    )


def _received(snapshot: Snapshot, event: ReadingsReceived, moment: Moment, recent: datetime) -> Snapshot:
    newest = max(event.readings, key=MINUTE_OF)
    counted = [one for one in event.readings if not event.is_first or one is not newest]
    is_refused = event.is_first and is_repeated(snapshot.newest, newest)
    merged = proven(_merged(snapshot, counted if is_refused else event.readings), counted)
    if event.is_first and merged.newest is newest:
        merged = replace(merged, unproven=newest.measured_at)
    if snapshot.reported_until or (snapshot.newest and newest.measured_at < snapshot.newest.measured_at):
        return merged
    if snapshot.state is not FeedState.LIVE and newest.measured_at < recent:
        return merged
    return _heard(merged, moment)


def _replayed(snapshot: Snapshot, replay: ReplayEnded, moment: Moment, recent: datetime) -> Snapshot:
    """After a replay has ended. If it only pauses, a check that tells the newest minute follows."""
    before, snapshot = snapshot, without_repeated(snapshot)
    if snapshot is not before and before.reported_until is None:
        return _reported_so_far(snapshot)
    newest, reported_until = snapshot.newest, snapshot.reported_until
    if newest is None or reported_until is None:
        has_come = snapshot.awaits_past and reported_until is None and is_whole(snapshot, replay)
        return replace(snapshot, awaits_past=False) if has_come else snapshot
    if min(replay.newest, newest.measured_at) >= max(recent, reported_until):
        return _heard(replace(snapshot, awaits_past=lacks_past(snapshot, snapshot, replay)), moment)
    if snapshot.state is FeedState.LATE and newest.measured_at > reported_until:
        return replace(snapshot, reported_until=newest.measured_at)
    return snapshot


def _remembered(snapshot: Snapshot, history: tuple[Reading, ...], *, is_today: bool) -> Snapshot:
    merged = without_refuted(proven(_merged(snapshot, history), history), history)
    if not snapshot.awaits_past:
        return without_repeated(merged)
    return replace(without_repeated(merged), awaits_past=False) if is_today else merged


def _heard(snapshot: Snapshot, moment: Moment) -> Snapshot:
    """The stream has brought the newest value."""
    confirmed = replace(snapshot, confirmed_at=moment.monotonic, reported_until=None)
    if snapshot.state is FeedState.POLLING:
        return confirmed
    return _entered(confirmed, FeedState.LIVE, moment)


def _confirmed(snapshot: Snapshot, answer: ValueConfirmed, moment: Moment) -> Snapshot:
    snapshot = snapshot if answer.is_replaying else without_repeated(snapshot)
    known = replace(
        snapshot,
        top_zone_ids=answer.top_zone_ids or snapshot.top_zone_ids,
        server_tag=answer.server_tag or snapshot.server_tag,
    )
    newest, reading = snapshot.newest, answer.reading
    if newest and (reading is None or reading.measured_at < newest.measured_at - TOLERATED_LAG):
        reason = "The service answers with an older value than it gave before."
        ended = known if answer.is_replaying else _ended(known)
        return _entered(ended, FeedState.LATE, moment, reason=reason, retry_at=answer.retry_at)
    # A minute of a replay that goes on is not the newest, so nothing is repeated before that is through.
    is_taken = reading and (answer.is_replaying or not is_repeated(newest, reading))
    merged = _merged(known, (reading,)) if reading and is_taken else known
    is_newer = reading and (newest is None or reading.measured_at > newest.measured_at)
    # An answer without a value does not say that none of the minutes of a replay is yet to come.
    reported_until = None if merged.readings or answer.polling else known.reported_until
    confirmed = replace(
        merged,
        confirmed_at=moment.monotonic,
        unproven=reading.measured_at if reading and is_taken and is_newer else merged.unproven,
        reported_until=reported_until,
        awaits_past=lacks_past(snapshot, merged, answer.replay),
    )
    if answer.polling:
        reason = "The service gives no stream that stays open; the value is asked for instead."
        step = "Trying the stream again." if answer.retry_at else ""
        return _entered(
            confirmed, FeedState.POLLING, moment, reason=reason, next_step=step, retry_at=answer.retry_at
        )
    reason = "" if merged.readings else "There are no counts of this place yet."
    return _entered(confirmed, FeedState.LIVE, moment, reason=reason)


def _doubted(snapshot: Snapshot, failed: CheckFailed, moment: Moment) -> Snapshot:
    return _entered(
        snapshot if failed.is_replaying else _ended(snapshot),
        FeedState.LATE,
        moment,
        reason=failed.reason,
        next_step=failed.next_step,
        retry_at=failed.retry_at,
        request_id=failed.request_id,
        summary=failed.summary,
    )


def _ended(snapshot: Snapshot) -> Snapshot:
    """Where no replay goes on, be it broken off, the newest minute that is known is the last known one."""
    return snapshot if snapshot.reported_until is None else _reported_so_far(snapshot)


def _reported_so_far(snapshot: Snapshot) -> Snapshot:
    """The newest minute that is known counts as reported; those that a replay brings later wait."""
    newest = snapshot.newest
    return replace(snapshot, reported_until=newest.measured_at) if newest else snapshot


def _lost(snapshot: Snapshot, loss: StreamLost, moment: Moment) -> Snapshot:
    return _entered(
        _ended(replace(snapshot, reconnects=snapshot.reconnects + 1)),
        FeedState.OFFLINE if loss.failures >= OFFLINE_AFTER else FeedState.RECONNECTING,
        moment,
        reason=loss.reason,
        next_step="Trying again.",
        retry_at=loss.retry_at,
        request_id=loss.request_id,
        summary=loss.summary,
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
    summary: str = "",
) -> Snapshot:
    goes_on = snapshot.state is state or {snapshot.state, state} <= WITHOUT_STREAM
    return replace(
        snapshot,
        state=state,
        since=snapshot.since if goes_on and snapshot.since else moment.wall,
        reason=reason,
        next_step=next_step,
        retry_at=retry_at,
        request_id=request_id,
        summary=summary,
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
    ordered = sorted(merged.values(), key=MINUTE_OF)
    kept = bisect_left(ordered, ordered[-1].measured_at - KEPT, key=MINUTE_OF)
    return replace(snapshot, readings=tuple(ordered[kept:]))


def _judged(before: Snapshot, after: Snapshot, now: datetime) -> Snapshot:
    """`after`, with the drift of its finished minutes: once a minute, not at each change of the newest.

    Of a replay it is judged once, when that is through; until then what was reported before keeps its own.
    """
    is_through = before.reported_until is not None and after.reported_until != before.reported_until
    over = after.readings[:-1]
    is_known = len(over) == len(before.readings[:-1]) and all(map(is_, over, before.readings))
    is_known = is_known and after.awaits_past is before.awaits_past
    if not is_through and (after.reported_until or is_known):
        return after
    # While the past is awaited, any minute before the first one may be missing.
    read_from = over[0].measured_at if over and after.awaits_past else now - LONGEST_MINUTE_RANGE
    found = drifts(over, read_from)
    return replace(after, drift=found[-1] if found else None, earlier_drifts=tuple(found[:-1]))


def without_future(snapshot: Snapshot, newest_possible: datetime, moment: Moment) -> Snapshot:
    """The snapshot without minutes after `newest_possible`, which came in while a clock was wrong."""
    if snapshot.newest is None or snapshot.newest.measured_at <= newest_possible:
        return snapshot
    kept = bisect_right(snapshot.readings, newest_possible, key=MINUTE_OF)
    # Under such a clock minutes of today may have been left out, too.
    past = replace(snapshot, readings=snapshot.readings[:kept], confirmed_at=None, awaits_past=True)
    if snapshot.state not in STREAMING:
        return past
    reason = "The newest value was dated in the future, and has been taken away."
    return _entered(past, FeedState.LATE, moment, reason=reason, next_step="Waiting for the next value.")


def newest_reported(snapshot: Snapshot, service_time: datetime) -> tuple[Reading, ...]:
    """The newest reading, in a tuple; none where it may be one of a replay that goes on."""
    newest = snapshot.newest
    if newest is None or (snapshot.reported_until and newest.measured_at < service_time - RECENT):
        return ()
    return (newest,)


def inside(reading: Reading | None) -> float | None:
    """People inside, as the reading says it; None without a reading."""
    return None if reading is None else reading.values.get(MetricKey.VISITORS_INSIDE)
