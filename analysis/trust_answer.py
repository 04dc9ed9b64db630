"""All that the page Trust answers: each day of the site and its zones, and which doors are to blame."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from typing import Final, NamedTuple

import numpy as np

from analysis.bucket_table import Completeness
from analysis.consistency import Consistency, consistency
from analysis.count_days import (
    STOPPED,
    CountDay,
    Hours,
    Truths,
    counted_of,
    expected_hours,
    hours_on,
    silent_from,
)
from analysis.counted_minutes import Unseen
from analysis.daily_silences import DailySilence, daily_silences
from analysis.day_course import all_blames
from analysis.door_blame import Blame, Evidence, Turned, Way, ranked
from analysis.history_request import HistoryRequest
from analysis.residue import DayBalance, Disagreement, disagreement
from analysis.silent_doors import Silence, silences
from analysis.subject import Subject
from analysis.time_range import TimeRange
from analysis.told_resets import ToldDay, told_days
from analysis.trust_grid import Grid, is_hourly
from contract import MetricKey, MetricPoint

_HOUR: Final = timedelta(hours=1)
_ALIKE: Final = 0.02
"""Of what a zone counts: by so much the sum of its passages may differ."""


@dataclass(frozen=True, eq=False)
class ZoneTrust:
    """A zone, or the site, over the days that are shown."""

    subject: Subject
    days: tuple[DayBalance, ...]
    whole: Disagreement
    counted: Completeness
    """Minutes, of all these days."""
    consistency: Consistency | None
    lacks: MetricKey | None = None
    """Entrances or exits, where only the other is told."""
    told: Mapping[date, ToldDay] = field(default_factory=dict)
    """What the service tells of its own resets, of these days; empty where it says nothing."""
    unseen: Unseen | None = None
    """Minutes that may be missing though they look counted; None: none may."""

    @property
    def has_inside(self) -> bool:
        """Whether people inside are told at all; else only entrances and exits are."""
        return any(day.has_inside for day in self.days)


class Stopped(NamedTuple):
    """A zone, the site or a passage that has no counts any more, though it should."""

    label: str
    since: datetime
    """End of the last hour that has some."""
    is_outer: bool = False
    """Whether it is a door to the outside: who goes by it is in no number of the site since then."""


class Began(NamedTuple):
    """A zone or a passage whose counts begin later than those of its site."""

    label: str
    at: datetime
    """Start of the first hour that has some."""


@dataclass(frozen=True, eq=False)
class TrustAnswer:
    zones: tuple[ZoneTrust, ...]
    """The site first, where it could be read; without zones that could not, or not by the hour."""
    unknown: tuple[Subject, ...]
    """Those."""
    empty: tuple[Subject, ...]
    """Zones of which nothing was counted in the weeks that are read."""
    stopped: tuple[Stopped, ...]
    """The site and zones first, then passages."""
    since: datetime | None
    """When the counts of the site begin, where that is on these days; None: they began before."""
    late: tuple[Began, ...]
    """Zones and passages whose counts begin on these days, later than others of the site: what they should
    have had by then is missing. The zones first.
    """
    begin: int
    """The hour of the clock at which a day begins, as the fewest cross then."""
    blames: tuple[Blame, ...]
    silences: tuple[Silence, ...]
    ranked: tuple[Turned, ...]
    """Those that are named first."""
    passages: Mapping[Way, Completeness]
    """Hours that are counted of each passage that could be read, since the site has counts."""
    unread: tuple[Way, ...]
    """Passages that could not be read."""
    names: Mapping[str, str]
    """Labels of zones by id."""
    checked: tuple[str, ...]
    """Ids of zones all of whose passages are read, that they add up to."""
    days_judged: int
    """Whole days of that one of them that has most."""
    is_by_habit: bool = False
    """Whether some time is expected to have no counts, and only since it usually has none."""
    daily: tuple[DailySilence, ...] = ()
    """Doors that count nobody at the same hours of every day."""


def zones_by_trouble(grid: Grid) -> list[str]:
    """Ids of zones, those first that are most people wrong: their passages are to be read first."""
    wrong = {id_: _zone_trust(grid, subject).whole.people for id_, subject in grid.zones.items()}
    return sorted(wrong, key=lambda id_: -wrong[id_])


def _zone_trust(grid: Grid, subject: Subject) -> ZoneTrust:
    hours, expected = grid.hours[subject], grid.expected[subject]
    days = grid.balances[subject]
    counted = [counted_of(hours, expected, day.rows) for day in grid.days]
    whole = [day for day, balance in zip(grid.days, days, strict=True) if balance.is_whole]
    return ZoneTrust(
        subject,
        days,
        disagreement(days),
        Completeness(sum(one.present for one in counted), sum(one.expected for one in counted)),
        consistency(hours, whole),
        lacks=hours.lacks,
        told=told_days(grid.resets.get(subject, ()), {day.date: _span(grid, day) for day in grid.days}),
        unseen=grid.unseen.get(subject),
    )


def _span(grid: Grid, day: CountDay) -> tuple[datetime, datetime]:
    return grid.starts[day.first], grid.starts[day.after - 1] + _HOUR


def trust_answer(
    request: HistoryRequest,
    grid: Grid,
    ways: Sequence[Way],
    answers: Mapping[Way, Sequence[MetricPoint]],
) -> TrustAnswer:
    """`ways` are all passages of the site, `answers` the hours of those that could be read."""
    zones = tuple(_zone_trust(grid, subject) for subject in grid.hours)
    passages = {
        way: hours_on(grid.starts, own)
        for way, own in answers.items()
        if not own or is_hourly(own, request.timezone)
    }
    evidence = _evidence(grid, ways, passages)
    rows = slice(grid.days[0].first, grid.days[-1].after) if grid.days else slice(0, 0)
    since = slice(max(rows.start, grid.first), rows.stop)
    found, counted = all_blames(evidence), (grid.starts, passages, request.timezone)
    named = {way for blame in found if blame.is_named for way in blame.ways}
    checked = [zone for zone in evidence.zones if zone not in evidence.unread and evidence.days[zone]]
    return TrustAnswer(
        zones,
        tuple(one for one in request.subjects if one not in grid.hours and one not in grid.empty),
        grid.empty,
        tuple(_stopped(grid, passages)),
        grid.since if grid.days and grid.first >= grid.days[0].first else None,
        tuple(_late(grid, passages)),
        grid.begin,
        tuple(found),
        tuple(silences(*counted, first=rows.start, after=rows.stop)),
        tuple(sorted(ranked(evidence), key=lambda one: one.way not in named)),
        {way: _hours_counted(own, since) for way, own in passages.items()},
        tuple(way for way in ways if way not in passages),
        {id_: subject.label for id_, subject in grid.zones.items()},
        tuple(checked),
        max((len(evidence.days[zone]) for zone in checked), default=0),
        request.opening is None and _is_partly_expected(grid, rows),
        tuple(daily_silences(*counted, first=since.start, after=since.stop)),
    )


def _is_partly_expected(grid: Grid, rows: slice) -> bool:
    """Whether the site is not to have counts all the time, since it has any."""
    subject, hours = next(iter(grid.hours.items()))
    own = range(max(rows.start, grid.first + 1 if grid.since else 0), rows.stop)
    return any(not grid.expected[subject][row] or row in hours.held for row in own)


def _stopped(grid: Grid, passages: Mapping[Way, Hours]) -> Iterator[Stopped]:
    for subject, hours in grid.hours.items():
        if (row := silent_from(hours, grid.expected[subject])) is not None:
            yield Stopped(subject.label, grid.starts[row])
    for way, hours in passages.items():
        expected = expected_hours(grid.starts, hours, grid.timezone)
        if (row := silent_from(hours, expected)) is not None:
            yield Stopped(way.label, grid.starts[row], is_outer=way.other_id is None)


def _late(grid: Grid, passages: Mapping[Way, Hours]) -> Iterator[Began]:
    begin = max(grid.first, grid.days[0].first if grid.days else 0)
    for subject, hours in list(grid.hours.items())[1:]:
        if (row := _late_from(hours, grid.expected[subject], begin)) is not None:
            yield Began(subject.label, grid.starts[row])
    for way, hours in passages.items():
        site = next(iter(grid.expected.values()))
        expected = expected_hours(grid.starts, hours, grid.timezone, begin=grid.first, site=site)
        if (row := _late_from(hours, expected, begin)) is not None:
            yield Began(way.label, grid.starts[row])


def _late_from(hours: Hours, expected: Truths, begin: int) -> int | None:
    """The row with which its counts begin, where so many hours before lack them that it is not just a quiet
    one; None: they begin with those of the site.
    """
    first = int(hours.counted.argmax()) if hours.counted.any() else 0
    return first if expected[begin:first].sum() >= STOPPED else None


def _hours_counted(hours: Hours, rows: slice) -> Completeness:
    return Completeness(int(hours.there[rows].sum()), rows.stop - rows.start)


def _evidence(grid: Grid, ways: Sequence[Way], passages: Mapping[Way, Hours]) -> Evidence:
    """Of zones that some passage leads into."""
    zones = {id_: one for id_, one in grid.zones.items() if any(id_ in way.ends for way in ways)}
    days = {
        id_: [day for day, own in zip(grid.days, grid.balances[one], strict=True) if own.is_whole]
        for id_, one in zones.items()
    }
    evidence = Evidence({id_: grid.hours[one] for id_, one in zones.items()}, passages, days)
    unread = frozenset(id_ for id_ in zones if not _adds_up(evidence, id_, ways))
    return replace(evidence, unread=unread)


def _adds_up(evidence: Evidence, zone: str, ways: Sequence[Way]) -> bool:
    """Whether all passages of a zone are read, and are all that it counts."""
    own = [way for way in ways if zone in way.ends]
    if not own or any(way not in evidence.passages for way in own):
        return False
    hours = evidence.zones[zone]
    rows = [row for day in evidence.days[zone] for row in range(day.first, day.after)]
    for ours, there, back in (
        (hours.came, "came", "went"),
        (hours.went, "went", "came"),
    ):
        counted = float(np.nansum(ours[rows]))
        parts = sum(
            float(np.nansum(getattr(evidence.passages[way], there if way.zone_id == zone else back)[rows]))
            for way in own
        )
        if abs(parts - counted) > _ALIKE * counted:
            return False
    return True


def last_day(grid: Grid) -> TimeRange | None:
    """From when to when the newest of the days is."""
    if not grid.days:
        return None
    day = grid.days[-1]
    return TimeRange(*_span(grid, day))
