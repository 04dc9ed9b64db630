"""Pages as a viewer has them: what would only be refused is not shown, or it is said why."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import pytest
from streamlit.testing.v1 import AppTest

from analysis.notes import Note
from components.panels import permission
from runtime import person_of_page
from runtime.access import Person, Role
from runtime.resources import get_screens
from runtime.site_knowledge import keep_note
from screens import Composition, View, ViewKind
from tests.pages.analysis import PATIENCE, Counted, text_of
from tests.running_service import ROOT

WHY: Final = "Your role here, viewer, changes nothing that is kept: ask a manager."
ADMINISTRATORS: Final = "These pages are for administrators who may see every site."


@dataclass(frozen=True)
class Case:
    page: str
    link: dict[str, str]
    controls: frozenset[str]
    """How labels begin of what changes what is kept."""
    unfolded: tuple[str, ...] = ()


CASES: Final = (
    Case(
        "history",
        {"site": "corner-shop", "range": "24h"},
        frozenset({"Keep this note", "What happened", "Remove 1"}),
        ("folded-sticky_note_2",),
    ),
    Case("site", {"site": "corner-shop"}, frozenset({"Keep these hours"}), ("folded-edit_calendar",)),
    Case("site", {"site": "corner-shop"}, frozenset({"A picture of the floor"}), ("folded-map",)),
    Case(
        "compare",
        {"of": "targets", "site": "corner-shop"},
        frozenset({"Keep this target", "Entrances to reach"}),
    ),
    Case("screens", {}, frozenset({"Compose a screen", "Edit", "New link now", "Revoke now", "Delete now"})),
    Case("screens", {"screen": "new"}, frozenset({"Create the screen"})),
)


@pytest.fixture(autouse=True)
def _kept_here(counted: Counted, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADROOM_DATA_DIR", str(tmp_path / "dashboard"))


@dataclass(frozen=True)
class Login:
    logged_in: Person

    def person(self, _cookies: object) -> Person:
        return self.logged_in


@pytest.fixture
def log_in(monkeypatch: pytest.MonkeyPatch) -> Callable[[Role], None]:
    def log_in(role: Role) -> None:
        person = Person("Vera", role, math.inf)
        monkeypatch.setattr(person_of_page, "installed_login", lambda: Login(person))
        # A page that is tested runs without the frame, which has it asked.
        monkeypatch.setattr(
            permission, "_refusal", lambda site_id: person_of_page.change_refusal(site_id) or ""
        )

    return log_in


def labels(test: AppTest) -> list[str]:
    """Of all that may be pressed or written in."""
    kinds = ("button", "text_input", "number_input", "file_uploader", "selectbox", "date_input", "checkbox")
    shown = [one for kind in kinds for one in test.get(kind) if not getattr(one, "disabled", False)]
    return [str(getattr(one, "label", "")).replace("\\", "") for one in shown]


def found(test: AppTest, case: Case) -> set[str]:
    return {one for one in case.controls if any(label.startswith(one) for label in labels(test))}


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.page}-{min(case.controls)}")
def test_a_viewer_is_told_why_in_the_place_of_what_a_manager_presses(
    counted: Counted, case: Case, log_in: Callable[[Role], None]
) -> None:
    keep_note("corner-shop", Note(at=datetime.now(UTC) - timedelta(hours=1), text="sale"))
    get_screens().create(Composition(name="Door", views=(View(kind=ViewKind.NUMBER, site_id="corner-shop"),)))
    log_in(Role.MANAGER)
    own = counted.as_it_opens(case.page, case.unfolded, **case.link)
    assert found(own, case) == case.controls
    assert WHY not in text_of(own)
    log_in(Role.VIEWER)
    test = counted.as_it_opens(case.page, case.unfolded, **case.link)
    assert found(test, case) == set()
    assert WHY in text_of(test)


def test_a_viewer_counts_at_no_door_and_sees_what_is_kept_of_it(
    counted: Counted, log_in: Callable[[Role], None]
) -> None:
    log_in(Role.VIEWER)
    text = text_of(counted.page("doors", site="corner-shop"))
    assert WHY in text
    assert "Checks of this door" in text


@pytest.mark.parametrize("page", ["setup", "counters", "keys", "audit"])
@pytest.mark.parametrize("role", [Role.VIEWER, Role.MANAGER])
def test_pages_that_administer_say_for_whom_they_are(
    counted: Counted, page: str, role: Role, log_in: Callable[[Role], None]
) -> None:
    log_in(role)
    test = counted.page(page)
    assert ADMINISTRATORS in text_of(test)
    assert labels(test) == []


def test_what_a_viewer_chooses_is_said_to_hold_for_them_alone(
    counted: Counted, log_in: Callable[[Role], None]
) -> None:
    log_in(Role.VIEWER)
    assert "in this tab alone" in text_of(counted.page("live", site="corner-shop"))
    assert "Set by hand" not in [one.label for one in counted.page("live", site="corner-shop").expander]


def test_the_frame_has_it_asked_before_any_page_is_drawn(counted: Counted) -> None:
    test = AppTest.from_file(str(ROOT / "dashboard.py"), default_timeout=PATIENCE).run()
    assert not test.exception
    assert test.session_state["change-refusal"] is person_of_page.change_refusal


@pytest.mark.parametrize(
    ("page", "sites", "role"),
    [
        ("overview", frozenset(), Role.VIEWER),
        ("live", frozenset({"gone"}), Role.ADMINISTRATOR),
        ("compare", frozenset(), Role.MANAGER),
    ],
)
def test_who_sees_no_site_is_told_whom_to_ask_and_not_led_to_what_refuses_them(
    counted: Counted, monkeypatch: pytest.MonkeyPatch, page: str, sites: frozenset[str], role: Role
) -> None:
    person = Person("Vera", role, math.inf, sites)
    monkeypatch.setattr(person_of_page, "installed_login", lambda: Login(person))
    test = AppTest.from_file(str(ROOT / "dashboard.py"), default_timeout=PATIENCE).run()
    test.switch_page(f"pages/{page}.py").run()
    assert not test.exception
    said = text_of(test).replace("\N{NO-BREAK SPACE}", " ")
    assert "None of the sites here is one that you may see. Whoever keeps the list of people" in said
    assert "Set up a site" not in [link.proto.label for link in test.get("page_link")]


@pytest.mark.parametrize(
    ("role", "sites", "words"),
    [
        (Role.ADMINISTRATOR, None, ""),
        (Role.VIEWER, None, "An administrator of this dashboard sets one up: ask one."),
        (Role.VIEWER, frozenset[str](), "Whoever keeps the list of people"),
    ],
)
def test_only_who_may_set_up_a_site_is_told_of_nobody_to_ask(
    role: Role, sites: frozenset[str] | None, words: str
) -> None:
    said = Person("Vera", role, math.inf, sites).without_site_words()
    assert words in said if words else not said
