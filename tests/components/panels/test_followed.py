"""A page that is drawn anew once what it was drawn from has changed."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest


def page() -> None:
    import streamlit as st  # noqa: PLC0415 - the script of a page of its own

    from components.panels.followed import drawn_anew_where  # noqa: PLC0415

    drawn = st.session_state["drawn"] = st.session_state.get("drawn", 0) + 1
    st.markdown(f"drawn {drawn}")
    drawn_anew_where(lambda: bool(drawn < st.session_state["changes"]), key="followed")


def test_it_is_drawn_until_it_is_as_it_should_be() -> None:
    shown = AppTest.from_function(page)
    shown.session_state["changes"] = 3
    shown.run()
    assert [one.value for one in shown.markdown] == ["drawn 3"]


def test_what_has_not_changed_stays() -> None:
    shown = AppTest.from_function(page)
    shown.session_state["changes"] = 0
    shown.run()
    assert [one.value for one in shown.markdown] == ["drawn 1"]
