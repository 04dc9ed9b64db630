"""What people have said of a day of a site, beside its counts: when it is closed, and what happened."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from analysis.names import one_line
from analysis.notes import Note
from analysis.time_range import TimeRange

_MOST_NOTES: Final = 30
"""Of a day; more marks would be a curtain."""


class KnownOfDay(NamedTuple):
    closed: Sequence[TimeRange] = ()
    """Within the day, ascending; empty where nobody has said when it is open."""
    notes: Sequence[Note] = ()
    """Within the day, ascending."""

    def body(self) -> dict[str, Any]:
        """As JSON, times in epoch seconds."""
        notes = self.notes[:_MOST_NOTES]
        return self.of_everybody() | {"notes": [[note.at.timestamp(), one_line(note.text)] for note in notes]}

    def of_everybody(self) -> dict[str, Any]:
        """Likewise, what passers-by may read on a wall: notes are for those who work there."""
        return {"closed": [[one.start.timestamp(), one.end.timestamp()] for one in self.closed]}
