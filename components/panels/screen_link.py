"""The link of a screen, shown once when it is made: where the television finds it."""

from __future__ import annotations

from collections.abc import Iterable
from io import BytesIO
from ipaddress import ip_address
from typing import Final, NamedTuple
from urllib.parse import urlsplit

import segno
import streamlit as st

from analysis.names import LONGEST_NAME, one_line
from components.panels.viewer import dashboard_address
from components.plain_text import code, plain_name
from components.wall_frame import into_view
from screens.definition import Screen, UnreadableScreen

_KEPT: Final = "screen-links"
"""Session key: screen id -> the link that was made in this session."""
_DEAD: Final = "screen-links-dead"
"""Session key: ids of the screens whose link stood above the list until it was replaced or revoked."""
_CODE_WIDTH: Final = 264
"""Pixels: a phone reads it from an arm's length, and it fits beside the text and on a narrow page."""
_QUIET_ZONE: Final = 4
"""Modules of white around the code, without which a dark page would run into it."""
_SHOWN_ONCE: Final = (
    ":material/key: **Copy it now: it is shown only here and only now.** Whoever has it sees this screen, so "
    "the dashboard does not keep it. It goes when you close this or load the page anew. Walls opened with it "
    "stay. If you lose it, make a new link."
)
_ON_THE_TELEVISION: Final = (
    ":material/tv: **Open on the television.** Type the address into the browser of the television, or scan "
    "the code with the tablet or phone that is to hang on the wall. Then switch to full screen and make it "
    "the page that the browser starts with: it comes back by itself after an outage or a restart."
)


class _Kept(NamedTuple):
    token: str
    is_first: bool
    """Whether the screen was made with it, and nothing has said so yet."""


def keep_link(screen_id: str, token: str, *, is_first: bool = False) -> str:
    """Show the link that was just made in this session, until it is closed or the page is loaded anew.

    The screen's id. `is_first`: the screen was made with it.
    """
    _kept_links()[screen_id] = _Kept(token, is_first)
    return screen_id


def made_screens() -> tuple[str, ...]:
    """Ids of the screens that were made in this session and whose links were not closed, the newest first."""
    return tuple(screen_id for screen_id, kept in reversed(_kept_links().items()) if kept.is_first)


def stands_above(screen: Screen) -> bool:
    """Whether the page shows this screen's link above its list, since the screen was made with it."""
    kept = _kept_links().get(screen.id)
    return kept is not None and kept.is_first and screen.is_opened_by(kept.token)


def have_died(screens: Iterable[Screen | UnreadableScreen]) -> bool:
    """Whether a link above the list opens its screen no more, and did when this was asked last."""
    dead = {
        screen.id
        for screen in screens
        if isinstance(screen, Screen) and screen.id in made_screens() and not stands_above(screen)
    }
    known: set[str] = st.session_state.get(_DEAD, set())
    st.session_state[_DEAD] = dead
    return not dead <= known


def link_panel(screen: Screen) -> bool:
    """Where the screen is found, if its link was made in this session; whether that is so."""
    kept = _kept_links().get(screen.id)
    if kept is None or not _still_opens(screen, kept):
        return False
    name = plain_name(screen.name)
    with st.container(border=True, key=f"link-{screen.id}"):
        # Of each link anew; the token itself is to stand in the page once.
        key = f"link-{screen.id}-{hash(kept.token)}"
        into_view(key, first="[data-testid=stCode]", always=kept.is_first)
        if kept.is_first:
            st.header(f":material/check_circle: The screen “{name}” exists", anchor=False)
        else:
            st.header(f":material/key: The new link of the screen “{name}”", anchor=False)
        _link(screen, kept)
    return True


def screen_address(token: str) -> str:
    """The URL of a screen as this browser reaches the dashboard: under its host name and path prefix."""
    return dashboard_address(f"screen/{token}")


def link_code(link: str) -> str:
    """The link as a QR code: an SVG, dark on white whatever the theme."""
    # M: read with an eighth of it covered, by a reflection or a thumb.
    picture = BytesIO()
    segno.make_qr(link, error="m").save(
        picture, kind="svg", border=_QUIET_ZONE, dark="#000", light="#fff", omitsize=True, xmldecl=False
    )
    return picture.getvalue().decode()


def _link(screen: Screen, kept: _Kept) -> None:
    link = screen_address(kept.token)
    picture, words = st.columns([1, 2], gap="medium")
    name = one_line(screen.name, LONGEST_NAME)
    picture.image(link_code(link), width=_CODE_WIDTH, alt=f"QR code of the link of the screen “{name}”")
    with words:
        st.code(link, language=None, wrap_lines=True)
        if _is_of_this_computer(link):
            _not_from_elsewhere(link)
        st.markdown(_SHOWN_ONCE)
        st.markdown(_ON_THE_TELEVISION)
        with st.container(horizontal=True):
            st.link_button("Open", link, icon=":material/open_in_new:")
            st.button(
                "Close: I have the link",
                key=f"close-link-{screen.id}",
                icon=":material/close:",
                on_click=_forget,
                args=(screen.id,),
            )


def _not_from_elsewhere(link: str) -> None:
    own = urlsplit(link)
    st.warning(
        "**A television cannot reach this address: it works on this computer only.** Let the dashboard "
        "listen to the network (`make run HOST=0.0.0.0` with a login, or a proxy: “On a wall” in the README "
        "says what each lets in), and on the television put this computer's address in the network, as "
        f"192.168.1.5, in the place of {code(own.hostname or '')}.",
        icon=":material/lan:",
    )


def _still_opens(screen: Screen, kept: _Kept) -> bool:
    """Says so where somebody replaced it; where somebody revoked it, the screen says so itself."""
    is_open = screen.is_opened_by(kept.token)
    if not is_open and screen.link is not None:
        st.warning(
            "The link that was shown here works no more: somebody made a newer one.",
            icon=":material/key_off:",
        )
    return is_open


def _forget(screen_id: str) -> None:
    _kept_links().pop(screen_id, None)


def _kept_links() -> dict[str, _Kept]:
    kept: dict[str, _Kept] = st.session_state.setdefault(_KEPT, {})
    return kept


def _is_of_this_computer(link: str) -> bool:
    host = urlsplit(link).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
