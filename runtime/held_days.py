"""What can be read of a range of which older days lie in an archive that the service cannot read now."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from analysis.history_request import HistoryRequest
from analysis.time_range import TimeRange
from contract import MetricsQuery
from contract.buckets import local_midnight
from runtime.answers import Answers
from runtime.reads import read_answers

_DAY: Final = timedelta(days=1)


class HeldPart(NamedTuple):
    request: HistoryRequest
    """As it was asked, or of the whole local days that can be read."""
    answers: Answers[str]
    held_from: datetime | None
    """When these days begin, aware; None: it is all that was asked for."""


def read_held_part(
    request: HistoryRequest, queries: Callable[[HistoryRequest], Mapping[str, MetricsQuery]], name: str
) -> HeldPart:
    """Of the queries of `request`, that of `name` is of its whole range. Where that is refused because of the
    archive, it is asked again of the whole days that are not there; where there are none, it stays refused.
    """
    answers = read_answers(queries(request))
    begin = _whole_days_from(getattr(answers.failures.get(name), "held_from", None), request)
    if begin is None:
        return HeldPart(request, answers, None)
    shorter = replace(request, range=TimeRange(begin, request.range.end))
    again = read_answers(queries(shorter))
    return HeldPart(shorter, again, begin) if name in again.known else HeldPart(request, answers, None)


def _whole_days_from(held_from: datetime | None, request: HistoryRequest) -> datetime | None:
    if held_from is None:
        return None
    day = held_from.astimezone(request.timezone).date()
    begin = local_midnight(day, request.timezone)
    begin = begin if begin >= held_from else local_midnight(day + _DAY, request.timezone)
    return begin if request.range.start < begin < request.range.end else None
