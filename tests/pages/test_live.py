from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from live import FeedKey, GrantedFeed
from runtime import get_signer
from tests.running_service import ROOT, RunningService, start_service
from tests.shown_gauges import gauge_data, gauge_items
from tests.small_site import SmallSite, create_small_site

ZONE = "Europe/Zurich"


@pytest.fixture(scope="module")
def small_site(tmp_path_factory: pytest.TempPathFactory) -> SmallSite:
    return create_small_site(tmp_path_factory.mktemp("service"))


@pytest.fixture(scope="module")
def service(small_site: SmallSite) -> Iterator[RunningService]:
    started = start_service(small_site.data_dir)
    yield started
    started.kill()


@pytest.fixture(autouse=True)
def _configured(
    small_site: SmallSite, service: RunningService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HEADROOM_BASE_URL", service.base_url)
    monkeypatch.setenv("HEADROOM_API_KEY", small_site.read_key)
    monkeypatch.setenv("HEADROOM_DATA_DIR", str(tmp_path))


def run(**parameters: str | list[str]) -> AppTest:
    app = AppTest.from_file(str(ROOT / "dashboard.py"), default_timeout=60)
    for name, value in parameters.items():
        app.query_params[name] = value
    app.switch_page("pages/live.py").run()
    assert not app.exception
    return app


def test_the_whole_site_is_large_and_its_other_zones_are_cards() -> None:
    shown = [(item["kind"], item["title"], item["capacity"]) for item in gauge_items(run())]
    assert shown == [("hero", "Corner shop", 100), ("card", "Hall", 60), ("card", "Café", 40)]


def test_a_zone_of_the_url_is_large_and_the_others_stay_beside_it() -> None:
    shown = [(item["kind"], item["title"], item["capacity"]) for item in gauge_items(run(zone="cafe"))]
    assert shown == [("hero", "Corner shop, Café", 40), ("card", "Hall", 60)]


def test_every_gauge_has_a_feed_that_the_token_grants_in_the_sites_time_zone() -> None:
    app = run()
    grant = get_signer().read(gauge_data(app)["token"])
    assert grant.feeds == (
        GrantedFeed(FeedKey("corner-shop"), ZONE),
        GrantedFeed(FeedKey("corner-shop", ("hall",)), ZONE),
        GrantedFeed(FeedKey("corner-shop", ("cafe",)), ZONE),
    )
    assert [item["feed"] for item in gauge_items(app)] == [feed.key.name for feed in grant.feeds]


def test_a_zone_card_opens_the_zone() -> None:
    assert gauge_items(run())[1]["href"] == "/live?site=corner-shop&zone=hall"


def test_an_unknown_site_of_the_url_gives_way_to_one_that_is_there() -> None:
    app = run(site="gone")
    assert gauge_items(app)[0]["title"] == "Corner shop"
    assert app.query_params["site"] == "corner-shop"


def test_thresholds_of_the_url_reach_the_gauge() -> None:
    app = run(thresholds=["50", "80"])
    assert gauge_data(app)["thresholds"] == {"filling": 50, "full": 80}


def test_both_thresholds_on_one_value_leave_the_gauge_working() -> None:
    app = run(thresholds=["80", "80"])
    assert gauge_data(app)["thresholds"] == {"filling": 79, "full": 80}


def test_the_gauge_carries_the_words_of_every_level() -> None:
    words = {name: level["word"] for name, level in gauge_data(run())["levels"].items()}
    assert words == {"free": "Free", "filling": "Filling", "full": "Full", "unknown": "Unknown"}
