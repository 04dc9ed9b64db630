"""The floor plan of a site: what is kept, and what the page Site says and draws of it."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator
from io import BytesIO
from typing import Any

import pytest
from PIL import Image
from streamlit.testing.v1 import AppTest

from analysis.floor_plan import FloorPlan, KeptPlan, Placed, Spot
from runtime.floor_plans import forget_plan, keep_picture, keep_placed, read_kept_plan, read_picture
from runtime.plan_pictures import safe_picture
from runtime.site_knowledge import knowledge_store
from runtime.upstream import service_digest
from tests.pages.analysis import Counted, text_of
from tests.shown_gauges import site_data

SITE_ID = "corner-shop"
PLACED = Placed(
    zones={"hall": Spot(x=0.25, y=0.5), "cafe": Spot(x=0.75, y=0.5)}, passages={"entrance": Spot(x=0, y=0.5)}
)
OPEN = ("folded-map",)


def png(colour: str = "white", size: tuple[int, int] = (80, 40)) -> bytes:
    content = BytesIO()
    Image.new("RGB", size, colour).save(content, "PNG")
    return content.getvalue()


@pytest.fixture
def dashboard(counted: Counted) -> Iterator[Counted]:
    """Keeps no plan, before and after."""
    yield counted
    knowledge_store().forget(service_digest(), SITE_ID, "floor plan", "")
    for name in knowledge_store().of(service_digest(), SITE_ID, "picture of a floor"):
        knowledge_store().forget(service_digest(), SITE_ID, "picture of a floor", name)


def with_picture(colour: str = "white") -> KeptPlan:
    assert keep_picture(SITE_ID, safe_picture(png(colour)), read_kept_plan(SITE_ID))
    return read_kept_plan(SITE_ID)


def placed_plan() -> KeptPlan:
    assert keep_placed(SITE_ID, PLACED, with_picture())
    return read_kept_plan(SITE_ID)


def plan_of(kept: KeptPlan) -> FloorPlan:
    assert kept.plan is not None
    return kept.plan


def pictures() -> dict[str, str]:
    return knowledge_store().of(service_digest(), SITE_ID, "picture of a floor")


def graph(test: AppTest) -> dict[str, Any]:
    drawn: dict[str, Any] = site_data(test)["graph"]
    return drawn


def test_a_picture_is_read_by_its_name_alone(dashboard: Counted) -> None:
    name = plan_of(with_picture("red")).picture.name
    found = read_picture(SITE_ID, name)
    assert found is not None
    assert Image.open(BytesIO(found.content)).convert("RGB").getpixel((3, 3)) == (255, 0, 0)
    assert read_picture(SITE_ID, "0" * 32) is None
    assert read_picture("other", name) is None


def test_another_picture_keeps_what_is_placed_and_takes_the_place_of_the_first(dashboard: Counted) -> None:
    first = plan_of(placed_plan())
    second = plan_of(with_picture("red"))
    assert second.placed == first.placed == PLACED
    assert second.picture.name != first.picture.name
    assert read_picture(SITE_ID, first.picture.name) is None
    assert list(pictures()) == [second.picture.name]


def test_who_comes_second_replaces_nothing_unseen(dashboard: Counted) -> None:
    seen = with_picture()
    assert keep_placed(SITE_ID, PLACED, seen)
    assert not keep_placed(SITE_ID, Placed(), seen)
    assert not keep_picture(SITE_ID, safe_picture(png("red")), seen)
    assert not forget_plan(SITE_ID, seen)
    kept = plan_of(read_kept_plan(SITE_ID))
    assert kept.placed == PLACED
    assert list(pictures()) == [kept.picture.name]  # no other is left over


def test_a_plan_that_is_deleted_leaves_no_picture(dashboard: Counted) -> None:
    assert forget_plan(SITE_ID, placed_plan())
    assert read_kept_plan(SITE_ID) == KeptPlan()
    assert pictures() == {}


@pytest.mark.parametrize("document", ["{", '{"picture": 1}', "null"])
def test_a_damaged_plan_is_said_not_drawn_and_put_aside(dashboard: Counted, document: str) -> None:
    store, digest = knowledge_store(), service_digest()
    store.keep(digest, SITE_ID, "floor plan", "", document)
    test = dashboard.as_it_opens("site", OPEN, site=SITE_ID)
    assert graph(test)["picture"] == ""
    assert "is damaged and cannot be read" in test.error[0].value
    assert keep_picture(SITE_ID, safe_picture(png()), read_kept_plan(SITE_ID))
    aside = store.of(digest, SITE_ID, "damaged floor plan")
    assert list(aside.values()) == [document]
    for name in aside:
        store.forget(digest, SITE_ID, "damaged floor plan", name)


@pytest.mark.parametrize("content", ["", "no base64!", b64encode(b"").decode()])
def test_a_damaged_picture_is_none(dashboard: Counted, content: str) -> None:
    name = plan_of(with_picture()).picture.name
    knowledge_store().keep(service_digest(), SITE_ID, "picture of a floor", name, content)
    assert read_picture(SITE_ID, name) is None


def test_where_zones_are_placed_the_place_is_drawn_on_the_plan(dashboard: Counted) -> None:
    before = graph(dashboard.as_it_opens("site", site=SITE_ID))
    name = plan_of(placed_plan()).picture.name
    test = dashboard.as_it_opens("site", site=SITE_ID)
    drawn = graph(test)
    assert drawn["picture"] == f"/floor-plan/{name}?site=corner-shop"
    assert [zone["id"] for zone in drawn["zones"]] == ["hall", "cafe"]
    assert [list(way["passages"]) for way in drawn["ways"]] == [["entrance"], ["archway"]]
    assert drawn["note"] == "1 passage (Terrace door) is not on the plan."
    assert before["picture"] == ""
    assert len(before["ways"]) == 3


def test_a_link_asks_for_the_graph_and_one_for_a_plan_that_is_not_there_is_told(dashboard: Counted) -> None:
    without = dashboard.as_it_opens("site", site=SITE_ID, drawing="plan")
    assert "asks for what is not known here: drawing “plan”" in text_of(without)
    assert graph(without)["drawn_as"] == ""
    placed_plan()
    test = dashboard.as_it_opens("site", site=SITE_ID, drawing="graph")
    assert graph(test)["picture"] == ""
    assert test.query_params["drawing"] == "graph"
    assert graph(test)["drawn_as"] == "graph"
    both = dashboard.as_it_opens("site", site=SITE_ID, drawing="plan")
    assert graph(both)["drawn_as"] == "plan"
    assert "drawing" not in both.query_params
    odd = dashboard.as_it_opens("site", site=SITE_ID, drawing="painting")
    assert "drawing “painting”" in text_of(odd)
    assert graph(odd)["picture"].startswith("/floor-plan/")


def test_a_picture_on_which_nothing_is_placed_leaves_the_graph(dashboard: Counted) -> None:
    with_picture()
    test = dashboard.as_it_opens("site", OPEN, site=SITE_ID)
    assert graph(test)["picture"] == ""
    assert "2 zones (Hall, Café) and 3 passages" in text_of(test)


def test_deleting_is_asked_before(dashboard: Counted) -> None:
    placed_plan()
    test = dashboard.as_it_opens("site", OPEN, site=SITE_ID)
    test.button(key="delete-plan-corner-shop").click().run()
    assert read_kept_plan(SITE_ID).plan is not None
    assert "for everybody and on walls, too?" in text_of(test)
    test.button(key="keep-plan-corner-shop").click().run()
    assert "for everybody" not in text_of(test)
    test.button(key="delete-plan-corner-shop").click().run()
    test.button(key="delete-plan-now-corner-shop").click().run()
    assert read_kept_plan(SITE_ID) == KeptPlan()
    assert "The floor plan is deleted." in text_of(test)


def test_a_plan_that_was_changed_while_deleting_is_asked_about_is_not_deleted(dashboard: Counted) -> None:
    placed_plan()
    test = dashboard.as_it_opens("site", OPEN, site=SITE_ID)
    test.button(key="delete-plan-corner-shop").click().run()
    with_picture("red")
    test.button(key="delete-plan-now-corner-shop").click().run()
    assert read_kept_plan(SITE_ID).plan is not None


def test_a_picture_that_was_chosen_before_others_chose_theirs_replaces_none_and_says_why(
    dashboard: Counted,
) -> None:
    placed_plan()
    test = dashboard.as_it_opens("site", OPEN, site=SITE_ID)
    test.file_uploader[0].upload("plan.png", png("blue")).run()
    theirs = with_picture("red")
    next(one for one in test.button if one.label == "Replace the picture").click().run()
    assert read_kept_plan(SITE_ID) == theirs
    assert "Somebody has changed the floor plan since you saw it." in text_of(test)
    next(one for one in test.button if one.label == "Replace the picture").click().run()
    assert plan_of(read_kept_plan(SITE_ID)).picture != plan_of(theirs).picture
    assert "Somebody has changed" not in text_of(test)


def test_whoever_chose_a_picture_is_told_once_what_was_left_out_of_it(dashboard: Counted) -> None:
    test = dashboard.as_it_opens("site", OPEN, site=SITE_ID)
    parts = '<script/><path stroke-dasharray="1"/>'
    body = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 4">{parts}</svg>'
    test.file_uploader[0].upload("plan.svg", body.encode()).run()
    next(one for one in test.button if one.label == "Use this picture").click().run()
    told = "Left out of the picture: dashes (such lines are whole), scripts."
    assert told in text_of(test)
    assert told not in text_of(test.run())


@pytest.mark.parametrize(
    ("name", "body", "said"),
    [("plan.png", b"GIF89a" + b"\0" * 50, "This is a GIF"), ("plan.svg", b"<svg", "no SVG that can be read")],
)
def test_a_file_that_cannot_be_used_is_named_and_changes_nothing(
    dashboard: Counted, name: str, body: bytes, said: str
) -> None:
    before = placed_plan()
    test = dashboard.as_it_opens("site", OPEN, site=SITE_ID)
    test.file_uploader[0].upload(name, body).run()
    next(one for one in test.button if one.label == "Replace the picture").click().run()
    (error,) = test.error
    assert f"“{name}” is not kept" in error.value.replace("\\", "")
    assert said in error.value
    assert read_kept_plan(SITE_ID) == before
