"""A recorded day played in a browser: it asks nobody, shows what the service counted, and says REPLAY."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from typing import Final
from zoneinfo import ZoneInfo

import httpx
import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.conftest import PATIENCE, Stage, opened_stage
from tests.e2e.whole_pages import is_left_on, rest
from tests.small_site import create_small_site, store_counts

ZURICH: Final = ZoneInfo("Europe/Zurich")
DAY: Final = datetime.now(ZURICH).date() - timedelta(days=2)
CHANGED: Final = next(
    day
    for day in (DAY - timedelta(days=ago) for ago in range(8, 390))
    if day.month == 10 and day.day > 24 and day.weekday() == 6
)
"""On which the clocks went back."""
IN_SIGHT: Final = """() => {
  const hosts = [...document.querySelectorAll("*")].map((host) => host.shadowRoot).filter(Boolean);
  const word = hosts.map((root) => root.querySelector(".replay-mark strong")).find(Boolean);
  const box = word.getBoundingClientRect();
  const upon = word.getRootNode().elementFromPoint((box.left + box.right) / 2, (box.top + box.bottom) / 2);
  return upon === word;
}"""
"""Whether nothing lies upon the word REPLAY."""
SILENT: Final = range(75, 90)
"""Minutes after nine in which nothing is counted."""


def counts_of_day(day: date) -> Iterator[tuple[datetime, str, int, int]]:
    """From nine on, two come each minute for an hour, one goes on into the café; then one leaves."""
    nine = datetime.combine(day, time(9), ZURICH).astimezone(UTC)
    for minute in range(150):
        if minute not in SILENT:
            at = nine + timedelta(minutes=minute)
            yield at, "entrance", *((2, 0) if minute < 60 else (0, 1))
            yield at, "archway", int(minute < 60), 0


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    folder = tmp_path_factory.mktemp("replay-stage")
    site = create_small_site(folder / "service")
    twice = datetime(CHANGED.year, CHANGED.month, CHANGED.day, tzinfo=UTC)
    store_counts(site.data_dir, [*counts_of_day(DAY), (twice, "entrance", 2, 0)])
    with opened_stage(folder, site) as opened:
        yield opened


def opened(page: Page, stage: Stage) -> None:
    """The day from half past nine on, played."""
    page.goto(stage.url(f"/replay?site=corner-shop&day={DAY}&at=09:30"))
    expect(page.locator(".replay-clock")).to_be_visible()
    rest(page)


def stands(page: Page, stage: Stage) -> None:
    """The day, paused at half past nine: the one that the test before has left, where it left one."""
    if not is_left_on(page, stage.url(f"/replay?day={DAY}")):
        opened(page, stage)
    page.get_by_role("button", name=re.compile("^(Pause|Play)$")).wait_for()
    if page.get_by_role("button", name="Pause").count():
        paused(page)
    scrub(page, 9 * 60 + 30)


def paused(page: Page) -> None:
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()


def clock(page: Page) -> int:
    """What it shows, in minutes after midnight."""
    found = re.match(r"(\d\d):(\d\d) Zurich time", page.locator(".replay-clock").inner_text())
    assert found
    return 60 * int(found[1]) + int(found[2])


def shows(page: Page, time_of_day: str) -> None:
    expect(page.locator(".replay-clock")).to_have_text(f"{time_of_day} Zurich time")


def scrub(page: Page, minute: int) -> None:
    """Drag the slider to so many minutes after midnight."""
    start = int(datetime.combine(DAY, time(), ZURICH).timestamp())
    slider(page).fill(str(start + 60 * minute))


def slider(page: Page) -> Locator:
    return page.get_by_role("slider", name="Time of the day")


def counted(stage: Stage, minute: int) -> int | None:
    """How many the service says were inside, so many minutes after midnight."""
    at = datetime.combine(DAY, time(minute // 60, minute % 60))
    body = {"siteId": stage.site.site_id, "metrics": ["visitorsInside"], "granularity": "minute"}
    span = {
        "from": at.isoformat(),
        "to": (at + timedelta(minutes=1)).isoformat(),
        "timezone": "Europe/Zurich",
    }
    points = httpx.post(
        f"{stage.service.base_url}/v3/metrics",
        json=body | span,
        headers=stage.site.headers,
        timeout=PATIENCE / 1000,
    ).json()["data"]
    return int(points[0]["metrics"]["visitorsInside"]) if points else None


def test_it_plays_by_itself_and_stands_when_it_is_paused(stage: Stage, page: Page) -> None:
    opened(page, stage)
    begun = clock(page)
    page.wait_for_timeout(3_000)
    assert begun + 2 <= clock(page) <= begun + 60
    paused(page)
    stood = clock(page)
    page.wait_for_timeout(2_500)
    assert clock(page) == stood
    page.get_by_role("button", name="Play", exact=True).click()
    page.wait_for_timeout(2_500)
    assert clock(page) > stood


def test_the_number_of_a_minute_is_the_service_s_own(stage: Stage, page: Page) -> None:
    stands(page, stage)
    for minute in (9 * 60, 9 * 60 + 41, 10 * 60 + 7, 11 * 60 + 20):
        scrub(page, minute)
        inside = counted(stage, minute)
        assert inside
        expect(page.locator(".hero .number")).to_have_text(str(inside))
        shows(page, f"{minute // 60:02}:{minute % 60:02}")
    cards = page.locator(".graph .zone")
    scrub(page, 9 * 60 + 29)
    expect(cards.filter(has_text="Café").locator(".number")).to_have_text("30")
    expect(page.locator(".hero .flows")).to_contain_text("60 in · 0 out")


def test_a_minute_without_a_count_has_no_number(stage: Stage, page: Page) -> None:
    stands(page, stage)
    minute = 9 * 60 + SILENT.start + 3
    assert counted(stage, minute) is None
    scrub(page, minute)
    expect(page.locator(".hero .number")).to_have_text("–")
    expect(page.locator(".hero .freshness")).to_have_text("No count")
    expect(page.locator(".hero .level")).to_have_text("Unknown")
    expect(page.locator(".hero")).to_have_attribute("data-trusted", "false")


@pytest.mark.parametrize("width", [1280, 390])
def test_it_says_replay_wherever_one_has_scrolled_played_or_paused(
    stage: Stage, page: Page, width: int
) -> None:
    page.set_viewport_size({"width": width, "height": 700})
    stands(page, stage)
    page.get_by_role("button", name="Play", exact=True).click()
    mark = page.locator(".replay-mark")
    expect(page).to_have_title("REPLAY · Headroom")
    expect(mark).to_contain_text("REPLAY")
    expect(mark).to_contain_text(f"{DAY:%A} {DAY.day} {DAY:%B %Y}")
    for pressed in ("Pause", "Play"):
        page.get_by_role("button", name=pressed, exact=True).click()
        page.locator(".legend").scroll_into_view_if_needed()
        expect(mark).to_be_in_viewport()
        page.wait_for_function(IN_SIGHT)
        for seen in (".hero .freshness", ".replay-place .heading", ".replay-curve .caption", ".read-at"):
            expect(page.locator(seen)).to_contain_text(re.compile("replay", re.IGNORECASE))
    assert "Live" not in page.locator(".replay").inner_text()


def test_its_keys_walk_through_the_day_and_say_the_time_and_the_number(stage: Stage, page: Page) -> None:
    stands(page, stage)
    slider(page).focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    shows(page, "09:33")
    inside = counted(stage, 573)
    expect(slider(page)).to_have_attribute("aria-valuetext", re.compile(f"^09:33, .*: {inside} inside"))
    page.keyboard.press("Home")
    shows(page, "00:00")
    page.keyboard.press("End")
    shows(page, "23:59")
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name="Pause")).to_be_visible()  # again from the beginning
    expect(page.locator(".replay-clock")).to_contain_text(re.compile("^00:"))


def test_who_is_passed_over_does_not_travel_and_who_is_played_does(stage: Stage, page: Page) -> None:
    stands(page, stage)
    scrub(page, 8 * 60)
    scrub(page, 9 * 60 + 30)
    page.wait_for_timeout(1_500)
    expect(page.locator(".people circle")).to_have_count(0)
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page.locator(".people circle").first).to_be_attached()


def test_a_rerun_goes_on_where_it_was(stage: Stage, page: Page) -> None:
    stands(page, stage)
    scrub(page, 615)
    page.get_by_role("button", name="Thresholds").click()
    page.get_by_role("slider", name=re.compile("Filling")).first.press("ArrowLeft")
    rest(page)
    assert clock(page) == 615
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()


def test_for_who_wants_nothing_to_move_it_stands_until_it_is_played(stage: Stage, page: Page) -> None:
    page.emulate_media(reduced_motion="reduce")
    try:
        opened(page, stage)
        begun = clock(page)
        page.wait_for_timeout(2_500)
        assert clock(page) == begun == 570
        page.get_by_role("button", name="Play", exact=True).click()
        page.wait_for_timeout(2_500)
        assert clock(page) > begun
        expect(page.locator(".people circle")).to_have_count(0)
    finally:
        page.emulate_media(reduced_motion="null")


def test_speed_and_time_stand_in_the_link(stage: Stage, page: Page) -> None:
    stands(page, stage)
    scrub(page, 605)
    page.get_by_role("button", name="10 times as fast as it was").click()
    expect(page).to_have_url(re.compile(r"at=10%3A05.*speed=10|speed=10.*at=10%3A05"))
    page.reload()
    expect(page.get_by_role("button", name="10 times as fast as it was")).to_have_attribute(
        "aria-pressed", "true"
    )
    assert 605 <= clock(page) <= 610


def test_it_asks_nobody_while_it_plays_and_is_scrubbed(stage: Stage, page: Page) -> None:
    stands(page, stage)
    page.get_by_role("button", name="Play", exact=True).click()
    rest(page)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    sent: list[object] = []

    def note(frame: object) -> None:  # what is written in C cannot be listened with
        sent.append(frame)

    session = page.context.new_cdp_session(page)
    session.on("Network.webSocketFrameSent", note)
    session.send("Network.enable")
    page.wait_for_timeout(3_000)
    for minute in range(540, 640, 5):
        scrub(page, minute)
    page.get_by_role("button", name="10 times as fast as it was").click()
    page.wait_for_timeout(3_000)
    session.detach()
    assert [url for url in asked if "_stcore" not in url] == []
    assert sent == []


@pytest.mark.soak
def test_more_of_today_goes_on_where_it_was(stage: Stage, page: Page) -> None:
    """What is recorded of today is longer in the next minute, when the page is run again."""
    now = datetime.now(UTC).replace(second=0, microsecond=0)
    midnight = datetime.combine(datetime.now(ZURICH).date(), time(), ZURICH).astimezone(UTC)
    minutes = range(2, max(3, (now - midnight) // timedelta(minutes=1)))
    store_counts(stage.site.data_dir, [(now - timedelta(minutes=ago), "entrance", 1, 1) for ago in minutes])
    page.goto(
        stage.url(f"/replay?site=corner-shop&day={midnight.astimezone(ZURICH).date()}&at=00:00&speed=1")
    )
    paused(page)
    end = slider(page).get_attribute("max")
    slider(page).press("ArrowRight")
    shows(page, "00:01")
    page.wait_for_timeout(61_000)
    page.get_by_role("button", name="Thresholds").click()
    page.get_by_role("slider", name=re.compile("Filling")).first.press("ArrowLeft")
    expect(slider(page)).not_to_have_attribute("max", str(end))
    shows(page, "00:01")
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()


def test_another_day_begins_at_its_own_fullest_hour(stage: Stage, page: Page) -> None:
    stands(page, stage)
    expect(page).to_have_url(re.compile("at="))
    # What was scrubbed to has come, else it would be told of the other day, too.
    expect(page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning")
    day = DAY - timedelta(days=1)
    page.get_by_test_id("stDateInput").get_by_role("button").last.click()
    page.get_by_role("button", name=f"{day:%A}, {day.day} {day:%B %Y}").click()
    expect(page.get_by_test_id("stAlert")).to_contain_text("No counts are stored between")
    expect(page).not_to_have_url(re.compile("at="))


def test_what_was_set_of_one_day_is_not_written_to_the_link_of_another(stage: Stage, page: Page) -> None:
    """Which stands in the address before its replay has come."""
    stands(page, stage)
    page.wait_for_timeout(1_500)  # what was set by then is written
    scrub(page, 10 * 60)
    page.evaluate(
        "history.replaceState(history.state, '', location.href.replace(/day=[^&]+/, 'day=2020-01-01'))"
    )
    page.wait_for_timeout(1_500)
    scrub(page, 10 * 60)  # also while it stands there
    page.wait_for_timeout(1_500)
    assert "day=2020-01-01" in page.url
    assert "at=10" not in page.url


def test_both_half_past_two_of_a_day_of_25_hours_are_told_apart_and_linked(stage: Stage, page: Page) -> None:
    page.emulate_media(reduced_motion="reduce")  # it stands where it is set
    try:
        for offset, name in (("%2B02%3A00", "CEST"), ("%2B01%3A00", "CET")):
            page.goto(stage.url(f"/replay?site=corner-shop&day={CHANGED}&at=02%3A30{offset}"))
            clock_of = page.locator(".replay-clock")
            expect(clock_of).to_have_text(re.compile(rf"^02:30\s{name} Zurich time$"))
            expect(page.locator(".hero .measured")).to_contain_text(
                re.compile(rf"The count of 02:30\s{name}\b")
            )
            page.get_by_role("button", name="10 times as fast as it was").click()
            expect(page).to_have_url(re.compile("speed=10"))
            expect(page).to_have_url(re.compile(f"at=02%3A30{offset}"))
    finally:
        page.emulate_media(reduced_motion="null")
