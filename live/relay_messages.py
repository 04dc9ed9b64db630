"""The server-sent events of the relay, encoded once for all who need the same."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

import orjson

from live.clock import Moment, local_zone
from live.encoding import encode_feed
from live.snapshot import Snapshot
from live.tokens import GrantedFeed

_MOST_KEPT: Final = 1024
_MOST_BYTES: Final = 4 * 1024 * 1024
"""Of all texts together: late in the day a feed that is told whole has some 4 KiB."""
_SHARED_FOR: Final = 0.5
"""Seconds for which one encoding serves all readers: by so much may an age in it be too young."""


class FeedChange(NamedTuple):
    """One feed of a message: what it is now, and what its reader knew before (None: nothing)."""

    feed: GrantedFeed
    snapshot: Snapshot
    known: Snapshot | None


class _Encoded(NamedTuple):
    change: FeedChange
    """Held so that no other snapshot can take its identity."""
    encoded_at: float
    text: bytes


class FeedEncoder:
    """Thousands of screens get the same change of the same feed: it is encoded for the first of them."""

    def __init__(self) -> None:
        self._encoded: OrderedDict[tuple[GrantedFeed, int, int], _Encoded] = OrderedDict()
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

    def _drop(self, identity: tuple[GrantedFeed, int, int]) -> None:
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
    """Only the feeds that changed; in them only points that are new or replaced."""
    feeds = b'"feeds":{' + b",".join(encoder.encode(change, moment) for change in changes) + b"}"
    return _event(b"change", moment, [feeds])


def beat_message(moment: Moment) -> bytes:
    """A heartbeat as an event, because a browser's EventSource does not show comments."""
    return _event(b"beat", moment, [])


def _event(name: bytes, moment: Moment, members: Iterable[bytes]) -> bytes:
    body = b",".join([b'"now":%.3f' % moment.wall.timestamp(), *members])
    return b"event: " + name + b"\ndata: {" + body + b"}\n\n"


def _member(change: FeedChange, moment: Moment) -> bytes:
    feed: Mapping[str, Any] = encode_feed(
        change.snapshot, moment, local_zone(change.feed.timezone), known=change.known
    )
    return orjson.dumps(change.feed.key.name) + b":" + orjson.dumps(feed)
