"""One day of one site as a report tells it: the numbers by the hour, and what is kept of the site.

A report of all sites reads a few of them at once, and all reports of the process together no more.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from datetime import date
from functools import partial
from threading import Event
from typing import Final
from zoneinfo import ZoneInfo

from analysis.comparison import Against, Comparison
from analysis.day_answer import DayAnswer
from analysis.history_answer import ComparedRange, HistoryAnswer, history_answer
from analysis.history_request import HistoryRequest
from analysis.hourly_verdict import with_hourly_verdict
from analysis.notes import notes_within
from analysis.opening_hours import closed_within
from analysis.site_report import has_several_doors
from analysis.subject import whole_site
from analysis.time_range import TimeRange, counted_part, whole_day
from contract import Granularity, MetricKey
from runtime.asked_together import AskedTogether
from runtime.history_reads import read_grid
from runtime.occupancies import occupancy_or_none
from runtime.reads import read_answers, read_site
from runtime.resources import service_time
from runtime.site_knowledge import read_notes, read_opening_hours
from runtime.site_knowledge_store import SiteKnowledgeError
from runtime.turns import Turns

_METRICS: Final = (MetricKey.VISITORS_INSIDE, MetricKey.ENTRANCES)

_AT_ONCE: Final = 4
"""Sites that one report reads together; of all reports there is one more, for one that reads none."""
_turns: Final = Turns(_AT_ONCE + 1, spare=1)


@contextmanager
def reading_days(sites: Mapping[str, ZoneInfo], day: date) -> Iterator[Mapping[str, Future[DayAnswer]]]:
    """`read_day` of sites by id, under way; with the end of the block no more of them is begun."""
    report, ended = object(), Event()

    def read(site_id: str) -> DayAnswer:
        with _turns.turn(report, ended.is_set):
            return read_day(site_id, day, sites[site_id])

    pool = ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="day-report")
    try:
        yield {site_id: pool.submit(read, site_id) for site_id in sites}
    finally:
        ended.set()
        pool.shutdown(wait=False, cancel_futures=True)


def read_day(site_id: str, day: date, timezone: ZoneInfo) -> DayAnswer:
    """A local day from midnight to midnight, or as much of it as is over. Raises ApiClientError."""
    site, now = read_site(site_id), service_time()
    whole = whole_day(day, timezone)
    known = occupancy_or_none(site)
    subject = whole_site(site)._replace(capacity=known.capacity if known else None)
    told, range_ = (
        DayAnswer(
            site_id,
            subject,
            day,
            timezone,
            now,
            category=site.category or "",
            has_several_doors=has_several_doors(site),
        ),
        counted_part(whole, now),
    )
    if range_.is_empty:
        return told
    request = HistoryRequest(
        site_id=site.id, subjects=(subject,), metrics=_METRICS, range=range_, timezone=timezone,
        asked_at=now, granularity=Granularity.HOUR,
    )  # fmt: skip
    answers = read_answers({subject: request.query(subject)})
    if error := answers.failures.get(subject):
        raise error
    points = answers.points
    if not points[subject]:
        return told
    compare = ComparedRange(None, whole, Against(Comparison.NONE))
    run = (asking := AskedTogether()).points
    grid_of = partial(read_grid, asking)

    def work() -> HistoryAnswer:
        answer = history_answer(request, points, Granularity.HOUR, compare, run=run, run_other=run)
        return answer._replace(data=with_hourly_verdict(answer.data, request, answer.peaks, grid_of))

    return _with_kept(told, asking.worked_out(work), range_)


def _with_kept(told: DayAnswer, answer: HistoryAnswer, range_: TimeRange) -> DayAnswer:
    data, unread = answer.data, []
    try:
        if hours := read_opening_hours(told.site_id):
            data = replace(data, closed=closed_within(hours, range_, told.timezone))
        data = replace(data, notes=notes_within(read_notes(told.site_id), range_))
    except SiteKnowledgeError as error:
        unread.append(f"Opening hours and notes could not be read: {error}")
    return told._replace(answer=answer._replace(data=data), unread=tuple(unread))
