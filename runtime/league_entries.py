"""Reading what a league compares, place by place: some at once, for as long as a page can wait, and kept.

A page asks again and again until all are read; nothing goes on when nobody looks. What has passed is read
once an hour: late counts change it seldom.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta, tzinfo
from threading import Lock
from time import monotonic
from typing import Final, NamedTuple, TypeVar
from zoneinfo import ZoneInfo

from analysis.belief import believed_for
from analysis.compared_places import ComparedPlace
from analysis.history_request import HistoryRequest
from analysis.league import Candidate, Place
from analysis.league_entry import Entry, Measure, league_entry
from analysis.league_period import Days, LeaguePeriod, LeagueRanges, days_of, league_request
from analysis.opening_hours import OpeningHours
from analysis.subject import Subject
from api_client import ApiClientError, InvalidQuery, MetricsAnswer, has_refused_values
from contract import Granularity, MetricPoint, MetricsQuery, SiteSummary
from runtime.answers import lacking
from runtime.background import waits
from runtime.both_periods import BothPeriods
from runtime.cache import Cache
from runtime.occupancies import read_occupancy
from runtime.reads import read_site
from runtime.resources import get_client
from runtime.upstream import Account, get_upstream

Value = TypeVar("Value")

_AT_ONCE: Final = 4
"""Places read together for one page, a query at a time each."""
_FAILURE_AGE: Final = timedelta(seconds=25)
"""A page asks again after half a minute."""
_SIZE_AGE: Final = timedelta(minutes=10)
_MOST: Final = 20_000
_MOST_FAILURES: Final = 2 * _AT_ONCE
"""In a row; then nothing more is asked in this turn."""


class Question(NamedTuple):
    """All on which the entry of one place depends."""

    request: HistoryRequest
    ranges: LeagueRanges
    measure: Measure
    opening: OpeningHours | None = None
    sized: SiteSummary | None = None
    """The site, where its size is needed, too."""

    @property
    def key(self) -> _Key:
        (subject,) = self.request.subjects
        zone = self.request.timezone.key
        return (
            get_upstream().account,
            self.request.site_id,
            subject,
            zone,
            self.ranges,
            self.measure,
            self.opening,
        )


class About(NamedTuple):
    """What places are compared by, and over which days."""

    period: LeaguePeriod
    chosen: Days | None
    measure: Measure
    is_sized: bool
    """Whether the size of a site is needed."""

    def days(self, now: datetime, timezone: tzinfo) -> Days:
        """Those of a place in that zone."""
        return days_of(self.period, now.astimezone(timezone).date(), self.chosen)

    def question(
        self, compared: ComparedPlace, now: datetime, timezone: ZoneInfo, opening: OpeningHours | None
    ) -> Question:
        """About one place, at `now` (aware)."""
        site, subject, _ = compared
        request, ranges = league_request(site.id, subject, self.days(now, timezone), now, timezone)
        return Question(request, ranges, self.measure, opening, site if self.is_sized else None)


_Key = tuple[Account, str, Subject, str, LeagueRanges, Measure, OpeningHours | None]


class Size(NamedTuple):
    """Of a whole site."""

    area: float | None = None
    """Square metres of its top zones together; None: not told of each of them."""
    capacity: float | None = None


class LeagueReading(NamedTuple):
    """What is known by now, by the ids that were asked about; of the others, nothing is read yet."""

    entries: Mapping[str, Entry]
    sizes: Mapping[str, Size]
    """Of the sites whose size is asked for."""
    failures: Mapping[str, ApiClientError]

    def candidates(self, places: Iterable[Place]) -> list[Candidate]:
        """Those of `places` of which anything is known by now, with their sizes."""
        return [
            Candidate(self._sized(place), entry, _said(self.failures.get(place.id)))
            for place in places
            if (entry := self.entries.get(place.id)) or place.id in self.failures
        ]

    def _sized(self, place: Place) -> Place:
        size = self.sizes.get(place.id)
        return place._replace(area=size.area, capacity=size.capacity) if size else place


def _said(error: ApiClientError | None) -> str:
    return error.summary if error else ""


class _NotReadError(Exception):
    """There is no time left to read it."""


class _Told(NamedTuple):
    entry: Entry
    age: timedelta
    """Until it is asked for again."""


_entries: Final = Cache[_Key, _Told](lambda told: told.age, most=_MOST)
_failed: Final = Cache[_Key, ApiClientError](_FAILURE_AGE, most=_MOST)
_sizes: Final = Cache[tuple[Account, str], Size](_SIZE_AGE, most=_MOST)


def forget_entries(site_id: str | None) -> None:
    """They are read anew, those of this site alone where one is named."""
    account = get_upstream().account
    _entries.forget(lambda key: key[0] == account and site_id in (None, key[1]))


class _Turn:
    """Until when places are read, unless they fail one after another. Safe to use from any thread."""

    def __init__(self, seconds: float) -> None:
        self._ends = monotonic() + seconds
        self._lock = Lock()
        self._failures = 0

    @property
    def is_over(self) -> bool:
        with self._lock:
            return monotonic() >= self._ends or self._failures >= _MOST_FAILURES

    def told(self, *, has_failed: bool) -> None:
        with self._lock:
            self._failures = self._failures + 1 if has_failed else 0


@waits("what was counted on these days")
def read_league(questions: Mapping[str, Question], seconds: float) -> LeagueReading:
    """What is known of each, and what can be read within so many `seconds`: 0 reads nothing.

    A place whose reading began is waited for. One that failed is left alone for nearly half a minute.
    """
    turn = _Turn(seconds)
    with ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="league") as pool:
        outcomes = dict(
            zip(questions, pool.map(lambda one: _attempt(one, turn), questions.values()), strict=True)
        )
    known = {id_: one for id_, one in outcomes.items() if isinstance(one, _Read)}
    return LeagueReading(
        {id_: one.entry for id_, one in known.items()},
        {id_: one.size for id_, one in known.items() if one.size},
        {id_: one for id_, one in outcomes.items() if isinstance(one, ApiClientError)},
    )


class _Read(NamedTuple):
    entry: Entry
    size: Size | None


def _attempt(question: Question, turn: _Turn) -> _Read | ApiClientError | None:
    key, now = question.key, question.request.asked_at
    age = believed_for(now - question.ranges.present.end)
    try:
        told = _entries.get(key, lambda: _begun(turn, key, lambda: _Told(_read(question), age)))
        return _Read(told.entry, _size_of(question, turn))
    except _NotReadError:
        return _failed.known(key)
    except ApiClientError as raised:
        error = raised
        return _failed.get(key, lambda: error)


def _size_of(question: Question, turn: _Turn) -> Size | None:
    if (site := question.sized) is None:
        return None
    asked = get_upstream().account, site.id
    return _sizes.get(asked, lambda: _begun(turn, question.key, lambda: _read_size(site)))


def _begun(turn: _Turn, key: _Key, read: Callable[[], Value]) -> Value:
    """What `read` gives, where there is time for it and it did not fail just now."""
    if turn.is_over or _failed.known(key):
        raise _NotReadError
    try:
        value = read()
    except ApiClientError:
        turn.told(has_failed=True)
        raise
    turn.told(has_failed=False)
    return value


def _read(question: Question) -> Entry:
    """What fails fails the place, so that half of it is not kept for an hour. Left out is what a service will
    never accept, a range of years or buckets of a month perhaps; but hours, on which all rests.
    """
    both, refused = BothPeriods(question.request, question.ranges, get_client()), list[bool]()

    def ask(query: MetricsQuery) -> MetricsAnswer | None:
        try:
            answer = both.metrics(query)
        except InvalidQuery:
            if query.granularity is Granularity.HOUR:
                raise
            return None
        if error := lacking(answer):
            raise error
        return answer

    def run(queries: Mapping[Subject, MetricsQuery]) -> dict[Subject, tuple[MetricPoint, ...]]:
        outcomes = {subject: ask(query) for subject, query in queries.items()}
        answers = {subject: answer for subject, answer in outcomes.items() if answer}
        refused.extend(has_refused_values(answer.left_out) for answer in answers.values())
        return {subject: answer.points for subject, answer in answers.items()}

    entry = league_entry(question.request, question.ranges, question.measure, run, question.opening)
    return entry._replace(has_refused=any(refused))


def _read_size(site: SiteSummary) -> Size:
    occupancy = read_occupancy(site)
    zones = {zone.id: zone for zone in read_site(site.id).zones}
    areas = [zones[id_].area if id_ in zones else None for id_ in occupancy.top_zone_ids]
    told = [float(area) for area in areas if area]
    return Size(sum(told) if told and len(told) == len(areas) else None, occupancy.capacity)
