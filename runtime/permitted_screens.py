"""The saved screens as pages have them: those whose sites the person may see, changed by whom they may be."""

from __future__ import annotations

from datetime import datetime

from runtime import resources
from runtime.access import Person
from runtime.person_of_page import current_person
from screens import ScreenStore, ScreenStoreError
from screens.definition import Composition, Screen, UnreadableScreen
from screens.store import NewLink, Removed


class PermittedScreens:
    """Every method raises ScreenStoreError, also where the person may not do it."""

    def __init__(self, store: ScreenStore, person: Person) -> None:
        self._store = store
        self._person = person

    def screens(self) -> tuple[Screen | UnreadableScreen, ...]:
        return tuple(screen for screen in self._store.screens() if self._sees(screen))

    def by_id(self, screen_id: str) -> Screen | UnreadableScreen | None:
        found = self._store.by_id(screen_id)
        return found if found and self._sees(found) else None

    def opened(self) -> dict[str, datetime | None]:
        """Of all: it is looked up by the ids of those that are shown."""
        return self._store.opened()

    def create(self, composition: Composition) -> NewLink:
        self._check(composition)
        return self._store.create(composition)

    def replace(self, screen_id: str, composition: Composition) -> None:
        self._check(composition)
        self._check_saved(screen_id)
        self._store.replace(screen_id, composition)

    def rotate(self, screen_id: str) -> NewLink:
        self._check_saved(screen_id)
        return self._store.rotate(screen_id)

    def revoke(self, screen_id: str) -> Removed:
        self._check_saved(screen_id)
        return self._store.revoke(screen_id)

    def delete(self, screen_id: str) -> Removed:
        self._check_saved(screen_id)
        return self._store.delete(screen_id)

    def put_back(self, removed: Removed) -> None:
        """What they themselves have taken away a moment ago."""
        self._check()
        self._store.put_back(removed)

    def _sees(self, screen: Composition | UnreadableScreen) -> bool:
        if self._person.sees_every_site or isinstance(screen, UnreadableScreen):
            return self._person.sees_every_site
        named = [view.site_id for view in screen.views if view.site_id]
        return not screen.shows_all_sites and all(map(self._person.sees, named))

    def _check_saved(self, screen_id: str) -> None:
        self._check()
        if self._store.by_id(screen_id) is not None and self.by_id(screen_id) is None:
            raise ScreenStoreError("This screen shows sites that you may not see, so you do not change it.")

    def _check(self, composition: Composition | None = None) -> None:
        if refusal := self._person.change_refusal():
            raise ScreenStoreError(refusal)
        if composition and not self._sees(composition):
            raise ScreenStoreError(
                "This screen would show sites that you may not see. Choose others; a view of all sites is "
                "for whoever sees all of them."
            )


def get_screens() -> ScreenStore | PermittedScreens:
    """`resources.get_screens`, as far as the person may."""
    person = current_person()
    return resources.get_screens() if person is None else PermittedScreens(resources.get_screens(), person)


def has_screens() -> bool:
    """`resources.has_screens`, of those."""
    if current_person() is None:
        return resources.has_screens()
    try:
        return bool(get_screens().screens())
    except ScreenStoreError:
        return True
