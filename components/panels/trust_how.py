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

What cannot be seen: two doors that err at once and hide each other, and a door mounted the wrong way round
by which at any time about as many come as go. What adds up is not proved right.
"""


def how_panel() -> None:
    st.markdown(_HOW)
