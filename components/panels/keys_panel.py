"""Keys: the list, one that is made, and one that is rotated or revoked; a secret, shown once."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

import streamlit as st

from analysis.keys import WantedKey, unseen, working, working_first
from analysis.names import distinct_labels
from analysis.time_range import instant_of
from components.number_format import Formats, zone_words
from components.panels.data_table import timed_table
from components.plain_text import plain, plain_name
from components.sentences.key_words import OVERLAPS, SCOPES, key_name, summary_words, unseen_words
from components.tables.key_table import LAST_USE, MADE, STATE, key_table
from components.wall_frame import into_view
from contract.administration import AskedKey, ListedKey, MadeKey

_MADE: Final = "made-key"
"""Session key: the key that was made last in this session, with its secret, until it is closed."""
_MADE_BY_PRESS: Final = "keys-made-by-press"
"""Session key: the same, by how many had been made before."""
_TIMES_MADE: Final = "keys-made"
"""Session key: how many were made in it; the form begins anew with each."""
_WANTED: Final = "keys-wanted"
"""Session key: keys that were asked for and of which no answer told."""
_UNSEEN: Final = "keys-unseen"
"""Session key: ids of the keys of which it is said that nobody knows their secrets."""
_SHOWN_ONCE: Final = (
    ":material/key: **Copy it now: it is shown only here and only now.** The service keeps a digest. "
    "It goes when you close this or load the page anew; whoever lost it rotates the key."
)
_ROTATED_OWN: Final = (
    "**This dashboard goes on with the old one.** Give it the new key and start it again before the old one "
    "stops opening: then pages and walls show nothing, or nothing can be administered here."
)
_LONGEST_NAME: Final = 200
_ANY_DAY: Final = (date(1900, 1, 1), date(2999, 12, 31))


class Rotation(NamedTuple):
    key: ListedKey
    overlap_seconds: int


class Revocation(NamedTuple):
    key: ListedKey


class Whose(NamedTuple):
    """What a list of keys is read with."""

    names: Mapping[str, str]
    """Of sites, by id."""
    own: Collection[str]
    """Ids of the keys that this dashboard uses."""
    now: datetime
    """For the service, aware."""
    timezone: ZoneInfo
    """Of the viewer."""


def make_and_show(make: Callable[[], MadeKey], wanted: WantedKey) -> None:
    """Make a key, and show it above the list until it is closed, or the page is loaded anew.

    Whoever presses twice ends the run of the first press, maybe once its key is made and before it is shown:
    the second press takes up that key, so that none opens whose secret nobody has seen. Until an answer tells
    what became of it, it may be one of `unseen_keys`.
    """
    anew = st.session_state.get(_TIMES_MADE, 0)
    made: dict[int, MadeKey] = st.session_state.setdefault(_MADE_BY_PRESS, {})
    if anew not in made:
        made.clear()
        before = _wanted()
        before.append(wanted)
        try:
            made[anew] = make()
        except Exception as error:
            if not getattr(error, "is_undecided", False):
                before.remove(wanted)
            raise
        before.remove(wanted)
        # Somebody sees this one's secret, though it is alike.
        before[:] = [one._replace(known=one.known | {made[anew].id}) for one in before]
    st.session_state[_MADE] = made[anew]
    st.session_state[_TIMES_MADE] = anew + 1


def unseen_keys(keys: Sequence[ListedKey], now: datetime, like: WantedKey | None = None) -> list[ListedKey]:
    """Those of `keys` that were made in this session and whose secrets nobody has seen, since no answer came;
    of one name and scope alone where it is to be `like` that. `now` is aware.
    """
    found = {key.id: key for one in _wanted() for key in unseen(one, keys, now)}
    return [key for key in found.values() if like is None or (key.name, key.scope) == (like.name, like.scope)]


def unseen_panel(keys: Sequence[ListedKey], now: datetime) -> None:
    """Says so of each, and has the first chosen under One key when it is said first."""
    found = unseen_keys(keys, now)
    for key in found:
        st.warning(plain(unseen_words(key)), icon=":material/key_off:")
    said = st.session_state.get(_UNSEEN, frozenset())
    if new := [key.id for key in found if key.id not in said]:
        st.session_state["one-key"] = new[0]
    st.session_state[_UNSEEN] = frozenset(key.id for key in found)


def _wanted() -> list[WantedKey]:
    found: list[WantedKey] = st.session_state.setdefault(_WANTED, [])
    return found


def secret_panel() -> None:
    made: MadeKey | None = st.session_state.get(_MADE)
    if made is None:
        return
    with st.container(border=True, key="made-key"):
        into_view(f"made-key-{made.id}", first="[data-testid=stCode]", always=True)
        st.header(f":material/check_circle: The key “{plain_name(made.name)}” exists", anchor=False)
        st.code(made.secret, language=None, wrap_lines=True)
        st.markdown(_SHOWN_ONCE)
        st.markdown("Send it as the header `x-api-key`.")
        st.button(
            "Close: I have the key",
            key="close-made-key",
            icon=":material/close:",
            on_click=st.session_state.pop,
            args=(_MADE, None),
        )


def keys_table_panel(keys: Sequence[ListedKey], whose: Whose, formats: Formats) -> None:
    """All keys, those that open first."""
    st.markdown(plain(summary_words(keys, whose.now, formats)))
    table = key_table(
        working_first(keys, whose.now),
        whose.names,
        whose.own,
        now=whose.now,
        timezone=whose.timezone,
        formats=formats,
    )
    st.caption(plain(f"Times are {zone_words(whose.timezone.key)}."))
    timed_table(
        table,
        "keys",
        {},
        [LAST_USE, MADE],
        lambda moment: formats.moment(moment.to_pydatetime()),
        whole=[STATE],
    )


def new_key_panel(whose: Whose, formats: Formats) -> AskedKey | None:
    """What is asked for, once that is pressed."""
    st.header("Make a key", anchor=False)
    anew = st.session_state.get(_TIMES_MADE, 0)
    name = st.text_input(
        "What it is for",
        key=f"key-name-{anew}",
        max_chars=_LONGEST_NAME,
        placeholder="Counter at the main door",
    )
    day, today = None, whose.now.astimezone(whose.timezone).date()
    if ends := st.checkbox("It stops opening after a last day", key=f"key-ends-{anew}"):
        # A field with bounds keeps showing what is beyond them, and the page goes on with what was before.
        day = st.date_input(
            "Last day",
            value=None,
            min_value=_ANY_DAY[0],
            max_value=_ANY_DAY[1],
            key=f"key-day-{anew}",
            format=formats.typed_date,
            width=320,
        )
    scope = st.radio(
        "Scope",
        options=list(SCOPES),
        format_func=lambda scope: f"**{plain(scope)}** {plain(SCOPES[scope])}",
        key=f"key-scope-{anew}",
    )
    site_ids: list[str] = []
    if scope == "read" and len(whose.names) > 1:
        site_ids = st.multiselect(
            "Sites (none chosen: all, those to come too)",
            list(whose.names),
            format_func=whose.names.__getitem__,
            key=f"key-sites-{anew}",
        )
    # Another one then, so that the focus of who uses the keyboard goes to the secret.
    if not st.button("Make the key", key=f"make-key-{anew}", type="primary", icon=":material/add:"):
        return None
    if not name.strip():
        st.error("Say what the key is for: by its name it is told from others.", icon=":material/error:")
        return None
    if ends and (day is None or day < today):
        st.error(
            "Write the last day in full: today or a later one. Or untick that it stops opening.",
            icon=":material/error:",
        )
        return None
    end = (
        None if day is None else instant_of(datetime.combine(day + timedelta(days=1), time()), whose.timezone)
    )
    return AskedKey(name=name.strip(), scope=scope, expires_at=end, site_ids=tuple(site_ids) or None)


def one_key_panel(keys: Sequence[ListedKey], whose: Whose) -> Rotation | Revocation | None:
    """Rotate or revoke one of those that open."""
    # Those of this dashboard last: what is pressed in a hurry is not to end it.
    found = sorted(working(keys, whose.now), key=lambda key: key.id in whose.own)
    by_id = {key.id: key for key in found}
    if not by_id:
        return None
    st.header("One key", anchor=False)
    labels = distinct_labels({id_: key_name(key) for id_, key in by_id.items()})
    chosen = st.selectbox("Key", list(by_id), format_func=labels.__getitem__, key="one-key")
    key, anew = by_id[chosen], st.session_state.get(_TIMES_MADE, 0)
    if is_own := key.id in whose.own:
        st.markdown(":material/info: This dashboard uses this key.")
    with st.container(horizontal=True):
        with st.popover("Rotate", icon=":material/autorenew:", key=f"rotate-{key.id}-{anew}"):
            st.markdown("Makes another key of the same name, scope and sites.")
            if is_own:
                st.markdown(_ROTATED_OWN)
            overlap = st.radio(
                "The old key still opens for",
                options=list(OVERLAPS),
                index=2,
                format_func=lambda seconds: plain(OVERLAPS[seconds]),
                key=f"overlap-{key.id}",
            )
            if st.button("Rotate now", key=f"rotate-now-{key.id}", type="primary"):
                return Rotation(key, int(overlap))
        with st.popover("Revoke", icon=":material/key_off:", key=f"revoke-{key.id}"):
            st.markdown(_revoking(is_own))
            if st.button("Revoke now", key=f"revoke-now-{key.id}", type="primary"):
                return Revocation(key)
    return None


def _revoking(is_own: bool) -> str:
    if is_own:
        return (
            "**This dashboard uses this key.** Once it is revoked, pages and walls show nothing, or nothing "
            "can be administered here, until it is given another."
        )
    return "Whoever uses it is refused at the very next request. It cannot be undone."
