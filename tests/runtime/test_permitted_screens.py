from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from analysis.notes import Note
from runtime.access import Person, Role
from runtime.permitted_screens import PermittedScreens
from runtime.preference_store import PreferenceStore
from runtime.preferences import keep_first_site
from runtime.site_knowledge import keep_note, read_notes
from runtime.site_knowledge_store import SiteKnowledgeError
from runtime.upstream import service_digest
from screens import ScreenStore, ScreenStoreError
from screens.definition import Composition, View, ViewKind

WHO = "runtime.person_of_page.current_person"
OWN = Composition(name="Own", views=(View(kind=ViewKind.NUMBER, site_id="own"),))
FOREIGN = Composition(name="Foreign", views=(*OWN.views, View(kind=ViewKind.NUMBER, site_id="foreign")))
ALL = Composition(name="All", views=(View(kind=ViewKind.SITES),))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[ScreenStore]:
    opened = ScreenStore(tmp_path)
    yield opened
    opened.close()


def seen_by(store: ScreenStore, role: Role, *sites: str) -> PermittedScreens:
    return PermittedScreens(store, Person("", role, 0.0, frozenset(sites) if sites else None))


def test_screens_of_other_sites_are_not_there_for_whom_sees_some(store: ScreenStore) -> None:
    ids = {made.name: store.create(made).id for made in (OWN, FOREIGN, ALL)}
    some, every = seen_by(store, Role.MANAGER, "own"), seen_by(store, Role.MANAGER)
    assert [screen.name for screen in some.screens()] == ["Own"]
    assert [screen.name for screen in every.screens()] == ["Own", "Foreign", "All"]
    assert some.by_id(ids["Foreign"]) is some.by_id(ids["All"]) is None
    for screen_id in (ids["Foreign"], ids["All"]):
        for change in (some.rotate, some.revoke, some.delete):
            with pytest.raises(ScreenStoreError, match="you may not see"):
                change(screen_id)
        with pytest.raises(ScreenStoreError, match="you may not see"):
            some.replace(screen_id, OWN)
    for composition in (FOREIGN, ALL):
        with pytest.raises(ScreenStoreError, match="you may not see"):
            some.create(composition)
        with pytest.raises(ScreenStoreError, match="you may not see"):
            some.replace(ids["Own"], composition)
    assert [screen.name for screen in store.screens()] == ["Own", "Foreign", "All"]
    some.put_back(some.delete(ids["Own"]))
    assert some.by_id(ids["Own"])


def test_a_viewer_changes_no_screen(store: ScreenStore) -> None:
    made = store.create(OWN)
    removed, viewer = store.revoke(made.id), seen_by(store, Role.VIEWER)
    for change in (viewer.rotate, viewer.revoke, viewer.delete):
        with pytest.raises(ScreenStoreError, match="ask a manager"):
            change(made.id)
    with pytest.raises(ScreenStoreError, match="ask a manager"):
        viewer.create(OWN)
    with pytest.raises(ScreenStoreError, match="ask a manager"):
        viewer.replace(made.id, OWN)
    with pytest.raises(ScreenStoreError, match="ask a manager"):
        viewer.put_back(removed)
    assert [screen.name for screen in viewer.screens()] == ["Own"]


def test_a_viewer_changes_nothing_that_is_kept_of_sites_and_what_they_choose_is_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HEADROOM_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("HEADROOM_BASE_URL", "http://127.0.0.1:9")
    note = Note(at=datetime(2026, 11, 24, tzinfo=UTC), text="A sale begins")
    manager, viewer = (Person("", role, 0.0, frozenset({"own"})) for role in (Role.MANAGER, Role.VIEWER))
    monkeypatch.setattr(WHO, lambda: manager)
    keep_note("own", note)
    keep_first_site("own")
    with pytest.raises(SiteKnowledgeError, match="may not see"):
        keep_note("foreign", note)
    monkeypatch.setattr(WHO, lambda: viewer)
    with pytest.raises(SiteKnowledgeError, match="ask a manager"):
        keep_note("own", note)
    keep_first_site("another")
    monkeypatch.setattr(WHO, lambda: None)
    assert len(read_notes("own")) == 1
    assert PreferenceStore(tmp_path).of(service_digest()).first_site == "own"
