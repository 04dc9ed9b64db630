"""Screens that another version saved, or that somebody damaged."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from screens import Composition, Screen, ScreenStore, Theme, UnreadableScreen, View, ViewKind
from screens.store import FILE_NAME
from screens.stored import UnreadableError, read_composition

NUMBER: dict[str, Any] = {"kind": "number", "site_id": "shop"}
KNOWN = Composition(name="Door", views=(View(kind=ViewKind.NUMBER, site_id="shop"),))
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


def stored(**fields: Any) -> str:
    return json.dumps({"name": "Door", "views": [NUMBER], **fields})


def test_what_is_known_is_read_whole() -> None:
    assert read_composition(KNOWN.model_dump_json()) == (KNOWN, ())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (stored(brightness=3), "The field “brightness” is not known here."),
        (stored(views=[NUMBER | {"unit": "%"}]), "The field “unit” of view 1 is not known here."),
        (
            stored(views=[NUMBER | {"words": {"free": "", "closed": "Shut"}}]),
            "The field “closed” of view 1 is not known here.",
        ),
        (stored(theme="sepia"), "The theme “sepia” is not known here; the usual one is used."),
        (stored(language="rm"), "The language “rm” is not known here; the usual one is used."),
        (
            stored(views=[{"kind": "queue", "minutes": 5}, NUMBER]),
            "View 1 is of a kind that is not known here, “queue”.",
        ),
        (
            stored(views=[NUMBER, NUMBER | {"seconds": 1}]),
            "View 2 cannot be read: A view is shown for 5 to 3600 seconds, not 1.",
        ),
    ],
)
def test_what_is_not_known_is_left_out_and_named(text: str, said: str) -> None:
    assert read_composition(text) == (KNOWN, (said,))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{", "no JSON"),
        ("[" * 100_000, "no JSON"),
        ("[]", "no screen"),
        ('{"name": "Door"}', "no screen"),
        (stored(views=[{"kind": "queue"}]), "View 1 is of a kind that is not known here, “queue”."),
        (stored(name=5), "valid string"),
    ],
)
def test_of_what_cannot_be_understood_the_reason_is_told(text: str, reason: str) -> None:
    with pytest.raises(UnreadableError, match=reason):
        read_composition(text)


@given(name=JSON, views=JSON | st.lists(JSON | st.just(NUMBER)), theme=JSON, more=JSON)
def test_nothing_stored_raises_anything_else(name: Any, views: Any, theme: Any, more: Any) -> None:
    with suppress(UnreadableError):
        read_composition(json.dumps({"name": name, "views": views, "theme": theme, "more": more}))


def overwrite(folder: Path, screen_id: str, **columns: str) -> None:
    with closing(sqlite3.connect(folder / FILE_NAME)) as connection, connection:
        for name, value in columns.items():
            connection.execute(f"UPDATE screens SET {name} = ? WHERE id = ?", (value, screen_id))


def test_screen_that_cannot_be_read_hides_no_other(tmp_path: Path) -> None:
    store = ScreenStore(tmp_path)
    made = [store.create(KNOWN) for _ in range(4)]
    overwrite(tmp_path, made[0].id, composition='{"name": "Foyer", "views": [{"kind": "queue"}]}')
    overwrite(tmp_path, made[1].id, composition="")
    overwrite(tmp_path, made[2].id, created_at="yesterday")
    shown = {screen.id: screen for screen in store.screens()}
    assert isinstance(shown[made[3].id], Screen)
    unreadable = [shown[link.id] for link in made[:3]]
    assert all(isinstance(screen, UnreadableScreen) for screen in unreadable)
    assert unreadable[0].name == "Foyer"
    assert store.by_token(made[0].token) == unreadable[0]
    store.delete(made[0].id)
    store.revoke(made[1].id)
    assert store.by_token(made[1].token) is None
    store.close()


def test_screen_with_an_unknown_field_is_shown_and_says_so(tmp_path: Path) -> None:
    store = ScreenStore(tmp_path)
    made = store.create(KNOWN)
    overwrite(tmp_path, made.id, composition=stored(theme="dark", brightness=3))
    screen = store.by_token(made.token)
    assert isinstance(screen, Screen)
    assert (screen.theme, screen.left_out) == (Theme.DARK, ("The field “brightness” is not known here.",))
    store.replace(made.id, screen.composition)
    saved = store.by_token(made.token)
    assert isinstance(saved, Screen)
    assert saved.left_out == ()
    store.close()
