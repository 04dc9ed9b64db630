"""Where filling and full begin: the URL parameter `thresholds`, twice."""

from __future__ import annotations

from typing import Final

import streamlit as st

from components.theme import Thresholds

THRESHOLDS_PARAMETER: Final = "thresholds"
_STEP: Final = 5


def thresholds_choice() -> Thresholds:
    """The chosen thresholds, in percent of the capacity; behind a button, since they change seldom."""
    usual = Thresholds()
    with st.popover("Thresholds", icon=":material/tune:", width="stretch"):
        filling, full = st.slider(
            "Filling and full begin at (% of capacity)",
            min_value=_STEP,
            max_value=100,
            value=(usual.filling, usual.full),
            step=_STEP,
            key=THRESHOLDS_PARAMETER,
            bind="query-params",
        )
    # Both handles on one value leave no room for "filling".
    return Thresholds(filling, full) if filling < full else Thresholds(full - 1, full)
