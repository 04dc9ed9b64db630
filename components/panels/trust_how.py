"""How Trust judges a count, for whoever asks."""

from __future__ import annotations

from typing import Final

import streamlit as st

_HOW: Final = """
A day goes from the quietest hour to the next. Who came in must have gone out by then: what is left is the
error of the count. Where more had gone out than come at some time of the day, that is an error, too. The
number inside is not trusted where the error is 10 people or more and a quarter of the highest number inside
or more. All is read by the hour: errors that others hide within the same hour do not show, so that History,
which reads minutes around the fullest one, may find more.

Every door is turned round once, on paper. It is named where its zones then add up, and neither another door
turned round nor one that misses a part of those who go one way explains nearly as much. Else the doors are
named that lie between the zones that differ.

A passage between two zones by which over a day as many come as go leaves nothing over when it is mounted the
wrong way round, but within the day one of its zones rises too far while the other falls below nobody. So each
day is evened out by up to 5 %, which counters may miss; where a zone still falls below nobody on most days,
and turned round one passage alone mends both of its zones, it is named.

What cannot be seen: two doors that err at once and hide each other, and a door mounted the wrong way round
by which within each hour about as many come as go, or so few of all that the others hide it.
What adds up is not proved right.
"""


def how_panel() -> None:
    st.markdown(_HOW)
