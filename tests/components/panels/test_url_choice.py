from __future__ import annotations

from streamlit.testing.v1 import AppTest


def page_with_a_choice() -> None:
    import streamlit as st  # noqa: PLC0415 - AppTest runs the body of this function alone

    from components.panels.url_choice import url_choice  # noqa: PLC0415 - as above

    options = {"a": "Corner", "b": "Corner", "c": "Market"}
    st.text(f"chosen {url_choice('Site', options, 'site')}")
    zones = {"": "Whole site", "z": "Hall"}
    st.text(f"zone [{url_choice('Zone', zones, 'zone', lead='')}]")


def run(**parameters: str) -> AppTest:
    app = AppTest.from_function(page_with_a_choice)
    for name, value in parameters.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception
    return app


def test_the_url_names_the_choice_by_id() -> None:
    app = run(site="c", zone="z")
    assert [one.value for one in app.text] == ["chosen c", "zone [z]"]


def test_the_first_is_chosen_and_written_into_the_url() -> None:
    app = run()
    assert app.text[0].value == "chosen a"
    assert app.query_params["site"] == "a"
    assert "zone" not in app.query_params


def test_an_id_that_is_gone_gives_way_to_one_that_is_there() -> None:
    app = run(site="gone", zone="gone")
    assert [one.value for one in app.text] == ["chosen a", "zone []"]
    assert app.query_params["site"] == "a"
    assert "zone" not in app.query_params


def test_a_choice_changes_the_url() -> None:
    app = run(site="a")
    app.selectbox(key="choose-site").select("c").run()
    assert app.text[0].value == "chosen c"
    assert app.query_params["site"] == "c"


def test_two_of_one_name_can_be_told_apart() -> None:
    assert run().selectbox(key="choose-site").options == ["Corner (a)", "Corner (b)", "Market"]


def test_the_choice_is_remembered_when_a_page_is_opened_without_it() -> None:
    app = run(site="c")
    app.query_params.clear()
    app.run()
    assert app.text[0].value == "chosen c"
