"""Whether a counter is there: by its word, its last will, or a silence longer than its own usual. Pure.

What is usual is learned of each counter by itself: one that reports each minute is missed after minutes, one
that is switched off with the shop after a night. The longest silence of late counts, and fades by half with
each day, so that a counter that begins to report more often is soon held to that.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final, NamedTuple

from service.store.sensor_protocol import Heard

FIRST_USUAL: Final = timedelta(hours=1)
"""Of a counter that was heard once: most report each quarter of an hour."""
LONGEST_USUAL: Final = timedelta(hours=26)
"""A longer silence is no habit: a weekend is, but not one that shows whether the counter lives."""
_FADES: Final = timedelta(days=1)
_PART_MORE: Final = 1.5
"""Of what is usual, after which a counter is missed."""
_AT_ONCE: Final = timedelta(minutes=1)
"""Reports that come together by several ways, not in their order."""
_UNDER_WAY: Final = timedelta(minutes=2)


class Status(StrEnum):
    """As a device of the v3 API has it."""

    ONLINE = "Online"
    OFFLINE = "Offline"


class Presence(NamedTuple):
    status: Status
    since: datetime
    """Of one that is offline: when it was heard last, or said so; else when it was heard last."""


def heard_again(before: Heard | None, at: datetime, *, is_online: bool | None = None) -> Heard:
    """What is known of a counter once it was heard at this time; it may have said whether it is online."""
    said = (is_online, at) if is_online is not None else None
    if before is None:
        return Heard(at, FIRST_USUAL, said)
    silence = min(max(at - before.last, timedelta(0)), LONGEST_USUAL)
    faded = before.usual * 0.5 ** (silence / _FADES)
    # A last will comes from the broker: the counter itself was not heard.
    last = before.last if is_online is False else max(at, before.last)
    if before.last - at > _AT_ONCE:  # our own clock was ahead when it was heard last
        last = at
    return Heard(last, max(silence, faded) if is_online is not False else before.usual, said)


def presence(heard: Heard, now: datetime, listening_since: datetime) -> Presence:
    """Whether the counter is there; while nobody listened it was not silent."""
    if heard.said is not None and not heard.said[0] and heard.said[1] >= heard.last:
        return Presence(Status.OFFLINE, heard.said[1])
    # Of a time to come, by a clock of ours that was ahead, nothing is believed.
    listened = max(heard.last, listening_since) if listening_since <= now else heard.last
    silent = abs(now - listened)
    is_missed = silent > heard.usual * _PART_MORE + _UNDER_WAY
    return Presence(Status.OFFLINE if is_missed else Status.ONLINE, heard.last)
