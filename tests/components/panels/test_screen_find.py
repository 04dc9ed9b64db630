from __future__ import annotations

from components.panels.screen_find import ScreenState, matching, states_of
from components.panels.screen_state import SeenState
from screens import Composition, Screen, UnreadableScreen, View, ViewKind
from screens.definition import unsaved

SITES = {"shop": "Corner shop", "mall": "Mall"}


def screen(name: str, site: str = "shop", *, link: str | None = "x") -> Screen:
    view = View(kind=ViewKind.GAUGE, site_id=site)
    return unsaved(Composition(name=name, views=(view,))).model_copy(update={"link": link})


def test_screens_are_found_by_each_word_of_name_site_and_view() -> None:
    door, back = screen("Front DOOR"), screen("Back door", "mall")
    old = UnreadableScreen("o", "Old door", "", "x")

    def found(text: str) -> list[Screen | UnreadableScreen]:
        return matching((door, back, old), text, SITES)

    assert found("") == [door, back, old]
    assert (found("door mall"), found("gauge corner"), found("old")) == ([back], [door], [old])
    assert found("nowhere") == []


def test_a_screen_may_be_in_several_states() -> None:
    seen, dark = screen("Seen"), screen("Revoked", link=None)
    assert states_of(seen, SeenState.SEEN, is_troubled=True) == {ScreenState.SEEN, ScreenState.TROUBLED}
    assert states_of(seen, SeenState.UNSEEN, is_troubled=False) == {ScreenState.UNSEEN}
    assert states_of(seen, SeenState.AWAY, is_troubled=False) == {ScreenState.UNSEEN, ScreenState.AWAY}
    assert states_of(seen, SeenState.NEVER, is_troubled=False) == {ScreenState.UNSEEN, ScreenState.NEVER}
    assert states_of(dark, SeenState.SEEN, is_troubled=False) == {ScreenState.REVOKED}
    unreadable = UnreadableScreen("o", "Old", "It is damaged.", "x")
    assert ScreenState.TROUBLED in states_of(unreadable, SeenState.UNSEEN, is_troubled=False)
