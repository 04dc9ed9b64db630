from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Block, Node, Title

from analysis.opening_hours import OpeningHours
from contract import Site, Zone
from live import FeedKey, GrantedFeed
from runtime import close_resources, get_hub, get_signer
from runtime.site_knowledge import keep_opening_hours
from service.open_store import open_store, store_url
from service.store.protocol import KeyScope, Organization, SiteRecord
from tests.running_service import ROOT, RunningService, free_port, start_service
from tests.scripted_service import KEY, ScriptedService, scripted_service
from tests.shown_gauges import gauge_data, gauge_items
from tests.small_site import SmallSite, create_small_site

MANY = 30
"""More than one page of the overview."""


def shop(number: int) -> SiteRecord:
    zone = Zone(id=f"zone-{number}", name="All", category="site", capacity=100, area=10)
    name = f"Shop {number:02}"
    site = Site(
        id=f"shop-{number}", name=name, timezone="Europe/Zurich", organization_id="chain", zones=(zone,)
    )
    return SiteRecord(site, zone.id)


@pytest.fixture(scope="module")
def small_site(tmp_path_factory: pytest.TempPathFactory) -> SmallSite:
    return create_small_site(tmp_path_factory.mktemp("service"))


@pytest.fixture(scope="module")
def chain_key(small_site: SmallSite) -> str:
    """Reads an organization with more sites than fit on one page."""
    store = open_store(store_url(small_site.data_dir))
    try:
        store.catalogue.save(Organization("chain", "Chain"), [shop(number) for number in range(MANY)])
        return store.keys.create("chain", "reads", KeyScope.READ)[1]
    finally:
        store.close()


@pytest.fixture(scope="module")
def service(small_site: SmallSite, chain_key: str) -> Iterator[RunningService]:
    started = start_service(small_site.data_dir)
    yield started
    started.kill()


@pytest.fixture(autouse=True)
def _configured(service: RunningService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADROOM_BASE_URL", service.base_url)
    monkeypatch.setenv("HEADROOM_DATA_DIR", str(tmp_path))


@pytest.fixture
def _chain(chain_key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADROOM_API_KEY", chain_key)


@pytest.fixture
def _corner(small_site: SmallSite, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADROOM_API_KEY", small_site.read_key)


def run(**parameters: str) -> AppTest:
    app = AppTest.from_file(str(ROOT / "dashboard.py"), default_timeout=60)
    for name, value in parameters.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception
    return app


def titles(app: AppTest) -> list[str]:
    return [item["title"] for item in gauge_items(app)]


def place_of_search(app: AppTest) -> tuple[int, ...]:
    """Its index in what it stands in, and of that likewise, up to the page, where the title is 0."""
    found = dict(nodes(app.main))
    (title,) = next(place for place, node in found.items() if isinstance(node, Title))
    index, *within = next(place for place, node in found.items() if node is app.text_input(key="search"))
    return (index - title, *within)


def nodes(block: Block, place: tuple[int, ...] = ()) -> Iterator[tuple[tuple[int, ...], Node]]:
    for index, node in block.children.items():
        yield (*place, index), node
        if isinstance(node, Block):
            yield from nodes(node, (*place, index))


def words(app: AppTest) -> str:
    return " ".join(one.value for one in (*app.info, *app.markdown, *app.caption))


@pytest.mark.usefixtures("_corner")
def test_the_sites_of_the_key_are_shown_with_the_capacity_of_their_top_zone() -> None:
    (item,) = gauge_items(run())
    assert (item["title"], item["capacity"], item["timezone"]) == ("Corner shop", 100, "Europe/Zurich")
    assert item["href"] == "/live?site=corner-shop"


@pytest.mark.usefixtures("_corner")
def test_a_browser_is_never_handed_the_api_key(small_site: SmallSite) -> None:
    assert small_site.read_key not in str(gauge_data(run()))


@pytest.mark.usefixtures("_corner")
def test_the_token_grants_what_is_shown_and_nothing_else() -> None:
    grant = get_signer().read(gauge_data(run())["token"])
    assert grant.feeds == (GrantedFeed(FeedKey("corner-shop"), "Europe/Zurich"),)


@pytest.mark.usefixtures("_chain")
def test_a_page_holds_24_sites_and_the_url_names_the_page() -> None:
    first, second = run(), run(page="2")
    assert titles(first) == [f"Shop {number:02}" for number in range(24)]
    assert titles(second) == [f"Shop {number:02}" for number in range(24, MANY)]
    assert "1 to 24 of 30 sites" in words(first)
    assert "25 to 30 of 30 sites" in words(second)


@pytest.mark.usefixtures("_chain")
def test_a_closed_site_is_told_closed_and_is_not_among_those_that_are_free() -> None:
    keep_opening_hours("shop-2", OpeningHours(week=((),) * 7))
    assert list(gauge_data(run())["closed"]) == ["shop-2"]
    assert [item["title"] for item in gauge_items(run(show="closed"))] == ["Shop 02"]
    keep_opening_hours("shop-2", None)
    assert gauge_data(run())["closed"] == {}


@pytest.mark.usefixtures("_chain")
def test_a_search_in_the_url_restricts_the_sites() -> None:
    assert titles(run(search="shop 07")) == ["Shop 07"]


@pytest.mark.usefixtures("_chain")
def test_a_search_on_a_later_page_begins_at_what_there_is() -> None:
    found = run(search="shop 07", page="2")
    assert titles(found) == ["Shop 07"]
    assert "1 found of 30 sites" in words(found)


@pytest.mark.usefixtures("_chain")
def test_a_search_without_a_match_says_so() -> None:
    """While values are still read, only that none is known yet: "harbour" may be the word of a state."""
    app = run(search="harbour")
    assert re.search(rf"None of the {MANY} sites (matches|is known yet to match) “harbour”", words(app))


@pytest.mark.usefixtures("_chain")
def test_links_carry_the_thresholds_of_the_view() -> None:
    app = AppTest.from_file(str(ROOT / "dashboard.py"), default_timeout=60)
    app.query_params["thresholds"] = ["40", "60"]
    app.run()
    assert gauge_items(app)[0]["thresholds"] == {"filling": 40, "full": 60}
    assert gauge_items(app)[0]["href"] == "/live?site=shop-0&thresholds=40&thresholds=60"


def test_a_refused_key_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADROOM_API_KEY", "hr_read_nobody_knows_this")
    app = run()
    assert "The list of sites cannot be shown" in words(app)
    assert "does not accept this dashboard" in words(app)
    assert "settings" not in words(app)
    assert [link.proto.label for link in app.get("page_link")] == ["More on Connection"]
    assert "request id" in words(app)
    assert app.button(key="retry-overview")


def test_sites_that_hang_keep_nobody_waiting_and_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    sites = [{"id": f"s{number}", "name": f"Shop {number}", "zones": []} for number in range(6)]
    hanging = ScriptedService(sites, now_waits={"s2": 600.0, "s4": 600.0})
    with scripted_service(hanging) as service:
        monkeypatch.setenv("HEADROOM_BASE_URL", service.base_url)
        monkeypatch.setenv("HEADROOM_API_KEY", KEY)
        app = run()
        assert titles(app) == [f"Shop {number}" for number in range(6)]
        assert hanging.asked_now.count("s2") < 4  # three times, before the client gives up
        while "Could not be read in full: Shop 2, Shop 4." not in words(app):
            time.sleep(0.1)
            app.run()
        close_resources()


def test_of_many_sites_that_fail_some_are_named_and_the_rest_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    sites = [{"id": f"s{number}", "name": f"Shop {number}", "zones": []} for number in range(8)]
    failing = ScriptedService(sites, now_failures={f"s{number}": (500, {}) for number in range(7)})
    with scripted_service(failing) as service:
        monkeypatch.setenv("HEADROOM_BASE_URL", service.base_url)
        monkeypatch.setenv("HEADROOM_API_KEY", KEY)
        app = run()
        while "Shop 3, Shop 4 and 2 more. Their cards" not in words(app):
            time.sleep(0.1)
            app.run()
        close_resources()


def test_sites_of_one_name_are_told_apart_also_where_the_other_is_not_shown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sites = [{"id": f"s{number}", "name": "Kiosk", "zones": []} for number in range(3)]
    failing = ScriptedService(sites, now_failures={"s0": (500, {}), "s2": (500, {})})
    with scripted_service(failing) as service:
        monkeypatch.setenv("HEADROOM_BASE_URL", service.base_url)
        monkeypatch.setenv("HEADROOM_API_KEY", KEY)
        app = run()
        assert titles(app) == ["Kiosk (s0)", "Kiosk (s1)", "Kiosk (s2)"]
        assert titles(run(search="s1")) == ["Kiosk (s1)"]
        while "Could not be read in full: Kiosk (s0), Kiosk (s2)." not in words(app).replace("\\", ""):
            time.sleep(0.1)
            app.run()
        close_resources()


def test_a_search_keeps_its_place_when_the_list_is_known_and_when_it_is_not_told_any_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Streamlit knows a text box by its place, and by that keeps the letters that are being typed."""
    ahead = [0.0]
    clock = SimpleNamespace(monotonic=lambda: time.monotonic() + ahead[0])
    monkeypatch.setattr("runtime.cache.time", clock)
    with scripted_service(ScriptedService([{"id": "one", "name": "One", "zones": []}])) as service:
        monkeypatch.setenv("HEADROOM_BASE_URL", service.base_url)
        monkeypatch.setenv("HEADROOM_API_KEY", KEY)
        app = run()
        place = place_of_search(app)
        assert place_of_search(app.run()) == place
    ahead[0] = 60.0  # a list is believed for half a minute
    app.run()
    assert any("These are the sites that it told" in warning.value for warning in app.warning)
    assert place_of_search(app) == place


def test_a_service_that_is_down_is_named_and_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADROOM_BASE_URL", f"http://127.0.0.1:{free_port()}")
    monkeypatch.setenv("HEADROOM_API_KEY", "any")
    app = run()
    assert "The list of sites cannot be shown" in words(app)
    assert "tried again every" in words(app)


@pytest.mark.parametrize("page", ["overview", "live", "compare"])
def test_where_a_service_tells_of_no_site_the_page_looks_again_by_itself(
    monkeypatch: pytest.MonkeyPatch, page: str
) -> None:
    """One that is just loading tells of none, and nobody is there to reload the page."""
    again = list[str]()
    monkeypatch.setattr("components.panels.site_choice.ask_again", lambda key, _wait: again.append(key))
    with scripted_service(ScriptedService()) as service:
        monkeypatch.setenv("HEADROOM_BASE_URL", service.base_url)
        monkeypatch.setenv("HEADROOM_API_KEY", KEY)
        app = run()
        if page != "overview":
            again.clear()
            app.switch_page(f"pages/{page}.py").run()
        assert "There is no site to show" in words(app)
    assert again == ["no-sites"]


@pytest.mark.parametrize("address", ["not an address", "ftp://example.org", "http://", "http://[::1"])
def test_a_wrong_address_is_named_on_a_page_that_still_comes(
    monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    monkeypatch.setenv("HEADROOM_BASE_URL", address)
    monkeypatch.setenv("HEADROOM_API_KEY", "any")
    get_hub()
    assert "The list of sites cannot be shown" in words(run())


def test_a_missing_key_is_said_before_anything_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HEADROOM_API_KEY", raising=False)
    app = run()
    assert "HEADROOM_API_KEY is not" in app.warning[0].value.replace("\\", "")
