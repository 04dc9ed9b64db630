"""Thresholds by site and the site that opens first, as this dashboard keeps them for the service in use.

What cannot be kept holds in the browser's session, and is said.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Final, NamedTuple

import streamlit as st

from analysis.keeper import Keeper
from gauge.levels import Thresholds
from keeping import Place, is_away
from runtime.kept_place import kept_place
from runtime.person_of_page import change_refusal
from runtime.preference_store import Preferences, PreferenceStore, PreferenceStoreError
from runtime.upstream import service_digest

_UNKEPT: Final = "preferences-not-kept"
"""Session key."""


class KeptPreferences(NamedTuple):
    thresholds: Mapping[str, Thresholds]
    """By site id; of other sites none are kept."""
    first_site: str | None
    """Id; it may be of a site that is no more."""
    problem: str
    """In sentences for people; empty: all is well."""


@dataclass
class _Unkept:
    """What this session chose and the file did not take."""

    thresholds: dict[str, Thresholds | None] = field(default_factory=dict)
    first_site: list[str | None] = field(default_factory=list)
    """Empty, or one."""
    problem: str = ""


def read_preferences() -> KeptPreferences:
    """Never fails: what cannot be read is none, and `problem` says so."""
    problem, store, service = "", _store(), service_digest()
    try:
        found = store.of(service)
    except PreferenceStoreError as error:
        last = store.last(service) if is_away(error) else None
        found = last or Preferences({}, None)
        holding = "those that were read last" if last else "the usual thresholds"
        problem = (
            f"{error} Until they can, {holding} hold, and what you choose holds in this browser tab alone."
        )
    unkept: _Unkept = st.session_state.get(_UNKEPT, _Unkept())
    chosen = {**found.thresholds, **unkept.thresholds}
    return KeptPreferences(
        {site_id: thresholds for site_id, thresholds in chosen.items() if thresholds},
        unkept.first_site[0] if unkept.first_site else found.first_site,
        unkept.problem or problem,
    )


def keep_thresholds(site_id: str, thresholds: Thresholds | None, before: Thresholds | None) -> bool:
    """Whether they hold: not where another browser has kept others than `before` since. None: none, so that
    the usual ones hold.
    """
    unkept, own = _unkept(), (service_digest(), site_id)
    if site_id in unkept.thresholds:
        # They replace those of this session alone; of what is kept nobody here has seen anything.
        before = _kept_thresholds(*own)
        del unkept.thresholds[site_id]
    do_hold = True

    def keep(store: PreferenceStore) -> None:
        nonlocal do_hold
        do_hold = store.keep_thresholds(*own, thresholds, before)

    if not _is_kept(unkept, keep):
        unkept.thresholds[site_id] = thresholds
    return do_hold


def _kept_thresholds(service: str, site_id: str) -> Thresholds | None:
    with suppress(PreferenceStoreError):
        return _store().of(service).thresholds.get(site_id)
    return None


def thresholds_keeper(site_id: str) -> Keeper[Thresholds | None, Thresholds | None]:
    def kept_at() -> datetime | None:
        with suppress(PreferenceStoreError):
            return _store().thresholds_kept_at(service_digest(), site_id)
        return None

    return Keeper(partial(keep_thresholds, site_id), kept_at)


def keep_first_site(site_id: str | None) -> None:
    """None: no site comes first."""
    unkept = _unkept()
    unkept.first_site.clear()
    if not _is_kept(unkept, lambda store: store.open_first(service_digest(), site_id)):
        unkept.first_site.append(site_id)


def _is_kept(unkept: _Unkept, keep: Callable[[PreferenceStore], None]) -> bool:
    if change_refusal():
        return False  # it is theirs alone, which is no fault to tell of
    try:
        keep(_store())
    except PreferenceStoreError as error:
        unkept.problem = f"{error} What you chose holds in this browser tab alone."
        return False
    if not unkept.thresholds and not unkept.first_site:
        unkept.problem = ""
    return True


def _unkept() -> _Unkept:
    found: _Unkept = st.session_state.setdefault(_UNKEPT, _Unkept())
    return found


def _store() -> PreferenceStore:
    place = kept_place()
    return _stored(str(place), place)


@st.cache_resource(show_spinner=False)
def _stored(where: str, _place: Place) -> PreferenceStore:
    del where  # it tells places apart
    return PreferenceStore(_place)
