"""Notes that people write on a site and a time ("sale", "sensor moved"), so that a chart explains itself."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Mapping, Sequence
from datetime import date, datetime, time, timedelta
from typing import Annotated, Final
from zoneinfo import ZoneInfo

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


def notes_on_days(
    notes: Sequence[Note], days: Sequence[date], begin: int, timezone: ZoneInfo
) -> dict[Note, float]:
    """Those of the days, which begin at that hour of the clock, and where each is on an axis of days.

    The first day is from -0.5 to 0.5, about its middle at 0, and so on.
    """
    places = {day: place for place, day in enumerate(days)}
    found = {}
    for note in notes:
        clock = note.at.astimezone(timezone).replace(tzinfo=None) - timedelta(hours=begin)
        if (place := places.get(clock.date())) is not None:
            elapsed = clock - datetime.combine(clock.date(), time())
            found[note] = place - 0.5 + elapsed / timedelta(days=1)
    return found


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
