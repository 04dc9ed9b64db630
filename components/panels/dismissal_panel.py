"""Counters that nobody has placed and that are nobody's: dismissed, ignored, and heeded again."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import tzinfo
from typing import NamedTuple

import streamlit as st

from analysis.names import distinct_labels
from components.number_format import Formats
from components.panels.counters_panel import unplaced
from components.plain_text import plain
from components.sentences.counter_words import counter_name, dismissed_words, waiting_words
from contract.administration import Sensor


class Unwanted(NamedTuple):
    """What somebody asks for."""

    numbers: Sequence[int]
    is_ignored: bool
    """False: each is back when it reports again."""
    is_heeded: bool = False
    """Those were ignored until now."""


def unwanted_words(asked: Unwanted, number: int, formats: Formats) -> str:
    """What was done of what is `asked`, to so many counters."""
    return dismissed_words(number, formats, is_ignored=asked.is_ignored, is_heeded=asked.is_heeded)


def dismissal_panel(sensors: Sequence[Sensor], formats: Formats) -> Unwanted | None:
    """Some of those that nobody has placed, or all."""
    waiting = unplaced(sensors)
    if not waiting:
        return None
    with st.popover("Dismiss", icon=":material/delete:", key="dismiss-counters"):
        labels = distinct_labels({str(one.number): counter_name(one) for one in waiting})
        chosen = st.multiselect(
            "Counters that are not yours",
            [one.number for one in waiting],
            format_func=lambda number: labels[str(number)],
            key="dismissed",
            placeholder="Choose some",
        )
        every = st.checkbox(
            plain(f"All {formats.number(len(waiting))} that nobody has placed"), key="dismiss-all"
        )
        is_ignored = st.radio(
            "When one reports again",
            options=[False, True],
            format_func=lambda ignored: "it is back on this list" if ignored is False else "it is ignored",
            key="dismissed-for-ever",
        )
        st.caption("What waits of them is forgotten.")
        numbers = [one.number for one in waiting] if every else chosen
        if st.button("Dismiss now", key="dismiss-now", type="primary", disabled=not numbers):
            return Unwanted(numbers, bool(is_ignored))
    return None


def ignored_panel(sensors: Sequence[Sensor], timezone: tzinfo, formats: Formats) -> Unwanted | None:
    """Those that are ignored, and one that is to be heeded again."""
    ignored = [one for one in sensors if one.is_ignored]
    if not ignored:
        return None
    label = plain(f"Ignored: {formats.number(len(ignored))}")
    # Another one once fewer are ignored: it is folded then, and a press too many hits no other counter.
    with st.popover(label, icon=":material/hearing_disabled:", key=f"ignored-{len(ignored)}"):
        by_number = {one.number: one for one in ignored}
        labels = distinct_labels({str(number): counter_name(one) for number, one in by_number.items()})
        number = st.selectbox(
            "Counter", list(by_number), format_func=lambda number: labels[str(number)], key="ignored-counter"
        )
        st.markdown(plain(waiting_words(by_number[number], timezone, formats)))
        if st.button("Heed it again", key="heed-again", icon=":material/hearing:"):
            return Unwanted([number], is_ignored=False, is_heeded=True)
    return None
