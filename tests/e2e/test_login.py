"""People who log in at a real provider, in a real browser: what each sees, and how it ends."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Page, Route, expect

from live import FeedKey, GrantedFeed, StreamGrant, StreamSigner
from page_list import PAGES
from runtime.password import keep_password
from screens.definition import Composition, View, ViewKind
from screens.previews import PreviewSigner
from screens.store import ScreenStore
from tests.e2e.conftest import forget, opened_stage
from tests.e2e.whole_pages import go_on, rest
from tests.many_sites import create_many_sites
from tests.running_dashboard import RunningDashboard, start_dashboard
from tests.running_provider import CLIENT_SECRET, COOKIE_SECRET, RunningProvider, running_provider
from tests.running_service import free_port, start_service
from tests.small_site import create_small_site

SECRET = "a-secret-that-signs-what-browsers-open"
PATIENCE = 60.0
PASSWORD = "a quiet word for the door"
BRIEF = 12
"""Seconds for which tokens of the provider hold whose sessions are to end in a test."""


@dataclass
class Place:
    """Three shops, a dashboard, and the provider whose people it knows by a list and by a claim."""

    dashboard: RunningDashboard
    provider: RunningProvider
    people: Path

    def url(self, path: str = "/") -> str:
        return f"{self.dashboard.base_url}{path}"

    def list_people(self, **sites: str) -> None:
        """By the name of the viewer, the one shop that they see, besides those who always are there."""
        lines = [
            f'"{name}@shop.example" = {{ role = "viewer", sites = ["{one}"] }}' for name, one in sites.items()
        ]
        everybody = ['"every@shop.example" = { role = "manager" }', *lines]
        self.people.write_text("[people]\n" + "\n".join(everybody) + "\n")

    @contextmanager
    def logged_in(self, subject: str) -> Iterator[httpx.Client]:
        """What a browser does, without one; the client has its cookies."""
        with httpx.Client(timeout=PATIENCE, headers={"Accept": "text/html"}, follow_redirects=True) as client:
            form = client.get(self.url("/login?provider=default"))
            client.post(form.url, data={"sub": subject})
            yield client


@contextmanager
def opened_place(folder: Path, *, lifetime: int) -> Iterator[Place]:
    made = create_many_sites(folder / "service", 3)
    service, port, people = start_service(made.data_dir), free_port(), folder / "access.toml"
    try:
        with running_provider(folder / "provider", lifetime=lifetime) as provider:
            people.write_text('[people]\n"every@shop.example" = { role = "manager" }\n')
            environment = {
                "HEADROOM_BASE_URL": service.base_url,
                "HEADROOM_API_KEY": made.read_key,
                "HEADROOM_SECRET": SECRET,
                "HEADROOM_ACCESS_FILE": str(people),
                "HEADROOM_ROLE_CLAIM": "roles",
                "HEADROOM_SITES_CLAIM": "sites",
            }
            dashboard = start_dashboard(
                folder / "dashboard", environment=environment | provider.secrets(port), port=port
            )
            try:
                yield Place(dashboard, provider, people)
            finally:
                dashboard.kill()
    finally:
        service.kill()


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    with opened_place(tmp_path_factory.mktemp("place"), lifetime=3600) as opened:
        yield opened


@pytest.fixture(scope="module")
def brief_place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    with opened_place(tmp_path_factory.mktemp("brief"), lifetime=BRIEF) as opened:
        yield opened


@pytest.fixture
def visitor(page: Page) -> Iterator[Page]:
    """Who was never here: neither we nor the provider know the browser."""
    yield page
    page.unroute_all()


def log_in(page: Page, place: Place, subject: str, path: str = "/live") -> None:
    page.goto(place.url(path))
    page.get_by_role("link", name="Log in").click()
    page.get_by_placeholder("sub").fill(subject)
    page.get_by_role("button", name="Authorize").click()


def log_out(page: Page) -> None:
    """Here, and at the provider, which asks once more."""
    page.get_by_role("link", name="Log out").click()
    page.get_by_role("button", name="End session").click()


def stream_path(shop: str) -> str:
    grant = StreamGrant((GrantedFeed(FeedKey(shop), "Europe/Zurich"),))
    return f"/live/stream?token={StreamSigner(SECRET).sign(grant)}"


def preview_path(*shops: str) -> str:
    views = tuple(View(kind=ViewKind.NUMBER, site_id=shop) for shop in shops)
    views = views or (View(kind=ViewKind.SITES),)
    return f"/screen/{PreviewSigner(SECRET).draft_ticket(Composition(name='Draft', views=views))}"


def test_a_login_leads_back_to_the_page_and_a_log_out_ends_it(place: Place, visitor: Page) -> None:
    """Also one that takes its time to reach the provider: meanwhile the page that is left hears that its
    session is over, and leads to no log-in instead.
    """

    def slowly(route: Route) -> None:
        answer = route.fetch(max_redirects=0)
        time.sleep(6)
        route.fulfill(response=answer)

    log_in(visitor, place, "every@shop.example", "/live?site=shop-1")
    expect(visitor).to_have_url(re.compile(r"/live\?site=shop-1"))
    expect(visitor.get_by_text("every@shop.example")).to_be_visible()
    expect(visitor.get_by_role("heading", name="Live")).to_be_visible()
    cookies = {one["name"]: one["value"] for one in visitor.context.cookies()}
    assert httpx.get(place.url("/session"), cookies=cookies).status_code == 204
    settled(visitor)  # the link is drawn anew until then
    visitor.route("**/logout", slowly)
    log_out(visitor)
    expect(visitor.get_by_role("link", name="Log in")).to_be_visible()
    visitor.goto(place.url("/live?site=shop-1"))
    expect(visitor.get_by_role("heading", name="Log in to Headroom")).to_be_visible()
    # Also for whoever has kept a copy of the cookies.
    assert httpx.get(place.url("/session"), cookies=cookies).status_code == 401


def test_whoever_sees_one_site_is_told_of_no_other_on_any_page(place: Place, visitor: Page) -> None:
    """Not by what is drawn, and not by anything that reaches the browser."""
    place.list_people(one="shop-1")
    store = ScreenStore(place.dashboard.log_file.parent)
    for name, views in {
        "Wall of shop 0001": (View(kind=ViewKind.NUMBER, site_id="shop-1"),),
        "Wall of Shop 0002": (View(kind=ViewKind.NUMBER, site_id="shop-2"),),
        "Wall of all, Shop 0000": (View(kind=ViewKind.SITES),),
    }.items():
        store.create(Composition(name=name, views=views))
    store.close()
    # Others look at other sites meanwhile, so that feeds of them are open.
    other = stream_path("shop-2")
    with place.logged_in("every@shop.example") as every, every.stream("GET", place.url(other)) as stream:
        assert stream.status_code == 200
        heard: list[bytes] = []

        def hear(frame: str | bytes) -> None:
            heard.append(frame.encode() if isinstance(frame, str) else frame)

        visitor.on("websocket", lambda socket: socket.on("framereceived", hear))
        visitor.on("response", lambda answer: heard.append(answer.url.encode()))
        log_in(visitor, place, "one@shop.example")
        for page in PAGES:
            if page.section:  # no link leads a viewer there
                go_on(visitor, place.url(f"/{page.address}"))
            else:
                visitor.get_by_role("link", name=re.compile(f"{page.title}$")).first.click()
            expect(visitor.get_by_role("heading", level=1)).to_have_text(page.title)
            expect(visitor.get_by_text("1 site", exact=False).first).to_be_visible()
            settled(visitor)
        told = b"".join(heard)
        assert b"Shop 0001" in told
        assert re.findall(rb"Shop 000[02]|shop-[02]\b", told) == []
        # A link that names another site is told that there is none, and nothing of it.
        for page in PAGES:
            go_on(visitor, place.url(f"/{page.address}?site=shop-2&of=sites"))
            expect(visitor.get_by_role("heading", level=1)).to_have_text(page.title)
            rest(visitor)
        assert re.findall(rb"Shop 000[02]", b"".join(heard)) == []


def settled(page: Page) -> None:
    """Wait until the page's script has run."""
    expect(page.locator("[data-testid=stApp][data-test-script-state=notRunning]")).to_be_attached()
    expect(page.locator("[data-testid=stSkeleton]")).to_have_count(0)


def test_what_stands_beside_the_pages_is_of_the_persons_own_sites(place: Place) -> None:
    place.list_people(one="shop-1")
    asked = {
        own: [
            stream_path(shop),
            stream_path(shop).replace("/live/stream", "/live/usual"),
            preview_path(shop),
            f"/floor-plan/none?site={shop}",
        ]
        for own, shop in ((True, "shop-1"), (False, "shop-2"))
    }
    asked[False] += [
        preview_path("shop-1", "shop-2"),
        preview_path(),
        "/readyz",
        "/metrics",
        "/readyz%0a",
        "/metrics%0a",
    ]
    with place.logged_in("one@shop.example") as one, place.logged_in("every@shop.example") as every:
        for is_own, paths in asked.items():
            for path in paths:
                for client, expected in ((one, is_own), (every, True)):
                    with client.stream("GET", place.url(path)) as answer:
                        assert (path, answer.status_code == 403) == (path, not expected)


def test_a_viewer_changes_nothing_and_is_told_so_and_a_manager_does(place: Place, visitor: Page) -> None:
    place.list_people(one="shop-1")
    log_in(visitor, place, "one@shop.example", "/screens?screen=new&site=shop-1")
    expect(visitor.get_by_text("ask a manager").first).to_be_visible()
    expect(visitor.get_by_role("button", name="Create the screen")).to_have_count(0)
    expect(visitor.get_by_role("button", name="Compose a screen")).to_have_count(0)
    settled(visitor)
    go_on(visitor, place.url("/site?site=shop-1"))
    visitor.get_by_text("Change the opening hours").click()
    expect(visitor.get_by_text("ask a manager").first).to_be_visible()
    expect(visitor.get_by_role("button", name="Keep these hours")).to_have_count(0)
    forget(visitor)
    log_in(visitor, place, "every@shop.example", "/screens?screen=new&site=shop-1")
    visitor.get_by_label("Name").first.fill("Of every")
    visitor.get_by_role("button", name="Create the screen").click()
    expect(visitor.get_by_text("Copy it now").first).to_be_visible()


def test_nobody_without_a_role_gets_in_and_a_role_that_is_taken_away_ends_what_is_open(
    place: Place, visitor: Page
) -> None:
    place.list_people(one="shop-1")
    log_in(visitor, place, "stranger@shop.example")
    expect(visitor.get_by_role("heading", name="No access")).to_be_visible()
    log_out(visitor)
    log_in(visitor, place, "one@shop.example")
    expect(visitor.get_by_text("one@shop.example")).to_be_visible()
    with place.logged_in("one@shop.example") as client:
        with client.stream("GET", place.url(stream_path("shop-1"))) as stream:
            assert stream.status_code == 200
            place.list_people()
            for _ in stream.iter_lines():  # ends, or the client's patience does
                pass
        assert client.get(place.url("/session")).status_code == 401
    expect(visitor.get_by_role("heading", name="No access")).to_be_visible()


def test_a_session_that_is_over_at_the_provider_ends_here_and_the_page_asks_for_a_login(
    brief_place: Place, visitor: Page
) -> None:
    with brief_place.logged_in("every@shop.example") as client:
        with client.stream("GET", brief_place.url(stream_path("shop-1"))) as stream:
            assert stream.status_code == 200
            for _ in stream.iter_lines():
                pass
        assert client.get(brief_place.url("/session")).status_code == 401
    log_in(visitor, brief_place, "every@shop.example", "/live?site=shop-1")
    expect(visitor.get_by_text("every@shop.example")).to_be_visible()
    expect(visitor.get_by_role("heading", name="Log in to Headroom")).to_be_visible()
    expect(visitor.get_by_role("alert")).to_have_text("Your session is over. Log in again.")
    assert "next=live%3Fsite%3Dshop-1" in visitor.url
    assert "Shop" not in visitor.content()


def test_the_password_of_the_administrator_opens_the_page_that_was_asked_for(
    tmp_path: Path, visitor: Page
) -> None:
    keep_password(tmp_path / "dashboard", PASSWORD)
    with opened_stage(tmp_path, create_small_site(tmp_path / "service")) as stage:
        visitor.goto(stage.url("/live?zone=cafe"))
        visitor.get_by_label("Password").fill("a guess")
        visitor.get_by_role("button", name="Log in").click()
        expect(visitor.get_by_role("alert")).to_contain_text("not the password")
        visitor.get_by_label("Password").fill(PASSWORD)
        visitor.keyboard.press("Enter")
        expect(visitor.get_by_role("combobox", name="Zone")).to_have_value("Café")
        visitor.get_by_role("link", name="Log out").click()
        expect(visitor.get_by_label("Password")).to_be_visible()


@pytest.mark.parametrize(
    "answer", ["?state=forged&code=forged", "?error=access_denied&state=x", "?code=only", ""]
)
def test_an_answer_that_nobody_asked_for_logs_nobody_in(place: Place, answer: str) -> None:
    with httpx.Client(follow_redirects=True, headers={"Accept": "text/html"}) as client:
        shown = client.get(place.url(f"/oauth2callback{answer}"))
        assert "Log in to Headroom" in shown.text
        assert client.get(place.url("/session")).status_code == 401


def test_a_login_by_tls_sets_cookies_that_are_sent_by_tls_alone(place: Place) -> None:
    by_tls = {"Accept": "text/html", "X-Forwarded-Proto": "https"}
    for headers in (by_tls, {"Accept": "text/html"}):
        with httpx.Client(timeout=PATIENCE, headers=headers, follow_redirects=True) as client:
            form = client.get(place.url("/login?provider=default"))
            client.post(form.url, data={"sub": "every@shop.example"})
            kept = [one for one in client.cookies.jar if one.name.startswith("_streamlit_user")]
            assert kept
            assert {one.secure for one in kept} == {headers is by_tls}


def test_the_state_of_another_browser_logs_nobody_in(place: Place) -> None:
    with httpx.Client(headers={"Accept": "text/html"}) as mine, httpx.Client() as theirs:
        form = mine.get(place.url("/login?provider=default"), follow_redirects=True)
        back = mine.post(form.url, data={"sub": "every@shop.example"}).headers["location"]
        theirs.get(back, follow_redirects=True)
        assert theirs.get(place.url("/session")).status_code == 401


HOSTILE: dict[str, dict[str, Any]] = {
    "markup": {
        "roles": "viewer",
        "email": "[x](https://evil.example) **b** $x$ <img src=x onerror=document.title='taken'>",
        "sites": ["shop-1"],
    },
    "large": {"roles": "viewer", "sites": [f"site-{number}" for number in range(400)]},
    "huge": {"roles": "viewer", "sites": [f"site-{number}" for number in range(2_000)]},
    "monstrous": {"roles": "viewer", "sites": [f"site-{number}" for number in range(20_000)]},
}
"""Of what a browser draws, or keeps or refuses for its length."""
WORTHLESS: dict[str, dict[str, Any]] = {
    "types": {"roles": {"viewer": 1}, "email": ["every@shop.example"], "sites": 7},
    "borrowed": {"email": "every@shop.example", "email_verified": False},
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_claims_break_nothing_and_gain_nothing(place: Place, visitor: Page, kind: str) -> None:
    place.provider.tell(kind, **HOSTILE[kind])
    log_in(visitor, place, kind)
    if kind == "monstrous":  # not even its signature is looked at
        expect(visitor.get_by_role("heading", name="Log in to Headroom")).to_be_visible()
        return
    if kind == "huge":
        expect(visitor.get_by_role("heading", name="No access")).to_be_visible()
        return
    expect(visitor.get_by_role("heading", name="Live")).to_be_visible()
    expect(visitor.get_by_text("viewer, changes nothing")).to_be_visible()
    assert visitor.title() != "taken"
    assert visitor.locator("a[href*=evil]").count() == 0
    if kind == "large":
        expect(visitor.get_by_text("None of the sites here is one that you may see")).to_be_visible()


@pytest.mark.parametrize("kind", WORTHLESS)
def test_claims_that_name_nobody_let_nobody_in(place: Place, kind: str) -> None:
    place.provider.tell(kind, **WORTHLESS[kind])
    with place.logged_in(kind) as client:
        assert "No access" in client.get(place.url("/live")).text
        assert client.get(place.url("/session")).status_code == 401


def test_no_log_has_a_secret_or_a_token(place: Place, brief_place: Place) -> None:
    with place.logged_in("every@shop.example") as client:
        cookies = list(client.cookies.values())
    for log in (place.dashboard.log(), brief_place.dashboard.log()):
        for secret in (CLIENT_SECRET, COOKIE_SECRET, SECRET, *cookies, "code=", "eyJ"):
            assert secret not in log
