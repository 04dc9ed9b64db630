"""What Ahead shows: of which metric, and how many people there are for each member of staff."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Final

import streamlit as st

from analysis.ahead_answer import METRICS_AHEAD
from components.panels.unknown_in_link import asked_in_link, is_unclear, unknown_in_link
from components.panels.url_choice import keep_in_link, remembered, url_choice
from contract import METRICS, MetricKey

_RATIO: Final = "ratio"
_WIDGET: Final = f"choose-{_RATIO}"
_MOST: Final = 1000
_RATIOS: Final = frozenset(str(one) for one in range(1, _MOST + 1))


def unknown_ahead() -> None:
    """Say which values of the link mean nothing here."""
    unknown_in_link({"metric": set(METRICS_AHEAD), _RATIO: _RATIOS})


def metric_ahead_choice(container: AbstractContextManager[object]) -> MetricKey:
    with container:
        chosen = url_choice("Show", {str(key): METRICS[key].label for key in METRICS_AHEAD}, "metric")
    return MetricKey(chosen or METRICS_AHEAD[0])


def ratio_choice(container: AbstractContextManager[object]) -> int | None:
    """People for each member of staff; None: not given, and no staff is told."""
    is_unknown = is_unclear(_RATIO, _RATIOS)
    named = (asked_in_link(_RATIO) or [remembered(_RATIO)])[0]
    known = int(named) if named in _RATIOS and not is_unknown else None
    if st.session_state.get(_WIDGET) != known:
        # What is set takes the place of what is being typed, each time that the page runs by itself.
        st.session_state[_WIDGET] = known
    with container:
        chosen: int | None = st.number_input(
            "People per member of staff",
            value=None,
            step=1,
            key=_WIDGET,
            placeholder="not given",
            help=f"1 to {_MOST}",
            on_change=_follow,
        )
    if not is_unknown:
        keep_in_link(_RATIO, _text(chosen))
    return chosen


def _follow() -> None:
    # A field with bounds keeps showing what is beyond them, and the page goes on with what was before.
    typed = st.session_state[_WIDGET]
    keep_in_link(_RATIO, _text(min(max(1, typed), _MOST) if typed is not None else None))


def _text(ratio: int | None) -> str:
    return str(ratio) if ratio else ""
