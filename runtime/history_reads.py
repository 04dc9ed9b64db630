"""What History shows is read: of all hours, or of open ones alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Final, NamedTuple

from analysis.asked_query import AskedQuery
from analysis.estimates import BACK, Estimates, gap_estimates, range_before
from analysis.history_request import HistoryRequest, Points
from analysis.open_only import Asked, cuts, open_only
from analysis.open_time import Opening
from analysis.opening_hours import OpeningHours
from analysis.spoilt_days import spoilt_days
from analysis.subject import Subject, SubjectKind
from analysis.time_range import TimeRange
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
from runtime.occupancies import occupancy_or_none
from runtime.reads import read_answers, read_points

_MOST_ASKED: Final = 1_000
"""Queries of all places together for what an estimate rests on."""

Failures = Mapping[Subject, ApiClientError]


class HistoryReads(NamedTuple):
    points: Points
    failures: Failures
    untold: Sequence[Subject]
    """Those that the service answers, but not so that open hours can be told."""
    asked: Sequence[AskedQuery]
    has_refused: bool = False
    """Whether values are left out because they cannot be right."""

    @property
    def inferred(self) -> Mapping[str, Any]:
        """What the service filled in of a query."""
        return self.asked[0].inferred if self.asked else {}


def read_history(request: HistoryRequest) -> HistoryReads:
    """The answer to each of its queries; what fails for one leaves the others be."""
    known: dict[Any, MetricsAnswer] = {}
    asked: dict[Any, MetricsQuery] = {}
    failures: dict[Subject, ApiClientError] = {}

    def run(queries: Mapping[Any, MetricsQuery]) -> Mapping[Any, Sequence[MetricPoint]]:
        answers = read_answers(queries)
        asked.update(queries)
        known.update(answers.known)
        failures.update({_subject_of(key): error for key, error in answers.failures.items()})
        return answers.points

    queries = request.queries()
    points = open_only(request, run)(queries)
    untold = [subject for subject in queries if subject not in points and subject not in failures]
    has_refused = any(has_refused_values(answer.left_out) for answer in known.values())
    return HistoryReads(points, failures, untold, _asked(asked, known), has_refused)


def with_capacity(request: HistoryRequest, site: Site) -> HistoryRequest:
    """With what the whole site can hold, as far as that is known."""
    if request.subjects[0].kind is not SubjectKind.SITE or (known := occupancy_or_none(site)) is None:
        return request
    return replace(request, subjects=(request.subjects[0]._replace(capacity=known.capacity),))


def read_estimates(request: HistoryRequest, hours: OpeningHours | None, site: Site) -> Estimates:
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
    return gap_estimates(own, open_only(own, read_points), spoilt=_spoilt_hours(own))


def _spoilt_hours(request: HistoryRequest) -> dict[str, frozenset[datetime]]:
    """Of each zone, where people inside are asked for: in all of the weeks on which an estimate rests."""
    if MetricKey.VISITORS_INSIDE not in request.metrics:
        return {}
    zones = [one for one in request.subjects if one.kind is not SubjectKind.PASSAGE]
    weeks = request.over(TimeRange(request.range.start - BACK, request.range.end), Granularity.HOUR)
    weeks = replace(weeks, opening=None)
    found = {zone.label: spoilt_days(replace(weeks, subjects=(zone,)), read_points) for zone in zones}
    return {label: days.hours for label, days in found.items() if days}


def run_telling(say: Callable[[Failures], None]) -> Callable[[Any], Mapping[Any, Sequence[MetricPoint]]]:
    """Runs queries of History, and has `say` tell what fails."""

    def run(queries: Mapping[Any, MetricsQuery]) -> Mapping[Any, Sequence[MetricPoint]]:
        answers = read_answers(queries)
        say({_subject_of(key): error for key, error in answers.failures.items()})
        return answers.points

    return run


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
