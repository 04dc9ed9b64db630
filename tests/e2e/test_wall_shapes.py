"""Every view on every shape of screen, with much, little and nothing to show: nothing lies on anything."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from screens.definition import Scope
from tests.e2e.scripted_relay import feed
from tests.e2e.scripted_wall import FACTS, ScriptedWall, typical_day, view
from tests.e2e.wall import at_local_hour, open_wall
from tests.e2e.wall_geometry import faults_of, used_room

SHAPES = (
    *((1080, 1920), (390, 844), (1280, 720), (1920, 1080), (3840, 2160)),
    *((800, 480), (1080, 1080), (1024, 768), (2560, 600), (1920, 360)),
)
STORE = "Department store Zürich Bahnhofstrasse"
LONG_NAMES = tuple(
    f"{STORE}, {part}" for part in ("ground floor", "first floor", "restaurant", "Haushaltwarenabteilung")
)
SHORT_NAMES = ("Shop", "Hall", "Basement", "First floor", "Restaurant", "Garden centre")


def day_until(now: float, hour: int, highest: float, *, is_counted: bool = True) -> dict[str, Any]:
    """A day that is counted from eight o'clock on, with a gap, and full within six hours."""
    start = int(now) - hour * 3600 - 30 * 60 - 20
    minutes = [minute for minute in range(480, hour * 60 + 30, 5) if not 600 < minute < 640]
    return {
        "timezone": "Europe/Zurich",
        "day_start": start,
        "until": start + 24 * 3600,
        "typical": typical_day(),
        "today": [[start + 60 * minute, highest * min(1, (minute - 480) / 360)] for minute in minutes]
        if is_counted
        else [],
        "request_id": "req_1",
        "as_of": now,
    }


def tell(
    wall: ScriptedWall, kind: str, hour: int, *, inside: int, names: tuple[str, ...], **changes: Any
) -> None:
    """A view of as many feeds as its kind shows; `changes` are those of each feed of the view."""
    now = at_local_hour(wall, hour)
    ids = [f"f{place}" for place in range(len(names) if FACTS[kind].scope is not Scope.PLACE else 1)]
    shown = view(kind, *ids, title="" if kind == "sites" else names[0])
    for place, one in enumerate(shown["feeds"]):
        one.update(title=names[place], **changes)
    wall.views = [shown]
    minute = int(now) // 60 * 60
    points = [[minute - 60 * ago, max(0, inside - ago / 2)] for ago in range(119, -1, -1)] if inside else []
    wall.feeds = {name: feed(now, inside=inside, points=points) for name in ids}
    wall.day = day_until(now, hour, inside, is_counted=inside > 0)


def tell_morning(wall: ScriptedWall, kind: str) -> None:
    wall.language = "de"
    tell(wall, kind, 6, inside=0, names=SHORT_NAMES)


def tell_crowded(wall: ScriptedWall, kind: str) -> None:
    wall.language = "it"
    tell(wall, kind, 12, inside=97, names=LONG_NAMES)


def tell_over_capacity(wall: ScriptedWall, kind: str) -> None:
    wall.language = "fr"
    tell(wall, kind, 15, inside=13_700, names=SHORT_NAMES, capacity=10_000)


def tell_no_capacity(wall: ScriptedWall, kind: str) -> None:
    wall.language = "de"
    tell(wall, kind, 15, inside=1_234, names=(*LONG_NAMES, *SHORT_NAMES) * 2, capacity=None)


def tell_trouble(wall: ScriptedWall, kind: str) -> None:
    wall.language = "fr"
    tell(wall, kind, 15, inside=88, names=(*LONG_NAMES, *SHORT_NAMES))
    for one in list(wall.feeds)[::2]:
        wall.feeds[one] |= {
            "state": "offline",
            "reason": "http://10.0.0.7:8080 cannot be reached.",
            "next": "Check the base URL.",
            "retry_in": 12.0,
            "request_id": "req_77",
        }


def tell_drift(wall: ScriptedWall, kind: str) -> None:
    wall.language = "de"
    tell(wall, kind, 15, inside=88, names=LONG_NAMES)
    for one in wall.feeds.values():
        one["drift"] = {"people": 118, "since": wall.now() - 9 * 3600, "at": wall.now() - 600}


def tell_closed(wall: ScriptedWall, kind: str) -> None:
    """Until another day, in the longest words; some counters sleep, and of one place no hours are kept."""
    wall.language = "de"
    tell(wall, kind, 20, inside=12, names=(*LONG_NAMES, *SHORT_NAMES))
    now = wall.now()
    wall.closed = [[now - 3600, now + 12.5 * 3600]]
    for one in list(wall.feeds)[1::3]:
        wall.feeds[one] = feed(now, state="silent", inside=3, measured_at=int(now) - 5 * 3600)
    for one in list(wall.feeds)[2::3]:
        wall.feeds[one]["drift"] = {"people": 118, "since": now - 9 * 3600, "at": now - 600}
    wall.without_hours = set(list(wall.feeds)[3:4])


SITUATIONS = (
    *(tell_morning, tell_crowded, tell_over_capacity, tell_no_capacity, tell_trouble, tell_drift),
    tell_closed,
)


@pytest.mark.soak
@pytest.mark.parametrize("kind", FACTS)
def test_nothing_lies_on_anything_else_on_any_shape(
    page: Page, address: str, wall: ScriptedWall, kind: str
) -> None:
    """Nor does anything technical reach a wall: an address, an error's sentence, a request id."""
    found: list[str] = []
    for situation in SITUATIONS:
        situation(wall, kind)
        wall.theme = "light" if wall.theme == "dark" else "dark"
        page.set_viewport_size({"width": SHAPES[0][0], "height": SHAPES[0][1]})
        open_wall(page, address)
        if FACTS[kind].draws_day:
            expect(page.locator(".chart text").first).to_be_visible()
        for width, height in SHAPES:
            page.set_viewport_size({"width": width, "height": height})
            name = f"{situation.__name__} {width}x{height}"
            found += [f"{name}: {fault}" for fault in faults_of(page)]
            if re.search(
                r"10\.0\.0\.7|base URL|req_", page.locator("html").evaluate("node => node.outerHTML")
            ):
                found.append(f"{name}: shows what is not for passers-by")
            if situation is tell_drift and "118\u00a0mehr hinaus" not in page.locator("#wall").inner_text():
                found.append(f"{name}: does not say what is unreliable")
            if used_room(page) < 0.6:
                found.append(f"{name}: uses {used_room(page):.2f} of its room")
    assert found == []
