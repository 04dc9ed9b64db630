"""Where somebody at a door taps, and what was handed over by the phone until it is kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Final, NamedTuple

import streamlit as st

from analysis.door_blame import Way
from analysis.door_check import HandError, HandMinutes, hand_count, hand_minutes, handed_id
from components.door_taps import door_taps
from contract import Site

_HANDED: Final = "door-check-handed"
"""Session key: the count that was handed over and is not kept yet."""
_REFUSED: Final = "door-check-refused"
"""Session key: the id of a count that cannot be compared, and why."""
_OUTSIDE: Final = "the outside"


class Handed(NamedTuple):
    id: str
    site: str
    door: str
    minutes: HandMinutes


def tapping(site: Site, way: Way, kept: Sequence[str], now: Callable[[], datetime]) -> None:
    """`kept` are names of checks that are kept of this door; `now` tells the service's time, aware."""
    handed: Handed | None = st.session_state.get(_HANDED)
    refused, reason = st.session_state.get(_REFUSED, ("", ""))
    names = {zone.id: zone.name or zone.id for zone in site.zones}
    given = door_taps(
        site_id=site.id,
        door_id=way.passage_id,
        door=way.label,
        into=names.get(way.zone_id, way.zone_id),
        other=_OUTSIDE if way.other_id is None else names.get(way.other_id, way.other_id),
        now=now(),
        kept=kept,
        heard=handed.id if handed else "",
        refused=refused,
        reason=reason,
        locale=st.context.locale,
    )
    if given is not None:
        _take(given, now())
        st.rerun()


def _take(given: object, received: datetime) -> None:
    st.session_state.pop(_REFUSED, None)
    try:
        count = hand_count(given)
        minutes = hand_minutes(count, received)
    except HandError as error:
        st.session_state[_REFUSED] = (handed_id(given), str(error))
    else:
        st.session_state[_HANDED] = Handed(count.id, count.site, count.door, minutes)


def handed_over(site: Site, way: Way) -> Handed | None:
    """What was counted at this door and is to be compared."""
    handed: Handed | None = st.session_state.get(_HANDED)
    is_here = handed is not None and (handed.site, handed.door) == (site.id, way.passage_id)
    return handed if is_here else None


def is_kept(handed: Handed) -> None:
    """From then on it is compared no more."""
    if st.session_state.get(_HANDED) == handed:
        del st.session_state[_HANDED]
