"""Notes on a site and a time: listed below the chart, and written by whoever may open the dashboard."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from functools import partial
from typing import Final

import streamlit as st
from pydantic import ValidationError

from analysis.history_data import HistoryData
from analysis.notes import LONGEST_NOTE, Note
from analysis.time_range import instant_of
from components.number_format import Formats, zone_words
from components.panels.page_parts import change_or_say, folded
from components.panels.permission import may_change_or_say
from components.plain_text import plain
from components.sentences.note_words import note_lines, numbered_heading, numbered_lines
from contract import Site
from contract.minutes import MINUTE

_STEP_SECONDS: Final = 900
_KEPT: Final = "notes-kept"
"""Session key: how many were kept in it. What is kept once is not left to be kept twice."""

_WRITTEN: Final = "written"
"""Session key before a box's own: what stands in it. Streamlit forgets that where the box is not drawn."""

_SAID: Final = "notes-said"
"""Session key: what was done last, until it is said."""

Keep = Callable[[str, Note], None]
"""For the site of an id. Raises RuntimeError with a sentence for people, as `Forget` does."""
Forget = Callable[[str, str], None]
"""The note of that name."""


def notes_panel(site: Site, data: HistoryData, formats: Formats, *, keep: Keep, forget: Forget) -> None:
    """What stands on the chart in words, and where more is written."""
    if lines := numbered_lines(data, formats):
        listed = (f"- {plain(line)}" for line in lines)
        st.caption("\n".join([plain(numbered_heading(data)), "", *listed]))
    draw = partial(_editor, site, data, formats, keep=keep, forget=forget)
    folded("Notes", "sticky_note_2", draw)


def _editor(site: Site, data: HistoryData, formats: Formats, *, keep: Keep, forget: Forget) -> None:
    if not may_change_or_say(site.id):
        return
    st.caption(
        plain(
            "A note stands on the charts of this site and in its files, for every browser that opens this"
            f" dashboard, and on no wall. Times are {zone_words(data.timezone.key)}."
        )
    )
    last = (data.range.end - MINUTE).astimezone(data.timezone)
    day, clock, words = st.columns([2, 2, 6])
    date = day.date_input("Day", value=last.date(), key=f"note-day-{site.id}", format=formats.typed_date)
    time = clock.time_input(
        "Time",
        value=last.time().replace(second=0, microsecond=0),
        key=f"note-time-{site.id}",
        step=_STEP_SECONDS,
    )
    box = f"note-text-{site.id}-{st.session_state.get(_KEPT, 0)}"
    st.session_state.setdefault(box, st.session_state.get(f"{_WRITTEN}-{box}", ""))
    text = words.text_input("What happened", key=box, max_chars=LONGEST_NOTE, placeholder="Sale begins")
    st.session_state[f"{_WRITTEN}-{box}"] = text
    if st.button("Keep this note", key=f"keep-note-{site.id}", type="primary", icon=":material/save:"):
        try:
            note = Note(at=instant_of(datetime.combine(date, time), data.timezone), text=text.strip())
        except ValidationError:
            st.error("Write what happened: an empty note says nothing.", icon=":material/error:")
        else:
            (line,) = note_lines([note], data.timezone, formats)
            is_shown = data.range.start <= note.at < data.range.end
            where = "" if is_shown else " It is of another time than you see here."
            _do(partial(keep, site.id, note), f"Kept: {line.partition(' · ')[2]}.{where}")
    if said := st.session_state.pop(_SAID, ""):
        st.success(plain(said), icon=":material/check_circle:")
    lines = note_lines(list(data.notes.values()), data.timezone, formats)
    for name, line in zip(data.notes, lines, strict=True):
        label = plain(f"Remove {line}")
        if st.button(label, key=f"forget-note-{name}", icon=":material/delete:", type="tertiary"):
            _do(partial(forget, site.id, name), f"Removed: {line.partition(' · ')[2]}.")


def _do(change: Callable[[], None], said: str) -> None:
    """And begin with an empty note again, below which it is `said` what was done."""

    def change_and_clear() -> None:
        change()
        st.session_state[_KEPT] = st.session_state.get(_KEPT, 0) + 1
        st.session_state[_SAID] = said

    change_or_say(change_and_clear)
