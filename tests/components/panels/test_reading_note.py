"""Of what time the values are that an overview compares, and what is not looked at yet."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from components.panels.site_list import none_found
from components.tables.site_states import Progress, SiteState

PANEL = """
from datetime import UTC, datetime, timedelta

import streamlit as st

from components.number_format import Formats
from components.panels.site_list import reading_note
from components.tables.site_states import Progress

as_of = datetime(2026, 11, 21, 13, 34, tzinfo=UTC)
progress = Progress({read}, 500, as_of, {judged}, is_cut_off={is_cut_off})
age = timedelta(minutes={age})
reading_note(progress, Formats(now=as_of), st.container(), lambda: progress, age)
"""


def told_of(judged: int, *, read: int = 500, age: int = 15, is_cut_off: bool = False) -> str:
    script = PANEL.format(read=read, judged=judged, age=age, is_cut_off=is_cut_off)
    test = AppTest.from_string(script).run()
    assert not test.exception
    (shown,) = test.caption
    return shown.value.replace("\\", "")


@pytest.mark.parametrize("age", [15, 20])
def test_what_is_judged_by_older_minutes_says_how_much_older_they_may_be(age: int) -> None:
    assert told_of(500, age=age) == (
        f"Order and filters by values as of 13:34 UTC time, what is unreliable up to {age} min older; "
        "the gauges are live."
    )


def test_a_list_says_of_how_many_sites_the_past_was_looked_at() -> None:
    assert told_of(222) == (
        "Order and filters by values as of 13:34 UTC time, missing counts and unreliable numbers looked for "
        "in 222 of 500 sites so far; the gauges are live."
    )


def test_gauges_are_not_called_live_while_nothing_new_comes() -> None:
    assert told_of(500, is_cut_off=True).endswith("up to 15 min older.")


def test_a_list_that_is_still_read_says_which_sites_it_compares() -> None:
    said = "Counted and compared are the sites whose values are known: "
    assert told_of(0, read=40).startswith(f"{said}40 of 500")


def test_a_search_that_finds_nothing_names_words_and_state_and_whether_all_sites_were_looked_at() -> None:
    all_judged, some_judged = Progress(500, 500, None, 500), Progress(500, 500, None, 222)
    assert none_found(all_judged, "harbour", None) == "None of the 500 sites matches “harbour”."
    assert none_found(all_judged, "", SiteState.FULL) == "None of the 500 sites matches “full”."
    assert none_found(some_judged, "harbour", SiteState.SILENT) == (
        "None of the 500 sites is known yet to match “harbour no counts”."
    )
