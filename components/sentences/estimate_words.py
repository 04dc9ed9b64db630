"""What is estimated of times without counts, in words: that it is an estimate, of what, and in no number."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from datetime import date, datetime
from typing import Final

from analysis.bands import Band, added_up
from analysis.estimates import Estimates, estimated_metrics
from analysis.history_data import HistoryData
from analysis.history_request import HistoryRequest
from analysis.past_hours import FEWEST_DAYS, Estimated
from analysis.subject import Subject
from components.number_format import Formats
from components.sentences.answers import verb_of
from components.sentences.metric_words import AGGREGATION_LABELS
from components.sentences.rhythm_words import named_days, weekday_name
from contract import METRICS, MetricKey, MetricKind

HOW: Final = (
    "Estimated: the median of the same hours of such weekdays in the 8 weeks before, by the site's clock; in"
    " no other number."
)
DRAWN: Final = "Hatched backwards or as open dots, with a line from the fewest to the most of these days."
UNDRAWN: Final = "Not drawn: only hours of the site's clock are, and of who came or went its days."
"""Beside bars that are minutes, months, or hours and days of another clock."""
INSIDE_UNDRAWN: Final = "Of people inside only hours are drawn."
NOTHING: Final = "Estimates: nothing is missing here of which such days before tell."
TOO_OFTEN: Final = (
    "Nothing is estimated: in this range and the 8 weeks before, this site opens or closes within an hour too"
    " often to ask for each time by itself. Choose a shorter range."
)
_ROUNDED_FROM: Final = 100
_A_MINUTE: Final = 60


def estimate_words(subject: Subject, estimates: Estimates, formats: Formats) -> list[str]:
    """A sentence for each metric of which minutes are missing; empty: none are, or none can be told of."""
    columns = [(subject.label, metric) for metric in METRICS]
    levels = [one for one in columns if METRICS[one[1]].kind is MetricKind.LEVEL]
    if subject.label in estimates.unread:
        return ["The weeks before could not be read by the hour, so nothing is estimated."]
    untold = {one: days for one in columns if (days := estimates.untold.get(one))}
    beside = {one: sum(untold.get(one, {}).values()) for one in columns}
    return [
        *(
            _flow(subject, one[1], estimates.days[one], beside[one], formats)
            for one in columns
            if one in estimates.days
        ),
        *(_level(estimates.hours[one], beside[one], formats) for one in levels if one in estimates.hours),
        *_untold({metric: days for (_, metric), days in untold.items()}, formats),
    ]


def drawn_words(estimates: Estimates, data: HistoryData | None) -> str:
    """How they look on the chart of `data`, and what of them is not on it; None: there is none."""
    if data is None or not data.estimates:
        return UNDRAWN
    are_levels = [
        any(METRICS[metric].kind is MetricKind.LEVEL for _, metric in own)
        for own in (estimates.hours, data.estimates)
    ]
    return f"{DRAWN} {INSIDE_UNDRAWN}" if are_levels == [True, False] else DRAWN


def unestimated_words(request: HistoryRequest) -> str:
    """Which of the numbers shown are not estimated, wherever they are missing; empty: all are."""
    estimated = estimated_metrics(request)
    asked = request.aggregation
    names = [
        METRICS[metric].label
        if asked is None or METRICS[metric].kind is MetricKind.MEAN
        else f"{METRICS[metric].label} ({AGGREGATION_LABELS[asked].lower()})"
        for metric in request.metrics
        if metric not in estimated
    ]
    return f"Not estimated: {', '.join(names)}." if names else ""


def _untold(metrics: Mapping[MetricKey, Mapping[date, float]], formats: Formats) -> list[str]:
    """Of which times nothing is estimated; metrics that lack the same ones share a sentence."""
    alike: defaultdict[tuple[tuple[date, float], ...], list[str]] = defaultdict(list)
    for metric, lacking in metrics.items():
        alike[tuple(sorted(lacking.items()))].append(METRICS[metric].label.lower())
    said = []
    for own, names in alike.items():
        minutes, days = sum(one for _, one in own), [day for day, _ in own]
        what = f"{formats.duration(minutes * _A_MINUTE)} without counts ({named_days(days, formats)})"
        joined = " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
        few = f"fewer than {FEWEST_DAYS} such days before have sound counts then"
        said.append(f"{joined.capitalize()} of {what} are not estimated: {few}.")
    return said


def _flow(
    subject: Subject, metric: MetricKey, days: Mapping[date, Estimated], untold: float, formats: Formats
) -> str:
    """How many more came or went in the time that was not counted, and on what that rests. `untold`: further
    minutes that were not, of which nothing is estimated.
    """
    whole = added_up([one.people for one in days.values()])
    minutes = sum(one.minutes for one in days.values())
    weekdays = {day.weekday() for day in days}
    alike = f"{weekday_name(weekdays.pop())}s before" if len(weekdays) == 1 else "such days before each"
    least = "" if len({one.people.days for one in days.values()}) == 1 else " or more"
    return (
        f"About {_about(whole.median, formats)} more {verb_of(subject, metric)} during"
        f" {_part(minutes, untold, formats)} that were not counted (estimate from {whole.days}{least}"
        f" {alike}, with {_between(whole, formats)}; not in any number here)."
    )


def _level(hours: Mapping[datetime, Estimated], untold: float, formats: Formats) -> str:
    """People inside do not add up: the highest of the hours is told."""
    most = max(hours.values(), key=lambda one: one.people.median).people
    minutes = sum(one.minutes for one in hours.values())
    of = "within" if untold else "of"
    return (
        f"Inside were at most about {_about(most.median, formats)} on average in an hour {of}"
        f" {_part(minutes, untold, formats)} of hours without any counts (estimate from {most.days} such"
        f" days before, with {_between(most, formats)}; not in any number here)."
    )


def _part(minutes: float, untold: float, formats: Formats) -> str:
    """`the 80 min`, `80 min of the 3 h 0 min`: of what is missing, that of which something is estimated."""
    own, all_ = (formats.duration(one * _A_MINUTE) for one in (minutes, minutes + untold))
    return f"{f'{own} of ' if untold else ''}the {all_}"


def _between(band: Band, formats: Formats) -> str:
    low, high = (_about(one, formats) for one in (band.low, band.high))
    return low if low == high else f"{low} to {high}"


def _about(people: float, formats: Formats) -> str:
    """Nobody knows the last digit of a large estimate."""
    return formats.number(round(people, -1) if people >= _ROUNDED_FROM else people)
