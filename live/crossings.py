"""How many people crossed each passage of a site in the last hour, both ways. Pure.

A passage is counted from a zone on one of its sides: into it and out of it, which is the same whichever way a
service reads `passageIds` alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Final, NamedTuple

from api_client.site_now import is_of_minute
from contract import (
    CROSSINGS,
    NOW,
    Granularity,
    MetricKey,
    MetricPoint,
    MetricsFilter,
    MetricsQuery,
    Number,
    Site,
)
from contract.minutes import MINUTE, minute_floor
from live.snapshot import CrossingsKey

MOST_PASSAGES: Final = 100
"""Each is a question of its own; of more in a site, none is read."""
HOUR: Final = timedelta(hours=1)
OLD_CROSSINGS: Final = 300.0
"""Seconds for which what was read of a passage holds, where a round through all of them takes no longer."""
LATELY: Final = timedelta(minutes=3)
"""Who crossed longer ago than this is counted, and is not said to cross now."""
_SETTLED: Final = 2 * MINUTE
"""An answer about a range has all of its minutes but, perhaps, the last two."""


class Both(NamedTuple):
    """People from the zone where a passage begins to the one where it ends, and back."""

    forward: Number = 0
    backward: Number = 0


NOBODY: Final = Both()


class PassageCrossings(NamedTuple):
    """One passage, when it was read last."""

    last_hour: Both | None
    """None: no minute of it was counted, which is not the same as nobody."""
    seen: Both
    """Who crossed while somebody looked: it grows with each who does, and never counts the past."""
    minutes: tuple[int, int] | None = None
    """In how many minutes of the last hour it is counted, and how many these would be; None: in all, or not
    known, as where no minute was counted or most stand further apart.
    """


@dataclass(frozen=True, slots=True)
class Crossings:
    """All passages of a site, as known at one moment."""

    key: CrossingsKey
    passages: Mapping[str, PassageCrossings] = field(default_factory=dict)
    """By id; one that was not read yet, or fails for long, is absent."""
    read_at: float | None = None
    """When that was read which is the oldest of them, monotonic seconds; None: none is read yet."""
    reason: str = ""
    """Why passages are not read, or not often; sentences for everybody. Empty: there is no reason to."""
    old_after: float = OLD_CROSSINGS
    """Seconds after `read_at` from when on the numbers are old: more where a round takes long."""
    listed: int | None = None
    """How many passages the site has that can be counted; None: they are not listed yet."""

    @property
    def confirmed_at(self) -> None:
        """Its age tells nothing of how fast the relay is, as that of a feed does."""
        return None


class CountedPassage(NamedTuple):
    passage_id: str
    zone_id: str
    """From which it is counted."""
    is_into: bool
    """Whether forward leads into that zone."""

    def query(self, site_id: str, timezone: str, span: timedelta) -> MetricsQuery:
        """The minutes of the last `span`; for `AsyncClient.newest`, whatever it is."""
        return MetricsQuery(
            metrics=CROSSINGS,
            site_id=site_id,
            from_=f"{span // MINUTE} minutes ago",
            to=NOW,
            granularity=Granularity.MINUTE,
            timezone=timezone,
            filter=MetricsFilter(zone_ids=(self.zone_id,), passage_ids=(self.passage_id,)),
        )

    def counts(self, points: Iterable[MetricPoint]) -> dict[datetime, Both]:
        """By the start of the minute; without what is of no whole minute, or lacks one of the two."""
        return {
            point.timestamp: both
            for point in points
            if is_of_minute(point) and (both := self._both(point)) is not None
        }

    def _both(self, point: MetricPoint) -> Both | None:
        entered, left = (point.metrics.get(metric) for metric in (MetricKey.ENTRANCES, MetricKey.EXITS))
        if entered is None or left is None:
            return None
        return Both(entered, left) if self.is_into else Both(left, entered)


def too_many_passages(listed: int) -> str:
    """Why none of a site's `listed` passages is read, a sentence for everybody; empty: they are."""
    if listed <= MOST_PASSAGES:
        return ""
    return f"This site has {listed} passages. Of more than {MOST_PASSAGES} none is read."


def counted_passages(site: Site) -> list[CountedPassage]:
    """Those between two different places of which one at least is a listed zone."""
    known = {zone.id for zone in site.zones}
    found = []
    for passage in site.passages:
        start, end = passage.from_zone_id, passage.to_zone_id
        if start == end:
            continue  # nobody could tell one direction from the other
        if end in known and end is not None:
            found.append(CountedPassage(passage.id, end, is_into=True))
        elif start in known and start is not None:
            found.append(CountedPassage(passage.id, start, is_into=False))
    return found


@dataclass(frozen=True, slots=True)
class PassageLog:
    """The minutes of one passage, about an hour of them, and who was seen to cross."""

    minutes: Mapping[datetime, Both] = field(default_factory=dict)
    seen: Both = NOBODY
    is_read: bool = False
    """Whether its last hour was answered once."""
    settled: datetime | None = None
    """Until when answers about a range had all minutes that there are, UTC; None: none was given."""

    @property
    def newest(self) -> datetime | None:
        return max(self.minutes, default=None)

    def after_range(self, answered: Mapping[datetime, Both], start: datetime, now: datetime) -> PassageLog:
        """After an answer about all minutes from `start` to `now`: what it lacks is taken back."""
        kept = {
            minute: both
            for minute, both in self.minutes.items()
            if minute < start or minute >= now - _SETTLED
        }
        return replace(self._with({**kept, **answered}, answered, now), settled=now - _SETTLED)

    def after_newest(self, answered: Mapping[datetime, Both], now: datetime) -> PassageLog:
        """After an answer about now. A service may date its last minute anew: one that repeats the newest
        counts only when a range has it.
        """
        newest = self.newest
        fresh = {
            minute: both
            for minute, both in answered.items()
            if newest is None or minute <= newest or both != self.minutes[newest]
        }
        return self._with({**self.minutes, **fresh}, fresh, now)

    def crossings(self, now: datetime) -> PassageCrossings:
        lately = [both for minute, both in self.minutes.items() if minute > now - HOUR]
        return PassageCrossings(_sum(lately) if lately else None, self.seen, self._lacking(now))

    def _lacking(self, now: datetime) -> tuple[int, int] | None:
        """As `PassageCrossings.minutes`. Minutes after the last answer about a range are not judged: of these
        only the newest is asked for.
        """
        first = minute_floor(now - HOUR) + MINUTE
        if self.settled is None or self.settled < first:
            return None
        judged = sorted(minute for minute in self.minutes if first <= minute <= self.settled)
        pairs = [later - one for one, later in pairwise(judged)]
        if not judged or 2 * pairs.count(MINUTE) < len(pairs):
            return None
        expected = (minute_floor(self.settled) - first) // MINUTE + 1
        return (len(judged), expected) if len(judged) < expected else None

    def _with(
        self, minutes: Mapping[datetime, Both], answered: Iterable[datetime], now: datetime
    ) -> PassageLog:
        seen = [self.seen]
        if self.is_read:
            seen += [
                _more(minutes[minute], self.minutes.get(minute, NOBODY))
                for minute in answered
                if minute >= now - LATELY
            ]
        kept = {minute: both for minute, both in minutes.items() if minute > now - HOUR - MINUTE}
        return PassageLog(kept, _sum(seen), is_read=True, settled=self.settled)


def _more(now: Both, before: Both) -> Both:
    return Both(max(now.forward - before.forward, 0), max(now.backward - before.backward, 0))


def _sum(some: Iterable[Both]) -> Both:
    forward: Number = 0
    backward: Number = 0
    for both in some:
        forward, backward = forward + both.forward, backward + both.backward
    return Both(forward, backward)
