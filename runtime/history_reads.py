"""What History shows is read: of all hours, or of open ones alone; in few rounds, whatever rests on what."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import CancelledError, Future
from dataclasses import replace
from datetime import datetime
from functools import partial
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from analysis.asked_query import AskedQuery
from analysis.counted_minutes import minutes_queries
from analysis.estimates import BACK, Estimates, gap_estimates, range_before
from analysis.first_count import FirstCount, counted_since, find_first_count, first_bucket
from analysis.granularity import answered_granularity, longer_size, minutes_past
from analysis.history_answer import ComparedRange, HistoryAnswer, history_answer
from analysis.history_band import with_inside_band
from analysis.history_request import HistoryRequest, Points, RunQueries
from analysis.hourly_verdict import with_hourly_verdict
from analysis.open_only import Asked, cuts, open_only
from analysis.open_time import Opening
from analysis.opening_hours import OpeningHours
from analysis.spoilt_days import spoilt_days
from analysis.subject import Subject, SubjectKind
from analysis.time_range import TimeRange
from analysis.told_archive import told_archive
from analysis.told_folding import told_folding
from analysis.told_levels import ToldLevel, told_levels
from analysis.trust_grid import Grid, hourly_answers, place_grid
from api_client import ApiClientError, MetricsAnswer, has_refused_values
from contract import (
    DEFAULT_TIMEZONE,
    Aggregation,
    Granularity,
    MetricKey,
    MetricPoint,
    MetricsQuery,
    Site,
)
from live.clock import local_zone
from runtime.asked_together import AskedTogether, as_of_its_quarter
from runtime.occupancies import SiteOccupancy, begin_reading
from runtime.reads import read_points

_MOST_ASKED: Final = 1_000
"""Queries of all places together for what an estimate rests on."""

Failures = Mapping[Subject, ApiClientError]


class HistoryReads(NamedTuple):
    """What was asked for first, and what its answers are made of."""

    points: Points
    failures: Failures
    untold: Sequence[Subject]
    """Those that the service answers, but not so that open hours can be told."""
    asked: Sequence[AskedQuery]
    has_refused: bool
    """Whether values are left out because they cannot be right."""
    levels: Mapping[str, Sequence[ToldLevel]] = MappingProxyType({})
    """Label of a zone -> what was set by hand, as its answers tell it."""
    folded_until: datetime | None = None
    """Before then the service keeps quarters of an hour alone; None: of nothing in the range."""
    held_from: datetime | None = None
    """What was counted before lies in an archive that the service cannot read now; None: nothing of it."""

    @property
    def inferred(self) -> Mapping[str, Any]:
        """What the service filled in of a query."""
        return self.asked[0].inferred if self.asked else {}


class ReadHistory(NamedTuple):
    """All that History shows of a range, as far as it can be read."""

    request: HistoryRequest
    """With the capacity of the whole site, as far as that is known."""
    reads: HistoryReads
    granularity: Granularity
    """Of what was read."""
    longer: Granularity | None = None
    """The one to ask for instead, as this range has no two such buckets in a row."""
    first_count: FirstCount | None = None
    """Of a site without any in this range."""
    estimates: Estimates | None = None
    """None: nobody asked for them."""
    answer: HistoryAnswer | None = None
    """None: there is nothing to be made of what was read."""
    other_failures: Failures = MappingProxyType({})
    """Of the other period."""


def read_history(
    request: HistoryRequest,
    compare: ComparedRange,
    site: Site,
    hours: OpeningHours | None,
    *,
    is_estimated: bool = False,
) -> ReadHistory:
    """What fails for one zone or passage leaves the others be.

    Raises CancelledError, and asks no more, once nobody waits for what is read in the background.
    """
    asking = AskedTogether()

    def work(own: HistoryRequest) -> ReadHistory:
        own_hours = hours if is_estimated else None
        read = partial(_read_with, asking, own, compare, site, own_hours, is_estimated=is_estimated)
        key = "history", as_of_its_quarter(own), compare, site.timezone, own_hours, is_estimated
        return asking.remembered(key, read)._replace(request=own)

    if request.subjects[0].kind is not SubjectKind.SITE:
        return asking.worked_out(partial(work, request))
    occupancy = begin_reading(site)
    if not occupancy.done():
        asking.worked_out(partial(work, request))
    return asking.worked_out(partial(work, _with_capacity(request, occupancy)))


def _with_capacity(request: HistoryRequest, occupancy: Future[SiteOccupancy]) -> HistoryRequest:
    try:
        capacity = occupancy.result().capacity
    except (ApiClientError, CancelledError):
        return request
    return replace(request, subjects=(request.subjects[0]._replace(capacity=capacity),))


def _read_with(
    asking: AskedTogether,
    request: HistoryRequest,
    compare: ComparedRange,
    site: Site,
    hours: OpeningHours | None,
    *,
    is_estimated: bool,
) -> ReadHistory:
    """As far as it is known by now. What does not rest on the points is asked for together with them."""
    reads, run = _points(asking, request), asking.points
    points = reads.points
    granularity = answered_granularity(request, reads.inferred, points)
    found = ReadHistory(request, reads, granularity)
    if reads.untold and request.opening:
        return found
    if is_estimated and points:
        since = counted_since(request, first_bucket(points), run, granularity)
        own = replace(request, range=TimeRange(since, request.range.end)) if since else request
        found = found._replace(estimates=read_estimates(own, hours, site, run))
    if not any(points.values()) and not asking.is_waiting:
        if points and not reads.has_refused:
            found = found._replace(first_count=find_first_count(request, run))
        if not (found.estimates and found.estimates.hours):
            return found
    if longer := longer_size(request, points, granularity):
        return found._replace(longer=longer)
    if any(minutes_past(own, granularity, request.timezone) for own in points.values()):
        return found
    failures: dict[Subject, ApiClientError] = {}

    def run_other(queries: Mapping[Any, MetricsQuery]) -> Mapping[Any, Sequence[MetricPoint]]:
        answers = asking.answers(queries)
        failures.update({_subject_of(key): error for key, error in answers.failures.items()})
        return answers.points

    answer = history_answer(request, points, granularity, compare, run=run, run_other=run_other)
    grid_of = partial(read_grid, asking)
    told = replace(
        answer.data, levels=reads.levels, folded_until=reads.folded_until, held_from=reads.held_from
    )
    judged = with_hourly_verdict(told, request, answer.peaks, grid_of)
    answer = answer._replace(data=with_inside_band(judged, request, grid_of))
    return found._replace(answer=answer, other_failures=failures)


def _points(asking: AskedTogether, request: HistoryRequest) -> HistoryReads:
    known: dict[Any, MetricsAnswer] = {}
    asked: dict[Any, MetricsQuery] = {}
    failures: dict[Subject, ApiClientError] = {}

    def run(queries: Mapping[Any, MetricsQuery]) -> Mapping[Any, Sequence[MetricPoint]]:
        answers = asking.answers(queries)
        asked.update(queries)
        known.update(answers.known)
        failures.update({_subject_of(key): error for key, error in answers.failures.items()})
        return answers.points

    queries = request.queries()
    points = open_only(request, run)(queries)
    untold = [one for one in queries if one not in points and one not in failures and not asking.is_waiting]
    has_refused = any(has_refused_values(answer.left_out) for answer in known.values())
    levels: dict[str, set[ToldLevel]] = {}
    for key, answer in known.items():
        levels.setdefault(_subject_of(key).label, set()).update(told_levels(answer.warnings))
    told = {label: sorted(own) for label, own in levels.items() if own}
    warnings = [one for answer in known.values() for one in answer.warnings]
    folded, held_from = told_folding(warnings), told_archive(warnings)
    return HistoryReads(points, failures, untold, _asked(asked, known), has_refused, told, folded, held_from)


def read_estimates(
    request: HistoryRequest, hours: OpeningHours | None, site: Site, run: RunQueries = read_points
) -> Estimates:
    """What is estimated of missing times, as far as what it rests on can be read.

    By the clock of the site, whichever zone one looks at it in. `hours` say in which times nothing is
    missing, whether or not the request is of open hours alone.
    """
    timezone = local_zone(site.timezone or DEFAULT_TIMEZONE)
    own = replace(request, timezone=timezone, opening=Opening(hours, timezone) if hours else None)
    if own.opening and not request.range.is_empty:
        found = sum(cuts(own.opening, one, timezone) for one in (range_before(own), own.range))
        # Each is asked for its numbers, and for its minutes by each metric.
        if found * (1 + len(own.metrics)) * len(own.queries()) > _MOST_ASKED:
            return Estimates({}, {}, {}, is_too_often=True)
    return gap_estimates(own, open_only(own, run), spoilt=_spoilt_hours(own, run))


def read_grid(asking: AskedTogether, request: HistoryRequest) -> Grid | None:
    """`place_grid`: the weeks by which any range of them is judged, with all that is told of their days.

    When it is asked matters to the text of its questions alone.
    """
    questions = tuple(query.model_dump_json() for query in request.queries().values())
    key = "grid", questions, replace(request, asked_at=request.range.end)

    def work() -> Grid | None:
        # A grid without any of what it rests on would be laid out in vain: so all of that is asked for first.
        asking.points(minutes_queries(replace(request, opening=None), Granularity.HOUR))
        known = hourly_answers(asking.points(request.queries()), request.timezone)
        counted_since(request, first_bucket(known), asking.points)
        return None if asking.is_lacking else place_grid(request, asking.points)

    return asking.remembered(key, work)


def _spoilt_hours(request: HistoryRequest, run: RunQueries) -> dict[str, frozenset[datetime]]:
    """Of each zone, where people inside are asked for: in all of the weeks on which an estimate rests."""
    if MetricKey.VISITORS_INSIDE not in request.metrics:
        return {}
    zones = [one for one in request.subjects if one.kind is not SubjectKind.PASSAGE]
    weeks = request.over(TimeRange(request.range.start - BACK, request.range.end), Granularity.HOUR)
    weeks = replace(weeks, opening=None)
    found = {zone.label: spoilt_days(replace(weeks, subjects=(zone,)), run) for zone in zones}
    return {label: days.hours for label, days in found.items() if days}


def _subject_of(key: Any) -> Subject:
    subject: Subject = key.key if isinstance(key, Asked) else key
    return subject


def _asked(queries: Mapping[Any, MetricsQuery], known: Mapping[Any, MetricsAnswer]) -> list[AskedQuery]:
    """Of queries that differ in their stretch of open time alone, the first."""
    groups: dict[tuple[Subject, Aggregation | None], list[Any]] = {}
    for key in known:
        groups.setdefault((_subject_of(key), queries[key].aggregation), []).append(key)
    return [
        AskedQuery(
            subject.label,
            queries[first],
            known[first].inferred,
            known[first].warnings,
            known[first].request_id,
            len(others),
        )
        for (subject, _), (first, *others) in groups.items()
    ]
