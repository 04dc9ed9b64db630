"""A service and a link that say what they like, in a browser: text stays text, and nothing foreign loads."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote, urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from page_list import PAGES
from tests.e2e.conftest import PATIENCE
from tests.running_dashboard import RunningDashboard, start_dashboard
from tests.scripted_service import KEY, ScriptedService, scripted_service

FOREIGN = "foreign.example"
# Each page is opened twice; in every run `tests/test_plain_text.py` reads each call that shows a text.
pytestmark = pytest.mark.soak

PIECES = (
    f"[in](https://{FOREIGN}) ![x](https://{FOREIGN}/b.png) www.{FOREIGN}",
    f"https://{FOREIGN} a@{FOREIGN} :fire: :material/skull: :red[alarm]",
    f"<a href='//{FOREIGN}/d'>x</a><img src='//{FOREIGN}/e'> $x^2$ `code`",
    "&lt;b&gt; :material_face: :streamlit: \\ \u202egnp.exe\u200b\n\n# big",
)
"""All of Markdown that leads elsewhere or draws something, each short enough to be shown whole as a name."""
HOSTILE = " ".join(PIECES)
DRAWN = (
    "a[href^='mailto:'], .katex, .stMarkdownColoredText, [alt='Streamlit logo'], "
    "[aria-label='skull icon'], [aria-label='face icon']"
)
"""What Streamlit would make of it."""
ZONES = [f"zone=zone-{place}" for place in range(len(PIECES))]
SHOWN = ("[in](https:", ":fire:", ":red[alarm]", "$x^2$", "&lt;b&gt;", "`code`")
"""Pieces of it as they must be read."""


def site(number: int) -> dict[str, object]:
    first, second, third, fourth = PIECES
    return {
        "id": f"site-{number}",
        "name": f"{number} {first}",
        "category": second,
        "timezone": "Europe/Zurich",
        "organizationId": fourth,
        "address": {"street": third, "city": second, "postCode": "", "country": first},
        "zones": [
            {"id": f"zone-{place}", "name": piece, "category": HOSTILE, "capacity": 9,
             "devices": [{"id": HOSTILE, "name": HOSTILE, "status": HOSTILE}]}
            for place, piece in enumerate(PIECES)
        ],
        "passages": [{"id": "door", "name": second, "fromZoneId": None, "toZoneId": "zone-1"}],
    }  # fmt: skip


@pytest.fixture(scope="module")
def scripted() -> Iterator[ScriptedService]:
    hostile = ScriptedService(
        sites=[site(1), site(2)], warnings=[HOSTILE], request_id=HOSTILE.replace("\n", "")
    )
    with scripted_service(hostile) as service:
        yield service


@pytest.fixture(scope="module")
def dashboard(
    scripted: ScriptedService, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RunningDashboard]:
    environment = {"HEADROOM_BASE_URL": scripted.base_url, "HEADROOM_API_KEY": KEY}
    started = start_dashboard(tmp_path_factory.mktemp("dashboard"), environment=environment)
    yield started
    started.kill()


@pytest.fixture
def asked(page: Page) -> list[str]:
    """Hosts that the browser asks for anything; all but the dashboard's get no answer."""
    hosts: list[str] = []
    page.on("request", lambda request: hosts.append(urlsplit(request.url).hostname or ""))
    page.route(lambda url: urlsplit(url).hostname == FOREIGN, lambda route: route.abort())
    return hosts


def settled(page: Page, address: str) -> None:
    page.goto(address)
    page.wait_for_selector("[data-testid=stApp][data-test-script-state=notRunning]")
    expect(page.locator("[data-testid=stSkeleton]")).to_have_count(0)
    page.wait_for_timeout(500)


def expect_nothing_foreign(page: Page, asked: list[str]) -> None:
    assert page.locator(f"a[href*='{FOREIGN}']").count() == 0
    assert page.locator(f"img[src*='{FOREIGN}'], [src*='{FOREIGN}']").count() == 0
    main = page.locator("[data-testid=stMain]")
    assert main.locator(DRAWN).count() == 0
    assert "🔥" not in main.inner_text()
    assert "\u202e" not in main.inner_text()
    assert set(asked) <= {"127.0.0.1", ""}


def expect_names_as_written(page: Page) -> None:
    said = page.locator("[data-testid=stMain]").inner_text().replace("\N{WORD JOINER}", "")
    assert [piece for piece in SHOWN if piece not in said] == []


def expect_a_heading_without_code(page: Page) -> None:
    """A name with an address in it is written whole."""
    expect(page.locator("[data-testid=stHeading] code")).to_have_count(0)
    said = page.locator("h2").first.inner_text().replace("\N{WORD JOINER}", "")
    assert said.startswith(f"1 [in](https://{FOREIGN}) ![x](https://{FOREIGN}/b.png)")


def expect_no_file_that_keeps_formulas(page: Page) -> None:
    """Of those that Streamlit offers above a table."""
    table = page.locator("[data-testid=stDataFrame]").first
    table.scroll_into_view_if_needed()
    table.hover()
    expect(page.get_by_role("button", name="Search").first).to_be_attached()
    expect(page.get_by_role("button", name="Download as CSV")).to_have_count(0)


SITE = "/site?site=site-1"
HISTORY_OF_ZONES = "/history?site=site-1&range=1h&" + "&".join(ZONES)
HISTORY_OF_A_PASSAGE = "/history?site=site-1&range=1h&passage=door&metric=entrances"
BESIDES = {
    SITE: (expect_a_heading_without_code, expect_no_file_that_keeps_formulas),
    HISTORY_OF_ZONES: (expect_names_as_written,),
    HISTORY_OF_A_PASSAGE: (expect_no_file_that_keeps_formulas,),
}
"""Address -> what else is expected of it, once all that it folds is open."""


@pytest.mark.parametrize(
    "address",
    [
        *(f"/{page.address}?site=site-1" for page in PAGES),
        "/live?site=site-1&zone=zone-1",
        HISTORY_OF_ZONES,
        HISTORY_OF_A_PASSAGE,
        "/screens?screen=new",
    ],
)
def test_texts_of_a_service_are_shown_and_not_obeyed(
    dashboard: RunningDashboard, page: Page, asked: list[str], address: str
) -> None:
    settled(page, dashboard.base_url + address)
    for expander in page.locator("[data-testid=stExpander] summary").all():
        expander.click()
    if address.startswith("/history"):  # draws what it folds when it is opened
        expect(page.locator("[data-testid=stDataFrame]")).not_to_have_count(0)
        expect(page.locator("[data-testid=stCode]")).not_to_have_count(0)
    page.wait_for_timeout(500)
    expect_nothing_foreign(page, asked)
    for expect_further in BESIDES.get(address, ()):
        expect_further(page)


@pytest.mark.parametrize("address", [f"/{page.address}" for page in PAGES])
def test_what_stands_in_a_link_is_shown_and_not_obeyed(
    dashboard: RunningDashboard, page: Page, asked: list[str], address: str
) -> None:
    text = quote(f"{HOSTILE} nowhere")
    names = (
        "search",
        "site",
        "zone",
        "passage",
        "range",
        "metric",
        "timezone",
        "granularity",
        "screen",
        "sort",
    )
    settled(page, f"{dashboard.base_url}{address}?" + "&".join(f"{name}={text}" for name in names))
    expect_nothing_foreign(page, asked)
    if address == "/":
        said = page.get_by_text("matches").inner_text().replace("\N{WORD JOINER}", "")
        assert "[in](https:" in said


def test_an_error_of_a_service_is_shown_and_not_obeyed(browser: Browser, tmp_path: Path) -> None:
    failing = ScriptedService(
        sites=[site(1)], failure={"code": HOSTILE, "message": HOSTILE}, request_id="r`1` www.x.y"
    )
    with scripted_service(failing) as service:
        environment = {"HEADROOM_BASE_URL": service.base_url, "HEADROOM_API_KEY": KEY}
        dashboard = start_dashboard(tmp_path, environment=environment)
        page = browser.new_page()
        page.set_default_timeout(PATIENCE)
        try:
            for address in [*(f"/{one.address}" for one in PAGES), "/history?zone=zone-0"]:
                hosts: list[str] = []
                page.on("request", lambda request: hosts.append(urlsplit(request.url).hostname or ""))  # noqa: B023
                settled(page, dashboard.base_url + address)
                expect_nothing_foreign(page, hosts)
        finally:
            page.close()
            dashboard.kill()
