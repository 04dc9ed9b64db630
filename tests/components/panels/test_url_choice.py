from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest


def page_with_a_choice() -> None:
    import streamlit as st  # noqa: PLC0415 - AppTest runs the body of this function alone

    from components.panels.url_choice import url_choice, url_choices  # noqa: PLC0415 - as above

    options = {"a": "Corner", "b": "Corner", "c": "Market"}
    st.text(f"chosen {url_choice('Site', options, 'site', is_needed=True, governs=['zone', 'door'])}")
    zones = {"": "Whole site", "z": "Hall"}
    st.text(f"zone [{url_choice('Zone', zones, 'zone', lead='')}]")
    url_choices("Doors", {"n": "North", "s": "South"}, "door")


def run(**parameters: str | list[str]) -> AppTest:
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


@pytest.mark.parametrize("site", ["gone", ["a", "c"], ["gone", "a"]])
def test_a_link_to_what_is_not_there_selects_nothing_and_stays_until_somebody_chooses(
    site: str | list[str],
) -> None:
    app = run(site=site, zone="gone")
    for _ in range(2):
        assert app.selectbox(key="choose-site").value is None
        assert [one.value for one in app.text] == ["chosen None", "zone []"]
        assert app.query_params["site"] == site
        assert app.query_params["zone"] == "gone"
        app.run()
    app.selectbox(key="choose-site").select("c").run()
    assert app.text[0].value == "chosen c"
    assert app.query_params["site"] == "c"


def test_a_zone_leaves_the_link_with_its_site() -> None:
    app = run(site="a", zone="z")
    app.selectbox(key="choose-site").select("c").run()
    assert "zone" not in app.query_params


def test_an_empty_parameter_is_not_given() -> None:
    assert run(site="").text[0].value == "chosen a"


def test_the_same_twice_is_one() -> None:
    app = run(site=["c", "c"])
    assert app.text[0].value == "chosen c"
    assert app.query_params["site"] == "c"


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


def test_a_step_back_to_before_a_zone_was_chosen_is_not_undone_by_what_is_remembered() -> None:
    app = run(site="a")
    app.selectbox(key="choose-zone").select("z").run()
    app.multiselect(key="choose-several-door").select("n").run()
    assert (app.query_params["zone"], app.query_params["door"]) == ("z", "n")
    del app.query_params["zone"], app.query_params["door"]
    app.run()
    assert app.text[1].value == "zone []"
    assert app.multiselect(key="choose-several-door").value == []
    assert not {"zone", "door"} & set(app.query_params)


def test_a_page_that_is_opened_without_a_site_goes_on_with_the_remembered_zone() -> None:
    app = run(site="a", zone="z")
    app.query_params.clear()
    app.run()
    assert [one.value for one in app.text] == ["chosen a", "zone [z]"]
    assert app.query_params["zone"] == "z"
    app.run()
    assert app.text[1].value == "zone [z]"
