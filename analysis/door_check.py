"""A door check: what somebody counted by hand at a door, beside what its counter told of the same minutes.

How far a counter is off, and how sure that is, tells `analysis/counting_accuracy.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from math import gcd
from typing import Annotated, Final, Literal, NamedTuple
from zoneinfo import ZoneInfo

from pydantic import (
    AwareDatetime,
    BaseModel,
    ConfigDict,
    Field,
    TypeAdapter,
    ValidationError,
    model_validator,
)

from analysis.counting_accuracy import Accuracy
from analysis.door_blame import Way
from analysis.entrances import doors_of
from contract import (
    CROSSINGS,
    DEFAULT_TIMEZONE,
    PUBLICATION_DELAY,
    Granularity,
    MetricKey,
    MetricPoint,
    MetricsFilter,
    MetricsQuery,
    Site,
    format_local,
)
from contract.minutes import MINUTE, minute_ceiling, minute_floor

MOST_MINUTES: Final = 180
"""Of one check; later ones are left out."""
MOST_TAPS: Final = 20_000
PATIENCE: Final = timedelta(minutes=5)
"""After its end a minute may come so late; after that it is missing."""
_CHANGED: Final = 2.0
"""Seconds by which two ways to tell what a phone's clock is ahead may contradict each other."""
_MOST_DOUBT: Final = timedelta(seconds=15)
"""Of the phone's clock; with more, too many taps may be those of the minute beside."""
_FIRST: Final = datetime(2000, 1, 1, tzinfo=UTC)
_LAST: Final = datetime(2200, 1, 1, tzinfo=UTC)
_FEWEST_APART: Final = 10
_PART_APART: Final = 0.25
_CLEARLY: Final = 3
_FEWEST_OF_A_PACE: Final = 3
_LONG_ENOUGH: Final = 6
"""Minutes in which a counter that tells each one of them has told more than a few."""
_IN: Final = 1
_UTC: Final = ZoneInfo(DEFAULT_TIMEZONE)

People = Annotated[int, Field(ge=0, le=MOST_TAPS)]
Count = Annotated[float, Field(ge=0, le=10**9, allow_inf_nan=False)]
"""As large as an answer of a service may hold."""
Id = Annotated[str, Field(pattern=r"^[0-9a-z-]{8,64}$")]
Epoch = Annotated[float, Field(gt=0, lt=10**13, allow_inf_nan=False)]
"""Milliseconds, by the phone's clock."""


class HandError(ValueError):
    """What a phone handed over cannot be compared; the message says why, and what to do."""


class HandCount(BaseModel):
    """Taps as a phone hands them over, timed by its own clock."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: Id
    site: str
    door: str
    began: Epoch
    ended: Epoch
    sent: Epoch
    ahead: Annotated[float, Field(gt=-(10**13), lt=10**13, allow_inf_nan=False)]
    """Milliseconds by which the service's clock is ahead of the phone's, or more: it was told this late."""
    taps: Annotated[tuple[tuple[Epoch, Literal[1, -1]], ...], Field(max_length=MOST_TAPS)]
    """When, and whether one came in (1) or went out (-1)."""


_ID: Final[TypeAdapter[str]] = TypeAdapter(Id)


class HandMinutes(NamedTuple):
    """The whole minutes of a hand count, by the service's clock."""

    start: datetime
    """UTC."""
    people: tuple[tuple[int, int], ...]
    """Of each minute, who came in and who went out."""
    stood: timedelta
    left_out: int
    """Taps before and after the whole minutes."""
    doubt: timedelta
    """By so much the phone's clock may be told wrongly, either way; a quarter of a minute at most."""


def hand_count(handed: object) -> HandCount:
    """Raises HandError."""
    try:
        return HandCount.model_validate(handed)
    except ValidationError as error:
        raise HandError(
            "What was handed over cannot be read. It is still in the browser: reload the page there and"
            " compare again. If that does not help, note how many came and went, and discard the count."
        ) from error


def handed_id(handed: object) -> str:
    """The id of a count, also of one that cannot be read; empty: it has none."""
    id_ = handed.get("id") if isinstance(handed, Mapping) else None
    try:
        return _ID.validate_python(id_, strict=True)
    except ValidationError:
        return ""


def hand_minutes(count: HandCount, received: datetime) -> HandMinutes:
    """`received` is when it came in, by the service's clock, aware. Raises HandError.

    The service's clock told the phone its time a little late, and the phone told its own a little late: what
    the one is ahead of the other lies between the two.
    """
    least, most = count.ahead / 1000, received.timestamp() - count.sent / 1000
    changed = max(least - most, (count.ended - count.sent) / 1000)
    if changed > _CHANGED:
        raise HandError(
            f"The clock of this device was changed by about {changed:,.0f} s while you counted, so that"
            " it is not known who passed in which minute. Count again."
        )
    doubt = max(0.0, most - least) / 2
    if doubt > _MOST_DOUBT.total_seconds():
        raise HandError(
            f"The clock of this device is known to {doubt:,.0f} s only, so that it is not known who passed in"
            " which minute. The count stays in the browser: compare again. If it is told again, the clock was"
            " changed while you counted: discard the count and count again."
        )
    ahead = (least + most) / 2

    def there(moment: float) -> datetime:
        return datetime.fromtimestamp(moment / 1000 + ahead, UTC)

    began, ended = there(count.began), there(count.ended)
    first, after = minute_ceiling(began), minute_floor(ended)
    if not _FIRST <= first < _LAST:
        raise HandError(
            f"By its clock this device counted in the year {began.year}. Set its clock, discard the count and"
            " count again."
        )
    minutes = min((after - first) // MINUTE, MOST_MINUTES)
    if minutes < 1:
        raise HandError(
            "You stood there for no whole minute of the clock, and counters tell whole ones. Stay for two"
            " minutes at least; ten tell more."
        )
    people = [[0, 0] for _ in range(minutes)]
    left_out = 0
    for moment, way in count.taps:
        minute = (there(moment) - first) // MINUTE
        if 0 <= minute < minutes:
            people[minute][0 if way == _IN else 1] += 1
        else:
            left_out += 1
    counted = tuple((came, went) for came, went in people)
    return HandMinutes(first, counted, ended - began, left_out, timedelta(seconds=doubt))


class DoorCheck(BaseModel):
    """What is kept of a check: both counts by the minute. Nobody is named in it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    passage_id: str
    start: Annotated[AwareDatetime, Field(ge=_FIRST, lt=_LAST)]
    stood: Annotated[timedelta, Field(ge=timedelta(0))]
    left_out: People = 0
    doubt: Annotated[timedelta, Field(ge=timedelta(0))] = timedelta(0)
    hand: Annotated[tuple[tuple[People, People], ...], Field(min_length=1, max_length=MOST_MINUTES)]
    counted: tuple[tuple[Count, Count] | None, ...]
    """None: the counter told nothing of that minute, or one way only."""

    @model_validator(mode="after")
    def _is_of_the_same_minutes(self) -> DoorCheck:
        if len(self.hand) != len(self.counted):
            raise ValueError("hand and counter are of the same minutes")
        return self

    @property
    def end(self) -> datetime:
        return self.start + len(self.hand) * MINUTE

    @property
    def told(self) -> list[tuple[tuple[float, float], tuple[float, float]]]:
        """Hand and counter of the minutes that both counted; of a counter that tells several at once none."""
        if self.pace > 1 or self.is_rarely_told:
            return []
        pairs = zip(self.hand, self.counted, strict=True)
        return [(hand, counted) for hand, counted in pairs if counted is not None]

    @property
    def missing(self) -> int:
        """Minutes that the counter told nothing of."""
        return sum(counted is None for counted in self.counted)

    @property
    def pace(self) -> int:
        """Minutes from one count to the next."""
        apart = self._apart
        return 1 if len(apart) + 1 < _FEWEST_OF_A_PACE else gcd(*apart)

    @property
    def is_rarely_told(self) -> bool:
        """Whether it has so few counts, no two of them together, that each may be of several minutes."""
        is_few = self.missing < len(self.hand) < self.missing + _FEWEST_OF_A_PACE
        return is_few and len(self.hand) >= _LONG_ENOUGH and 1 not in self._apart

    @property
    def _apart(self) -> list[int]:
        """Minutes from each count to the next."""
        there = [index for index, counted in enumerate(self.counted) if counted is not None]
        return [later - earlier for earlier, later in pairwise(there)]

    @property
    def came(self) -> Accuracy:
        return self._between(0, 0)

    @property
    def went(self) -> Accuracy:
        return self._between(1, 1)

    @property
    def turned(self) -> tuple[Accuracy, Accuracy]:
        """Who came in and who went out, if the counter tells the one for the other."""
        return self._between(0, 1), self._between(1, 0)

    @property
    def is_exchanged(self) -> bool:
        """Whether the counter follows the hand clearly better with its two ways exchanged, by the minute."""
        apart = sum(abs(hand[way] - counted[way]) for hand, counted in self.told for way in (0, 1))
        turned = sum(abs(hand[way] - counted[1 - way]) for hand, counted in self.told for way in (0, 1))
        people = self.came.hand + self.went.hand
        return apart >= max(_FEWEST_APART, _PART_APART * people) and _CLEARLY * turned <= apart

    def look_again(self, now: datetime) -> datetime | None:
        """When minutes that are not there may have come; None: no more are waited for. `now` is aware."""
        ends = [self.start + (index + 1) * MINUTE for index, own in enumerate(self.counted) if own is None]
        open_ends = [end for end in ends if end + PATIENCE > now]
        if not open_ends:
            return None
        soon = minute_ceiling(max(open_ends) + PUBLICATION_DELAY)
        return soon if soon > now else max(open_ends) + PATIENCE

    def _between(self, by_hand: int, by_counter: int) -> Accuracy:
        told = self.told
        return Accuracy(
            sum(hand[by_hand] for hand, _ in told), sum(counted[by_counter] for _, counted in told)
        )


def check_query(site_id: str, way: Way, hand: HandMinutes) -> MetricsQuery:
    """Both ways by the minute, asked for in UTC, which has no hour twice.

    It names the zone, too: which way is in, is open without one.
    """
    return MetricsQuery(
        metrics=CROSSINGS,
        site_id=site_id,
        from_=format_local(hand.start, _UTC),
        to=format_local(hand.start + len(hand.people) * MINUTE, _UTC),
        granularity=Granularity.MINUTE,
        timezone=_UTC.key,
        filter=MetricsFilter(zone_ids=(way.zone_id,), passage_ids=(way.passage_id,)),
    )


def door_check(way: Way, hand: HandMinutes, points: Sequence[MetricPoint]) -> DoorCheck:
    """`points` answer `check_query`."""
    by_minute = {point.timestamp: point.metrics for point in points}
    return DoorCheck(
        passage_id=way.passage_id,
        start=hand.start,
        stood=hand.stood,
        left_out=hand.left_out,
        doubt=hand.doubt,
        hand=hand.people,
        counted=tuple(
            _both(by_minute.get(hand.start + index * MINUTE, {})) for index in range(len(hand.people))
        ),
    )


def _both(metrics: Mapping[str, float]) -> tuple[float, float] | None:
    if not all(metric in metrics for metric in CROSSINGS):
        return None
    return metrics[MetricKey.ENTRANCES], metrics[MetricKey.EXITS]


def ways_to_check(site: Site, ways: Sequence[Way]) -> list[Way]:
    """`ways` with those to the outside first."""
    outer = {door.passage_id for door in doors_of(site)}
    return sorted(ways, key=lambda way: way.passage_id not in outer)


def newest_first(checks: Mapping[str, DoorCheck], passage_id: str) -> dict[str, DoorCheck]:
    """Those of a door, by the names under which they are kept."""
    own = {name: check for name, check in checks.items() if check.passage_id == passage_id}
    return dict(sorted(own.items(), key=lambda item: item[1].start, reverse=True))
