"""Every chart is saved as PNG and SVG, its data as CSV, Excel and Parquet; all say by themselves of what and
when they are.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from io import BytesIO
from pathlib import Path
from typing import Final
from xml.etree import ElementTree as ET

import openpyxl
import pandas as pd
import pyarrow.parquet as pq
import pytest
from PIL import Image
from playwright.sync_api import Browser, Locator, Page, expect

from service.open_store import open_store, store_url
from service.store.protocol import SiteRecord
from tests.e2e.conftest import PATIENCE, Stage, opened_stage
from tests.e2e.whole_pages import CHARTS, WHOLE, is_left_on, rest
from tests.small_site import ORGANIZATION, SITE, create_small_site, store_counts
from tests.soaking import mostly_in_the_soak

HOSTILE: Final = (
    "</text><b>Shop</b> &amp; $x^2$ %{y} ../../\u202eetc\n=1+1 店店店店店 <a href='//foreign.example'>x</a>"
)
AS_READ: Final = "</text><b>Shop</b> &amp; $x^2$ %{y} ../../etc =1+1 店店店店店 <a href='//foreign.exa"
FILE: Final = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*(_[a-z0-9]+(-[a-z0-9]+)*)+\.(png|svg)")
FOLDED: Final = ("Doors by hour", "Ways through the zones", "How sure the number is today")
IN_A_FOLD: Final = ("/history", "/compare")
"""Pages whose first chart has its files beside its table."""
LAST: Final = "/history"
"""Of those with charts: its opening, the dearest of all, serves the tests after that of its files."""
LEAST: Final = (2400, 1350)
"""Pixels of a PNG; a high chart is higher."""
ON_DARK: Final = re.compile(
    "#(111418|1B2027|F0F2F5|A3ACB8|333A44|56B4E9)|rgb\\((17, 20, 24|240, 242, 245|86, 180, 233)",
    re.IGNORECASE,
)


DOORS: Final = ("entrance", "archway", "terrace")


def crossings(at: datetime, door: str) -> tuple[int, int]:
    """Forward and backward: somebody comes every third minute from 8 to 12 h, and goes from 12 to 16 h. By
    the entrance one more comes, so that Trust has something to draw.
    """
    if door == "entrance" and (at.hour, at.minute) == (8, 1):
        return 1, 0
    comes, goes = (int(at.minute % 3 == 0 and first <= at.hour < first + 4) for first in (8, 12))
    return (goes, comes) if door == "terrace" else (comes, goes)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    folder = tmp_path_factory.mktemp("pictures")
    site = create_small_site(folder / "service")
    store = open_store(store_url(site.data_dir))
    store.catalogue.save(ORGANIZATION, [SiteRecord(SITE.model_copy(update={"name": HOSTILE}), "shop")])
    store.close()
    now = datetime.now(UTC).replace(second=0, microsecond=0)
    minutes = [now - timedelta(minutes=ago) for ago in range(1, 36 * 1440)]
    store_counts(site.data_dir, [(at, door, *crossings(at, door)) for at in minutes for door in DOORS])
    with opened_stage(folder, site) as opened:
        yield opened


@pytest.fixture(scope="module")
def dark(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(
        locale="en-GB", timezone_id="Asia/Kathmandu", color_scheme="dark", reduced_motion="reduce"
    )
    context.set_default_timeout(PATIENCE)
    yield context.new_page()
    context.close()


def open_whole(page: Page, stage: Stage, address: str) -> None:
    """By its address, or from the page that the test before has left, if the address names the site alone."""
    path, _, query = address.partition("?")
    if page.url.startswith(stage.url()) and query == "site=corner-shop":
        name = path.strip("/").capitalize()
        page.get_by_role("link", name=name, exact=True).click()
        expect(page.get_by_role("heading", level=1, name=name)).to_be_visible()
    else:
        page.goto(stage.url(address))
    expect(page.locator(WHOLE[address]).first).to_be_visible()
    rest(page)
    page.wait_for_timeout(500)  # charts are drawn after the page rests
    for name in FOLDED:
        for fold in page.get_by_text(name, exact=True).all():
            fold.click()
            rest(page)


def open_last(page: Page, stage: Stage) -> None:
    """Open that page whole, if it is not what the test before has left."""
    if not is_left_on(page, stage.url(address_of(LAST))):
        open_whole(page, stage, address_of(LAST))


def address_of(path: str) -> str:
    return next(one for one in WHOLE if one.startswith(path))


def saved(page: Page, bar: Locator, kind: str, folder: Path) -> Path:
    """The file that the button of that `kind` of picture gives."""
    with page.expect_download() as downloading:
        bar.get_by_role("button", name=f"Save chart as {kind}").click()
    name = downloading.value.suggested_filename
    expect(bar.get_by_role("status")).to_have_text(f"Saved as {name}")
    downloading.value.save_as(folder / name)
    return folder / name


def files(page: Page, bar: Locator, kind: str, folder: Path) -> Path:
    """The file of data that the button of that `kind` gives."""
    with page.expect_download() as downloading:
        bar.get_by_role("button").filter(has_text=kind).click()
    downloading.value.save_as(folder / downloading.value.suggested_filename)
    return folder / downloading.value.suggested_filename


def text_of(picture: Path) -> str:
    return " ".join(" ".join(ET.fromstring(picture.read_bytes()).itertext()).split())


@pytest.mark.parametrize("path", mostly_in_the_soak(sorted(CHARTS, key=LAST.__eq__), LAST))
def test_every_chart_and_its_data_are_saved_and_say_of_what_and_when_they_are(
    dark: Page, shared: Stage, tmp_path: Path, path: str
) -> None:
    """Which pages have charts, `test_printing.py` finds on all of them."""
    open_whole(dark, shared, address_of(path))
    expect_every_chart_to_have_its_buttons(dark, CHARTS[path])
    expect_pictures_to_say_what_they_are(dark, tmp_path, path)
    if path in IN_A_FOLD:
        dark.get_by_text("Table and files", exact=True).click()
        rest(dark)
    expect_data_to_say_what_they_are(dark, tmp_path, path)


def expect_every_chart_to_have_its_buttons(page: Page, fewest: int) -> None:
    charts = page.locator(".js-plotly-plot")
    assert charts.count() >= fewest
    # Drawings of ours have buttons of their own (test_live_pictures.py).
    expect(page.locator("[class*=st-key-picture-] .picture")).to_have_count(charts.count())
    for chart in charts.all():
        key = chart.evaluate("(node) => node.closest('[class*=st-key-]').className.match(/st-key-(\\S+)/)[1]")
        expect(page.locator(f".st-key-picture-{key} .picture button")).to_have_text(["PNG", "SVG"])


def expect_data_to_say_what_they_are(page: Page, folder: Path, path: str) -> None:
    bars = page.locator("[class*=st-key-data-of-]")
    assert bars.count() >= page.locator(".js-plotly-plot").count()
    for bar in bars.all():
        table, excel, parquet = (files(page, bar, kind, folder) for kind in ("CSV", "Excel", "Parquet"))
        assert table.stem == excel.stem == parquet.stem
        read = pd.read_csv(table)
        assert len(read) == len(pd.read_excel(excel)) == len(pd.read_parquet(parquet)) > 0
        book = openpyxl.load_workbook(excel)
        told = dict(book["About"].iter_rows(min_row=2, values_only=True))
        assert told == json.loads(pq.read_metadata(parquet).metadata[b"headroom"])
        assert {"Of", "Time zone", "Rows", "Units", "Completeness"} <= told.keys()
        assert told["Time zone"] == "Europe/Zurich"
        assert path == "/compare" or AS_READ[:12] in told["Of"]
        assert set(read["Units"]) == {told["Units"]}
        assert {cell.data_type for sheet in book for row in sheet for cell in row} <= {"s", "n", "d"}


def expect_pictures_to_say_what_they_are(page: Page, folder: Path, path: str) -> None:
    year = str(datetime.now(UTC).year)
    for bar in page.locator(".picture").all():
        drawing, photo = (saved(page, bar, kind, folder) for kind in ("SVG", "PNG"))
        assert drawing.stem == photo.stem
        assert FILE.fullmatch(drawing.name), drawing.name
        said = text_of(drawing)
        assert "Zurich time" in said
        assert year in said
        assert path == "/compare" or said.startswith(AS_READ) or AS_READ in said
        assert not ON_DARK.search(drawing.read_text())
        assert "foreign.example'" not in {one.tag for one in ET.parse(drawing).iter()}
        assert not [one for one in ET.parse(drawing).iter() if one.tag.endswith("}a")]
        with Image.open(BytesIO(photo.read_bytes())) as image:
            assert image.format == "PNG"
            assert image.width == LEAST[0]
            assert image.height >= LEAST[1]
            corners = [image.convert("RGBA").getpixel((x, y)) for x in (0, image.width - 1) for y in (0, 9)]
        assert set(corners) == {(255, 255, 255, 255)}


def test_a_saved_chart_has_all_of_its_words_within_its_edges(
    dark: Page, shared: Stage, tmp_path: Path
) -> None:
    open_last(dark, shared)
    drawing = saved(dark, dark.locator(".picture").first, "SVG", tmp_path)
    out = dark.evaluate(
        """(source) => {
          const host = document.body.appendChild(document.createElement("div"));
          host.append(new DOMParser().parseFromString(source, "image/svg+xml").documentElement);
          const whole = host.firstElementChild.getBoundingClientRect();
          const within = (box) => box.left >= whole.left && box.right <= whole.right && box.top >= whole.top;
          const texts = [...host.querySelectorAll("text")].map((one) => [one.textContent, one]);
          const boxes = texts.map(([text, one]) => [text, one.getBoundingClientRect()]);
          host.remove();
          return boxes.filter(([, box]) => box.width && !within(box)).map(([text]) => text);
        }""",
        drawing.read_text(),
    )
    assert out == []


def test_the_keyboard_saves_a_chart_and_a_finger_hits_the_buttons(dark: Page, shared: Stage) -> None:
    open_last(dark, shared)
    first = dark.locator(".picture").first.get_by_role("button").first
    first.focus()
    dark.keyboard.press("Tab")
    second = dark.locator(".picture").first.get_by_role("button").nth(1)
    expect(second).to_be_focused()
    expect(second).to_have_css("outline-style", "solid")
    with dark.expect_download() as downloading:
        dark.keyboard.press("Enter")
    assert downloading.value.suggested_filename.endswith(".svg")
    dark.set_viewport_size({"width": 390, "height": 844})
    for button in dark.locator(".picture button").all():
        box = button.bounding_box()
        assert box
        assert box["height"] >= 24
        assert box["x"] + box["width"] <= 390
    dark.set_viewport_size({"width": 1280, "height": 720})


def test_a_picture_that_says_nothing_of_itself_is_not_offered(dark: Page, shared: Stage) -> None:
    open_last(dark, shared)
    tools = dark.locator(".modebar").first.locator("button")
    seen = tools.locator("visible=true").evaluate_all("all => all.map(one => one.dataset.title)")
    assert {"Zoom", "Fullscreen"} <= set(seen)
    assert [title for title in seen if re.search("download|png|image", title, re.IGNORECASE)] == []


def test_a_chart_that_cannot_be_drawn_is_said_and_the_next_press_tries_again(
    dark: Page, shared: Stage
) -> None:
    """As where another release of Streamlit hides what draws it."""
    open_last(dark, shared)
    bar = dark.locator(".picture").first
    hide = (
        "(hidden) => { const { _modeBar } = document.querySelector('.js-plotly-plot')._fullLayout;"
        " [_modeBar.buttons, _modeBar.kept] = hidden ? [[], _modeBar.buttons] : [_modeBar.kept]; }"
    )
    dark.evaluate(hide, True)
    bar.get_by_role("button", name="PNG").click()
    expect(bar.get_by_role("status")).to_contain_text("could not be drawn. Reload the page")
    dark.evaluate(hide, False)
    with dark.expect_download():
        bar.get_by_role("button", name="PNG").click()
