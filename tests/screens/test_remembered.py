"""For how long a screen is shown of which nobody can learn whether it is still in use."""

from __future__ import annotations

from screens.definition import Composition, Screen, View, ViewKind, digest_of, unsaved
from screens.remembered import RememberedScreens
from screens.store import LinkedRevision

VIEW = View(kind=ViewKind.NUMBER, site_id="shop")


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def linked(token: str) -> Screen:
    made = unsaved(Composition(name="Door", views=(VIEW,)))
    return made.model_copy(update={"id": f"of {token}", "link": digest_of(token), "revision": 1})


def stored(*screens: Screen) -> dict[str, LinkedRevision]:
    return {screen.id: LinkedRevision(screen.revision, screen.link) for screen in screens}


def test_it_is_shown_until_it_was_not_confirmed_for_too_long() -> None:
    clock = Clock()
    remembered = RememberedScreens(60.0, clock)
    door = linked("door")
    remembered.note("door", door)
    clock.now = 50.0
    assert remembered.of("door") == door
    remembered.confirm(stored(door))
    clock.now = 100.0
    assert remembered.of("door") == door
    clock.now = 111.0
    assert remembered.of("door") is None


def test_what_was_changed_revoked_or_deleted_is_forgotten() -> None:
    for now in (
        {},
        {"of door": LinkedRevision(2, None)},
        {"of door": LinkedRevision(1, digest_of("another"))},
        {"of door": LinkedRevision(2, digest_of("door"))},
    ):
        remembered = RememberedScreens(60.0, Clock())
        remembered.note("door", linked("door"))
        remembered.confirm(now)
        assert remembered.of("door") is None
    remembered.note("door", linked("door"))
    remembered.note("door", None)
    assert remembered.of("door") is None


def test_of_what_nobody_has_asked_for_nothing_is_known() -> None:
    remembered = RememberedScreens(60.0, Clock())
    assert remembered.of("door") is None
    assert remembered.until("door") is None
