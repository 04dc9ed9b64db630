"""Opening hours as two people write them, on the page Site, and as other pages read them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from streamlit.testing.v1 import AppTest

from analysis.hours_text import spans_of_text
from analysis.opening_hours import OpeningHours
from runtime.settings import get_settings
from runtime.site_knowledge import keep_first_hours, keep_opening_hours, read_kept_hours
from runtime.site_knowledge_store import FILE_NAME, SiteKnowledgeStore
from runtime.upstream import service_digest
from tests.pages.analysis import Counted, text_of

SHOP = "corner-shop"


@pytest.fixture(autouse=True)
def forgotten(counted: Counted) -> Iterator[None]:
    yield
    keep_opening_hours(SHOP, None)


def editor(counted: Counted) -> AppTest:
    return counted.as_it_opens("site", ("folded-edit_calendar",), site=SHOP)


def told(test: AppTest) -> str:
    return "\n".join([text_of(test), *(one.value.replace("\\", "") for one in (*test.error, *test.warning))])


def all_week(text: str) -> OpeningHours:
    return OpeningHours(week=(spans_of_text(text),) * 7)


def written(test: AppTest) -> list[str]:
    return [field.value or "" for field in test.text_input]


def press(test: AppTest, label: str) -> None:
    next(button for button in test.button if button.label == label).click().run()
    assert not test.exception


def kept_week() -> list[tuple[tuple[int, int], ...]]:
    hours = read_kept_hours(SHOP).hours
    assert hours
    return [tuple((span.opens, span.closes) for span in day) for day in hours.week]


def test_what_another_tab_has_kept_is_not_overwritten_and_nothing_that_is_written_is_lost(
    counted: Counted,
) -> None:
    mine = editor(counted)
    mine.text_input[0].set_value("9 AM - 8 PM").run()
    keep_opening_hours(SHOP, all_week("7-15"))
    press(mine, "Keep these hours")
    said = told(mine)
    assert "somebody has kept others: Mon to Sun 07:00–15:00." in said
    assert said.index("somebody has kept others") > said.index("Days that differ"), "beside the button"
    assert "What you wrote still stands here, and is not kept." in said
    assert written(mine)[:2] == ["9 AM - 8 PM", ""]
    assert kept_week() == [((420, 900),)] * 7
    press(mine, "Keep mine instead")
    assert kept_week() == [((540, 1200),), *[()] * 6]
    assert written(mine) == ["09:00–20:00", *["closed"] * 6]
    assert "somebody has kept" not in told(mine)


def test_what_is_written_after_another_has_kept_something_is_not_lost_either(counted: Counted) -> None:
    mine = editor(counted)
    keep_opening_hours(SHOP, all_week("7-15"))
    mine.text_input[0].set_value("9-18").run()
    assert written(mine)[0] == "9-18"
    assert "somebody has kept others: Mon to Sun 07:00–15:00." in told(mine)
    assert "That was at " in told(mine)
    assert kept_week() == [((420, 900),)] * 7


def test_what_the_other_has_kept_can_be_taken_instead(counted: Counted) -> None:
    mine = editor(counted)
    mine.text_input[0].set_value("9-18").run()
    keep_opening_hours(SHOP, all_week("7-15"))
    press(mine, "Keep these hours")
    press(mine, "Take theirs into the fields")
    assert written(mine) == ["07:00–15:00"] * 7
    assert kept_week() == [((420, 900),)] * 7


def test_who_has_written_nothing_reads_what_is_kept_now(counted: Counted) -> None:
    mine = editor(counted)
    keep_opening_hours(SHOP, all_week("7-15"))
    mine.run()
    assert written(mine) == ["07:00–15:00"] * 7
    assert "somebody has kept" not in told(mine)


def test_hours_that_are_forgotten_leave_the_fields(counted: Counted) -> None:
    keep_opening_hours(SHOP, all_week("7-15"))
    mine = editor(counted)
    press(mine, "Forget them")
    assert read_kept_hours(SHOP).document == ""
    assert written(mine) == [""] * 7
    assert "Nobody has said yet when this site is open" in told(mine)


def test_what_an_empty_field_means_is_said_before_it_is_kept(counted: Counted) -> None:
    mine = editor(counted)
    assert "A day that is left empty is closed." in told(mine)
    mine.text_input[0].set_value("9-18").run()
    assert "As written: Mon 09:00–18:00, Tue to Sun closed." in told(mine)
    assert read_kept_hours(SHOP).document == ""


def test_who_has_pressed_the_button_reads_beside_it_that_the_hours_are_kept(counted: Counted) -> None:
    mine = editor(counted)
    mine.text_input[0].set_value("9-18").run()
    assert "Kept:" not in told(mine)
    press(mine, "Keep these hours")
    assert "Kept: Mon 09:00–18:00, Tue to Sun closed." in told(mine)
    mine.text_input[1].set_value("9-18").run()
    assert "Kept:" not in told(mine)
    assert "As written: Mon to Tue 09:00–18:00, Wed to Sun closed." in told(mine)


def test_what_may_be_meant_in_two_ways_is_asked_for_and_not_kept(counted: Counted) -> None:
    mine = editor(counted)
    mine.text_input[0].set_value("9 to 5").run()
    press(mine, "Keep these hours")
    assert "Monday: “9 to 5” may be meant in two ways" in told(mine)
    assert read_kept_hours(SHOP).document == ""


@pytest.mark.parametrize("damaged", ['{"week": []}', "no hours at all"])
def test_damaged_hours_are_named_everywhere_and_put_aside_when_others_are_kept(
    counted: Counted, damaged: str
) -> None:
    store = SiteKnowledgeStore(get_settings().data_dir)
    store.keep(service_digest(), SHOP, "opening hours", "", damaged)
    before = set(store.of(service_digest(), SHOP, "damaged opening hours"))
    mine = editor(counted)
    assert "kept of this site are damaged and cannot be read: none are used." in told(mine)
    assert "Nobody has said" not in told(mine)
    assert "What is kept of them is damaged" in told(counted.page("rhythm", site=SHOP))
    mine.text_input[0].set_value("9-18").run()
    press(mine, "Keep these hours")
    assert kept_week()[0] == ((540, 1080),)
    aside = store.of(service_digest(), SHOP, "damaged opening hours")
    assert [aside[name] for name in set(aside) - before] == [damaged]


def test_a_file_that_cannot_be_read_is_asked_for_seldom(counted: Counted) -> None:
    keep_opening_hours(SHOP, all_week("7-15"))
    path = get_settings().data_dir / FILE_NAME
    kept = path.read_bytes()
    try:
        path.write_text("no database\n" * 100)
        said = told(counted.page("rhythm", site=SHOP))
    finally:
        path.write_bytes(kept)
    assert "The opening hours cannot be shown." in said
    assert "tried again every 3 min" in said


def test_where_holidays_close_a_site_is_told_where_its_hours_are_used(counted: Counted) -> None:
    mine = editor(counted)
    assert "Switzerland is taken from the site's address; once hours are kept" in told(mine)
    keep_opening_hours(SHOP, all_week("7-15").model_copy(update={"country": "CH"}))
    said = told(counted.page("rhythm", site=SHOP))
    assert "Opening hours are as kept on the page Site. Public holidays of Switzerland: closed." in said


def test_hours_that_came_with_the_demo_say_so_until_somebody_changes_them(counted: Counted) -> None:
    of_demo = "These hours came with the demo"
    keep_first_hours(SHOP, all_week("9-19"))
    mine = editor(counted)
    assert of_demo in told(mine)
    assert written(mine) == ["09:00–19:00"] * 7
    mine.text_input[0].set_value("10-18").run()
    press(mine, "Keep these hours")
    assert of_demo not in told(mine)
    press(mine, "Forget them")
    keep_first_hours(SHOP, all_week("9-19"))
    said = told(editor(counted))
    assert of_demo not in said
    assert "Nobody has said yet when this site is open" in said
