"""Thresholds of a site and the site that opens first: kept once, for every browser and every page."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from runtime.preference_store import FILE_NAME
from tests.pages.analysis import text_of
from tests.pages.pair_of_sites import configure, key_and_service, run
from tests.running_service import ROOT, RunningService
from tests.shown_gauges import gauge_data, gauge_items, site_data

KEPT, USUAL = {"filling": 50, "full": 85}, {"filling": 70, "full": 90}


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, RunningService]]:
    yield from key_and_service(tmp_path_factory.mktemp("pair"))


@pytest.fixture(autouse=True)
def _configured(pair: tuple[str, RunningService], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    configure(monkeypatch, pair, tmp_path)


def press(app: AppTest, key: str) -> AppTest:
    app.button(key=key).click().run()
    assert not app.exception
    return app


def keep(site: str = "south") -> AppTest:
    return press(run("live", site=site, thresholds=["50", "85"]), "keep-thresholds")


def test_what_one_browser_keeps_holds_on_every_page_of_the_next() -> None:
    first = keep()
    assert gauge_data(first)["thresholds"] == KEPT
    assert "thresholds" not in first.query_params
    assert "Kept for South: filling from 50 %, full from 85 %." in text_of(first)
    assert gauge_data(run("live", site="south"))["thresholds"] == KEPT
    assert site_data(run("site", site="south"))["thresholds"] == KEPT
    assert gauge_data(run("live", site="north"))["thresholds"] == USUAL
    cards = {item["title"]: item["thresholds"] for item in gauge_items(run("overview"))}
    assert cards == {"North": USUAL, "South": KEPT}


def test_a_link_shows_its_own_thresholds_says_so_and_has_a_way_back() -> None:
    keep()
    for page, data in (("live", gauge_data), ("site", site_data)):
        app = run(page, site="south", thresholds=["20", "40"])
        assert data(app)["thresholds"] == {"filling": 20, "full": 40}
        assert "Thresholds of the link: filling from 20 %, full from 40 %." in text_of(app)
        assert "Those of South: filling from 50 %, full from 85 %." in text_of(app)
        assert data(press(app, "leave-link-thresholds"))["thresholds"] == KEPT
        assert "Thresholds of the link" not in text_of(app)
        assert "thresholds" not in app.query_params


def test_a_link_looks_at_all_sites_of_the_overview_by_the_same() -> None:
    keep()
    app = run("overview", thresholds=["20", "40"])
    assert {tuple(item["thresholds"].values()) for item in gauge_items(app)} == {(20, 40)}
    assert "All sites are looked at by them." in text_of(app)
    cards = {item["title"]: item["thresholds"] for item in gauge_items(press(app, "leave-link-thresholds"))}
    assert cards == {"North": USUAL, "South": KEPT}


def test_the_usual_thresholds_are_one_click_away() -> None:
    keep()
    assert gauge_data(press(run("live", site="south"), "usual-thresholds"))["thresholds"] == USUAL
    assert gauge_data(run("live", site="south"))["thresholds"] == USUAL


def labelled(app: AppTest, label: str) -> AppTest:
    next(one for one in app.button if one.label == label).click().run()
    assert not app.exception
    return app


def test_who_keeps_thresholds_is_told_of_those_that_another_has_kept_meanwhile() -> None:
    mine = run("live", site="south")
    keep()
    (limits,) = mine.slider
    limits.set_value((30, 60)).run()
    assert gauge_data(mine)["thresholds"] == {"filling": 30, "full": 60}
    said = text_of(mine)
    assert "somebody has kept others: filling from 50 %, full from 85 %. That was at " in said
    assert "What you wrote still stands here, and is not kept." in said
    labelled(mine, "Keep mine instead")
    assert "somebody has" not in text_of(mine)
    assert gauge_data(run("live", site="south"))["thresholds"] == {"filling": 30, "full": 60}


def test_what_another_does_between_the_look_and_the_press_is_told_instead_of_undone() -> None:
    keep()
    mine, other = run("live", site="south", thresholds=["20", "40"]), run("live", site="south")
    press(run("live", site="south"), "usual-thresholds")
    press(mine, "keep-thresholds")
    assert "somebody has gone back to the usual. What you wrote still stands here" in text_of(mine)
    assert gauge_data(labelled(mine, "Take theirs"))["thresholds"] == USUAL
    assert "somebody has" not in text_of(mine)
    keep()
    press(run("live", site="south", thresholds=["30", "60"]), "keep-thresholds")
    press(other, "usual-thresholds")
    said = text_of(other)
    assert "somebody has kept others: filling from 30 %, full from 60 %." in said
    assert "You have changed nothing." in said
    assert gauge_data(other)["thresholds"] == {"filling": 30, "full": 60}


@pytest.mark.parametrize("values", [["90", "70"], ["70"], ["70", "high"], ["0", "90"], ["70", "9" * 5_000]])
def test_thresholds_of_a_link_that_cannot_be_used_are_said_and_the_own_hold(values: list[str]) -> None:
    keep()
    app = run("live", site="south", thresholds=values)
    assert "This link asks for what is not known here: thresholds" in text_of(app)
    assert gauge_data(app)["thresholds"] == KEPT
    assert app.query_params["thresholds"] == (values if len(values) > 1 else values[0])


def test_another_site_is_seen_by_its_own_thresholds() -> None:
    app = run("live", site="south", thresholds=["20", "40"])
    app.selectbox(key="choose-site").select("north").run()
    assert gauge_data(app)["thresholds"] == USUAL


def test_another_site_is_seen_in_its_own_time_zone_and_in_one_that_was_chosen() -> None:
    app = run("history", site="north")
    app.selectbox(key="choose-site").set_value("south").run()
    assert app.query_params["timezone"] == "Europe/Lisbon"
    app.query_params["site"] = "north"
    app.run()
    assert app.query_params["timezone"] == "Europe/Zurich"
    app.selectbox(key="choose-timezone").set_value("Etc/UTC").run()
    app.selectbox(key="choose-site").set_value("south").run()
    assert app.query_params["timezone"] == "Etc/UTC"


def test_a_view_of_a_wall_begins_with_what_is_kept_for_its_site() -> None:
    keep()
    app = run("screens", screen="new")
    (limits,) = [slider for slider in app.slider if "Filling and full" in slider.label]
    assert limits.value == (70, 90)
    (site,) = [box for box in app.selectbox if box.label == "Site"]
    site.select("south").run()
    (limits,) = [slider for slider in app.slider if "Filling and full" in slider.label]
    assert limits.value == (50, 85)


def test_the_site_that_is_to_open_first_does_so_where_no_link_names_another() -> None:
    app = run("live", site="south")
    app.checkbox(key="open-first").check().run()
    for page in ("live", "site", "history"):
        assert run(page).selectbox(key="choose-site").value == "south"
    assert run("live", site="north").selectbox(key="choose-site").value == "north"
    assert run("live", site="nope").selectbox(key="choose-site").value is None
    again = run("site")
    again.checkbox(key="open-first").uncheck().run()
    assert run("live").selectbox(key="choose-site").value == "north"


def test_a_first_site_that_is_gone_gives_way_and_is_said(
    pair: tuple[str, RunningService], monkeypatch: pytest.MonkeyPatch
) -> None:
    from runtime import keep_first_site  # noqa: PLC0415 - after the settings

    keep_first_site("torn-down")
    app = run("live")
    assert app.selectbox(key="choose-site").value == "north"
    assert "The site that is to open first, “torn-down”, is not among those" in text_of(app)


def test_another_service_behind_the_same_folder_has_thresholds_of_its_own(
    pair: tuple[str, RunningService], monkeypatch: pytest.MonkeyPatch
) -> None:
    keep()
    other = pair[1].base_url.replace("127.0.0.1", "localhost")
    monkeypatch.setenv("HEADROOM_BASE_URL", other)
    assert gauge_data(run("live", site="south"))["thresholds"] == USUAL


def test_what_cannot_be_kept_is_said_and_holds_in_this_session(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_text("no database of ours\n" * 100)
    said = "cannot be used: file is not a database."
    app = run("live", site="south", thresholds=["50", "85"])
    press(app, "keep-thresholds")
    assert gauge_data(app)["thresholds"] == KEPT
    # The frame around the pages says it on each of them; AppTest runs it for the first page.
    app.switch_page("dashboard.py").run()
    assert f"{said} What you chose holds in this browser tab alone." in text_of(app)
    other = AppTest.from_file(str(ROOT / "dashboard.py"), default_timeout=60).run()
    assert f"{said} Until they can, the usual thresholds hold, and what you choose" in text_of(other)
    assert gauge_items(other)[1]["thresholds"] == USUAL
