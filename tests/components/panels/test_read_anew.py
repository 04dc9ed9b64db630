"""A page with fields while its service does not answer."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest


class RevokedError(Exception):
    is_lasting = True


def page(error: Exception, refused: type[Exception]) -> None:
    import streamlit as st  # noqa: PLC0415 - AppTest runs the body of this function alone

    from components.panels.administration import attempt, done_panel, say_done  # noqa: PLC0415 - as above
    from components.panels.page_parts import guarded  # noqa: PLC0415 - as above
    from components.panels.read_anew import read_anew  # noqa: PLC0415 - as above

    def read() -> str:
        if st.session_state.get("is_down"):
            raise error
        return "as it is"

    def store() -> None:
        read()
        say_done("page", "Stored.")

    with guarded("All", "all", refused):
        st.text(read_anew(read, "list", 100, what="The list", failing=refused))
        done_panel("page")
        st.text_input("Name", key="name")
        if st.button("Store", key="store"):
            attempt(store, refused)


def opened(error: Exception) -> AppTest:
    test = AppTest.from_function(page, args=(error, type(error))).run()
    test.text_input(key="name").set_value("Main street").run()
    test.session_state["is_down"] = True
    return test


def texts(test: AppTest) -> str:
    return " ".join(one.value for one in (*test.markdown, *test.caption, *test.text, *test.error)).replace(
        "\\", ""
    )


def test_what_was_read_last_stays_with_a_word_as_of_when_and_so_do_the_fields() -> None:
    test = opened(ConnectionError("It does not answer.")).run()
    assert "The list cannot be shown." in texts(test)
    assert "Below is what was read at" in texts(test)
    assert "as it is" in texts(test)
    assert test.text_input(key="name").value == "Main street"
    test.session_state["is_down"] = False
    test.run()
    assert "cannot be shown" not in texts(test)


def test_what_was_not_done_is_said_until_somebody_presses_something() -> None:
    test = opened(ConnectionError("It does not answer."))
    test.button(key="store").click().run()
    assert "Not done." in texts(test)
    test.session_state["asked-again"] = True  # as the page runs by itself
    test.run()
    assert "Not done." in texts(test)
    test.run()
    assert "Not done." not in texts(test)


def test_what_is_refused_for_good_shows_nothing_any_more() -> None:
    test = opened(RevokedError("It is revoked.")).run()
    assert "All cannot be shown." in texts(test)
    assert "as it is" not in texts(test)
