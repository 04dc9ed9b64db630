"""What people have said of a day of a site, beside its counts: when it is closed, and what happened."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from operator import itemgetter
from typing import Any, Final, NamedTuple

from analysis.names import one_line
from analysis.notes import Note
from analysis.time_range import TimeRange
from analysis.told_levels import ToldLevel

_BY_HAND: Final = "by hand"
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

    def body(self, by_hand: Sequence[ToldLevel] = ()) -> dict[str, Any]:
        """As JSON, times in epoch seconds; `by_hand` is what was set so within the day.

        A note is its time, its text and, where that is not its number, what its mark says.
        """
        notes: list[list[Any]] = [
            [note.at.timestamp(), one_line(note.text)] for note in self.notes[:_MOST_NOTES]
        ]
        notes += [
            [one.at.timestamp(), one_line(f"set to {one.inside} by hand: {one.reason}"), _BY_HAND]
            for one in by_hand[-_MOST_NOTES:]
        ]
        return self.of_everybody() | {"notes": sorted(notes, key=itemgetter(0))}

    def of_everybody(self) -> dict[str, Any]:
        """Likewise, what passers-by may read on a wall: notes are for those who work there."""
        closed = [[one.start.timestamp(), one.end.timestamp()] for one in self.closed]
        return {"closed": closed} | (self.quieter.body() if self.quieter else {})
