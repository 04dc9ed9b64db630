"""What the dashboard itself knows of a site, laid over the numbers of its history."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple
from zoneinfo import ZoneInfo

import streamlit as st

from analysis.history_data import HistoryData
from analysis.made_once import made_last
from analysis.notes import Note, notes_within
from analysis.opening_hours import OpeningHours, closed_within
from analysis.targets import Target
from analysis.time_range import TimeRange
from components.number_format import Formats
from components.panels.read_last import read_or_last
from components.panels.viewer import site_zone
from components.plain_text import plain
from components.sentences.note_words import note_lines
from contract import Site

Targets = Mapping[str, Mapping[str, Target]]
"""By site id and month."""
ReadNotes = Callable[[str], Mapping[str, Note]]
"""Notes of the site of an id, by name. Raises RuntimeError with a sentence for people."""


def with_known(
    data: HistoryData, site: Site, hours: OpeningHours | None, read_notes: ReadNotes
) -> HistoryData:
    """With closed time, and notes as far as they can be read; else it is said, and the page goes on."""
    # A site opens by its own clock, whichever zone one looks at it in.
    closed = closed_within(hours, data.range, site_zone(site)) if hours else ()
    return _with(data, tuple(closed), tuple(known_notes(site.id, data.range, read_notes).items()))


@made_last
def _with(
    data: HistoryData, closed: tuple[TimeRange, ...], notes: tuple[tuple[str, Note], ...]
) -> HistoryData:
    return replace(data, closed=closed, notes=dict(notes))


def known_notes(site_id: str, range_: TimeRange, read_notes: ReadNotes) -> dict[str, Note]:
    """Those of the range, ascending, as far as they can be read; else it is said, and the page goes on."""
    none: Mapping[str, Note] = {}
    kept = read_or_last("The notes", "notes", site_id, lambda: read_notes(site_id), none)
    return notes_within(kept, range_)


class Known(NamedTuple):
    """Of a range, both ascending."""

    closed: Sequence[TimeRange]
    notes: Sequence[Note]


KnownWithin = Callable[[TimeRange], Known]


def known_within(site: Site, hours: OpeningHours | None, read_notes: ReadNotes, range_: TimeRange) -> Known:
    """Raises nothing, as `known_notes`."""
    closed = closed_within(hours, range_, site_zone(site)) if hours else ()
    return Known(closed, tuple(known_notes(site.id, range_, read_notes).values()))


def listed_notes(notes: Sequence[Note], timezone: ZoneInfo, formats: Formats) -> None:
    """What stands on a chart by numbers, in words below it."""
    if notes:
        lines = (f"- {plain(line)}" for line in note_lines(notes, timezone, formats))
        st.caption("\n".join(["Notes, as numbered on the chart:", "", *lines]))


def known_hours(read: Callable[[], Mapping[str, OpeningHours]]) -> Mapping[str, OpeningHours]:
    """Of all sites by id, as far as they can be read; else it is said, and the page goes on without."""
    return read_or_last("The opening hours", "opening-hours", "", read, {})


def known_targets(site_id: str, read: Callable[[str], Mapping[str, Target]]) -> Mapping[str, Target]:
    """Likewise targets of the site of that id, by month."""
    return read_or_last("The targets", "targets", site_id, lambda: read(site_id), {})


def all_known_targets(read: Callable[[], Mapping[str, Mapping[str, Target]]]) -> Targets:
    """Likewise of all sites by id."""
    return read_or_last("The targets", "targets", "", read, {})
