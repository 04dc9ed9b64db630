"""What becomes of a counter's report: it counts, came before, or waits until somebody has placed the counter.

All that is decided of a report is decided here, whichever way it came in and whoever made the counter.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Final

from pydantic import TypeAdapter

from service.sensors.counting import Outcome, count
from service.sensors.presence import heard_again
from service.sensors.told_count import Report, ReportError, ToldCount
from service.store.audit_protocol import SERVICE_ITSELF, Author
from service.store.errors import CountersFullError, ReportsFullError, WaitingListFullError
from service.store.sensor_protocol import (
    MOST_UNPLACED,
    MOST_WAITING,
    MOST_WAITING_OF_ALL,
    Kept,
    Placement,
    SensorLine,
    SensorName,
    SensorRows,
    WaitingReport,
)

MOST_AT_ONCE: Final = 200
"""Reports that have waited and are counted in one transaction: other counters are to be heard between two."""
MOST_MINUTES: Final = 100_000
"""That one transaction writes: what is left waits for the next. Hundreds of totals may each have grown for a
month.
"""
_TOLD: Final = TypeAdapter(ToldCount)


def take(
    rows: SensorRows, organization_id: str, maker: str, report: Report, arrived: datetime
) -> Mapping[Outcome, int]:
    """How many of the report's counts became what. Raises ReportError, and WaitingListFullError where none
    of them could be kept: what other lines told must not be lost with one that nobody has placed.
    """
    outcomes: Counter[Outcome] = Counter()
    without_room, refusals = _hear(rows, organization_id, maker, report, arrived), set[Kept]()
    lines: dict[SensorName, SensorLine] = {}
    at_once = MOST_AT_ONCE  # of all lines of the body together
    for told in report.counts:
        name = SensorName(organization_id, maker, told.serial, told.line)
        line = lines.get(name)
        if line is None and (told.serial in without_room or not rows.has_room(name)):
            without_room.add(told.serial)
            outcomes[Outcome.UNKEPT] += 1
            continue
        if line is None:
            before = rows.line(name, arrived)
            line = _caught_up(rows, before, outcomes, at_once)
            at_once -= before.waiting - line.waiting
        if line.placement is not None and not line.waiting and rows.minutes < MOST_MINUTES:
            line, outcome = count(rows, line, told, arrived)
        elif line.is_ignored:
            outcome = Outcome.IGNORED
        else:
            kept = rows.keep_waiting(line, WaitingReport(arrived, _TOLD.dump_json(told).decode()))
            if kept is Kept.YES:
                line, outcome = replace(line, waiting=line.waiting + 1), Outcome.WAITING
            else:
                outcome = Outcome.UNKEPT
                refusals.add(kept)
        lines[name] = line
        outcomes[outcome] += 1
    for line in lines.values():
        if line.placement is not None:
            _note(rows, line)
    if outcomes and outcomes.keys() == {Outcome.UNKEPT}:
        raise _full(report, without_room, refusals)
    return outcomes


def _hear(rows: SensorRows, organization_id: str, maker: str, report: Report, arrived: datetime) -> set[str]:
    """Note of its counters that they were heard; the serials of those for which there is no room."""
    without_room = set[str]()
    said = {status.serial: status.is_online for status in report.statuses}
    for serial in dict.fromkeys([told.serial for told in report.counts] + list(said)):
        before = rows.heard(organization_id, maker, serial)
        if before is None and not rows.has_room(SensorName(organization_id, maker, serial, "")):
            without_room.add(serial)
            continue
        heard = heard_again(before, arrived, is_online=said.get(serial))
        rows.note_heard(organization_id, maker, serial, heard)
    return without_room


def _full(report: Report, without_room: set[str], refusals: set[Kept]) -> WaitingListFullError:
    if without_room:
        return CountersFullError(MOST_UNPLACED)
    if Kept.ALL_IS_FULL in refusals:
        return ReportsFullError(MOST_WAITING_OF_ALL)
    return WaitingListFullError(report.counts[0].serial, MOST_WAITING)


def place(
    rows: SensorRows, line: SensorLine, placement: Placement | None, author: Author = SERVICE_ITSELF
) -> Counter[Outcome]:
    """From now on the line counts there, and what waits of it does: how much of that became what.

    What is too much for one transaction waits on, for `go_on`, and what comes meanwhile behind it. None: its
    reports wait again. What was counted stays where it is. Raises UnknownPassageError, UnknownLineError.
    """
    return _what_became(rows, rows.place(line, placement, author))


def go_on(rows: SensorRows, number: int) -> Counter[Outcome]:
    """The next of what waits of the line of this number, if it is placed: how much became what, and how much
    still waits.
    """
    line = rows.numbered(number)
    return Counter() if line is None else _what_became(rows, line)


def _what_became(rows: SensorRows, line: SensorLine) -> Counter[Outcome]:
    outcomes: Counter[Outcome] = Counter()
    line = _caught_up(rows, line, outcomes, MOST_AT_ONCE)
    if line.placement is not None and line.waiting:
        outcomes[Outcome.WAITING] = line.waiting
    return outcomes


def _caught_up(rows: SensorRows, line: SensorLine, outcomes: Counter[Outcome], most: int) -> SensorLine:
    """The line once so many of what waits of it are counted, if it has a place: its passage may be back."""
    if line.placement is None or not line.waiting or not most:
        return line
    counted = 0
    for kept in rows.waiting(line, most):
        if rows.minutes >= MOST_MINUTES:
            break
        told = _TOLD.validate_json(kept.told)
        try:
            line, outcome = count(rows, line, told, kept.arrived)
        except ReportError:
            # By the clock of the site, which was not known when it came: it must not hold up the others.
            line, outcome = replace(line, conflicts=line.conflicts + 1), Outcome.CONFLICTING
        outcomes[outcome] += 1
        counted += 1
    rows.forget_waiting(line, counted)
    _note(rows, line)
    return replace(line, waiting=line.waiting - counted)


def _note(rows: SensorRows, line: SensorLine) -> None:
    rows.note(line, total=line.total, newest_end=line.newest_end, clock=line.clock, conflicts=line.conflicts)
