"""From when on a place is quieter, for walls: what Ahead answers, read beside the curve, which waits for none
of it, and once for all who look.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from concurrent.futures import CancelledError
from datetime import datetime
from functools import partial
from threading import BoundedSemaphore, Lock
from typing import Final, NamedTuple

import structlog

from analysis.ahead_answer import ahead_request, spoilt_count
from analysis.granularity import minutes_past
from analysis.known_of_day import KnownOfDay, Quieter
from analysis.quieter import worth_waiting_for
from analysis.subject import subjects_of
from api_client import ApiClientError
from api_client.trouble_log import TroubleLog
from contract import Granularity, MetricKey
from runtime.ahead_answers import ahead_queries, read_ahead
from runtime.background import Reading, begin
from runtime.known_of_day import read_known_of_day
from runtime.reads import read_answers, read_site
from runtime.resources import service_time
from runtime.site_knowledge import read_opening_hours
from runtime.site_knowledge_store import SiteKnowledgeError
from runtime.upstream import Account, get_upstream
from screens.day_curve import Day

_AGE: Final = 300.0
"""Seconds after which it is told anew, as on an open page."""
_PATIENCE: Final = 1.0
"""Seconds for which a curve waits for it."""
_MOST_KEPT: Final = 500
_turns: Final = BoundedSemaphore(2)
"""Each asks a question for each of 63 past days, unless these are known: nobody waits for them."""
_log = structlog.get_logger("runtime.quieter_hours")
_troubles = TroubleLog("runtime.quieter_hours")


class _Told(NamedTuple):
    outcome: Reading[datetime | None]
    begun_at: float
    """Monotonic seconds."""
    before: datetime | None = None
    """What was known until then."""


_told: Final[OrderedDict[tuple[Account, Day], _Told]] = OrderedDict()
_telling: Final = Lock()


def read_known_on_wall(day: Day) -> KnownOfDay:
    """What is known of a day, and from when on it is quieter. Raises nothing."""
    return read_known_of_day(day)._replace(quieter=_quieter(day))


def _quieter(day: Day) -> Quieter:
    key = get_upstream().account, day
    with _telling:
        told = _told.get(key)
        is_due = told is None or (time.monotonic() - told.begun_at >= _AGE and told.outcome.done())
        if told is None or is_due:
            before = told.outcome.result() if told else None
            told = _told[key] = _Told(begin(partial(_attempt, day)), time.monotonic(), before)
        _told.move_to_end(key)
        while len(_told) > _MOST_KEPT:
            _told.popitem(last=False)
    try:
        return Quieter(told.outcome.result(_PATIENCE))
    except TimeoutError:
        return Quieter(told.before, is_being_read=True)


def _attempt(day: Day) -> datetime | None:
    """None, too, where it cannot be read: a wall then says nothing of it."""
    try:
        with _turns:
            return _read(day)
    except (ApiClientError, CancelledError) as error:
        _troubles.warning("a wall does not tell when it is quieter", site=day.feed.site_id, reason=str(error))
    except Exception:  # noqa: BLE001 - the wall's edge: a defect here must not take its curve; the log has a line of it
        _log.exception("a defect: a wall does not tell when it is quieter", site=day.feed.site_id)
    return None


def _read(day: Day) -> datetime | None:
    """Raises ApiClientError."""
    site = read_site(day.feed.site_id)
    subjects = subjects_of(site, day.feed.zone_ids, [])
    if len(subjects) != 1:
        return None
    request = ahead_request(
        site.id, subjects[0], MetricKey.VISITORS_INSIDE, timezone=day.timezone, now=service_time()
    )
    answers = read_answers(ahead_queries(request))
    for error in answers.failures.values():
        raise error
    known = answers.points
    if minutes_past(known["hours"], Granularity.HOUR, day.timezone):
        return None
    minutes = known.get("minutes", ())
    try:
        opening = read_opening_hours(site.id)
    except SiteKnowledgeError:
        opening = None  # as the page does, which says so
    spoilt = spoilt_count(known.get("evening", ()), minutes)
    found = read_ahead(request, known["hours"], minutes, spoilt, opening)
    return worth_waiting_for(found) if found else None
