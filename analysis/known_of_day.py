"""What people have said of a day of a site, beside its counts: when it is closed, and what happened."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple

from analysis.names import one_line
from analysis.notes import Note
from analysis.time_range import TimeRange

_MOST_NOTES: Final = 30
"""Of a day; more marks would be a curtain."""


class Quieter(NamedTuple):
    start: datetime | None = None
    """From when on the rest of the day is quieter, UTC; None: not at all, or not known."""
    is_being_read: bool = False
    """Whether there may be another answer within seconds."""

    def body(self) -> dict[str, Any]:
        """As JSON, the time in epoch seconds."""
        return {
            "quieter_from": self.start.timestamp() if self.start else None,
            "is_quieter_read": self.is_being_read,
        }


class KnownOfDay(NamedTuple):
    closed: Sequence[TimeRange] = ()
    """Within the day, ascending; empty where nobody has said when it is open."""
    notes: Sequence[Note] = ()
    """Within the day, ascending."""
    quieter: Quieter | None = None
    """None: not looked for, as for pages, which have it on the page Ahead."""

    def body(self) -> dict[str, Any]:
        """As JSON, times in epoch seconds."""
        notes = self.notes[:_MOST_NOTES]
        return self.of_everybody() | {"notes": [[note.at.timestamp(), one_line(note.text)] for note in notes]}

    def of_everybody(self) -> dict[str, Any]:
        """Likewise, what passers-by may read on a wall: notes are for those who work there."""
        closed = [[one.start.timestamp(), one.end.timestamp()] for one in self.closed]
        return {"closed": closed} | (self.quieter.body() if self.quieter else {})
