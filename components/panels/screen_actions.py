"""Actions on a screen: saved from the editor, changed from the list; the notice of it, and its undo."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from functools import partial
from time import monotonic_ns
from typing import Any, Final, NamedTuple, Protocol

import streamlit as st

from components.panels.screen_draft import open_editor
from components.panels.screen_link import keep_link
from components.plain_text import plain
from components.wall_frame import into_view
from screens.definition import Composition

_KEPT: Final = "screen-notice"
"""Session key: it stands until the next one, or until it is closed."""
_BACK: Final = "screen-put-back"
"""Session key: what the last action brought back, if it was an undo."""

_UNHEARD: Final = "What you pressed was not done. Press it again once the list of screens is back."
_RETURN: Final = " After an undo, its walls come back within a minute."


class Action(StrEnum):
    EDIT = "edit"
    ROTATE = "rotate"
    REVOKE = "revoke"
    DELETE = "delete"


class Asked(NamedTuple):
    action: Action
    screen_id: str
    name: str


class Store(Protocol):
    """Where screens are saved."""

    def create(self, composition: Composition, /) -> tuple[str, str]: ...

    def replace(self, screen_id: str, composition: Composition, /) -> None: ...

    def rotate(self, screen_id: str, /) -> tuple[str, str]: ...

    def revoke(self, screen_id: str, /) -> Any: ...

    def delete(self, screen_id: str, /) -> Any: ...

    def put_back(self, removed: Any, /) -> None:
        """What `revoke` or `delete` gave."""


class _Notice(NamedTuple):
    text: str
    undo: Callable[[], None] | None
    """None: it was not done, and the text says why."""
    made: int
    """Tells it from the one before: each takes the focus once."""


class _PutBack(NamedTuple):
    screen_id: str
    made: int
    """Tells it from the one before, as `_Notice.made`."""


def notice_panel() -> Callable[[], None] | None:
    """What became of the last action; what undoes it, as soon as that is asked for."""
    notice: _Notice | None = st.session_state.get(_KEPT)
    if notice is None:
        return None
    with st.container(border=True, horizontal=True, vertical_alignment="center", key="notice"):
        icon = ":material/check_circle:" if notice.undo else ":material/error:"
        st.markdown(f"{icon} {plain(notice.text)}", width="stretch")
        is_undone = notice.undo and st.button("Undo", key="undo-notice", icon=":material/undo:")
        st.button("Close", key="close-notice", icon=":material/close:", on_click=_forget)
        into_view(f"notice-{notice.made}", first="button", always=False)
    return notice.undo if is_undone else None


@contextmanager
def unheard_told() -> Iterator[None]:
    """Around a list whose buttons ask for an action: where it could not be drawn, none of them was heard, and
    the notice says so, here and until it is closed.
    """
    try:
        yield
    except RuntimeError:
        if any(_is_pressed(str(key)) for key in st.session_state):
            _notify(_UNHEARD)
        notice: _Notice | None = st.session_state.get(_KEPT)
        if notice and not notice.undo:
            st.error(plain(notice.text), icon=":material/error:")
        raise


def button_key(action: Action, screen_id: str) -> str:
    """Of the button with which an action is confirmed."""
    return f"{action}-{screen_id}"


def _is_pressed(key: str) -> bool:
    return key.startswith(tuple(button_key(one, "") for one in Action)) and st.session_state[key] is True


def put_back_mark(screen_id: str) -> None:
    """Move the focus to the screen's name after an undo that brought it back; called where it is drawn."""
    last: _PutBack | None = st.session_state.get(_BACK)
    if last and last.screen_id == screen_id:
        into_view(f"put-back-{last.made}", first="h2", always=False)


def attempt(action: Callable[[], None], refused: type[Exception]) -> None:
    """Do it, and draw the page anew; where it is `refused`, the notice says why, and the list stays."""
    _forget()
    try:
        action()
    except refused as error:
        _notify(str(error))
    st.rerun()


def do(asked: Asked, store: Store) -> None:
    subject = f"The screen “{asked.name}”"
    match asked.action:
        case Action.EDIT:
            open_editor(asked.screen_id)
        case Action.ROTATE:
            keep_link(*store.rotate(asked.screen_id))
        case Action.REVOKE:
            removed = store.revoke(asked.screen_id)
            _notify(f"{subject} is revoked.{_RETURN}", partial(_put_back, store, removed, asked.screen_id))
        case Action.DELETE:
            removed = store.delete(asked.screen_id)
            _notify(f"{subject} is deleted.{_RETURN}", partial(_put_back, store, removed, asked.screen_id))


def save(
    screen_id: str | None, composed: Composition | tuple[str, ...], store: Store, refused: type[Exception]
) -> None:
    """What the editor composed, or why it cannot be saved. `screen_id`: None for a new screen."""
    if isinstance(composed, tuple):
        st.error("  \n".join(plain(problem) for problem in composed))
        return
    try:
        if screen_id:
            store.replace(screen_id, composed)
        else:
            keep_link(*store.create(composed), is_first=True)
    except refused as error:
        st.error(plain(str(error)))
        return
    open_editor(screen_id)
    st.toast("Saved.", icon=":material/check:")
    st.rerun()


def _notify(text: str, undo: Callable[[], None] | None = None) -> None:
    """Above the list, and where the reader looks."""
    st.session_state[_KEPT] = _Notice(text, undo, monotonic_ns())
    way_back = " It can be undone above the list." if undo else ""
    st.toast(f"{plain(text)}{way_back}", icon=":material/info:")


def _put_back(store: Store, removed: object, screen_id: str) -> None:
    store.put_back(removed)
    st.session_state[_BACK] = _PutBack(screen_id, monotonic_ns())


def _forget() -> None:
    st.session_state.pop(_KEPT, None)
    st.session_state.pop(_BACK, None)
