"""Links to what is not there: said, the list offered, nothing else shown, the link left as it is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from components.panels.unknown_in_link import OURS
from tests.pages.analysis import text_of
from tests.pages.pair_of_sites import configure, key_and_service, run
from tests.running_service import ROOT, RunningService, free_port
from tests.shown_gauges import gauge_data, gauge_items

PAGES_OF_A_SITE = ("live", "site", "history")
HOSTILE = "[**nope**](https://evil.example) <b>\N{RIGHT-TO-LEFT OVERRIDE}" + "x" * 5_000


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, RunningService]]:
    yield from key_and_service(tmp_path_factory.mktemp("pair"))


@pytest.fixture(autouse=True)
def _configured(pair: tuple[str, RunningService], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    configure(monkeypatch, pair, tmp_path)


def drawn(app: AppTest) -> list[str]:
    """Kinds of what shows figures of a place."""
    kinds = ("bidi_component", "plotly_chart", "arrow_data_frame", "dataframe")
    return [kind for kind in kinds if app.get(kind)]


@pytest.mark.parametrize("page", PAGES_OF_A_SITE)
def test_a_site_that_is_not_there_is_said_and_no_other_is_shown(page: str) -> None:
    app = run(page, site="nope", zone="north-hall")
    for _ in range(2):
        assert "The link names the site “nope”, which this key cannot read." in text_of(app)
        assert drawn(app) == []
        assert app.selectbox(key="choose-site").options == ["North", "South"]
        assert app.selectbox(key="choose-site").value is None
        assert (app.query_params["site"], app.query_params["zone"]) == ("nope", "north-hall")
        app.run()
    app.selectbox(key="choose-site").select("south").run()
    assert not app.exception
    assert "The link names" not in text_of(app)
    assert app.query_params["site"] == "south"
    assert "zone" not in app.query_params


@pytest.mark.parametrize("page", PAGES_OF_A_SITE)
def test_a_link_to_two_sites_shows_neither_before_one_is_chosen(page: str) -> None:
    app = run(page, site=["north", "south"])
    assert "The link names the sites “north”, “south”; one can be shown here." in text_of(app)
    assert drawn(app) == []


@pytest.mark.parametrize("page", PAGES_OF_A_SITE)
def test_what_a_link_names_is_shown_cut_and_never_obeyed(page: str) -> None:
    app = run(page, site=HOSTILE)
    (said,) = [one.value for one in app.warning if "The link names" in one.value]
    assert len(said) < 600
    assert "\N{RIGHT-TO-LEFT OVERRIDE}" not in said
    assert "[**" not in said
    assert "<b>" not in said


@pytest.mark.parametrize("page", PAGES_OF_A_SITE)
def test_a_list_that_cannot_be_read_is_an_outage_and_no_wrong_link(
    page: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HEADROOM_BASE_URL", f"http://127.0.0.1:{free_port()}")
    app = run(page, site="south")
    assert "cannot be shown" in text_of(app)
    assert "The link names" not in text_of(app)
    assert app.query_params["site"] == "south"


def test_a_zone_that_is_not_there_is_not_the_whole_site() -> None:
    app = run("live", site="north", zone="south-hall")
    assert "The link names the zone “south-hall”, which North does not have." in text_of(app)
    with pytest.raises(LookupError):
        gauge_data(app)
    assert app.query_params["zone"] == "south-hall"
    app.selectbox(key="choose-zone").select("").run()
    assert gauge_items(app)[0]["title"] == "North"
    assert "zone" not in app.query_params


def test_another_site_is_chosen_without_the_zone_of_the_former() -> None:
    app = run("live", site="north", zone="north-hall")
    app.selectbox(key="choose-site").select("south").run()
    assert "The link names" not in text_of(app)
    assert gauge_items(app)[0]["title"] == "South"


def test_the_next_page_opens_the_site_that_was_chosen() -> None:
    app = run("live", site="south")
    app.query_params.clear()
    app.switch_page("pages/history.py").run()
    assert app.selectbox(key="choose-site").value == "south"
    assert app.query_params["site"] == "south"


def first_page(**parameters: str) -> AppTest:
    """With the frame around it, which `run` leaves out."""
    app = AppTest.from_file(str(ROOT / "dashboard.py"), default_timeout=60)
    app.query_params.update(parameters)
    return app.run()


def test_a_parameter_that_no_page_knows_is_said_once() -> None:
    app = first_page(site="north", rnage="7d", utm_source="letter", fbclid="x", embed="true")
    assert text_of(app).count("This link asks for what is not known here: rnage “7d”.") == 1
    app.button(key="leave-out-names").click().run()
    assert "This link asks" not in text_of(app)
    assert not app.exception
    assert {"rnage", "utm_source", "fbclid"} & set(app.query_params) == {"utm_source", "fbclid"}


def test_a_name_and_a_value_that_are_not_known_are_said_in_one_breath() -> None:
    app = first_page(rnage="7d", sort="By moon")
    (said,) = [one.value for one in app.warning if "This link asks" in one.value]
    assert "sort “By moon”, rnage “7d”." in said.replace("\\", "")
    app.button(key="leave-out-sort").click().run()
    assert "This link asks" not in text_of(app)
    assert "rnage" not in app.query_params


def test_hostile_names_of_parameters_are_shown_cut_and_never_obeyed() -> None:
    app = first_page(**{HOSTILE: HOSTILE, **{f"n{number}": "x" for number in range(99)}})
    (said,) = [one.value for one in app.warning if "This link asks" in one.value]
    assert "and 97 more" in said
    assert len(said) < 900
    assert "[**" not in said
    assert "<b>" not in said


def test_every_parameter_that_a_page_reads_is_known() -> None:
    told = re.compile(
        r'(?:asked_in_link\(|query_params\.get(?:_all)?\(|query_params\[)"(\w+)"|key="(\w+)",\s*bind="query'
        r'|url_(?:choice|choices|pills)\((?:[^()]|\([^()]*\))*?, "(\w+)"'
        r'|(?:_PARAMETER|CHOSEN|_PAGE|_SHOWN_STATE): Final = "([\w]+)"'
    )
    sources = [path for room in ("components", "pages") for path in (ROOT / room).rglob("*.py")]
    read = {next(filter(None, groups)) for path in sources for groups in told.findall(path.read_text())}
    assert {"site", "range", "screen", "thresholds", "compare_from", "page", "sort"} <= read
    assert read <= OURS


@pytest.mark.parametrize(("parameter", "value"), [("sort", "By moon"), ("show", "fullish"), ("page", "last")])
def test_an_order_a_state_or_a_page_that_is_not_known_is_said(parameter: str, value: str) -> None:
    app = run("overview", **{parameter: value})
    for _ in range(2):
        assert f"This link asks for what is not known here: {parameter} “{value}”." in text_of(app)
        assert [item["title"] for item in gauge_items(app)] == ["North", "South"]
        assert app.query_params[parameter] == value
        app.run()
    app.button(key=f"leave-out-{parameter}").click().run()
    assert "This link asks" not in text_of(app)
