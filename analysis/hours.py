"""The hours of a range, from which follows when a place is open and how long people stay."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from analysis.history_request import HistoryRequest
from analysis.open_hours import open_hours
from analysis.peak_search import Ask, answered_in
from analysis.subject import Subject
from analysis.time_range import TimeRange
from contract import METRICS, Granularity, MetricPoint

Points = Mapping[Subject, Sequence[MetricPoint]]


def read_hours(request: HistoryRequest, ask: Ask) -> Points:
    """Who came and left, was inside and for how long, hour by hour, whichever metrics the page shows.

    Without what could not be read, or is answered in longer buckets.
    """
    hours = request.over(request.range, Granularity.HOUR)
    answers = ask(replace(hours, metrics=tuple(METRICS), aggregation=None).queries())
    return {
        subject: points
        for subject, points in answers.items()
        if not points or answered_in(points, Granularity.HOUR) is Granularity.HOUR
    }


def open_by_label(hours: Points, range_: TimeRange) -> dict[str, frozenset[datetime]]:
    """Label -> starts of the hours in which it is open, where that is known."""
    found = {subject.label: open_hours(points, *range_) for subject, points in hours.items()}
    return {label: starts for label, starts in found.items() if starts is not None}
