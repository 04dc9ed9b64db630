"""How many are inside a zone, set by hand by whoever may: the form, and the records of today."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final, NamedTuple

import streamlit as st

from analysis.names import distinct_labels
from analysis.site_report import zone_capacity
from components.number_format import Formats, zone_words
from components.panels.administration import attempt
from components.panels.page_parts import folded, guarded
from components.panels.viewer import site_zone, viewer_formats
from components.plain_text import plain
from components.sentences.by_hand_words import (
    LONGEST_REASON,
    WHAT_IT_IS,
    WITHOUT_NUMBER,
    WITHOUT_REASON,
    above_capacity_words,
    meanwhile_words,
    record_words,
    set_words,
    taken_back_words,
)
from components.sentences.number_words import bounds_words
from contract import Site
from contract.administration import CorrectionTold

_MOST_PEOPLE: Final = 1_000_000
_TIMES: Final = "by-hand-times"
"""Session key: how often a number was set; the form begins anew with each."""
_CHANGES: Final = "by-hand-changes"
"""Session key: how often something was set or taken back."""
_SAID: Final = "by-hand-said"
"""Session key: what was done last, until it is said."""
_SEEN: Final = "by-hand-seen"
"""Session key: site id -> the newest record that was on the page; None: there was none."""
_CONFIRMED: Final = "by-hand-confirmed"
"""Session key: the number above the capacity that the page has asked about."""


class ByHandActions(NamedTuple):
    """What the page does with numbers set by hand."""

    read: Callable[[Site], Sequence[CorrectionTold]]
    """Of today, by minute."""
    correct: Callable[[str, str, int, str], CorrectionTold]
    """By ids of site and zone, how many, and why."""
    take_back: Callable[[str, int], CorrectionTold]
    """By site id and number."""
    failing: type[Exception]
    """What these raise while the service cannot be asked."""
    refused: type[Exception]
    """What they raise where there is nothing to ask."""


class _Where(NamedTuple):
    site: Site
    zones: Mapping[str, str]
    """Names by id."""
    formats: Formats


def by_hand_panel(site: Site, zone_id: str, top_zone_ids: Sequence[str], actions: ByHandActions) -> None:
    """`zone_id` is of the zone that is looked at; empty: the whole site, which `top_zone_ids` are."""
    if not site.zones:
        return
    first = zone_id or next(iter(top_zone_ids), site.zones[0].id)
    names = distinct_labels({zone.id: zone.name or zone.id for zone in site.zones})
    folded("Set by hand", "edit_note", partial(_draw, _Where(site, names, viewer_formats()), first, actions))


def changes_by_hand() -> int:
    """How often something was set or taken back in this session."""
    return int(st.session_state.get(_CHANGES, 0))


def _draw(where: _Where, first: str, actions: ByHandActions) -> None:
    with (
        guarded("What was set by hand", "by-hand", actions.failing),
        guarded("What was set by hand", "by-hand-refused", actions.refused),
    ):
        records = actions.read(where.site)
        st.caption(plain(WHAT_IT_IS))
        said = st.container()
        if words := st.session_state.pop(_SAID, ""):
            said.success(plain(words), icon=":material/check_circle:")
        if change := _form(where, first, records, actions):
            with said:
                attempt(change, actions.failing)
        _list(where, records, actions)
        _seen()[where.site.id] = _newest(records)


def _form(
    where: _Where, first: str, records: Sequence[CorrectionTold], actions: ByHandActions
) -> Callable[[], None] | None:
    site, zones, formats = where
    own = f"{site.id}-{st.session_state.get(_TIMES, 0)}"
    zone_column, people_column, reason_column = st.columns([3, 2, 5])
    ids = list(zones)
    zone_id = zone_column.selectbox(
        "Zone", ids, ids.index(first), format_func=zones.__getitem__, key=f"by-hand-zone-{site.id}-{first}"
    )
    inside = people_column.number_input(
        "People inside", value=None, step=1, key=f"by-hand-people-{own}", placeholder="12"
    )
    reason = reason_column.text_input(
        "Why", key=f"by-hand-reason-{own}", max_chars=LONGEST_REASON, placeholder="We counted"
    ).strip()
    zone = next(one for one in site.zones if one.id == zone_id)
    capacity = zone_capacity(zone)
    is_above = inside is not None and capacity is not None and inside > capacity
    is_confirmed = is_above and st.session_state.get(_CONFIRMED) == (zone_id, inside)
    if is_confirmed and inside is not None and capacity is not None:
        words = above_capacity_words(int(inside), capacity, zones[zone.id], formats)
        st.warning(plain(words), icon=":material/groups:")
    label = "Set it all the same" if is_confirmed else "Set by hand"
    if not st.button(plain(label), key="set-by-hand", type="primary", icon=":material/edit:"):
        return None
    # A field with bounds keeps showing what is beyond them, and the page goes on with what was before.
    if inside is not None and not 0 <= inside <= _MOST_PEOPLE:
        st.error(plain(bounds_words(0, _MOST_PEOPLE, formats)), icon=":material/error:")
        return None
    if inside is None or not reason:
        st.error(plain(WITHOUT_NUMBER if inside is None else WITHOUT_REASON), icon=":material/error:")
        return None
    if is_above and not is_confirmed:
        st.session_state[_CONFIRMED] = (zone_id, inside)
        st.rerun()
    newest = _newest(records)
    if newest is not None and newest != _seen().get(site.id, newest):
        other = next(one for one in records if one.number == newest)
        words = meanwhile_words(other, zones.get(other.zone_id, other.zone_id), site_zone(site), formats)
        st.warning(plain(words), icon=":material/group:")
        return None
    return partial(_set, where, zone.id, int(inside), reason, actions)


def _set(where: _Where, zone_id: str, inside: int, reason: str, actions: ByHandActions) -> None:
    made = actions.correct(where.site.id, zone_id, inside, reason)
    st.session_state[_TIMES] = st.session_state.get(_TIMES, 0) + 1
    st.session_state.pop(_CONFIRMED, None)
    _say(where, set_words(made, where.zones[zone_id], site_zone(where.site), where.formats))


def _list(where: _Where, records: Sequence[CorrectionTold], actions: ByHandActions) -> None:
    timezone = site_zone(where.site)
    if not records:
        st.caption("Nothing was set by hand today.")
        return
    st.markdown(plain(f"Set by hand today, {zone_words(timezone.key)}:"))
    for one in reversed(records):
        zone = where.zones.get(one.zone_id, one.zone_id)
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(plain(record_words(one, zone, timezone, where.formats)), width="stretch")
            if one.withdrawn is None and st.button(
                "Take back", key=f"take-back-{one.number}", icon=":material/undo:", type="tertiary"
            ):
                attempt(partial(_take_back, where, one, zone, actions), actions.failing)


def _take_back(where: _Where, one: CorrectionTold, zone: str, actions: ByHandActions) -> None:
    actions.take_back(where.site.id, one.number)
    _say(where, taken_back_words(one, zone, where.formats))


def _say(where: _Where, words: str) -> None:
    """In the next run, in which what was just done is known already."""
    st.session_state[_CHANGES] = changes_by_hand() + 1
    st.session_state[_SAID] = words
    _seen().pop(where.site.id, None)
    st.rerun()


def _newest(records: Sequence[CorrectionTold]) -> int | None:
    return max((one.number for one in records), default=None)


def _seen() -> dict[str, int | None]:
    found: dict[str, int | None] = st.session_state.setdefault(_SEEN, {})
    return found
