"""Which door brings people at which time, within the range of History."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import Final

import streamlit as st

from analysis.door_hours import DoorHours, door_hour_queries, door_hours
from analysis.entrances import MOST_PLACES, doors_to_rank
from analysis.history_request import HistoryRequest, RunQueries
from components.figures.door_map import door_map
from components.number_format import zone_words
from components.panels.data_table import table_on_paper
from components.panels.fixed_chart import ChartData, Whose, fixed_chart, picture_of
from components.panels.hours_choice import in_title, is_told_of_open_hours
from components.panels.page_parts import loading, some_unread
from components.panels.viewer import viewer_formats, viewer_theme
from components.plain_text import plain
from components.sentences.door_words import (
    counted_by_all,
    door_hours_words,
    shade_words,
)
from components.sentences.range_words import range_text
from components.tables.door_table import (
    DOOR,
    SUMS,
    door_file,
    door_table,
)
from contract import Site

_HOURS_OF_DOORS: Final = "A row is a door at an hour of the local clock, named by its start, over all days."


def door_answer_panel(
    site: Site, request: HistoryRequest, read: RunQueries, waiting: AbstractContextManager[object]
) -> None:
    """Which door brings people, in a sentence. While it is read, that is said in `waiting`."""
    found, formats = _told_doors(site, request, read, waiting), viewer_formats()
    if found is None:
        return
    st.markdown(plain(door_hours_words(found, formats)))
    when = range_text(request.range, request.timezone, formats)
    zone = zone_words(request.timezone.key)
    st.caption(plain(f"{when}, {zone}. {counted_by_all(found, formats)}"))


def _told_doors(
    site: Site, request: HistoryRequest, read: RunQueries, waiting: AbstractContextManager[object]
) -> DoorHours | None:
    """None where no shares can be told; then it is said why."""
    doors = doors_to_rank(site)
    if len(doors) <= 1:
        st.caption(
            "This site lists one door: whoever comes in comes by it." if doors else "This site lists no door."
        )
        return None
    if len(doors) > MOST_PLACES:
        st.caption(f"{len(doors)} doors are too many to compare: up to {MOST_PLACES} are.")
        return None
    if not is_told_of_open_hours(request, len(doors)):
        return None
    queries, retry_key = door_hour_queries(site, request, doors), f"doors-by-hour-{site.id}"
    with waiting, loading(retry_key, 200):
        answers = read(queries)
    if unread := len({door for door, _ in queries.keys() - answers.keys()}):
        some_unread(unread, "doors", retry_key)
        return None
    found = door_hours(answers, request)
    if not found.hours.present:
        st.caption("No hour of this range has counts of all doors, so no shares are known.")
        return None
    return found


def door_hours_panel(site: Site, request: HistoryRequest, read: RunQueries) -> None:
    """The share of each door by hour of the clock."""
    found, formats = _told_doors(site, request, read, nullcontext()), viewer_formats()
    if found is None:
        return
    said = door_hours_words(found, formats)
    st.markdown(plain(said))
    if not found.everybody:
        return
    figure = door_map(found, theme=viewer_theme(), formats=formats, revision=site.id)
    note = f"{shade_words(found, formats)} {counted_by_all(found, formats)}"
    picture = picture_of(
        Whose(site), f"Share of each door by hour{in_title(request)}", request.range, [said, note],
        timezone=request.timezone, formats=formats,
    )  # fmt: skip
    alt = f"Map of the share of each door by hour of the clock. {said}"
    counted = counted_by_all(found, formats)
    data = ChartData(partial(door_file, found), _HOURS_OF_DOORS, SUMS, counted, [DOOR])
    fixed_chart(figure, "door-map", alt, formats, picture, data=data)
    st.caption(plain(note))
    table_on_paper(door_table(found, formats), "door-hours")
