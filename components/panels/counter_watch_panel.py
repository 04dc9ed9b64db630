"""A test crossing: somebody walks through a door, and the page says what its counter tells meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Final, NamedTuple

import streamlit as st

from analysis.counters import Hung, crossings, watch_query
from components.panels.page_parts import by_itself, guarded
from components.panels.viewer import viewer_formats, viewer_moment
from components.plain_text import plain, plain_name
from components.sentences.counter_words import watch_words
from contract import MetricPoint, MetricsQuery
from contract.administration import Sensor

_EVERY: Final = timedelta(seconds=5)
WATCHED: Final = "watched-counter"
"""Session key: which line is watched, and since when."""

Read = Callable[[MetricsQuery], Sequence[MetricPoint]]
"""Asks the service anew."""


class Watched(NamedTuple):
    number: int
    since: datetime
    """By the service's clock, UTC."""


def watch_button(sensor: Sensor, now: Callable[[], datetime]) -> None:
    """Begins a test crossing; none while it is watched already. `now` is what time it is for the service."""
    if not _watched(sensor):
        st.button(
            "Test crossing", key=f"watch-{sensor.number}", icon=":material/directions_walk:",
            on_click=lambda: st.session_state.update({WATCHED: Watched(sensor.number, now())}),
        )  # fmt: skip


def watch_panel(sensor: Sensor, hung: Hung, *, read: Read, failing: type[Exception]) -> None:
    """What is told of a line that is watched. `failing` is what `read` raises."""
    watched = _watched(sensor)
    if watched is None:
        return
    with st.container(border=True, key="watched"):
        _told(sensor, hung, watched.since, read=read, failing=failing)
        with st.container(horizontal=True, vertical_alignment="center"):
            st.button("Stop watching", key="stop-watching", icon=":material/stop:", on_click=_stop)
            st.page_link(
                "pages/live.py",
                label=f"The gauge of {plain_name(hung.site.name or hung.site.id)}",
                icon=":material/speed:",
                query_params={"site": hung.site.id},
            )


@by_itself(_EVERY)
def _told(sensor: Sensor, hung: Hung, since: datetime, *, read: Read, failing: type[Exception]) -> None:
    with guarded("What the counter tells", "watched", failing, every=_EVERY):
        points = read(watch_query(hung.site.id, hung.passage.id, since))
        is_swapped = sensor.placement is not None and sensor.placement.is_swapped
        found = crossings(points, is_swapped=is_swapped)
        told, means = watch_words(found, viewer_moment(since), hung, sensor, viewer_formats())
        st.markdown(f"**{plain(told)}** {plain(means)}")
        st.caption(
            "Walk through the door. Looked at every 5 s; what other counters of the passage tell is in it."
        )


def _watched(sensor: Sensor) -> Watched | None:
    watched: Watched | None = st.session_state.get(WATCHED)
    return watched if watched and watched.number == sensor.number else None


def _stop() -> None:
    st.session_state.pop(WATCHED, None)
