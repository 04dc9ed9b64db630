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
from tests.soaking import in_the_soak, mostly_in_the_soak

MOST: Final = 2
DAYS: Final = 15
COMING: Final = range(4, 10)
GOING: Final = range(10, 16)
"""Hours after the day's number begins at nobody."""
ZURICH: Final = ZoneInfo("Europe/Zurich")
PHONE: Final[ViewportSize] = {"width": 390, "height": 844}
SIDEWAYS: Final[ViewportSize] = {"width": 667, "height": 375}
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
    "when is it full": Question("Rhythm", "When is it full?", r"Most on \w+days? "),
    "which zone earns its space": Question("Compare", "By zone", r"Most: .*per 100 m²"),
    "which door brings people": Question("Doors", "By door", r"Most came in by Entrance: \d+.%"),
    "is this week better than last": Question(
        "Compare", "This week", r"(more|fewer|as many) [^.]*(a week earlier|the week before)"
    ),
    "what will this afternoon be like": Question(
        "Ahead", "The rest of today", r"the rest of today|[Uu]sually|By the end"
    ),
    "may I trust the number": Question("Trust", "Can it be trusted?", r"adds? up|cannot be trusted"),
}


@pytest.fixture(scope="module")
def weeks(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """For six hours of each day three come by the entrance and one goes by the terrace, each quarter of an
    hour; in the next six they go as they came.
    """
    folder = tmp_path_factory.mktemp("weeks")
    begin = half_a_day_away()
    site = create_small_site(folder / "service", reset_hour=begin)
    now = datetime.now(UTC).replace(second=0, microsecond=0)
    counts = []
    for at in (now - timedelta(minutes=1 + ago) for ago in range(DAYS * 24 * 60)):
        local = at.astimezone(ZURICH)
        hour = (local.hour - begin) % 24
        come, go = ((not local.minute % 15) * (hour in hours) for hours in (COMING, GOING))
        counts += [(at, "entrance", 3 * come, 3 * go), (at, "terrace", go, come), (at, "archway", 0, 0)]
    store_counts(site.data_dir, counts)
    with opened_stage(folder, site) as opened:
        yield opened


class Presses:
    """Presses what is in sight; what is not is scrolled to first."""

    def __init__(self, page: Page, count: int = 0) -> None:
        self._page = page
        self.count = count

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


def to_live(page: Page, weeks: Stage) -> None:
    """From wherever the test before has left the page."""
    if page.url.startswith(weeks.url()):
        Presses(page).to_page("Live")
    else:
        page.goto(weeks.url(LIVE))
    expect(page.locator(".hero .number")).not_to_be_empty()


def test_number_state_and_the_whole_arc_are_in_sight_on_a_phone_that_lies_on_its_side(
    page: Page, weeks: Stage
) -> None:
    to_live(page, weeks)
    page.set_viewport_size(SIDEWAYS)
    for part in (".hero .number", ".hero .level", ".hero .dial svg"):
        expect(page.locator(part).first).to_be_in_viewport(ratio=1)


@pytest.mark.parametrize(
    "name",
    mostly_in_the_soak(QUESTIONS, "when is it full", "may I trust the number", "which door brings people"),
)
@pytest.mark.parametrize("begins_at", ["its card", *in_the_soak("the menu")])
def test_a_question_is_answered_within_two_presses(
    page: Page, weeks: Stage, name: str, begins_at: str
) -> None:
    """From the list of sites: a card, and what stands beside the number that it opens. And from the
    navigation, whatever page one is on: on a laptop it stands open, one press before each page.
    """
    question = QUESTIONS[name]
    to_live(page, weeks)
    lead = page.get_by_role("link", name=question.lead)
    for pressed in (lead, page.get_by_role("link", name=question.page, exact=True)):
        expect(pressed).to_be_visible()
        assert is_in_sight(page, pressed), "on a laptop"
    page.set_viewport_size(PHONE)
    if begins_at == "its card":
        presses = Presses(page, 1)
        presses.press(lead)
    else:
        presses = Presses(page)
        presses.to_page(question.page)
    expect(lead).to_have_count(0)
    presses.see(said(page, question))
    assert presses.count <= MOST
