from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from analysis.opening_hours import OpeningHours
from live import FeedKey, GrantedFeed
from runtime import get_signer
from runtime.site_knowledge import keep_opening_hours
from tests.running_service import ROOT, RunningService, start_service
from tests.shown_gauges import door_rows, gauge_data, gauge_items
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


def test_the_zone_that_is_the_whole_site_is_offered_once_and_its_link_holds() -> None:
    assert run().selectbox(key="choose-zone").options == ["Whole site", "Hall", "Café"]
    named = run(zone="shop")
    assert named.selectbox(key="choose-zone").value == "shop"
    assert gauge_items(named)[0]["title"] == "Corner shop, Shop"


def test_zones_are_ranked_whichever_is_large_and_never_the_one_that_encloses_them() -> None:
    for parameters in ({}, {"zone": "cafe"}):
        ranked = gauge_data(run(**parameters))["ranked"]
        assert [(item["title"], item["feed"]) for item in ranked] == [
            ("Hall", "corner-shop/hall"), ("Café", "corner-shop/cafe")
        ]  # fmt: skip


def test_devices_that_are_not_online_are_told_in_one_quiet_line() -> None:
    assert [one.value for one in run().caption if "online" in one.value] == [
        ":material/sensors_off: 1 device not online · shop"
    ]


def test_doors_without_a_count_of_today_are_not_0() -> None:
    assert [(row["title"], row["count"], row["note"]) for row in door_rows(run())] == [
        ("Entrance", None, "no count of today yet"), ("Terrace door", None, "no count of today yet")
    ]  # fmt: skip


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


def test_thresholds_of_the_url_reach_the_gauge() -> None:
    app = run(thresholds=["50", "80"])
    assert gauge_data(app)["thresholds"] == {"filling": 50, "full": 80}


def test_both_thresholds_on_one_value_leave_the_gauge_working() -> None:
    app = run(thresholds=["80", "80"])
    assert gauge_data(app)["thresholds"] == {"filling": 79, "full": 80}


def test_the_gauge_carries_the_words_of_every_level() -> None:
    words = {name: level["word"] for name, level in gauge_data(run())["levels"].items()}
    assert words == {
        "free": "Free",
        "filling": "Filling",
        "full": "Full",
        "unknown": "Unknown",
        "closed": "Closed",
    }


def test_the_gauge_learns_when_its_site_is_closed() -> None:
    assert gauge_data(run())["closed"] == {}
    keep_opening_hours("corner-shop", OpeningHours(week=((),) * 7))
    ((name, spans),) = gauge_data(run())["closed"].items()
    assert name == "corner-shop"
    assert [end for _, end in spans] == [None]
