"""A range that is called by its name, on a page that stays open."""

from __future__ import annotations

from datetime import UTC, datetime

from streamlit.testing.v1 import AppTest

EVENING = datetime(2026, 11, 28, 22, 50, tzinfo=UTC)
"""In Zurich ten minutes before midnight."""
MORNING = datetime(2026, 11, 29, 5, tzinfo=UTC)


def page() -> None:
    from contextlib import nullcontext  # noqa: PLC0415 - the script of a page of its own
    from zoneinfo import ZoneInfo  # noqa: PLC0415

    import streamlit as st  # noqa: PLC0415

    from components.panels.range_choice import range_choice  # noqa: PLC0415

    now, later = st.session_state["opened_at"], st.session_state["looked_at"]
    st.session_state["opened_at"] = later
    zone = ZoneInfo("Europe/Zurich")
    chosen = range_choice(st.session_state["named"], now, zone, nullcontext(), lambda: later)
    st.markdown("nothing" if chosen is None else f"{chosen.asked.start.astimezone(zone):%a %d %b}")


def told(named: str, opened_at: datetime, looked_at: datetime) -> list[str]:
    """What stands at `looked_at` on a page that was drawn at `opened_at`."""
    shown = AppTest.from_function(page)
    for name, value in {"named": named, "opened_at": opened_at, "looked_at": looked_at}.items():
        shown.session_state[name] = value
    shown.run()
    assert not shown.exception
    return [one.value for one in shown.markdown]


def test_after_midnight_today_is_the_new_day_and_yesterday_the_one_that_is_over() -> None:
    assert told("today", EVENING, EVENING) == ["Sat 28 Nov"]
    assert told("today", EVENING, MORNING) == ["Sun 29 Nov"]
    assert told("yesterday", EVENING, MORNING) == ["Sat 28 Nov"]


def test_a_day_that_has_only_begun_is_shown_once_its_first_minute_is_counted() -> None:
    midnight = EVENING.replace(hour=23, minute=0)
    assert told("today", midnight, midnight) == ["nothing"]
    assert told("today", midnight, MORNING) == ["Sun 29 Nov"]


def test_what_moves_on_by_the_minute_is_left_as_it_was_read() -> None:
    assert told("24h", EVENING, MORNING) == ["Fri 27 Nov"]
