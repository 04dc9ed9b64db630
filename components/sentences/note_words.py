"""Notes, and what was set by hand, as they are listed below a chart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from zoneinfo import ZoneInfo

from analysis.history_data import HistoryData
from analysis.names import LONGEST_NAME, one_line
from analysis.notes import LONGEST_NOTE, Note
from analysis.told_levels import ToldLevel
from components.number_format import Formats


def note_lines(notes: Sequence[Note], timezone: ZoneInfo, formats: Formats) -> list[str]:
    """`1 · Sat 21 Nov, 14:00: sale begins`, numbered as on the chart."""
    return [
        f"{number} · {formats.dated(note.at.astimezone(timezone))}: {one_line(note.text, LONGEST_NOTE)}"
        for number, note in enumerate(notes, 1)
    ]


def ended_note_lines(notes: Sequence[Note], timezone: ZoneInfo, formats: Formats) -> list[str]:
    """Likewise, each a sentence of a paragraph."""
    return [ended(line) for line in note_lines(notes, timezone, formats)]


def ended(line: str) -> str:
    """With a full stop, unless it has an end of its own."""
    return line if line.endswith((".", "!", "?")) else f"{line}."


def numbered_lines(data: HistoryData, formats: Formats) -> list[str]:
    """All that is numbered on a history chart: notes, then what was set by hand."""
    lines = note_lines(list(data.notes.values()), data.timezone, formats)
    by_hand = level_lines(
        data.levels, data.timezone, formats, first=len(lines) + 1, are_named=len(data.labels) > 1
    )
    return [*lines, *by_hand]


def numbered_heading(data: HistoryData) -> str:
    """Above `numbered_lines`."""
    called = "Notes, and people inside as set by hand," if data.levels else "Notes,"
    return f"{called} as numbered on the chart:"


def level_lines(
    levels: Mapping[str, Sequence[ToldLevel]],
    timezone: ZoneInfo,
    formats: Formats,
    *,
    first: int,
    are_named: bool,
) -> list[str]:
    """`2 · Sat 21 Nov, 14:05: set to 12 by hand: we counted`, numbered from `first` on.

    `levels` is by zone, which is said, too, where they are named.
    """
    lines = []
    told = ((label, level) for label, own in levels.items() for level in own)
    for number, (label, level) in enumerate(told, first):
        when = formats.dated(level.at.astimezone(timezone))
        zone = f"{one_line(label, LONGEST_NAME)} " if are_named else ""
        people, reason = formats.number(level.inside), one_line(level.reason, LONGEST_NOTE)
        lines.append(f"{number} · {when}: {zone}set to {people} by hand: {reason}")
    return lines
