from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from gauge.levels import Thresholds
from screens import Composition, Language, Theme, View, ViewKind, Words, problems


def complaints(**fields: Any) -> tuple[str, ...]:
    with pytest.raises(ValidationError) as caught:
        Composition.model_validate({"name": "Door", "views": [{"kind": "sites"}], **fields})
    return problems(caught.value)


def test_a_screen_follows_the_clock_and_speaks_english_unless_told_otherwise() -> None:
    composition = Composition(name="  Door   north ", views=(View(kind=ViewKind.SITES),))
    assert (composition.name, composition.theme, composition.language) == (
        "Door north",
        Theme.CLOCK,
        Language.ENGLISH,
    )


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"name": "  "}, "Give the screen a name, such as the place where it hangs."),
        ({"name": "x" * 81}, "The name has 81 characters; it can have 80."),
        ({"views": []}, "A screen needs one view at least."),
        ({"views": [{"kind": "sites"}] * 21}, "A screen has 20 views at most, not 21."),
        ({"views": [{"kind": "number"}]}, "View 1: Choose a site."),
        (
            {"views": [{"kind": "sites"}, {"kind": "sites", "seconds": 4}]},
            "View 2: A view is shown for 5 to 3600 seconds, not 4.",
        ),
        (
            {"views": [{"kind": "sites", "site_id": "a"}]},
            "View 1: The view of all sites names no site and no zone.",
        ),
        (
            {"views": [{"kind": "board", "site_id": "a", "zone_id": "b"}]},
            "View 1: This view shows all zones of a site; it cannot be of one zone.",
        ),
        (
            {"views": [{"kind": "sites", "words": {"free": "x" * 25}}]},
            f"View 1: “{'x' * 25}” has 25 characters; a word on the light has 24 at most.",
        ),
        (
            {"views": [{"kind": "sites", "thresholds": {"filling": 90, "full": 90}}]},
            (
                "View 1: Filling begins at 90 % and full at 90 %; "
                "filling comes first, and both lie from 1 to 100 %."
            ),
        ),
    ],
)
def test_what_is_wrong_is_said_in_a_sentence_that_names_the_view(
    fields: dict[str, Any], sentence: str
) -> None:
    assert complaints(**fields) == (sentence,)


def test_all_that_is_wrong_is_said_at_once() -> None:
    assert complaints(name="", views=[{"kind": "number"}, {"kind": "gauge"}]) == (
        "Give the screen a name, such as the place where it hangs.",
        "View 1: Choose a site.",
        "View 2: Choose a site.",
    )


def test_a_composition_survives_its_json() -> None:
    composition = Composition(
        name="Tür",
        views=(
            View(
                kind=ViewKind.LIGHT,
                site_id="a",
                zone_id="b",
                seconds=7,
                thresholds=Thresholds(filling=50, full=100),
                words=Words(free="Hereinspaziert", full="Gleich"),
            ),
            View(kind=ViewKind.SITES),
        ),
        theme=Theme.DARK,
        language=Language.GERMAN,
    )
    assert Composition.model_validate_json(composition.model_dump_json()) == composition


def test_a_floor_plan_is_stored_where_it_is_asked_for_alone() -> None:
    """A dashboard that does not know it reads the others as they are."""
    view = View(kind=ViewKind.FLOW, site_id="s")
    assert "on_plan" not in view.model_dump_json()
    wanted = view.model_copy(update={"on_plan": True})
    assert View.model_validate_json(wanted.model_dump_json()) == wanted
