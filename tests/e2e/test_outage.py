"""All pages, open in one browser with several sites, while their service hangs, goes away and comes back."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Error, Page, expect

from service.open_store import open_store, store_url
from service.store.protocol import SiteRecord
from tests.e2e.conftest import PATIENCE, Stage, opened_stage
from tests.many_sites import shop
from tests.running_service import start_service
from tests.small_site import ORGANIZATION, SmallSite, create_small_site, half_a_day_away, store_counts

OTHERS = 5
"""Sites beside the small one."""
CANNOT = re.compile("cannot be shown")
NO_NUMBER = re.compile("Reconnecting|Offline|Late|Connecting")
OF_THE_NETWORK = re.compile("Failed to load resource|net::ERR_|EventSource|WebSocket")


@dataclass(frozen=True)
class Look:
    """How a page looks."""

    path: str
    title: str
    stands: Callable[[Page], None]
    """Asserts that it shows what it is for, and no trouble."""
    fails: Callable[[Page], None]
    """Asserts that it names an outage that was there before the page was opened."""
    suffers: Callable[[Page], None]
    """Asserts that it names an outage that came while it was open."""


@dataclass
class Tab:
    page: Page
    look: Look
    errors: list[str] = field(default_factory=list)

    def hear(self, message: ConsoleMessage) -> None:
        if message.type == "error" and not OF_THE_NETWORK.search(message.text):
            self.errors.append(message.text)

    def fail(self, error: Error) -> None:
        self.errors.append(error.message)


def shown(*selectors: str) -> Callable[[Page], None]:
    def stands(page: Page) -> None:
        expect(page.get_by_text(CANNOT)).to_have_count(0)
        for selector in selectors:
            expect(page.locator(selector).first).to_be_visible()

    return stands


def says(words: str | re.Pattern[str], selector: str = "body") -> Callable[[Page], None]:
    def told(page: Page) -> None:
        expect(page.locator(selector).first).to_contain_text(words)

    return told


NUMBER = re.compile("^[0-9]+$")


def live(selector: str) -> Callable[[Page], None]:
    def stands(page: Page) -> None:
        expect(page.get_by_text(CANNOT)).to_have_count(0)
        expect(page.locator(f"{selector} .number").first).to_have_text(NUMBER)
        expect(page.locator(f"{selector} .freshness .word").first).to_have_text(re.compile("Live|Quiet"))

    return stands


def has_title(page: Page) -> None:
    """Nothing more is asked of a page whose content is not of now."""


LOOKS = (
    Look("/", "Overview", live(".card"), says(CANNOT), says(NO_NUMBER, ".card .freshness .word")),
    Look(
        "/live?site=corner-shop",
        "Live",
        live(".hero"),
        says(CANNOT),
        says(NO_NUMBER, ".hero .freshness .word"),
    ),
    Look("/site?site=corner-shop", "Site", live(".card"), says(CANNOT), says(NO_NUMBER, ".why")),
    Look("/history?site=corner-shop", "History", shown(".js-plotly-plot"), says(CANNOT), has_title),
    Look(
        "/screens",
        "Screens",
        shown("text=Compose a screen", "[class*=st-key-offer-]"),
        says("A screen can be composed as soon as one can"),
        has_title,
    ),
    Look("/screens?screen=new", "Screens", shown(".stTextInput"), says(CANNOT), has_title),
    Look("/connection", "Connection", says("The service answers."), says(CANNOT), says(CANNOT)),
)


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    site = create_small_site(tmp_path / "service", reset_hour=half_a_day_away())
    add_others(site)
    now = datetime.now(UTC).replace(second=0, microsecond=0)
    store_counts(site.data_dir, [(now - timedelta(minutes=ago), "entrance", 3, 2) for ago in range(1, 90)])
    with opened_stage(tmp_path, site) as opened:
        yield opened
        opened.service.kill()


def add_others(site: SmallSite) -> None:
    store = open_store(store_url(site.data_dir))
    try:
        records = [shop(number) for number in range(OTHERS)]
        own = [
            SiteRecord(
                record.site.model_copy(update={"organization_id": ORGANIZATION.id}), record.top_zone_id
            )
            for record in records
        ]
        store.catalogue.save(ORGANIZATION, own)
    finally:
        store.close()


@pytest.fixture
def tabs(browser: Browser, stage: Stage) -> Iterator[list[Tab]]:
    context = browser.new_context(locale="en-GB", timezone_id="Europe/Zurich")
    context.set_default_timeout(PATIENCE)
    opened = [Tab(context.new_page(), look) for look in LOOKS]
    for tab in opened:
        tab.page.on("console", tab.hear)
        tab.page.on("pageerror", tab.fail)
        tab.page.clock.install()
    yield opened
    context.close()


def pass_time(tabs: list[Tab]) -> None:
    """By so much that each fragment which runs by itself is due."""
    for tab in tabs:
        tab.page.clock.fast_forward("01:01")


def sound(tabs: list[Tab]) -> None:
    """No page is blank, and nothing failed in Streamlit's own script."""
    for tab in tabs:
        assert tab.errors == [], tab.look.path
        expect(tab.page.get_by_role("heading", level=1, name=tab.look.title)).to_be_visible()


@pytest.mark.soak
@pytest.mark.timeout(1200)  # all pages, away and back three times; each wait has a bound of its own
def test_no_page_stays_blank_and_each_names_the_outage_and_heals(tabs: list[Tab], stage: Stage) -> None:
    def come_back_and_heal() -> None:
        stage.service = start_service(stage.site.data_dir, port=stage.service.port)
        pass_time(tabs)
        for tab in tabs:
            tab.look.stands(tab.page)
        sound(tabs)

    # While the pages load.
    stage.service.freeze()
    for tab in tabs:
        tab.page.goto(stage.url(tab.look.path))
        expect(tab.page.get_by_role("heading", level=1, name=tab.look.title)).to_be_visible()
    pass_time(tabs)
    stage.service.kill()
    for tab in tabs:
        tab.look.fails(tab.page)
    sound(tabs)
    come_back_and_heal()

    # Once they stand.
    stage.service.kill()
    pass_time(tabs)
    for tab in tabs:
        tab.look.suffers(tab.page)
    sound(tabs)
    come_back_and_heal()

    # While their fragments run again, which are due once more before they are through.
    stage.service.freeze()
    pass_time(tabs)
    pass_time(tabs)
    stage.service.kill()
    for tab in tabs:
        tab.look.suffers(tab.page)
    pass_time(tabs)
    sound(tabs)
    come_back_and_heal()
