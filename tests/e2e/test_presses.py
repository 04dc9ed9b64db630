"""Each question of a manager is answered within two presses, in a real browser; to scroll counts as one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

import pytest
from playwright.sync_api import Locator, Page, ViewportSize, expect

from tests.e2e.conftest import Stage, opened_stage
from tests.small_site import create_small_site, half_a_day_away, store_counts

MOST: Final = 2
DAYS: Final = 15
OPEN: Final = range(8, 20)
ZURICH: Final = ZoneInfo("Europe/Zurich")
LAPTOP: Final[ViewportSize] = {"width": 1280, "height": 720}
PHONE: Final[ViewportSize] = {"width": 390, "height": 844}
LIVE: Final = "/live?site=corner-shop"


@dataclass(frozen=True)
class Question:
    page: str
    """In the navigation."""
    lead: str
    """On Live, beside the fact that raises it."""
    answer: str
    """What the sentence says that answers it."""


QUESTIONS: Final = {
    "when is it full": Question("Rhythm", "When is it full?", r"[Bb]usiest|[Ff]ullest|Most people"),
    "which door brings people": Question("Doors", "By door", r"Most came in by Entrance: \d+.%"),
    "which zone earns its space": Question("Compare", "By zone", r"Most: .*per 100 m²"),
    "is this week better than last": Question("Compare", "This week", r"than|as many as"),
    "what will this afternoon be like": Question("Ahead", "The rest of today", r"today"),
    "may I trust the number": Question("Trust", "Can it be trusted?", r"trust|adds? up|left over"),
}


@pytest.fixture(scope="module")
def weeks(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """Each minute of each open hour of two weeks three come by the entrance, and one by the terrace."""
    folder = tmp_path_factory.mktemp("weeks")
    site = create_small_site(folder / "service", reset_hour=half_a_day_away())
    now = datetime.now(UTC).replace(second=0, microsecond=0)
    minutes = (now - timedelta(minutes=1 + ago) for ago in range(DAYS * 24 * 60))
    counts = []
    for at in minutes:
        busy = at.astimezone(ZURICH).hour in OPEN
        counts += [
            (at, "entrance", 3 * busy, 3 * busy),
            (at, "archway", busy, busy),
            (at, "terrace", busy, busy),
        ]
    store_counts(site.data_dir, counts)
    with opened_stage(folder, site) as opened:
        yield opened


class Presses:
    """Presses what is in sight; what is not is scrolled to first."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self.count = 0

    def press(self, what: Locator) -> None:
        self.see(what)
        what.click()
        self.count += 1

    def see(self, what: Locator) -> None:
        expect(what).to_be_visible()
        if not is_in_sight(self._page, what):
            what.scroll_into_view_if_needed()
            self.count += 1

    def to_page(self, name: str) -> None:
        if self._page.viewport_size == PHONE:
            self.press(self._page.get_by_test_id("stExpandSidebarButton"))
        self.press(self._page.get_by_role("link", name=name, exact=True))


def is_in_sight(page: Page, what: Locator) -> bool:
    box, window = what.bounding_box(), page.viewport_size
    assert box
    assert window
    return box["y"] >= 0 and box["y"] + min(box["height"], 40) <= window["height"]


def said(page: Page, question: Question) -> Locator:
    return page.get_by_test_id("stMain").get_by_text(re.compile(question.answer)).first


@pytest.mark.parametrize("window", [LAPTOP, PHONE], ids=["laptop", "phone"])
@pytest.mark.parametrize("name", QUESTIONS)
def test_a_question_is_answered_within_two_presses(
    page: Page, weeks: Stage, name: str, window: ViewportSize
) -> None:
    """From the navigation of whichever page; and from the list of sites: its card, and what stands beside the
    number that it opens.
    """
    question = QUESTIONS[name]
    page.set_viewport_size(window)
    page.goto(weeks.url("/connection"))
    expect(page.get_by_role("heading", name="Connection")).to_be_visible()
    from_menu = Presses(page)
    from_menu.to_page(question.page)
    from_menu.see(said(page, question))
    page.goto(weeks.url(LIVE))
    from_card = Presses(page)
    from_card.count = 1  # its card
    from_card.press(page.get_by_role("link", name=question.lead))
    expect(page.get_by_role("link", name=question.lead)).to_have_count(0)
    from_card.see(said(page, question))
    assert (from_menu.count, from_card.count) <= (MOST, MOST)
    assert from_card.count <= MOST
