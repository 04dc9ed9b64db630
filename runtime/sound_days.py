"""From when on the number inside means something, day by day: a day that is over is read once and kept.

Told by its minutes, which show at which one a count began again: Ahead uses the rest of a day whose morning
still held those who were left over. `analysis/spoilt_days.py` judges days, too, by hours and at one question
for a year of them, where this asks one for each day; hours cannot tell the minute, and are a lower bound.
Neither can stand for the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import CancelledError, ThreadPoolExecutor, wait
from datetime import date, datetime, timedelta
from typing import Final

from analysis.ahead_answer import Sound, sound_since
from analysis.belief import LONGEST_BELIEF
from analysis.history_request import HistoryRequest
from analysis.subject import Subject
from analysis.time_range import TimeRange, whole_day
from analysis.typical_day import needs_what_follows
from api_client import ApiClientError
from contract import MetricPoint
from runtime.background import abandonment
from runtime.cache import Cache
from runtime.resources import get_client
from runtime.upstream import Account, get_upstream

_MOST_DAYS: Final = 20_000
_AT_ONCE: Final = 6
"""Requests under way together, however many look."""
_LONGEST: Final = timedelta(hours=24)
"""Of minutes; what a day of 25 hours has beyond it is not judged."""
_MORNING: Final = timedelta(hours=12)
"""In which those who were left over at midnight are forgotten."""

_LOOK_UP: Final = 0.5
"""Seconds."""
_pool: Final = ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="sound-days")
"""One for all viewers: it begins no thread before it is used."""

_kept: Final = Cache[tuple[Account, str, Subject, str, date], datetime | None](
    LONGEST_BELIEF, most=_MOST_DAYS
)


def forget_sound_days(site_id: str | None) -> None:
    """They are read anew, those of this site alone where one is named."""
    account = get_upstream().account
    _kept.forget(lambda asked: asked[0] == account and site_id in (None, asked[1]))


def read_sound_days(request: HistoryRequest, days: Sequence[date]) -> Sound:
    """Of the one zone or site of `request`, on days that are over. A day that could not be read is absent.

    Raises ApiClientError where none could be, and CancelledError, asking no more, once nobody waits for what
    is read in the background.
    """
    is_abandoned = abandonment()
    asked = {day: _pool.submit(_attempt, request, day) for day in days}
    try:
        while wait(asked.values(), _LOOK_UP).not_done:
            if is_abandoned():
                raise CancelledError
    finally:
        for one in asked.values():
            one.cancel()
    outcomes = {day: one.result() for day, one in asked.items()}
    errors = [one for one in outcomes.values() if isinstance(one, ApiClientError)]
    if errors and len(errors) == len(outcomes):
        raise errors[0]
    return {day: one for day, one in outcomes.items() if not isinstance(one, ApiClientError)}


def _attempt(request: HistoryRequest, day: date) -> datetime | ApiClientError | None:
    (subject,) = request.subjects
    asked = get_upstream().account, request.site_id, subject, request.timezone.key, day
    try:
        return _kept.get(asked, lambda: _read(request, day))
    except ApiClientError as error:
        return error


def _read(request: HistoryRequest, day: date) -> datetime | None:
    start, end = whole_day(day, request.timezone)
    points = _minutes(request, TimeRange(start, min(end, start + _LONGEST)))
    after: Sequence[MetricPoint] = ()
    if needs_what_follows(points):
        after = _minutes(request, TimeRange(end, min(end + _MORNING, request.range.end)))
    return sound_since(points, after, start)


def _minutes(request: HistoryRequest, range_: TimeRange) -> Sequence[MetricPoint]:
    (subject,) = request.subjects
    return () if range_.is_empty else get_client().metrics(request.minutes(subject, range_)).points
