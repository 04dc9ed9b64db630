"""The recording of the Hardbrücke stop: people in and out over counting lines, in five-minute bins.

The file has the columns Timestamp (start of the bin, Europe/Zurich wall clock), Name, In and Out, and no row
where a line counted nobody; `service.replay.silence` decides what such a hole means.
"""

from __future__ import annotations

import csv
import gzip
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Final, NamedTuple

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

    @property
    def bins(self) -> int:
        return len(next(iter(self.lines.values())))


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


def _line(name: str) -> str:
    """One line of the file ends in "Total", the other seven in "total"."""
    return name[: -len(_NAME_ENDING)] if name.lower().endswith(_NAME_ENDING) else name


def _bin(timestamp: str, start: datetime, bins: int) -> int:
    minutes, rest = divmod(int((datetime.fromisoformat(timestamp) - start).total_seconds()), 60)
    index, odd_minutes = divmod(minutes, BIN_MINUTES)
    if rest or odd_minutes or not 0 <= index < bins:
        raise ValueError(f"{timestamp} is no bin of the recording that begins {start}")
    return index
