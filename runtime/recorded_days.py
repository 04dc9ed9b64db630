"""Reads one day of a site for a replay: its places and passages, each a question of its own, side by side.

A day that is over is kept once it was read without a failure. Minutes are asked for, and where a service has
none of that day any more, hours.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Final, NamedTuple

from analysis.belief import believed_for
from analysis.history_request import HistoryRequest
from analysis.recorded_day import (
    RecordedDay,
    day_before,
    empty_day,
    morning_after,
    needs_what_precedes,
    parts_of,
    recorded_passage,
    recorded_place,
    step_of,
)
from analysis.subject import Subject
from analysis.time_range import TimeRange, time_text
from analysis.typical_day import needs_what_follows
from api_client import ApiClientError
from contract import CROSSINGS, Granularity, MetricKey, MetricPoint, MetricsQuery, Site
from live.crossings import HOUR, CountedPassage, counted_passages, too_many_passages
from runtime.cache import Cache
from runtime.reads import oldest_of, read_answers
from runtime.upstream import Account, get_upstream

_MOST_DAYS: Final = 64
_PATIENCE: Final = 60.0
"""Seconds: a site with a hundred passages takes its time."""
MOST_PLACES: Final = 60
"""Each is a question of its own; of more zones in a site, none is read."""
_METRICS: Final = (MetricKey.VISITORS_INSIDE, *CROSSINGS)

Points = Mapping[str, Sequence[MetricPoint]]


class ReadDay(NamedTuple):
    day: RecordedDay
    failures: Mapping[str, ApiClientError]
    """By the name of the place, or the id of the passage."""
    unread: str = ""
    """Why no passage is read though they are asked for; empty: they are."""


class _Kept(NamedTuple):
    day: RecordedDay
    oldest: timedelta
    """How long ago the first of its answers was asked for: some may have been known before."""

    @property
    def age(self) -> timedelta:
        return believed_for(datetime.now(UTC) - self.day.whole.end) - self.oldest


_kept: Final = Cache[tuple[Account, Site, tuple[str, ...], date], _Kept](
    lambda kept: kept.age, most=_MOST_DAYS, patience=_PATIENCE
)


def forget_recorded_days(site_id: str | None) -> None:
    """They are read anew, those of this site alone where one is named."""
    account = get_upstream().account
    _kept.forget(lambda asked: asked[0] == account and site_id in (None, asked[1].id))


class _Asking:
    def __init__(self) -> None:
        self.oldest = timedelta()
        """How long ago the first of what was asked for was."""

    def ask(
        self, queries: Mapping[tuple[str, TimeRange], MetricsQuery]
    ) -> tuple[dict[str, list[MetricPoint]], dict[str, ApiClientError], bool]:
        """Points by name, those of all its parts; a name of which one part fails has failed. Then whether
        values are left out.
        """
        answers = read_answers(queries)
        self.oldest = max(self.oldest, oldest_of(queries.values()))
        told = answers.points
        failures = {name: error for (name, _), error in answers.failures.items()}
        points: dict[str, list[MetricPoint]] = {name: [] for name, _ in queries if name not in failures}
        for name, part in sorted(answers.known, key=lambda one: one[1]):
            if name in points:
                points[name] += told[name, part]
        return points, failures, answers.has_refused


class _ReadError(Exception):
    """Carries a day that lacks something out of the cache, which keeps none of these."""

    def __init__(self, read: ReadDay) -> None:
        super().__init__()
        self.read = read


def read_recorded_day(
    site: Site, places: Mapping[str, Subject], request: HistoryRequest, *, with_passages: bool = True
) -> ReadDay:
    """The day at which the request's range begins, of `places` by name, the first of which is needed, and of
    the site's passages, where they are asked for.

    Raises ApiClientError where the first cannot be read.
    """
    day = request.range.start.astimezone(request.timezone).date()
    blank = empty_day(day, request.timezone, request.asked_at)
    listed = counted_passages(site) if with_passages else ()
    unread = too_many_passages(len(listed))
    passages = {} if unread else {one.passage_id: one for one in listed}
    try:
        if blank.counted != blank.whole:
            return ReadDay(_read(places, passages, request, blank).day, {}, unread)
        asked = get_upstream().account, site, (*places, *passages), day
        kept = _kept.get(asked, lambda: _read(places, passages, request, blank))
        return ReadDay(kept.day, {}, unread)
    except _ReadError as failed:
        return failed.read._replace(unread=unread)


def _read(
    places: Mapping[str, Subject],
    passages: Mapping[str, CountedPassage],
    request: HistoryRequest,
    blank: RecordedDay,
) -> _Kept:
    """Raises _ReadError with what was read where something could not be."""
    asking = _Asking()
    first = next(iter(places))
    points, failures, has_refused = asking.ask(
        _of_places({first: places[first]}, request, blank, Granularity.MINUTE)
    )
    asked = Granularity.MINUTE
    if not failures and not points[first]:
        asked = Granularity.HOUR
        points, failures, has_refused = asking.ask(_of_places({first: places[first]}, request, blank, asked))
    if failures:
        raise failures[first]
    day = replace(blank, step=step_of(points[first], asked), has_refused=has_refused)
    if not points[first]:
        return _Kept(day, asking.oldest)
    rest = {name: subject for name, subject in places.items() if name != first}
    by_zone = _of_places(rest, request, blank, asked)
    by_passage = {
        (f"//{id_}", part): _of_passage(one, request, part, asked)
        for id_, one in passages.items()
        for part in parts_of(blank.counted)
    }
    others, failures, has_others_refused = asking.ask({**by_zone, **by_passage})
    points = {**points, **others}
    told = {name: points[name] for name in places if name in points}
    after = _mornings(told, places, request, day, asking)
    before = _days_before(told, places, request, day, asking)
    day = replace(
        day,
        has_refused=has_refused or has_others_refused,
        places={
            name: recorded_place(day, own, after.get(name, ()), before.get(name, ()))
            for name, own in told.items()
        },
        passages={
            id_: recorded_passage(day, one.counts(points[f"//{id_}"]))
            for id_, one in passages.items()
            if f"//{id_}" in points
        },
    )
    if failures:
        raise _ReadError(ReadDay(day, failures))
    return _Kept(day, asking.oldest)


def _of_places(
    places: Mapping[str, Subject], request: HistoryRequest, day: RecordedDay, granularity: Granularity
) -> dict[tuple[str, TimeRange], MetricsQuery]:
    asked = replace(request, metrics=_METRICS)
    return {
        (name, part): asked.over(part, granularity).query(subject)
        for name, subject in places.items()
        for part in parts_of(day.counted)
    }


def _of_passage(
    passage: CountedPassage, request: HistoryRequest, part: TimeRange, granularity: Granularity
) -> MetricsQuery:
    start, end = (time_text(one, request.asked_at, request.timezone) for one in part)
    query = passage.query(request.site_id, request.timezone.key, HOUR)
    return query.model_copy(update={"from_": start, "to": end, "granularity": granularity})


def _mornings(
    points: Points, places: Mapping[str, Subject], request: HistoryRequest, day: RecordedDay, asking: _Asking
) -> Points:
    """Of those places where it takes the next morning to tell who was left over; not read is not known."""
    morning = morning_after(day, request.asked_at)
    needing = {name: places[name] for name in points if needs_what_follows(points[name])}
    if morning.is_empty or not needing:
        return {}
    return asking.ask(_of_places(needing, request, replace(day, counted=morning), Granularity.MINUTE))[0]


def _days_before(
    points: Points, places: Mapping[str, Subject], request: HistoryRequest, day: RecordedDay, asking: _Asking
) -> Points:
    """Of those places where it takes the day before to tell whether the number at midnight can be trusted."""
    needing = {name: places[name] for name in points if needs_what_precedes(day, points[name])}
    if not needing:
        return {}
    return asking.ask(
        _of_places(needing, request, replace(day, counted=day_before(day)), Granularity.MINUTE)
    )[0]
