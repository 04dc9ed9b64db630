"""The recording of the Hardbrücke stop: people in and out over counting lines, in five-minute bins.

The file has the columns Timestamp (start of the bin, Europe/Zurich wall clock), Name, In and Out, and no row
where a line counted nobody, and none where nothing was counted. Which is which:

1. Where any line of a platform has a row, the platform was being counted: its other lines counted nobody.
2. Where no line of a platform has one, over a run of bins, look at what the platform usually counts at these
   times of the week (median over the nine weeks, both directions). 50 people or more: the counts of the run
   are missing. Fewer: the platform was quiet, and every line counted nobody.
3. The last bin of the file is cut off: there, only rows count.

Figures, from the file itself, held by a test. Of the thousand runs without a row on a platform, the quiet
ones would usually have had at most 25 people (2024-02-10 03:20 and 2024-01-18 05:35), the next 115: 50 lies
a factor of two from both. Missing are: the known outage 2024-03-13 16:45 to 2024-03-14 11:25 (Ost one bin
longer and usually 27,201 people; West 24,558), West on 2024-02-27 17:15 (374) and on 2024-01-31 12:20 (115),
one bin each, and the end of the file. Single lines need no rule of their own: while the rest of a platform
counts, a hole is a tram that did not come (one bin and usually at most 69 people, the VBZ lines) or the
night (at most 51 bins, 2024-02-07 00:20 to 04:30, usually nobody).
"""

from __future__ import annotations

import csv
import gzip
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from statistics import median
from typing import Final, NamedTuple

from contract.minutes import MINUTES_A_DAY

BIN_MINUTES: Final = 5

_NAME_ENDING: Final = " total"


class BinCount(NamedTuple):
    """People who crossed one line during one bin."""

    entered: int
    left: int


@dataclass(frozen=True, slots=True)
class Recording:
    """Counts of every line over the same bins."""

    start: datetime
    """Wall clock of the first bin, without offset."""
    lines: Mapping[str, Sequence[BinCount | None]]
    """Line ("Ost-SBB") -> one entry per bin; None: no count is known."""


def read_recording(path: Path, *, bins: int) -> Recording:
    """The rows of the file, from its first timestamp on, `bins` long; None wherever there is no row.

    Raises ValueError when a row lies outside those bins or between two of them.
    """
    with gzip.open(path, "rt", encoding="utf-8", newline="") as text:
        _, *rows = csv.reader(text)
    start = datetime.fromisoformat(rows[0][0])
    lines: defaultdict[str, list[BinCount | None]] = defaultdict(lambda: [None] * bins)
    for timestamp, together in groupby(rows, key=itemgetter(0)):
        index = _bin(timestamp, start, bins)
        for _, name, entered, left in together:
            lines[_line(name)][index] = BinCount(int(entered), int(left))
    return Recording(start, dict(sorted(lines.items())))


@cache
def _line(name: str) -> str:
    """One line of the file ends in "Total", the other seven in "total"."""
    return name[: -len(_NAME_ENDING)] if name.lower().endswith(_NAME_ENDING) else name


def _bin(timestamp: str, start: datetime, bins: int) -> int:
    minutes, rest = divmod(int((datetime.fromisoformat(timestamp) - start).total_seconds()), 60)
    index, odd_minutes = divmod(minutes, BIN_MINUTES)
    if rest or odd_minutes or not 0 <= index < bins:
        raise ValueError(f"{timestamp} is no bin of the recording that begins {start}")
    return index


MISSING_FROM_USUAL_PEOPLE: Final = 50
"""A silent run in which a platform usually counts this many people is an outage."""

BINS_A_WEEK: Final = 7 * MINUTES_A_DAY // BIN_MINUTES

NOBODY: Final = BinCount(0, 0)

Line = Sequence[BinCount | None]


def with_zeros_where_quiet(recording: Recording) -> Recording:
    """The recording with zeros where nobody crossed and None only where nothing was counted."""
    lines: dict[str, Line] = {}
    for platform in sorted({platform_of(line) for line in recording.lines}):
        own = {line: counts for line, counts in recording.lines.items() if platform_of(line) == platform}
        missing = missing_bins(list(own.values()))
        for line, counts in own.items():
            lines[line] = tuple(
                count if count or index in missing else NOBODY for index, count in enumerate(counts)
            )
    return replace(recording, lines=_with_last_bin_of(recording, lines))


def platform_of(line: str) -> str:
    return line.split("-", 1)[0]


def silent_runs(lines: Sequence[Line]) -> Iterator[tuple[range, float]]:
    """Runs of bins without a row on any of a platform's lines, and the people usual at these times."""
    totals = [_people(bin_counts) for bin_counts in zip(*lines, strict=True)]
    usual = [median(totals[slot::BINS_A_WEEK]) for slot in range(BINS_A_WEEK)]
    silent = [all(count is None for count in bin_counts) for bin_counts in zip(*lines, strict=True)]
    for is_silent, group in groupby(range(len(silent)), key=silent.__getitem__):
        if is_silent:
            indices = list(group)
            run = range(indices[0], indices[-1] + 1)
            yield run, sum(usual[index % BINS_A_WEEK] for index in run)


def missing_bins(lines: Sequence[Line]) -> frozenset[int]:
    """Bins in which a platform was not counted."""
    return frozenset(
        index for run, usual in silent_runs(lines) if usual >= MISSING_FROM_USUAL_PEOPLE for index in run
    )


def _people(counts: Sequence[BinCount | None]) -> int:
    return sum(sum(count) for count in counts if count)


def _with_last_bin_of(recording: Recording, lines: dict[str, Line]) -> dict[str, Line]:
    last = max(index for counts in recording.lines.values() for index, count in enumerate(counts) if count)
    return {
        line: (*counts[:last], recording.lines[line][last], *counts[last + 1 :])
        for line, counts in lines.items()
    }
