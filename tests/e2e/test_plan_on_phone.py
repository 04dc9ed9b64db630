"""A floor plan at the width of a phone, in a real browser: nothing on it lies on anything else."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator
from hashlib import sha256
from random import Random

import pytest
from playwright.sync_api import Page, expect

from analysis.floor_plan import FloorPlan, PictureKind, Placed, PlanPicture, Spot
from contract import Site
from runtime.site_knowledge_store import SiteKnowledgeStore
from runtime.svg_pictures import safe_svg
from tests.e2e.test_site_page import FITTED, told
from tests.e2e.whole_pages import rest
from tests.running_dashboard import RunningDashboard, start_dashboard
from tests.scripted_service import KEY, ScriptedService, scripted_service
from tests.soaking import mostly_in_the_soak
from tests.wide_site import wide_site

NAME = "0" * 32
PICTURE = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 60"><path d="M2 2h96v56H2z"/></svg>'
HEAP = wide_site(6, 8).model_copy(update={"id": "heap"})
SIXTY = wide_site(60, 90).model_copy(update={"id": "sixty"})
GRID = wide_site(20, 0).model_copy(update={"id": "grid"})
FAULTS = """svg => {
  const seen = selector => [...svg.querySelectorAll(selector)]
    .map(node => [node.textContent || selector, node.getBoundingClientRect()])
    .filter(([, box]) => box.width);
  const meet = (a, b) => a.left < b.right - 0.5 && b.left < a.right - 0.5
    && a.top < b.bottom - 0.5 && b.top < a.bottom - 0.5;
  const found = [];
  const rims = seen('.zone .ground').concat(seen('.way-label rect'));
  [rims, seen('.zone text, .way-label text')].forEach(boxes =>
    boxes.forEach(([name, one], place) => {
      boxes.slice(place + 1).forEach(([other_name, other]) => {
        if (meet(one, other)) found.push(name + ' lies on ' + other_name);
      });
      if (one.left < 0 || one.right > innerWidth) found.push(name + ' leaves the page');
    }));
  return found;
}"""


def around(site: Site, x: float, y: float, spread: float) -> dict[str, Spot]:
    random = Random(7)
    return {
        zone.id: Spot(x=x + spread * (random.random() - 0.5), y=y + spread * (random.random() - 0.5))
        for zone in site.zones
    }


def in_rows(site: Site) -> dict[str, Spot]:
    return {
        zone.id: Spot(x=0.1 + 0.2 * (place % 5), y=0.11 + 0.26 * (place // 5))
        for place, zone in enumerate(site.zones)
    }


PLACED = {
    "heap": around(HEAP, 0.5, 0.5, 0.05),
    "sixty": around(SIXTY, 0.5, 0.5, 1.0),
    "grid": in_rows(GRID),
}


@pytest.fixture(scope="module")
def dashboard(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningDashboard]:
    folder = tmp_path_factory.mktemp("dashboard")
    with scripted_service(ScriptedService(sites=[told(site) for site in (HEAP, SIXTY, GRID)])) as service:
        environment = {"HEADROOM_BASE_URL": service.base_url, "HEADROOM_API_KEY": KEY}
        started = start_dashboard(folder, environment=environment)
        kept = SiteKnowledgeStore(started.log_file.parent)
        image = safe_svg(PICTURE.encode())
        picture = PlanPicture(name=NAME, kind=PictureKind.SVG, width=image.width, height=image.height)
        for site_id, spots in PLACED.items():
            own = sha256(service.base_url.encode()).hexdigest(), site_id
            kept.keep(*own, "picture of a floor", NAME, b64encode(image.content).decode())
            plan = FloorPlan(picture=picture, placed=Placed(zones=spots))
            kept.keep(*own, "floor plan", "", plan.model_dump_json())
        yield started
        started.kill()


@pytest.mark.parametrize("site_id", mostly_in_the_soak(PLACED, "heap"))
def test_on_a_phone_no_zone_and_no_number_lies_on_another(
    dashboard: RunningDashboard, page: Page, site_id: str
) -> None:
    """Also once the window has become narrower."""
    zones = len(PLACED[site_id])
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{dashboard.base_url}/site?site={site_id}")
    svg = page.locator(".graph.plan > svg")
    for width in (390, 320):
        page.set_viewport_size({"width": width, "height": 844})
        page.wait_for_function(FITTED, polling=100)
        expect(svg.locator(".zone .name")).to_have_count(zones)
        expect(page.locator(".letters li")).to_have_count(zones)
        rest(page)
        assert svg.evaluate(FAULTS) == []
        assert (svg.locator(".leader").count() == 0) == (site_id == "grid")
