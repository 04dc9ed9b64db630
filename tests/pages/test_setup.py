"""The page Setup before a real service: a site is drawn, stored, changed by two, and archived."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from streamlit.testing.v1 import AppTest

from components.panels.set_up_panel import form_of, site_in
from components.sentences.set_up_words import other_organization_words
from contract.administration import NamedOrganization
from runtime import read_occupancy, read_sites
from tests.administered import Administered
from tests.eventually import PATIENCE
from tests.pages.administration import opened_page, said

pytestmark = pytest.mark.usefixtures("administering")


def stored(managed: Administered, site_id: str) -> dict[str, Any]:
    answer = httpx.get(
        f"{managed.service.base_url}/admin/sites/{site_id}",
        headers={"x-api-key": managed.admin_key},
        timeout=PATIENCE,
    )
    found: dict[str, Any] = answer.raise_for_status().json()["data"]
    return found


@pytest.fixture
def begun(managed: Administered) -> Iterator[AppTest]:
    """A new site of two zones and two doors, as it is written."""
    test = opened_page("setup")
    test.selectbox(key="choose-set_up").set_value("new").run()
    test.text_input(key="new-site-name").set_value("Main street").run()
    test.button(key="begin-site").click().run()
    for kind, names in (("zone", ("Shop", "Café")), ("passage", ("Front door", "Archway"))):
        for name in names:
            add(test, kind, name)
    yield test
    assert not test.exception


def key(test: AppTest, field: str) -> str:
    return f"site-{test.session_state['site-drafts-filled']}-{field}"


def add(test: AppTest, kind: str, name: str) -> None:
    test.text_input(key=key(test, f"new-{kind}")).set_value(name)
    test.button(key=key(test, f"add-{kind}")).click().run()


def test_a_site_is_drawn_stored_renamed_and_archived(managed: Administered, begun: AppTest) -> None:
    test = begun
    test.number_input(key=key(test, "capacity")).set_value(40)
    test.text_input(key=key(test, "category")).set_value(" Bakery ")
    test.number_input(key=key(test, "area-main-street-cafe")).set_value(42.5)
    test.text_input(key=key(test, "category-main-street-cafe")).set_value("Café ")
    test.selectbox(key=key(test, "From-main-street-archway")).set_value("main-street-shop")
    test.selectbox(key=key(test, "To-main-street-archway")).set_value("main-street-cafe")
    test.button(key=key(test, "store")).click().run()
    assert "Main street is stored: 2 zones and 2 passages." in said(test)
    site = stored(managed, "main-street")
    assert (site["topZoneId"], site["dailyResetHour"]) == ("main-street-whole", 4)
    assert site["category"] == "Bakery"
    ends = {one["name"]: (one["fromZoneId"], one["toZoneId"]) for one in site["passages"]}
    assert ends == {
        "Front door": (None, "main-street-shop"),
        "Archway": ("main-street-shop", "main-street-cafe"),
    }
    capacity = {zone["id"]: zone["capacity"] for zone in site["zones"]}
    assert (capacity["main-street-whole"], capacity["main-street-shop"]) == (40, None)
    told = {zone["id"]: (zone.get("area"), zone.get("category")) for zone in site["zones"]}
    assert (told["main-street-cafe"], told["main-street-shop"]) == ((42.5, "Café"), (None, None))

    test.text_input(key=key(test, "category")).set_value("")
    test.text_input(key=key(test, "zone-main-street-cafe")).set_value("Bistro").run()
    test.button(key=key(test, "remove-main-street-archway")).click().run()
    test.checkbox(key=key(test, "archived")).check().run()
    test.button(key=key(test, "store")).click().run()
    assert "It is archived: in no list." in said(test)
    site = stored(managed, "main-street")
    assert site["archived"]
    assert site["category"] is None
    assert [zone["name"] for zone in site["zones"]] == ["Whole site", "Shop", "Bistro"]
    assert [one["id"] for one in site["passages"]] == ["main-street-front-door"]


def test_two_who_change_a_site_do_not_undo_what_the_other_did(managed: Administered) -> None:
    tests = [opened_page("setup") for _ in range(2)]
    for test, name in zip(tests, ("Corner shop one", "Corner shop two"), strict=True):
        test.selectbox(key="choose-set_up").set_value("corner-shop").run()
        test.text_input(key=key(test, "name")).set_value(name).run()
    one, two = tests
    one.button(key=key(one, "store")).click().run()
    assert "Corner shop one is stored" in said(one)
    two.button(key=key(two, "store")).click().run()
    (error,) = [shown.value for shown in two.error]
    assert "Not done" in error
    assert "somebody changed the same meanwhile" in error
    assert "ETag" not in error
    assert two.text_input(key=key(two, "name")).value == "Corner shop two"
    assert stored(managed, "corner-shop")["name"] == "Corner shop one"
    two.button(key=key(two, "drop")).click().run()
    assert two.text_input(key=key(two, "name")).value == "Corner shop one"


def test_fields_are_named_alike_in_another_session_until_what_is_written_is_dropped(
    managed: Administered,
) -> None:
    """So that a browser that outlives the dashboard does not lose what stands in them."""
    one, two = (opened_page("setup") for _ in range(2))
    for test in (one, two):
        test.selectbox(key="choose-set_up").set_value("corner-shop").run()
    name = key(one, "name")
    assert key(two, "name") == name
    two.text_input(key=name).set_value("Written in vain").run()
    two.button(key=key(two, "drop")).click().run()
    assert key(two, "name") != name
    assert two.text_input(key=key(two, "name")).value == one.text_input(key=name).value


def test_a_capacity_that_is_stored_is_what_pages_go_by_at_once(managed: Administered) -> None:
    test = opened_page("setup")
    test.selectbox(key="choose-set_up").set_value("corner-shop").run()
    before = opened_capacity()
    test.number_input(key=key(test, "capacity")).set_value(173).run()
    test.button(key=key(test, "store")).click().run()
    assert (before != 173, opened_capacity()) == (True, 173)


def test_a_capacity_and_an_area_that_were_stored_can_be_unknown_again(managed: Administered) -> None:
    test = opened_page("setup")
    test.selectbox(key="choose-set_up").set_value("corner-shop").run()
    for capacity, area in ((173, 120.5), (None, None)):
        test.number_input(key=key(test, "capacity")).set_value(capacity)
        test.number_input(key=key(test, "area")).set_value(area).run()
        test.button(key=key(test, "store")).click().run()
        site = stored(managed, "corner-shop")
        (whole,) = [zone for zone in site["zones"] if zone["id"] == site["topZoneId"]]
        assert (whole["capacity"], whole["area"]) == (capacity, area)
        # A field that has a default goes back to it in the browser when it is emptied.
        shown = [test.number_input(key=key(test, name)) for name in ("capacity", "area")]
        assert [field.proto.HasField("default") for field in shown] == [False, False]
        assert [field.value for field in shown] == [capacity, area]


def test_what_was_sent_before_and_came_though_its_answer_did_not_is_stored_over(
    managed: Administered,
) -> None:
    """The service hung while it was pressed first: nobody else has changed anything."""
    test = opened_page("setup")
    test.selectbox(key="choose-set_up").set_value("corner-shop").run()
    form = stored(managed, "corner-shop")
    category = {"category": "Bakery"}
    draft = test.session_state["site-drafts"]["corner-shop"]
    draft.sent.append(form_of(draft.site.model_copy(update=category)))
    address = f"{managed.service.base_url}/admin/sites/corner-shop"
    headers = {"x-api-key": managed.admin_key, "if-match": draft.tag}
    httpx.put(address, json=form | category, headers=headers, timeout=PATIENCE).raise_for_status()
    test.text_input(key=key(test, "category")).set_value("Bakery")
    test.text_input(key=key(test, "country")).set_value("CH").run()
    test.button(key=key(test, "store")).click().run()
    assert not refused(test)
    assert stored(managed, "corner-shop")["category"] == "Bakery"
    assert stored(managed, "corner-shop")["address"]["country"] == "CH"


def opened_capacity() -> float | None:
    """As Live has it."""
    (site,) = [one for one in read_sites() if one.id == "corner-shop"]
    return read_occupancy(site).capacity


def test_what_contradicts_itself_is_said_and_not_stored(begun: AppTest) -> None:
    test = begun
    (front,) = [
        one.key for one in test.selectbox if one.key and one.key.endswith("front-door") and "-To-" in one.key
    ]
    test.selectbox(key=front).set_value("").run()
    assert "The passage “Front door” leads to the side that it comes from." in said(test)
    assert test.button(key=key(test, "store")).disabled


def test_the_organization_gets_another_name(managed: Administered) -> None:
    test = opened_page("setup")
    test.text_input(key="organization-corner").set_value("Corner & sons").run()
    test.button(key="name-organization").click().run()
    assert "The organization is called Corner & sons." in said(test)


def refused(test: AppTest) -> list[str]:
    return [shown.value for shown in test.error]


def test_what_has_no_name_yet_is_asked_for(managed: Administered, begun: AppTest) -> None:
    test = begun
    for kind in ("zone", "passage"):
        test.button(key=key(test, f"add-{kind}")).click().run()
        assert refused(test) == [f"Write how the {kind} is called\\, then add it\\."]
    test.button(key=key(test, "drop")).click().run()
    test.button(key="begin-site").click().run()
    assert refused(test) == ["Write how the site is called\\, then press again\\."]
    test.text_input(key="organization-corner").set_value(" ").run()
    test.button(key="name-organization").click().run()
    assert refused(test) == ["Write how the organization is called\\, then press again\\."]


def test_a_zone_into_which_no_passage_leads_is_named(begun: AppTest) -> None:
    test = begun
    assert "No passage leads into Café, so that no door counts there." in said(test)
    (archway,) = [
        one for one in test.selectbox if one.key and one.key.endswith("archway") and "-To-" in one.key
    ]
    (cafe,) = [one.key or "" for one in test.text_input if one.value == "Café"]
    archway.set_value(cafe.removeprefix(key(test, "zone-"))).run()
    assert "No passage leads into" not in said(test)
    assert "Not stored yet" in said(test)


def test_what_becomes_of_the_counts_of_a_door_is_said_before_it_is_taken_out(managed: Administered) -> None:
    test = opened_page("setup")
    test.selectbox(key="choose-set_up").set_value("corner-shop").run()
    assert "To be taken out" not in said(test)
    (door, *_) = stored(managed, "corner-shop")["passages"]
    test.button(key=key(test, f"remove-{door['id']}")).click().run()
    assert f"To be taken out: {door['name']}. What was counted there is kept" in said(test)
    test.button(key=key(test, "drop")).click().run()
    assert "To be taken out" not in said(test)


def taken_from_file(document: object) -> AppTest:
    """The page, once the file is chosen."""
    test = opened_page("setup")
    test.session_state["site-from-file"] = True
    test.run()
    file = ("site.json", json.dumps(document).encode(), "application/json")
    test.file_uploader(key="site-file").set_value(file).run()
    return test


def test_a_site_of_an_answer_is_stored_once_its_whole_zone_is_chosen(managed: Administered) -> None:
    """Two zones that no passage touches: which of them is the whole site stands nowhere in the answer."""
    zones = [{"id": f"annex-{name}", "name": name.title()} for name in ("hall", "yard", "whole")]
    door = {"id": "annex-door", "name": "Door", "fromZoneId": None, "toZoneId": "annex-hall"}
    site = {"id": "annex", "name": "Annex", "organizationId": "elsewhere", "zones": zones, "passages": [door]}
    test = taken_from_file({"data": site | {"timezone": "Europe/Zurich"}, "meta": {}})
    assert "The file is of another organization (elsewhere)." in said(test)
    assert "store-file" not in {button.key for button in test.button}
    choice = test.selectbox(key="whole-zone-annex")
    assert choice.options == ["Yard", "Whole"]
    choice.set_value("annex-whole").run()
    test.button(key="store-file").click().run()
    assert "Annex is stored: 2 zones and 1 passage." in said(test)
    assert stored(managed, "annex")["topZoneId"] == "annex-whole"


def test_what_the_service_finds_wrong_is_told_of_each_field(managed: Administered) -> None:
    corner = stored(managed, "corner-shop")
    test = taken_from_file(corner | {"id": "copy"})
    test.button(key="store-file").click().run()
    (error,) = refused(test)
    assert "`passages[0].id`" in error
    assert "choose another id" in error
    assert "is stored" not in said(test)


@pytest.mark.parametrize(
    ("named", "is_told"), [("corner", False), ("", False), (None, False), (7, False), ("elsewhere", True)]
)
def test_a_file_of_another_organization_is_said_to_be_one(named: object, is_told: bool) -> None:
    own = NamedOrganization(id="corner", name="Corner")
    assert bool(other_organization_words({"organizationId": named}, own)) is is_told


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (b"{", "no JSON"),
        (b"[1]", "no site with an id"),
        (b'{"data": null}', "no site with an id"),
        (b'{"id": ""}', "no site with an id"),
        (b"[" * 100_000, "no JSON"),
        (b" " * (4 * 1024 * 1024 + 1), "larger than 4 MB"),
    ],
)
def test_a_file_without_a_site_is_refused_in_words(text: bytes, reason: str) -> None:
    found = site_in(text)
    assert isinstance(found, str)
    assert reason in found


def test_a_site_in_a_file_stands_alone_or_in_an_answer() -> None:
    site = {"id": "a", "name": "A"}
    for document in (site, {"data": site, "meta": {}}):
        assert site_in(json.dumps(document).encode()) == ("a", site)


@pytest.mark.parametrize(
    ("field", "number", "words"),
    [
        ("capacity", -5, "The capacity of “Corner shop one” is too small or too large."),
        ("area", 1e12, "The area of “Corner shop one” is too small or too large."),
        ("hour", 24, "Counts begin at 0 at an hour from 0 to 23."),
    ],
)
def test_a_number_that_nothing_takes_is_said_and_not_taken_for_the_one_before(
    managed: Administered, field: str, number: float, words: str
) -> None:
    test = opened_page("setup")
    test.selectbox(key="choose-set_up").set_value("corner-shop").run()
    test.text_input(key=key(test, "name")).set_value("Corner shop one").run()
    test.number_input(key=key(test, field)).set_value(number).run()
    assert words in said(test)
    assert test.number_input(key=key(test, field)).value == number
    assert test.button(key=key(test, "store")).disabled
