"""What goes to a browser: snapshots as JSON within the server-sent events of the relay.

Each feed is encoded once for all readers who need the same. Times are epoch seconds, and ages in place of
monotonic times.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple
from zoneinfo import ZoneInfo

import orjson

from analysis.drift import Drift
from contract import Granularity, MetricKey, Number
from contract.buckets import bucket_start, next_bucket_start
from live.clock import Moment, local_zone
from live.counted_minutes import counted_minutes
from live.crossings import Crossings
from live.leaps import newest_leap
from live.snapshot import MINUTE_OF, Reading, Snapshot
from live.tokens import GrantedFeed, GrantedPassages

_INSIDE: Final = MetricKey.VISITORS_INSIDE
TREND: Final = timedelta(hours=2)
"""How far back the points go."""


def encode_feed(
    snapshot: Snapshot, moment: Moment, timezone: ZoneInfo, *, known: Snapshot | None = None
) -> dict[str, Any]:
    """The feed as of `moment`. With `known`, what the reader has already, `points` are only the new ones.

    Today and the points go by `moment.wall`, which is what time it is for the service.
    Times are epoch seconds; `retry_in` and `confirmed_age` are seconds from and to `moment`, on the
    monotonic clock, so that no jump of a wall clock makes an old value look young. `usual_gap` is in seconds.
    `is_summary`: the Connection page tells more of the reason.
    """
    readings = snapshot.reported
    newest = readings[-1] if readings else None
    # The day that a site counts by, whatever its daily reset.
    midnight = bucket_start(moment.wall, Granularity.DAY, timezone)
    today = () if snapshot.awaits_past else _since(readings, midnight)
    return {
        "state": snapshot.state,
        "since": _epoch(snapshot.since),
        "reason": snapshot.summary or snapshot.reason,
        "next": snapshot.next_step,
        "retry_in": None if snapshot.retry_at is None else max(snapshot.retry_at - moment.monotonic, 0.0),
        "is_summary": bool(snapshot.summary),
        "usual_gap": None if snapshot.usual_gap is None else snapshot.usual_gap.total_seconds(),
        "past_unread": snapshot.is_past_unread,
        "inside": newest.values.get(_INSIDE) if newest else None,
        "measured_at": _epoch(newest.measured_at) if newest else None,
        "confirmed_age": (
            None if snapshot.confirmed_at is None else max(moment.monotonic - snapshot.confirmed_at, 0.0)
        ),
        "drift": _drift(snapshot),
        "left_over": _left_over(snapshot),
        "spoilt_until": _epoch(_spoilt_until(snapshot, min(midnight, moment.wall - TREND))),
        "entrances_today": _total(today, MetricKey.ENTRANCES),
        "exits_today": _total(today, MetricKey.EXITS),
        "today_since": _epoch(today[0].measured_at) if today else None,
        "today_until": _epoch(next_bucket_start(midnight, Granularity.DAY, timezone)),
        "counted_today": counted_minutes(today),
        "fullest_today": _fullest(today, snapshot, midnight),
        "leapt_at": _epoch(newest_leap(_since(readings, moment.wall - TREND))),
        "points": _points(snapshot, moment, known),
    }


def encode_crossings(
    crossings: Crossings, moment: Moment, *, known: Crossings | None = None
) -> dict[str, Any]:
    """Of each passage, by id, people in the last hour and people seen to cross, forward and backward each.

    With `known`, what the reader has already, only those that changed; null are those that are known no more.
    The last hour is null where none of its minutes was counted. Where it lacks some, in how many it is
    counted comes last, and how many there are. `read_age`: seconds since that was read which is the oldest;
    null: none is read yet.
    """
    before = known.passages if known else {}
    gone: dict[str, Any] = {id_: None for id_ in before if id_ not in crossings.passages}
    age = None if crossings.read_at is None else max(moment.monotonic - crossings.read_at, 0.0)
    return {
        "passages": gone
        | {
            id_: [*(passage.last_hour or (None, None)), *passage.seen, *(passage.minutes or ())]
            for id_, passage in crossings.passages.items()
            if before.get(id_) != passage
        },
        "read_age": age,
        "old_after": round(crossings.old_after),
        "reason": crossings.reason,
    }


def _drift(snapshot: Snapshot) -> dict[str, float | bool | None] | None:
    """How many more `people` had left by `at` than came `since`; None unless that spoils the number inside.

    `begun`: whether the count is known to have begun then.
    """
    drift = snapshot.drift
    if drift is None or not drift.is_spoiling:
        return None
    return {
        "people": drift.unentered,
        "since": _epoch(drift.since),
        "begun": drift.is_begin_seen,
        "at": _epoch(drift.unentered_at),
    }


def _left_over(snapshot: Snapshot) -> dict[str, float | None] | None:
    """So many `people` were still counted inside when the count began again `at` a minute; None
    where that is not known of the minutes read, or they are few beside the highest number before.

    An opening after hours without anybody begins a count, too, of which nobody is left over.
    """
    resets = (count for count in reversed(snapshot.earlier_drifts) if count.is_reset_seen and count.unleft)
    before = next(resets, None)
    if before is None or not replace(before, unentered=0, is_whole=True).is_spoiling:
        return None
    return {"people": before.unleft, "at": _epoch(before.until)}


def _spoilt_until(snapshot: Snapshot, start: datetime) -> datetime | None:
    """When the last count ended, after `start`, of which the number inside meant nothing: its minutes mean no
    more once the next one has begun. None: there is none.
    """
    ended = (count for count in reversed(snapshot.earlier_drifts) if count.until and count.until > start)
    return next((count.until for count in ended if _is_spoilt(count, snapshot.reported)), None)


def _fullest(
    today: Sequence[Reading], snapshot: Snapshot, midnight: datetime
) -> dict[str, Number | None] | None:
    """`inside` people `at` a minute; `since` is null where that is the fullest of the whole day."""
    counts = (*snapshot.earlier_drifts, snapshot.drift) if snapshot.drift else ()
    found = fullest_today(today, counts, midnight)
    return found and {"inside": found.inside, "at": _epoch(found.at), "since": _epoch(found.since)}


def _points(snapshot: Snapshot, moment: Moment, known: Snapshot | None) -> list[list[Number | None]]:
    start = moment.wall - TREND
    recent = _since(snapshot.reported, start)
    # Readings are shared between snapshots: one that was not replaced is the very same object.
    seen = {id(reading) for reading in _since(known.reported, start)} if known else set()
    return [
        [int(reading.measured_at.timestamp()), reading.values.get(_INSIDE)]
        for reading in recent
        if id(reading) not in seen
    ]


def _since(readings: Sequence[Reading], start: datetime) -> Sequence[Reading]:
    return readings[bisect_left(readings, start, key=MINUTE_OF) :]


def _total(readings: Sequence[Reading], metric: MetricKey) -> Number | None:
    """None without any value: missing is never 0."""
    values = [reading.values[metric] for reading in readings if metric in reading.values]
    return sum(values) if values else None


def _epoch(moment: datetime | None) -> float | None:
    return None if moment is None else moment.timestamp()


_MOST_KEPT: Final = 1024
_MOST_BYTES: Final = 4 * 1024 * 1024
"""Of all texts together: late in the day a feed that is sent whole has some 4 KiB."""
_SHARED_FOR: Final = 0.5
"""Seconds for which one encoding serves all readers: by so much may an age in it be too young."""


Known = Snapshot | Crossings


class FeedChange(NamedTuple):
    """One feed of a message: what it is now, and what its reader knew before (None: nothing)."""

    feed: GrantedFeed | GrantedPassages
    snapshot: Known
    known: Known | None


class _Encoded(NamedTuple):
    change: FeedChange
    """Held so that no other snapshot can take its identity."""
    encoded_at: float
    text: bytes


class FeedEncoder:
    """Thousands of screens get the same change of the same feed: it is encoded for the first of them."""

    def __init__(self) -> None:
        self._encoded: OrderedDict[tuple[GrantedFeed | GrantedPassages, int, int], _Encoded] = OrderedDict()
        """The oldest first."""
        self._size = 0

    @property
    def size(self) -> int:
        """Bytes of all texts that are kept."""
        return self._size

    def encode(self, change: FeedChange, moment: Moment) -> bytes:
        """`"name":FEED`, a member of a JSON object."""
        identity = (change.feed, id(change.snapshot), id(change.known))
        found = self._encoded.get(identity)
        if found and moment.monotonic - found.encoded_at < _SHARED_FOR:
            return found.text
        text = _member(change, moment)
        if found:
            self._drop(identity)
        self._encoded[identity] = _Encoded(change, moment.monotonic, text)
        self._size += len(text)
        self._drop_useless(moment)
        return text

    def _drop_useless(self, moment: Moment) -> None:
        """What is too old to be shared, and the oldest of what is too much."""
        while self._encoded:
            identity, oldest = next(iter(self._encoded.items()))
            is_old = moment.monotonic - oldest.encoded_at >= _SHARED_FOR
            if not is_old and len(self._encoded) <= _MOST_KEPT and self._size <= _MOST_BYTES:
                return
            self._drop(identity)

    def _drop(self, identity: tuple[GrantedFeed | GrantedPassages, int, int]) -> None:
        self._size -= len(self._encoded.pop(identity).text)


def state_message(
    encoder: FeedEncoder,
    changes: Iterable[FeedChange],
    moment: Moment,
    others: Mapping[str, str],
    *,
    retry: int,
) -> bytes:
    """The first message: all feeds whole, `others` (a fresh token), when to come back, in milliseconds."""
    members = [
        *(orjson.dumps(name) + b":" + orjson.dumps(text) for name, text in others.items()),
        b'"feeds":{' + b",".join(encoder.encode(change, moment) for change in changes) + b"}",
    ]
    return b"retry: %d\n" % retry + _event(b"state", moment, members)


def change_message(encoder: FeedEncoder, changes: Iterable[FeedChange], moment: Moment) -> bytes:
    """A later message: the feeds that changed, with only those points that are new or replaced."""
    feeds = b'"feeds":{' + b",".join(encoder.encode(change, moment) for change in changes) + b"}"
    return _event(b"change", moment, [feeds])


def beat_message(moment: Moment) -> bytes:
    """A heartbeat as an event, because a browser's EventSource does not show comments."""
    return _event(b"beat", moment, [])


def _event(name: bytes, moment: Moment, members: Iterable[bytes]) -> bytes:
    body = b",".join([b'"now":%.3f' % moment.wall.timestamp(), *members])
    return b"event: " + name + b"\ndata: {" + body + b"}\n\n"


def _member(change: FeedChange, moment: Moment) -> bytes:
    feed: Mapping[str, Any]
    snapshot, known = change.snapshot, change.known
    if isinstance(snapshot, Crossings):
        feed = encode_crossings(snapshot, moment, known=known if isinstance(known, Crossings) else None)
    else:
        zone = local_zone(change.feed.timezone)
        feed = encode_feed(snapshot, moment, zone, known=known if isinstance(known, Snapshot) else None)
    return orjson.dumps(change.feed.key.name) + b":" + orjson.dumps(feed)


class Fullest(NamedTuple):
    at: datetime
    """Start of the minute; the first of several that were as full."""
    inside: Number
    since: datetime | None
    """Start of the count that it is the fullest minute of, where people were inside earlier today whose
    number cannot be trusted; None: it is the fullest of the whole day."""


def fullest_today(readings: Sequence[Reading], counts: Sequence[Drift], midnight: datetime) -> Fullest | None:
    """None while nobody was inside, where the present count's number means nothing, and of averages: those
    of an hour were exceeded within it.

    `readings` ascend; `counts` are what is known of the drift between their resets, in order.
    """
    today = _since(readings, midnight)
    begin = _trusted_from(counts, today, midnight)
    if begin is None or any(reading.values.get(_INSIDE, 0) % 1 for reading in today):
        return None
    crowded = [reading for reading in _since(today, begin) if reading.values.get(_INSIDE, 0) > 0]
    if not crowded:
        return None
    most = max(crowded, key=lambda reading: reading.values[_INSIDE])
    before = today[: len(today) - len(_since(today, begin))]
    is_part = any(reading.values.get(_INSIDE, 0) > 0 for reading in before)
    return Fullest(most.measured_at, most.values[_INSIDE], begin if is_part else None)


def _trusted_from(counts: Sequence[Drift], today: Sequence[Reading], midnight: datetime) -> datetime | None:
    """From when on today the number inside can be trusted, UTC; None: it cannot be now."""
    if counts and counts[-1].is_spoiling:
        return None
    for count in reversed(counts[:-1]):
        if count.until and count.until > midnight and _is_spoilt(count, today):
            return count.until
    return midnight


def _is_spoilt(count: Drift, today: Sequence[Reading]) -> bool:
    """Whether drift spoils a count that is over; where its begin was not read, by whom it left inside."""
    if count.is_whole:
        return count.is_spoiling
    own = [
        reading.values[_INSIDE]
        for reading in today
        if _INSIDE in reading.values and (count.until is None or reading.measured_at < count.until)
    ]
    return replace(count, is_whole=True, unleft=max([0, *own[-1:]])).is_spoiling
