"""What Live, Site and Replay draw is saved as PNG and SVG, which say of what and when they are."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Final, NamedTuple
from xml.etree import ElementTree as ET
from zoneinfo import ZoneInfo

import pytest
from PIL import Image
from playwright.sync_api import Browser, Locator, Page, expect

from analysis.floor_plan import FloorPlan, PictureKind, PlanPicture
from analysis.hours_text import spans_of_text
from analysis.notes import Note
from analysis.opening_hours import OpeningHours
from runtime.site_knowledge_store import SiteKnowledgeStore
from tests.e2e.conftest import PATIENCE, Stage, opened_stage
from tests.e2e.test_floor_plan import PLACED, WALLS
from tests.e2e.whole_pages import is_left_on, rest
from tests.small_site import create_small_site, half_a_day_away, store_counts
from tests.written_days import written_day

ZURICH: Final = ZoneInfo("Europe/Zurich")
HOSTILE: Final = "</text><script>alert(1)</script> sale & more"
NUMBERS: Final = {"Hall": 14, "Café": 7}
"""Who is inside, since twenty minutes ago."""
FILE: Final = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*(_[a-z0-9]+(-[a-z0-9]+)*)*_\d{4}-\d\d-\d\d-\d{4}\.(png|svg)")
SVG: Final = "{http://www.w3.org/2000/svg}"
WIDE: Final = 1200
"""Pixels of a picture; a PNG has twice as many."""
NAME: Final = "0" * 32


class Pair(NamedTuple):
    """The same drawing in both formats."""

    svg: Path
    png: Path

    @property
    def root(self) -> ET.Element:
        return ET.fromstring(self.svg.read_bytes())

    @property
    def lines(self) -> list[str]:
        """What is written in it, without what tells it to who listens."""
        texts = ("".join(one.itertext()) for one in self.root.iter(f"{SVG}text"))
        return [" ".join(text.split()) for text in texts]


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    folder = tmp_path_factory.mktemp("live-pictures")
    site = create_small_site(folder / "service", reset_hour=half_a_day_away())
    now = datetime.now(UTC).replace(second=0, microsecond=0)
    came = now - timedelta(minutes=20)
    quiet = [(came + timedelta(minutes=minute), "entrance", 0, 0) for minute in range(1, 20)]
    counts = [(came, "entrance", 21, 0), (came, "archway", 7, 0), *quiet]
    store_counts(site.data_dir, counts)
    with opened_stage(folder, site) as opened:
        keep(opened, "note", "one", Note(at=now - timedelta(minutes=1), text=HOSTILE).model_dump_json())
        closed = OpeningHours(week=(spans_of_text(""),) * 7)
        keep(opened, "opening hours", "", closed.model_dump_json())
        yield opened


@pytest.fixture(scope="module")
def page(browser: Browser) -> Iterator[Page]:
    """Dark, on a phone, of somebody in another time zone than the site's."""
    context = browser.new_context(
        locale="en-GB",
        timezone_id="Asia/Kathmandu",
        color_scheme="dark",
        viewport={"width": 390, "height": 800},
    )
    context.set_default_timeout(PATIENCE)
    yield context.new_page()
    context.close()


def keep(stage: Stage, kind: str, name: str, content: str) -> None:
    digest = sha256(stage.service.base_url.encode()).hexdigest()
    SiteKnowledgeStore(stage.dashboard.log_file.parent).keep(digest, stage.site.site_id, kind, name, content)


def keep_plan(stage: Stage) -> None:
    image = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 50">{WALLS}</svg>'
    picture = PlanPicture(name=NAME, kind=PictureKind.SVG, width=1000, height=500)
    keep(stage, "picture of a floor", NAME, b64encode(image.encode()).decode())
    keep(stage, "floor plan", "", FloorPlan(picture=picture, placed=PLACED).model_dump_json())


def saved(page: Page, what: str, folder: Path) -> Pair:
    """`what` is in the name of the buttons."""
    files = []
    for kind in ("SVG", "PNG"):
        button = page.get_by_role("button", name=re.compile(f"^Save chart as {kind}: .*{what}"))
        with page.expect_download() as downloading:
            button.click()
        name = downloading.value.suggested_filename
        assert FILE.fullmatch(name)
        expect(status_of(button)).to_have_text(f"Saved as {name}")
        downloading.value.save_as(folder / name)
        files.append(folder / name)
    return Pair(*files)


def status_of(button: Locator) -> Locator:
    return button.locator("xpath=..").get_by_role("status")


def opened(page: Page, stage: Stage, address: str, ready: str) -> None:
    page.goto(stage.url(address))
    expect(page.locator(ready).first).to_be_visible()
    rest(page)


def opened_once(page: Page, stage: Stage, address: str, ready: str) -> None:
    """The page that the test before has left, if it is that one and shows what is looked for."""
    if not is_left_on(page, stage.url(address)) or not page.locator(ready).count():
        opened(page, stage, address, ready)


def shows_numbers(page: Page) -> None:
    for zone, inside in NUMBERS.items():
        card = page.locator(".graph .zone").filter(has_text=zone)
        expect(card.locator(".number")).to_have_text(str(inside))


def stands_alone(pair: Pair) -> None:
    """It needs no style sheet, opens nothing, is on white in either theme; both formats are as large."""
    root = pair.root
    for node in root.iter():
        assert not {"class", "style", "tabindex", "onload"} & set(node.keys())
        assert node.tag.removeprefix(SVG) not in {"a", "style", "script", "foreignObject"}
        assert all(value.startswith("data:") for name, value in node.items() if name.endswith("href"))
    size = tuple(int(root.attrib[name]) for name in ("width", "height"))
    assert size[0] == WIDE
    with Image.open(pair.png) as picture:
        assert picture.size == tuple(2 * length for length in size)
        assert picture.convert("RGB").getpixel((2, 2)) == (255, 255, 255)
        assert len(picture.convert("RGB").getcolors(1 << 24) or ()) > 20, "nothing is drawn"


def test_the_curve_of_today_with_its_notes(stage: Stage, page: Page, tmp_path: Path) -> None:
    opened(page, stage, "/live?site=corner-shop", ".day .picture button")
    pair = saved(page, "People inside today", tmp_path)
    stands_alone(pair)
    lines = pair.lines
    assert lines[0] == "Corner shop: People inside today"
    assert lines[1].endswith("Zurich time")
    assert f"{datetime.now(ZURICH):%Y}" in lines[1]
    assert lines[2].startswith("Corner shop: 21 inside, 21 % of 100")
    assert "as of " in lines[2]
    assert {"closed", "Notes of today:"} <= set(lines)
    assert lines[-1].startswith("1. ")
    assert lines[-1].endswith(f": {HOSTILE}")
    assert pair.svg.name.startswith("corner-shop_people-inside-today_")


def test_the_curve_of_the_last_two_hours(stage: Stage, page: Page, tmp_path: Path) -> None:
    opened_once(page, stage, "/live?site=corner-shop", ".hero > .trend .picture button")
    expect(page.locator(".hero > .trend:not(.day) rect.closed")).to_have_count(1)
    pair = saved(page, "last 2 hours", tmp_path)
    stands_alone(pair)
    assert any("shaded: closed" in line for line in pair.lines)
    assert pair.lines[0] == "Corner shop: People inside, last 2 hours"
    assert len(list(pair.root.iter(f"{SVG}polyline"))) >= 1


def test_the_graph_of_a_site_with_the_numbers_of_zones_and_passages(
    stage: Stage, page: Page, tmp_path: Path
) -> None:
    opened(page, stage, "/site?site=corner-shop", ".graph .zone")
    expect(page.locator(".ways .crossed").first).to_contain_text("this way")
    shows_numbers(page)
    pair = saved(page, "Zones and passages", tmp_path)
    stands_alone(pair)
    lines = pair.lines
    assert lines[0] == "Corner shop: Zones and passages"
    for zone, inside in NUMBERS.items():
        assert lines[lines.index(zone) + 1] == str(inside)
    assert any("Entrance" in line and "this way" in line for line in lines)
    [read] = [line for line in lines if line.startswith("In the last hour, read ")]
    assert "ago" not in read, "how old a number is grows while a file lies there"


def test_a_floor_plan_is_put_into_the_file(stage: Stage, page: Page, tmp_path: Path) -> None:
    keep_plan(stage)
    opened(page, stage, "/site?site=corner-shop", ".graph.plan .zone")
    shows_numbers(page)
    pair = saved(page, "floor plan", tmp_path)
    stands_alone(pair)
    [image] = pair.root.iter(f"{SVG}image")
    assert image.attrib["href"].startswith("data:image/svg+xml;base64,")
    assert {"Hall", "Café", "14", "7"} <= set(pair.lines)


def test_a_floor_plan_that_does_not_come_is_said_and_nothing_saved(stage: Stage, page: Page) -> None:
    keep_plan(stage)
    opened_once(page, stage, "/site?site=corner-shop", ".graph.plan .zone")
    page.route("**/floor-plan/**", lambda route: route.abort())
    button = page.get_by_role("button", name=re.compile("^Save chart as SVG: .*floor plan"))
    button.click()
    expect(status_of(button)).to_have_text(
        "The picture of the floor could not be read. Try again in a moment."
    )
    page.unroute_all()


def test_a_replay_is_marked_as_one_and_says_of_which_minute_it_is(
    stage: Stage, page: Page, tmp_path: Path
) -> None:
    at = datetime.now(ZURICH) - timedelta(minutes=10)
    page.emulate_media(color_scheme="light", reduced_motion="reduce")  # which does not play by itself
    opened(page, stage, f"/replay?site=corner-shop&day={at:%Y-%m-%d}&at={at:%H:%M}", ".replay-curve .slider")
    for what in ("People inside on", "Zones and passages"):
        pair = saved(page, what, tmp_path)
        stands_alone(pair)
        assert pair.lines[0].startswith("REPLAY · Corner shop: ")
        assert pair.lines[1] == f"REPLAY of {written_day(at, has_year=True)}, {at:%H:%M}, Zurich time"
        assert pair.lines[2].startswith("Corner shop: 21 inside")
        assert pair.svg.name.startswith("replay_corner-shop_")
        assert f"{at:%Y-%m-%d-%H%M}" in pair.svg.name
    page.emulate_media(color_scheme="dark", reduced_motion="no-preference")


def test_what_is_not_of_now_says_as_of_when(page: Page, stage: Stage, tmp_path: Path) -> None:
    """The last of this module: what it stops does not come again."""
    live, site = page, page.context.new_page()
    opened(live, stage, "/live?site=corner-shop", ".day .picture button")
    opened(site, stage, "/site?site=corner-shop", ".graph .zone")
    shows_numbers(site)
    stage.service.kill()
    for one, what in ((live, "People inside today"), (site, "Zones and passages")):
        one.bring_to_front()
        expect(one.locator("[data-level][data-trusted=false]").first).to_be_visible()
        # A counter that was silent before is not to be trusted either.
        expect(one.locator(".freshness .word").first).not_to_have_text(re.compile("Live|Quiet"))
        pair = saved(one, what, tmp_path)
        assert "not of now, but as of " in pair.lines[2]
    for zone in NUMBERS:
        assert any(", as of " in line and zone in line.rpartition(": ")[2] for line in pair.lines)
