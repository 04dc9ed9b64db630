"""What the dashboard itself knows of a site, laid over the numbers of its history."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from analysis.history_data import HistoryData
from analysis.notes import Note, notes_within
from analysis.opening_hours import OpeningHours, closed_within
from analysis.targets import Target
from components.panels.page_parts import guarded
from components.panels.viewer import site_zone
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
    notes: dict[str, Note] = {}
    with guarded("The notes", "notes", RuntimeError):
        notes |= notes_within(read_notes(site.id), data.range)
    return replace(data, closed=closed, notes=notes)


def known_hours(read: Callable[[], Mapping[str, OpeningHours]]) -> Mapping[str, OpeningHours]:
    """Of all sites by id, as far as they can be read; else it is said, and the page goes on without."""
    hours: dict[str, OpeningHours] = {}
    with guarded("The opening hours", "opening-hours", RuntimeError):
        hours |= read()
    return hours


def known_targets(read: Callable[[], Mapping[str, Target]]) -> Mapping[str, Target]:
    """Likewise targets of a site by month."""
    targets: dict[str, Target] = {}
    with guarded("The targets", "targets", RuntimeError):
        targets |= read()
    return targets


def all_known_targets(read: Callable[[], Mapping[str, Mapping[str, Target]]]) -> Targets:
    """Likewise of all sites by id."""
    targets: dict[str, Mapping[str, Target]] = {}
    with guarded("The targets", "targets", RuntimeError):
        targets |= read()
    return targets
