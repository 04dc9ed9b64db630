"""Answers as if a service had counted in open time alone: queries are asked of open time, and summed up here.

The API knows no opening hours, but answers any range by the minute. So an hour that is open as a whole is
asked for as an hour, and each stretch that opens or closes within one is asked for by itself: the first and
the last of its hours then hold the open minutes alone, of every metric and aggregation. Days and months are
made of these hours: sums add up, of extremes the extreme is taken, a mean over minutes is weighted by the
minutes that are counted, and a mean over people by people.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any, Final, NamedTuple
from zoneinfo import ZoneInfo

from analysis.bucket_table import bucket_minutes
from analysis.granularity import answered_in, past_the_hour
from analysis.history_request import HistoryRequest
from analysis.open_time import Opening, OpenTime
from analysis.rounded_averages import minutes_of
from analysis.time_range import TimeRange, time_text
from contract import (
    CROSSINGS,
    DEFAULT_TIMEZONE,
    METRICS,
    Aggregation,
    Granularity,
    MetricKey,
    MetricKind,
    MetricPoint,
    MetricsQuery,
    Number,
    parse_instant,
)
from contract.buckets import bucket_start, bucket_starts, inferred_granularity, next_bucket_start

Run = Callable[[Mapping[Any, MetricsQuery]], Mapping[Any, Sequence[MetricPoint]]]
"""Runs several queries; one that fails is absent from the answer."""

_MINUTE_SECONDS: Final = 60

_Part = tuple[Aggregation | None, int]
"""In which aggregation, and which stretch of time."""


class Asked(NamedTuple):
    """Key of a query that answers a part of another one."""

    key: Any
    """Of that other one."""
    aggregation: Aggregation | None
    part: int


def open_only(request: HistoryRequest, run: Run) -> Run:
    """`run`, but for what lies outside the opening hours of the request: as if nothing were counted there.

    Queries may be of any range and bucket. Absent from the answer is also what cannot be told, since the
    service's hours are longer, or not those of the local clock. Without opening hours it is `run` itself.
    """
    opening = request.opening
    if opening is None:
        return run

    def bounded(queries: Mapping[Any, MetricsQuery]) -> Mapping[Any, Sequence[MetricPoint]]:
        plans = {key: _plan(query, opening, request.asked_at) for key, query in queries.items()}
        asked = {Asked(key, *of): one for key, plan in plans.items() for of, one in plan.queries().items()}
        answered: defaultdict[Any, dict[_Part, Sequence[MetricPoint]]] = defaultdict(dict)
        for (key, *of), points in (run(asked) if asked else {}).items():
            answered[key][of[0], of[1]] = points
        told = {key: plan.points(answered[key]) for key, plan in plans.items()}
        return {key: points for key, points in told.items() if points is not None}

    return bounded


def cuts(opening: Opening, range_: TimeRange, timezone: ZoneInfo) -> int:
    """How many stretches of a range open or close within an hour of `timezone`."""
    return len(_cut_ranges(opening.of(range_), range_, timezone))


def since_when(opening: Opening, range_: TimeRange, timezone: ZoneInfo, most: int) -> datetime:
    """From when on a range that ends like this one has so many of them at most, in UTC."""
    cut = _cut_ranges(opening.of(range_), range_, timezone)
    return range_.start if len(cut) <= most else cut[-most - 1].end


def _cut_ranges(open_: OpenTime, range_: TimeRange, timezone: ZoneInfo) -> tuple[TimeRange, ...]:
    return tuple(one for one in open_.ranges if not _is_on_hours(one, range_, timezone))


def _is_on_hours(one: TimeRange, range_: TimeRange, timezone: ZoneInfo) -> bool:
    return all(
        edge == bound or bucket_start(edge, Granularity.HOUR, timezone) == edge
        for edge, bound in zip(one, range_, strict=True)
    )


def _plan(query: MetricsQuery, opening: Opening, now: datetime) -> _Plan:
    timezone = ZoneInfo(query.timezone or DEFAULT_TIMEZONE)
    ends = (parse_instant(text or "now", now=now, timezone=timezone) for text in (query.from_, query.to))
    range_ = TimeRange(*ends)
    granularity = query.granularity or inferred_granularity(*range_)
    return _Plan(query, range_, granularity, timezone, opening.of(range_), now)


@dataclass(frozen=True)
class _Plan:
    """How one query is answered: what is asked in its place, and what is made of the answers."""

    query: MetricsQuery
    range: TimeRange
    granularity: Granularity
    timezone: ZoneInfo
    open: OpenTime
    now: datetime

    def queries(self) -> dict[_Part, MetricsQuery]:
        """By aggregation and part; none where it is closed throughout."""
        unit = Granularity.MINUTE if self.granularity is Granularity.MINUTE else Granularity.HOUR
        return {
            (aggregation, part): self.query.model_copy(
                update={
                    "metrics": metrics,
                    "aggregation": aggregation,
                    "granularity": unit,
                    "from_": time_text(range_.start, self.now, self.timezone),
                    "to": time_text(range_.end, self.now, self.timezone),
                }
            )
            for aggregation, metrics in self._wanted.items()
            for part, range_ in enumerate(self._parts)
        }

    def points(self, answers: Mapping[_Part, Sequence[MetricPoint]]) -> list[MetricPoint] | None:
        """The answer, ascending; None where a part of it is missing, or tells no hours of the local clock."""
        if answers.keys() != self.queries().keys():
            return None
        if self.granularity is Granularity.MINUTE:
            return [one for own in answers.values() for one in own if self.open.has(one.timestamp)]
        if not all(self._are_hours(points, part) for (_, part), points in answers.items()):
            return None
        if not self._is_folded:
            kept = [one for (_, part), own in answers.items() for one in own if self._is_of(one, part)]
            return sorted(kept, key=lambda one: one.timestamp)
        pieces: defaultdict[datetime, list[_Piece]] = defaultdict(list)
        for part in range(len(self._parts)):
            for start, piece in self._pieces(answers, part):
                pieces[bucket_start(start, self.granularity, self.timezone)].append(piece)
        folded = ((start, self._fold(own)) for start, own in sorted(pieces.items()))
        return [MetricPoint(timestamp=start, metrics=values) for start, values in folded if values]

    def _are_hours(self, points: Sequence[MetricPoint], part: int) -> bool:
        """Whether they are hours of the local clock: a service may answer in longer ones, or in other zones'.
        One that stands alone is an hour of its part, and no day that begins before it.
        """
        first = bucket_start(self._parts[part].start, Granularity.HOUR, self.timezone)
        return (
            all(first <= one.timestamp < self._parts[part].end for one in points)
            and answered_in(points, Granularity.HOUR, self.timezone) is Granularity.HOUR
            and not past_the_hour(points, self.timezone)
        )

    @cached_property
    def _cut(self) -> OpenTime:
        """Stretches that open or close within an hour."""
        return OpenTime(_cut_ranges(self.open, self.range, self.timezone))

    @cached_property
    def _parts(self) -> list[TimeRange]:
        """What is asked for: each stretch that is cut; then, from the first opening to the last closing, the
        others.
        """
        if not self.open.ranges:
            return []
        whole = TimeRange(self.open.ranges[0].start, self.open.ranges[-1].end)
        cut = self._cut.ranges
        if self.granularity is Granularity.MINUTE or not cut:
            return [whole]
        return [*cut, *([whole] if len(cut) < len(self.open.ranges) else [])]

    def _is_of(self, point: MetricPoint, part: int) -> bool:
        """Whether this part tells the hour of the point, and no other one does."""
        if part < len(self._cut.ranges):
            return True
        hour = point.timestamp, next_bucket_start(point.timestamp, Granularity.HOUR, self.timezone)
        return bool(self.open.within(*hour)) and not self._cut.within(*hour)

    @cached_property
    def _is_folded(self) -> bool:
        """Whether several hours, or several parts of one, make a bucket."""
        if self.granularity is not Granularity.HOUR:
            return True
        hours = [
            start
            for one in self.open.ranges
            for start in bucket_starts(*one, Granularity.HOUR, self.timezone)
        ]
        return len(hours) > len(set(hours))

    @cached_property
    def _wanted(self) -> dict[Aggregation | None, tuple[MetricKey, ...]]:
        """Which metrics are asked for in which aggregation."""
        if self.granularity is Granularity.MINUTE or not self._is_folded:
            return {self.query.aggregation: self.query.metrics}
        wanted: dict[Aggregation | None, dict[MetricKey, None]] = {}
        for metric in self.query.metrics:
            for key, aggregation in _needed(metric, self.query.aggregation):
                wanted.setdefault(aggregation, {})[key] = None
        return {aggregation: tuple(metrics) for aggregation, metrics in wanted.items()}

    def _pieces(
        self, answers: Mapping[_Part, Sequence[MetricPoint]], part: int
    ) -> Iterator[tuple[datetime, _Piece]]:
        """Each hour of a part, and what it tells by metric and aggregation."""
        told: defaultdict[datetime, dict[tuple[MetricKey, Aggregation | None], Number]] = defaultdict(dict)
        for aggregation in self._wanted:
            for point in answers[aggregation, part]:
                if self._is_of(point, part):
                    # A service may tell more than it was asked for.
                    for metric in METRICS:
                        if (value := point.metrics.get(metric)) is not None:
                            told[point.timestamp][metric, aggregation] = value
        counted = self._counted(told, self._parts[part])
        for start, values in told.items():
            held = bucket_minutes(start, Granularity.HOUR, self._parts[part], self.timezone)
            yield start, _Piece(values, counted.get(start, held))

    def _counted(
        self,
        told: Mapping[datetime, Mapping[tuple[MetricKey, Aggregation | None], Number]],
        part: TimeRange,
    ) -> dict[datetime, float]:
        """Start of an hour -> its counted minutes, where some metric tells them."""
        known: dict[datetime, float] = {}
        for metric in METRICS:
            sums, averages = (
                {start: own[metric, one] for start, own in told.items() if (metric, one) in own}
                for one in (Aggregation.SUM, Aggregation.AVERAGE)
            )
            found = minutes_of(
                sums,
                averages,
                lambda start: bucket_minutes(start, Granularity.HOUR, part, self.timezone),
            )
            known = found | known
        return known

    def _fold(self, pieces: Sequence[_Piece]) -> dict[str, Number]:
        values = {metric: _folded(metric, self.query.aggregation, pieces) for metric in self.query.metrics}
        return {metric: value for metric, value in values.items() if value is not None}


class _Piece(NamedTuple):
    """An hour, or the open part of one."""

    values: Mapping[tuple[MetricKey, Aggregation | None], Number]
    minutes: float
    """That are counted; all, where that is not known."""


def _needed(metric: MetricKey, asked: Aggregation | None) -> list[tuple[MetricKey, Aggregation]]:
    """What hours must tell so that longer buckets can be made of them."""
    spec = METRICS[metric]
    if spec.kind is MetricKind.MEAN:
        people = (MetricKey.ENTRANCES, MetricKey.VISITORS_INSIDE)
        return [(metric, spec.default_aggregation), *((one, Aggregation.SUM) for one in people)]
    aggregation = asked or spec.default_aggregation
    if aggregation is not Aggregation.AVERAGE:
        return [(metric, aggregation)]
    # Of an hour in which nobody was inside, who came or went still tells the minutes.
    telling = (metric, *CROSSINGS) if metric is MetricKey.VISITORS_INSIDE else (metric,)
    return [(one, of) for one in telling for of in (aggregation, Aggregation.SUM)]


def _folded(metric: MetricKey, asked: Aggregation | None, pieces: Sequence[_Piece]) -> Number | None:
    spec = METRICS[metric]
    aggregation = (
        spec.default_aggregation if spec.kind is MetricKind.MEAN else asked or spec.default_aggregation
    )
    own = [piece for piece in pieces if (metric, aggregation) in piece.values]
    if not own:
        return None
    values = [piece.values[metric, aggregation] for piece in own]
    if len(pieces) == 1:
        return values[0]
    if spec.kind is MetricKind.MEAN:
        return _mean_over_people(metric, aggregation, pieces)
    if aggregation is Aggregation.SUM:
        return sum(values)
    if aggregation is Aggregation.AVERAGE:
        summed = [piece for piece in own if (metric, Aggregation.SUM) in piece.values]
        minutes = sum(piece.minutes for piece in summed)
        people = sum(piece.values[metric, Aggregation.SUM] for piece in summed)
        return people / minutes if minutes else None
    return max(values) if aggregation is Aggregation.MAXIMUM else min(values)


def _mean_over_people(metric: MetricKey, aggregation: Aggregation, pieces: Sequence[_Piece]) -> float | None:
    """Of who came in; in an hour in which nobody did, those inside spent their time all the same."""
    came = spent = 0.0
    for piece in pieces:
        people = piece.values.get((MetricKey.ENTRANCES, Aggregation.SUM), 0)
        mean = piece.values.get((metric, aggregation))
        if mean is not None and people:
            came += people
            spent += mean * people
        else:
            inside = piece.values.get((MetricKey.VISITORS_INSIDE, Aggregation.SUM), 0)
            spent += _MINUTE_SECONDS * inside
    return spent / came if came else None
