"""Counters: those that nobody has placed, the list, and one that is moved, swapped or taken down."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import tzinfo
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

import streamlit as st

from analysis.counters import Hung, most_urgent_first
from analysis.names import LONGEST_NAME, distinct_labels, one_line
from components.number_format import Formats, zone_words
from components.panels.data_table import timed_table
from components.plain_text import code, plain
from components.sentences.counter_words import (
    counter_name,
    direction_words,
    placed_words,
    summary_words,
    to_be_counted_words,
    waiting_words,
)
from components.tables.counter_table import LAST_REPORT, counter_table
from contract import Site
from contract.administration import PlacedAt, Sensor

_MOST_SAID: Final = 5
"""Counters that wait, each in a line of its own."""
_TABLE: Final = "counters"
_LOOKED_AT: Final = "placed-counter"
"""Session key: the number of the line that is looked at, of those that are placed."""
_UNPLACED: Final = "unplaced-counter"
"""Session key: the number of the line that is to be placed, as it is chosen."""
_TO_PLACE: Final = "counter-to-place"
"""Session key: the same while another page is shown; None: none is chosen."""
_LOOK_AT: Final = "look-at-counter"
"""Session key: the one that is to be looked at next."""

ReadSite = Callable[[str], Site]
"""By its id."""


class Places(NamedTuple):
    """Where a counter may hang."""

    names: Mapping[str, str]
    """Of sites, by id."""
    read: ReadSite


class Asked(NamedTuple):
    """Where somebody wants a counter to count."""

    sensor: Sensor
    placed: PlacedAt
    hung: Hung | None
    """None: taken down."""


def done_words(asked: Asked, outcomes: Mapping[str, int], formats: Formats) -> str:
    if asked.hung is None:
        name = counter_name(asked.sensor)
        return f"{name} is taken down: its reports wait from now on. What it has counted stays."
    return placed_words(asked.sensor, asked.hung, outcomes, formats)


def none_heard_panel(service: str) -> None:
    """`service` is its address."""
    st.info(
        "No counter has reported yet. Whoever mounts one lets it post to "
        f"{code(f'{service}/ingest/MAKER')} with a key of scope ingest, and it appears here within seconds.",
        icon=":material/sensors:",
    )


def unplaced(sensors: Sequence[Sensor]) -> list[Sensor]:
    """Those that somebody is to place."""
    return [one for one in sensors if one.placement is None and not one.is_ignored]


def unplaced_panel(
    sensors: Sequence[Sensor], places: Places, timezone: tzinfo, formats: Formats
) -> Asked | None:
    """Those that nobody has placed, on top of all, and where one is placed."""
    waiting = unplaced(sensors)
    if not waiting:
        return None
    said = [waiting_words(one, timezone, formats) for one in waiting[:_MOST_SAID]]
    if len(waiting) > _MOST_SAID:
        said.append(f"And {formats.number(len(waiting) - _MOST_SAID)} more that nobody has placed.")
    with st.container(border=True, key="unplaced"):
        st.header(":material/add_location: To be placed", anchor=False)
        st.markdown("  \n".join(plain(sentence) for sentence in said))
        chosen = _to_place(waiting)
        return _form(chosen, places, "Place it") if chosen else None


def _to_place(waiting: Sequence[Sensor]) -> Sensor | None:
    """The one that the form is of. The first that is seen is offered; once that is gone somebody chooses:
    a press too many, or one that comes late, is to place no other counter at the same door.
    """
    present = st.session_state.get(_UNPLACED, st.session_state.get(_TO_PLACE, waiting[0].number))
    is_there = any(one.number == present for one in waiting)
    st.session_state[_UNPLACED] = present if is_there else None
    chosen = _chosen("Counter to place", waiting, _UNPLACED, index=None)
    st.session_state[_TO_PLACE] = chosen.number if chosen else None
    return chosen


def table_panel(
    sensors: Sequence[Sensor],
    sites: Mapping[str, Site],
    names: Mapping[str, str],
    timezone: ZoneInfo,
    formats: Formats,
) -> None:
    """All lines, those with a trouble first."""
    st.markdown(plain(summary_words(sensors, formats)))
    st.caption(plain(f"Times are {zone_words(timezone.key)}."))
    table = counter_table(most_urgent_first(sensors), sites, names, timezone, formats)
    timed_table(
        table,
        _TABLE,
        {},
        [LAST_REPORT],
        lambda moment: formats.moment(moment.to_pydatetime()),
        whole=["Placed at", "Clock", "Direction"],
    )


def placed_choice(sensors: Sequence[Sensor]) -> Sensor | None:
    """Which of those that are placed is looked at; None: none is."""
    placed = [one for one in most_urgent_first(sensors) if one.placement is not None]
    if not placed:
        return None
    asked = st.session_state.pop(_LOOK_AT, None)
    if any(one.number == asked for one in placed):
        st.session_state[_LOOKED_AT] = asked
    st.header("One counter", anchor=False)
    return _chosen("Counter", placed, _LOOKED_AT)


def look_at(sensor: Sensor) -> None:
    """In the next run of the page: whoever has placed a counter goes on with a test crossing."""
    st.session_state[_LOOK_AT] = sensor.number


def hung_panel(sensor: Sensor, hung: Hung, formats: Formats) -> None:
    """Where it hangs, which way in leads, and whether what had waited is counted."""
    is_swapped = sensor.placement is not None and sensor.placement.is_swapped
    words = direction_words(hung.site, hung.passage, is_swapped=is_swapped)
    name = one_line(hung.passage.name or hung.passage.id, LONGEST_NAME)
    st.markdown(plain(f"It hangs at {name}. {words}."))
    if sensor.waiting:
        st.caption(plain(to_be_counted_words(sensor, formats)))


def change_panel(sensor: Sensor, places: Places) -> Asked | None:
    """Move it, swap its directions, or take it down."""
    with st.popover("Move or swap", icon=":material/swap_horiz:", key=f"move-{sensor.number}"):
        moved = _form(sensor, places, "Count there from now on")
    with st.popover("Take down", icon=":material/remove_circle:", key=f"take-down-{sensor.number}"):
        st.markdown("Its reports then wait until somebody places it again. What it has counted stays.")
        if st.button("Take down now", key=f"take-down-now-{sensor.number}", type="primary"):
            return Asked(sensor, PlacedAt(passage_id=None), None)
    return moved


def _chosen(label: str, sensors: Sequence[Sensor], key: str, index: int | None = 0) -> Sensor | None:
    by_number = {one.number: one for one in sensors}
    labels = distinct_labels({str(number): counter_name(one) for number, one in by_number.items()})
    number = st.selectbox(
        plain(label),
        list(by_number),
        index,
        format_func=lambda number: labels[str(number)],
        key=key,
        placeholder="Choose a counter",
    )
    return by_number.get(number) if number is not None else None


def _form(sensor: Sensor, places: Places, label: str) -> Asked | None:
    """Site, passage and direction; what is asked for once it is pressed."""
    own = sensor.placement
    site_ids = list(places.names)
    if not site_ids:
        st.info("There is no site at whose doors it could count. Set one up first.")
        return None
    site_column, passage_column = st.columns(2)
    index = site_ids.index(sensor.site_id or "") if sensor.site_id in places.names else 0
    site_id = site_column.selectbox(
        "Site", site_ids, index, format_func=places.names.__getitem__, key=f"place-site-{sensor.number}"
    )
    site = places.read(site_id)
    labels = distinct_labels({one.id: one.name for one in site.passages})
    if not labels:
        st.info("This site lists no passage at which it could count. Add one on the page Setup.")
        return None
    present = (own and own.passage_id) or ""
    passage_id = passage_column.selectbox(
        "Passage",
        list(labels),
        list(labels).index(present) if present in labels else 0,
        format_func=labels.__getitem__,
        key=f"place-passage-{sensor.number}-{site_id}",
    )
    hung = Hung(site, next(one for one in site.passages if one.id == passage_id))
    is_swapped = st.radio(
        "Who comes in, as the counter tells it",
        options=[False, True],
        index=int(bool(own and own.is_swapped)),
        format_func=lambda swapped: plain(direction_words(*hung, is_swapped=swapped)),
        key=f"place-swapped-{sensor.number}",
    )
    if not st.button(plain(label), key=f"place-{sensor.number}", type="primary", icon=":material/check:"):
        return None
    return Asked(sensor, PlacedAt(passage_id=passage_id, is_swapped=bool(is_swapped)), hung)
