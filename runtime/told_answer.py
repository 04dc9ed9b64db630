"""An answer about metrics as it is remembered: for how long, by what was asked and what is in it."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final, NamedTuple

from analysis.belief import believed_for, is_whole
from analysis.time_range import TimeRange
from analysis.told_archive import leaves_out_archive
from api_client import MetricsAnswer, has_refused_values
from contract import DEFAULT_TIMEZONE, Granularity, MetricsQuery, zone_named
from contract.buckets import inferred_granularity
from contract.time_expressions import TimeExpressionError, parse_instant

_METRICS_AGE: Final = timedelta(seconds=20)
"""Of what is not over, has no counts, or lacks some: these may come any time."""
_OVER: Final = timedelta(minutes=2)
"""After the end of a range all of its minutes are usually there."""
_OF_AN_ANSWER: Final = 4
"""Points that weigh as much as one without any."""


class ToldAnswer(NamedTuple):
    answer: MetricsAnswer
    age: timedelta
    """Until it is asked for again."""

    @property
    def weight(self) -> int:
        return len(self.answer.points) + _OF_AN_ANSWER


def told_answer(query: MetricsQuery, answer: MetricsAnswer, asked_at: datetime) -> ToldAnswer:
    """`asked_at`, aware: when it was asked for, by the service's clock."""
    range_ = _past_range(query, asked_at)
    if range_ is None or not answer.points or leaves_out_archive(answer.warnings):
        return ToldAnswer(answer, _METRICS_AGE)
    zone = query.timezone or DEFAULT_TIMEZONE
    whole = not has_refused_values(answer.left_out) and is_whole(
        answer.points, range_, _unit(query, answer, range_), zone
    )
    return ToldAnswer(answer, believed_for(asked_at - range_.end, is_whole=whole))


def _unit(query: MetricsQuery, answer: MetricsAnswer, range_: TimeRange) -> Granularity:
    """As it was asked for, as the service says that it filled it in, or as its rule is."""
    try:
        return query.granularity or Granularity(answer.inferred["granularity"])
    except (KeyError, ValueError):
        return inferred_granularity(*range_)


def _past_range(query: MetricsQuery, now: datetime) -> TimeRange | None:
    """What it asks for, if that is one and the same range whenever it is asked, and over."""
    timezone = zone_named(query.timezone or DEFAULT_TIMEZONE)
    if query.from_ is None or query.to is None or timezone is None:
        return None
    try:
        first, second = (
            [parse_instant(text, now=at, timezone=timezone) for text in (query.from_, query.to)]
            for at in (now, now - _OVER)
        )
    except TimeExpressionError:
        return None
    return TimeRange(*first) if first == second and first[1] <= now - _OVER else None
