"""Notes as they are listed below a chart."""

from __future__ import annotations

from collections.abc import Sequence
from zoneinfo import ZoneInfo

from analysis.names import one_line
from analysis.notes import LONGEST_NOTE, Note
from components.number_format import Formats


def note_lines(notes: Sequence[Note], timezone: ZoneInfo, formats: Formats) -> list[str]:
    """`1 · Sat 21 Nov, 14:00: sale begins`, numbered as on the chart."""
    return [
        f"{number} · {formats.dated(note.at.astimezone(timezone))}: {one_line(note.text, LONGEST_NOTE)}"
        for number, note in enumerate(notes, 1)
    ]
