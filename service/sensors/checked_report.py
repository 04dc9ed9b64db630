"""What holds of every maker's report, checked in one place."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Final

from service.ingest.count_time import LARGEST_COUNT
from service.sensors.crossings import LONGEST_INTERVAL
from service.sensors.json_report import MOST_NAMED
from service.sensors.told_count import Kind, Report, ReportError, ToldCount, ToldStatus

MOST_COUNTS: Final = 10_000
"""In one body."""

MOST_MINUTES: Final = 100_000
"""Of all intervals of a body together: each is a row that is written."""

MOST_LINES: Final = 500
"""In one body."""

_SET_BACK: Final = timedelta(hours=2)
"""A clock without an offset, at the most."""

_MOST_HOURS: Final = LONGEST_INTERVAL.total_seconds() / 3600


def checked_report(
    counts: Iterable[ToldCount], *, statuses: Iterable[ToldStatus] = (), left_out: Iterable[str] = ()
) -> Report:
    """Counts that a body holds twice, once. Raises ReportError.

    Two that have one identity and differ are refused: one of them would be lost, and none says which.
    """
    told: dict[tuple[str, str, str], ToldCount] = {}
    for one in counts:
        _check(one)
        if told.setdefault((one.serial, one.line, one.identity), one) != one:
            raise ReportError(f"{_named(one)}: two different counts of {one.identity} in one report")
        if len(told) > MOST_COUNTS:
            raise ReportError(f"more than {MOST_COUNTS:,} counts in one report")
    if len({(one.serial, one.line) for one in told.values()}) > MOST_LINES:
        raise ReportError(f"more than {MOST_LINES:,} lines in one report")
    lengths = (one.end - one.start for one in told.values() if one.start is not None)
    if sum(lengths, timedelta(0)) > timedelta(minutes=MOST_MINUTES):
        raise ReportError(f"intervals of more than {MOST_MINUTES:,} minutes together in one report")
    return Report(
        _oldest_first(tuple(told.values())), tuple(statuses), tuple(dict.fromkeys(left_out))[:MOST_NAMED]
    )


def _oldest_first(counts: tuple[ToldCount, ...]) -> tuple[ToldCount, ...]:
    """Running totals need their order: some logs tell the newest first. Any other order is left as it is, as
    a clock that was set within the log makes one.
    """
    ends = defaultdict[tuple[str, str], list[datetime]](list)
    for one in counts:
        if one.kind is Kind.CUMULATIVE:
            ends[one.serial, one.line].append(one.end)
    logs = [of_line for of_line in ends.values() if len(of_line) > 1]
    return counts[::-1] if logs and all(map(_goes_back, logs)) else counts


def _goes_back(ends: Iterable[datetime]) -> bool:
    return all(
        (newer.tzinfo is None) is (older.tzinfo is None) and newer > older for newer, older in pairwise(ends)
    )


def _check(one: ToldCount) -> None:
    if one.start is not None:
        if (one.start.tzinfo is None) is not (one.end.tzinfo is None):
            raise ReportError(f"{_named(one)}: one end of the interval has an offset, the other has none")
        if one.start >= one.end + (_SET_BACK if one.end.tzinfo is None else timedelta(0)):
            raise ReportError(f"{_named(one)}: the interval from {one.start} ends at {one.end}, not after it")
        if one.end - one.start > LONGEST_INTERVAL:
            raise ReportError(f"{_named(one)}: an interval of more than {_MOST_HOURS:g} hours")
    if one.kind is not Kind.CUMULATIVE and max(one.forward, one.backward) > LARGEST_COUNT:
        raise ReportError(f"{_named(one)}: more than {LARGEST_COUNT:,} people at once")


def _named(one: ToldCount) -> str:
    return f"line {one.line}" if one.line else "the line"
