"""Notes that people write on a site and a time ("sale", "sensor moved"), so that a chart explains itself."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, Final

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from analysis.time_range import TimeRange

LONGEST_NOTE: Final = 200
"""Characters."""


class Note(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    at: AwareDatetime
    text: Annotated[str, Field(min_length=1, max_length=LONGEST_NOTE)]


def notes_within(notes: Mapping[str, Note], range_: TimeRange) -> dict[str, Note]:
    """Those of the range, by the names under which they are kept, ascending by time."""
    own = {name: note for name, note in notes.items() if range_.start <= note.at < range_.end}
    return dict(sorted(own.items(), key=lambda item: (item[1].at, item[1].text)))


def notes_by_bucket(notes: Sequence[Note], starts: Sequence[datetime]) -> list[list[str]]:
    """For each bucket that begins at `starts` (ascending) the texts of its notes.

    The last bucket has all that follow it; what lies before the first one belongs to none.
    """
    texts: list[list[str]] = [[] for _ in starts]
    for note in notes:
        index = bisect(starts, note.at) - 1
        if index >= 0:
            texts[index].append(note.text)
    return texts
