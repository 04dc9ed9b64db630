"""Screens whose store fails, whose service tells nonsense, and requests that nobody means well."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from structlog.testing import capture_logs

from screens import Composition, NewLink, View, ViewKind
from screens.store import FILE_NAME
from tests.eventually import eventually
from tests.faults.misbehaving_server import Call, answer_nothing, envelope, misbehaving_server, point
from tests.screens.conftest import SITE_ID, RunningWall, StartWall, number_screen

META = {"requestId": "r-1", "serverTag": "misbehaving", "warnings": [], "errors": []}
CURVE = Composition(name="Curve", views=(View(kind=ViewKind.CURVE, site_id=SITE_ID),))


def alter(folder: Path, statement: str, *values: str) -> None:
    with closing(sqlite3.connect(folder / "dashboard" / FILE_NAME)) as connection, connection:
        connection.execute(statement, values)


async def test_store_that_fails_takes_walls_to_a_neutral_page_until_it_is_back(
    wall: RunningWall, tmp_path: Path
) -> None:
    screen = wall.store.create(CURVE)
    async with wall.watch(screen) as shown, httpx.AsyncClient(timeout=30) as client:
        with capture_logs() as logged:
            alter(tmp_path, "ALTER TABLE screens RENAME TO away")
            for _ in range(3):
                page = await client.get(wall.link(screen), headers={"Accept-Language": "de"})
                assert (page.status_code, page.headers["retry-after"]) == (503, "10")
                assert "gerade nicht verfügbar" in page.text
                for rest in ("/stream", "/day.json?view=0"):
                    answer = await client.get(wall.link(screen, rest))
                    assert (answer.status_code, answer.headers["retry-after"]) == (503, "10")
                    assert answer.json()["error"]
            alter(tmp_path, "ALTER TABLE away RENAME TO screens")
            assert (await client.get(wall.link(screen))).status_code == 200
            lines = [line for line in logged if line["event"].startswith("screens can")]
            assert [line["event"] for line in lines] == [
                "screens cannot be shown",
                "screens can be shown again",
            ]
            assert FILE_NAME in lines[0]["reason"]
        assert not shown.ended
        wall.store.revoke(screen.id)
        await eventually(lambda: shown.ended)


def test_screen_that_this_version_cannot_read_waits_for_one_that_can(
    wall: RunningWall, tmp_path: Path
) -> None:
    screen = wall.store.create(number_screen())
    alter(tmp_path, "UPDATE screens SET composition = ?", '{"name": "Door", "views": [{"kind": "queue"}]}')
    for rest in ("", "/stream", "/day.json?view=0"):
        assert httpx.get(wall.link(screen, rest)).status_code == 503
    wall.store.replace(screen.id, number_screen())
    assert wall.config(screen)["name"] == "Door"


def test_screen_with_an_unknown_field_and_an_unknown_view_is_shown(wall: RunningWall, tmp_path: Path) -> None:
    screen = wall.store.create(number_screen())
    views = [{"kind": "queue"}, {"kind": "number", "site_id": SITE_ID, "unit": "%"}]
    newer = json.dumps({"name": "Door", "views": views, "brightness": 3})
    alter(tmp_path, "UPDATE screens SET composition = ?", newer)
    assert [view["kind"] for view in wall.config(screen)["views"]] == ["number"]


@pytest.mark.parametrize(
    "asked", ["9" * 5000, "-1", "1", "0x0", "٠", "", "0&view=7", "nonsense", "%00", "1e0", "00000000"]
)
def test_view_that_is_not_there_has_no_curve(wall: RunningWall, asked: str) -> None:
    screen = wall.store.create(CURVE)
    answer = httpx.get(wall.link(screen, f"/day.json?view={asked}"))
    assert answer.status_code == 404
    assert answer.json() == {"error": "This view has no curve."}


def a_site(timezone: str) -> dict[str, Any]:
    zone = {"id": "hall", "name": "Hall", "capacity": 60}
    return {"id": SITE_ID, "name": "Shop", "timezone": timezone, "zones": [zone], "passages": []}


@pytest.mark.parametrize("timezone", ["Europe", "x" * 5000, "../../etc/passwd", "Mars/Sea", "a\x00b", "/"])
async def test_time_zone_that_is_none_costs_no_wall(start_wall: StartWall, timezone: str) -> None:
    async def other(call: Call) -> None:
        if call.path.endswith(SITE_ID):
            await call.answer(body=json.dumps({"data": a_site(timezone), "meta": META}).encode())
        else:
            await call.answer(body=envelope([point(5)]))

    async with misbehaving_server(answer_nothing, answer_nothing) as service:
        service.other = other
        wall = start_wall(service.base_url, "key")
        screen = wall.store.create(CURVE)
        async with httpx.AsyncClient(timeout=60) as client:
            page = await client.get(wall.link(screen))
            day = await client.get(wall.link(screen, "/day.json?view=0"))
        assert (page.status_code, day.status_code) == (200, 200), page.text + day.text
        assert day.json()["timezone"] == "Etc/UTC"
        assert '"timezone":"Etc/UTC"' in page.text


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"])
@pytest.mark.parametrize("rest", ["", "/stream", "/day.json?view=0"])
def test_nothing_can_be_changed_over_a_link(wall: RunningWall, method: str, rest: str) -> None:
    screen = wall.store.create(number_screen())
    assert httpx.request(method, wall.link(screen, rest)).status_code == 405


def test_page_names_no_address_from_the_root(wall: RunningWall) -> None:
    """So that it works behind any path prefix."""
    screen = wall.store.create(CURVE)
    page = httpx.get(wall.link(screen)).text
    assert '="/' not in page
    assert "http" not in page.replace("http-equiv", "")
    config = wall.config(screen)
    assert config["stream"] == f"{screen.token}/stream"
    assert config["views"][0]["day"] == f"{screen.token}/day.json?view=0"


@pytest.fixture(scope="module")
def client() -> Iterator[httpx.Client]:
    with httpx.Client(timeout=60) as opened:
        yield opened


@pytest.fixture
def known(wall: RunningWall) -> NewLink:
    return wall.store.create(CURVE)


SEGMENT = st.text(max_size=40) | st.sampled_from(["..", ".", "%", "a.b", "." * 50, "x" * 5000, "\x00", "é"])
NAMES = st.sampled_from(["view", "preview", "revision", "token", "x"])
PARAMETERS = st.dictionaries(NAMES, st.text(max_size=50))
HEADER = st.text(st.characters(min_codepoint=32, max_codepoint=255, exclude_characters="\x7f"), max_size=60)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    token=st.just("") | SEGMENT,
    rest=st.sampled_from(["", "/day.json", "/other", "/stream/x"]),
    parameters=PARAMETERS,
    language=HEADER,
    agent=HEADER,
)
def test_no_request_breaks_a_route(
    wall: RunningWall,
    known: NewLink,
    client: httpx.Client,
    *,
    token: str,
    rest: str,
    parameters: dict[str, str],
    language: str,
    agent: str,
) -> None:
    """An empty token stands for a screen that is there."""
    place = quote(token, safe="") or known.token
    headers = {
        b"Accept-Language": language.strip().encode("latin-1"),
        b"User-Agent": agent.strip().encode("latin-1"),
    }
    for path in (f"/screen/{place}{rest}", f"/screen-assets/{place}/{quote(language, safe='') or 'x'}"):
        answer = client.get(f"{wall.base_url}{path}", params=parameters, headers=headers)
        assert answer.status_code < 500, (path, answer.text)
