from __future__ import annotations

import gzip
import json
import re
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest

from keeping import DatabaseAwayError
from screens import Composition, Language, NewLink, PreviewSigner, ScreenStoreError, View, ViewKind
from screens.store import FILE_NAME, LinkedRevision
from tests.eventually import eventually
from tests.running_service import RunningService, free_port, start_service
from tests.screens.conftest import SECRET, SITE_ID, RunningWall, StartWall, number_screen
from tests.small_site import SmallSite


async def status_of(address: str) -> int:
    async with httpx.AsyncClient() as client:
        return (await client.get(address)).status_code


def test_a_link_opens_a_page_that_knows_its_screen(wall: RunningWall) -> None:
    screen = wall.store.create(number_screen("Door <North> & Co"))
    page = httpx.get(wall.link(screen))
    assert page.status_code == 200
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert page.headers["cache-control"] == "no-store"
    assert "default-src 'none'" in page.headers["content-security-policy"]
    assert "<title>Door &lt;North&gt; &amp; Co</title>" in page.text
    config = wall.config(screen)
    assert (config["name"], config["language"], config["theme"]) == ("Door <North> & Co", "en", "clock")
    assert config["stream"] == f"{screen.token}/stream"
    view = config["views"][0]
    assert (view["kind"], view["title"], view["timezone"]) == ("number", "Corner shop", "Europe/Zurich")
    assert view["feeds"] == [
        {"feed": SITE_ID, "title": "Corner shop", "timezone": "Europe/Zurich", "capacity": 100.0}
    ]
    assert {"day", "hours"}.isdisjoint(view)
    assert set(config["levels"]) == {"free", "filling", "full", "unknown", "closed"}


def test_a_name_cannot_end_the_script_element_it_stands_in(wall: RunningWall) -> None:
    name = "</script><script>alert(1)</script>"
    screen = wall.store.create(number_screen(name))
    page = httpx.get(wall.link(screen)).text
    assert "alert(1)</script>" not in page
    assert wall.config(screen)["name"] == name


def test_a_page_holds_no_key_and_no_zone_that_it_does_not_show(wall: RunningWall, site: SmallSite) -> None:
    screen = wall.store.create(number_screen(zone_id="cafe"))
    page = httpx.get(wall.link(screen)).text
    assert site.read_key not in page
    assert "Café" in page
    assert "Hall" not in page


def test_a_board_shows_all_zones_but_the_one_around_them(wall: RunningWall) -> None:
    view = View(kind=ViewKind.BOARD, site_id=SITE_ID)
    config = wall.config(wall.store.create(Composition(name="Board", views=(view,))))
    feeds = config["views"][0]["feeds"]
    assert [(feed["feed"], feed["title"], feed["capacity"]) for feed in feeds] == [
        ("corner-shop/hall", "Hall", 60.0),
        ("corner-shop/cafe", "Café", 40.0),
    ]


def test_the_view_of_all_sites_names_those_that_the_key_reads(wall: RunningWall) -> None:
    composition = Composition(name="All", views=(View(kind=ViewKind.SITES),))
    view = wall.config(wall.store.create(composition))["views"][0]
    assert [(feed["feed"], feed["capacity"]) for feed in view["feeds"]] == [(SITE_ID, 100.0)]


def test_a_view_of_a_site_that_is_gone_is_missing_and_the_others_are_shown(wall: RunningWall) -> None:
    views = (View(kind=ViewKind.NUMBER, site_id="gone"), View(kind=ViewKind.NUMBER, site_id=SITE_ID))
    gone, there = wall.config(wall.store.create(Composition(name="Two", views=views)))["views"]
    assert gone["feeds"] == []
    assert gone["is_missing"]
    assert there["feeds"]
    assert not there["is_missing"]


def test_a_view_of_a_zone_that_is_gone_is_missing(wall: RunningWall) -> None:
    view = wall.config(wall.store.create(number_screen(zone_id="torn-down")))["views"][0]
    assert (view["feeds"], view["is_missing"]) == ([], True)


def test_assets_are_kept_for_ever_under_their_own_version_only(wall: RunningWall) -> None:
    page = httpx.get(wall.link(wall.store.create(number_screen()))).text
    for name, kind in (("screen.js", "text/javascript"), ("screen.css", "text/css")):
        (address,) = re.findall(rf'"\.\./(screen-assets/[0-9a-f]+/{name})"', page)
        asset = httpx.get(f"{wall.base_url}/{address}")
        assert asset.status_code == 200
        assert asset.headers["content-type"] == f"{kind}; charset=utf-8"
        assert "immutable" in asset.headers["cache-control"]
    other = httpx.get(f"{wall.base_url}/screen-assets/another/screen.js")
    assert other.status_code == 200
    assert other.headers["cache-control"] == "no-store"
    assert httpx.get(f"{wall.base_url}/screen-assets/another/screen.exe").status_code == 404


def on_the_wire(address: str, **headers: str) -> tuple[httpx.Headers, bytes]:
    with httpx.stream("GET", address, headers=headers) as answer:
        return answer.headers, b"".join(answer.iter_raw())


@pytest.mark.parametrize("name", ["screen.js", "screen.css", "place.js", "place.css"])
def test_an_asset_is_compressed_for_who_takes_it_so(wall: RunningWall, name: str) -> None:
    address = f"{wall.base_url}/screen-assets/any/{name}"
    plain_headers, plain = on_the_wire(address, **{"Accept-Encoding": "identity"})
    headers, small = on_the_wire(address, **{"Accept-Encoding": "gzip, deflate"})
    assert headers["content-encoding"] == "gzip"
    assert "content-encoding" not in plain_headers
    assert headers["vary"] == plain_headers["vary"] == "Accept-Encoding"
    assert gzip.decompress(small) == plain
    assert len(small) < len(plain) / 2


@pytest.mark.parametrize(("stem", "most"), [("screen", 31), ("place", 44)])
def test_page_script_and_style_together_are_light_on_the_wire(
    wall: RunningWall, stem: str, most: int
) -> None:
    kinds = [kind for kind in ViewKind if stem == "place" or not kind.facts.draws_passages]
    views = tuple(View(kind=kind, site_id=None if kind is ViewKind.SITES else SITE_ID) for kind in kinds)
    screen = wall.store.create(Composition(name="All", views=views))
    page = on_the_wire(wall.link(screen))[1]
    assets = [f"{wall.base_url}/screen-assets/any/{stem}.{kind}" for kind in ("js", "css")]
    assert len(page) + sum(len(on_the_wire(one)[1]) for one in assets) < most * 1024
    assert f"/{stem}.js".encode() in httpx.get(wall.link(screen)).content


async def test_a_stream_carries_who_crosses_where_a_view_draws_it(wall: RunningWall) -> None:
    views = (View(kind=ViewKind.FLOW, site_id=SITE_ID),)
    screen = wall.store.create(Composition(name="Flow", views=views))
    async with wall.watch(screen) as shown:
        state = shown.named("state")[0]
        assert set(state["feeds"]) == {
            "corner-shop/hall", "corner-shop/cafe", "corner-shop//passages"
        }  # fmt: skip


@pytest.mark.parametrize("kind", ViewKind)
def test_a_wall_learns_when_its_places_are_closed_whatever_it_shows(
    wall: RunningWall, kind: ViewKind
) -> None:
    views = (View(kind=kind, site_id=None if kind is ViewKind.SITES else SITE_ID),) * 2
    screen = wall.store.create(Composition(name="Door", views=views))
    assert wall.config(screen)["hours"] == f"{screen.token}/hours.json"
    wall.hours.begin = datetime.now(UTC) + timedelta(hours=2)
    answer = httpx.get(wall.link(screen, "/hours.json"))
    assert answer.json() == {"closed": {SITE_ID: [[wall.hours.begin.timestamp(), None]]}}
    assert (answer.headers["cache-control"], answer.headers["content-encoding"]) == ("no-store", "gzip")
    assert wall.hours.asked == [SITE_ID], "once for each reading, however many views it has"


def test_a_wall_is_told_where_hours_cannot_be_read_now(wall: RunningWall) -> None:
    """It goes by those that it has: none would be an invitation."""
    screen = wall.store.create(Composition(name="x", views=(View(kind=ViewKind.NUMBER, site_id=SITE_ID),)))
    wall.hours.is_unreadable = True
    assert httpx.get(wall.link(screen, "/hours.json")).json() == {"closed": None}


def test_a_wall_is_told_no_hours_of_a_site_that_it_does_not_show(wall: RunningWall) -> None:
    wall.hours.begin = datetime.now(UTC)
    elsewhere = Composition(name="x", views=(View(kind=ViewKind.NUMBER, site_id="elsewhere"),))
    screen = wall.store.create(elsewhere)
    assert httpx.get(wall.link(screen, f"/hours.json?site={SITE_ID}")).json() == {"closed": {}}


@pytest.mark.parametrize("rest", ["", "/stream", "/day.json?view=0", "/hours.json"])
def test_an_unknown_link_leads_nowhere(wall: RunningWall, rest: str) -> None:
    answer = httpx.get(f"{wall.base_url}/screen/unknown{rest}", headers={"Accept-Language": "de-CH,fr;q=0.8"})
    assert answer.status_code == 404
    assert answer.headers["cache-control"] == "no-store"
    if not rest:
        assert "Dieser Bildschirm ist nicht in Betrieb." in answer.text
        assert 'lang="de"' in answer.text
        assert "Headroom" not in answer.text


async def test_a_stream_carries_the_feeds_of_its_screen_and_no_others(wall: RunningWall) -> None:
    screen = wall.store.create(number_screen(zone_id="cafe"))
    async with wall.watch(screen) as shown:
        state = shown.named("state")[0]
        assert set(state["feeds"]) == {"corner-shop/cafe"}
        assert state["version"] == wall.config(screen)["version"]
        assert "token" not in state


async def test_no_parameter_widens_what_a_stream_carries(wall: RunningWall) -> None:
    screen = wall.store.create(number_screen(zone_id="cafe"))
    async with wall.watch(screen, "/stream?feed=corner-shop&zone=hall&token=x&site=elsewhere") as shown:
        assert set(shown.named("state")[0]["feeds"]) == {"corner-shop/cafe"}


async def test_a_revoked_screen_is_told_so_and_its_stream_ends(wall: RunningWall) -> None:
    screen = wall.store.create(number_screen())
    async with wall.watch(screen) as shown:
        wall.store.revoke(screen.id)
        await eventually(lambda: shown.ended)
        assert shown.events[-1] == ("screen", {"status": "revoked"})
    assert await status_of(wall.link(screen)) == 404


async def test_a_rotated_link_is_dead_and_the_new_one_shows_the_screen(wall: RunningWall) -> None:
    screen = wall.store.create(number_screen())
    async with wall.watch(screen) as shown:
        rotated = wall.store.rotate(screen.id)
        await eventually(lambda: shown.ended)
        assert shown.events[-1] == ("screen", {"status": "revoked"})
    assert await status_of(wall.link(screen)) == 404
    assert wall.config(rotated)["name"] == "Door"


async def test_a_changed_screen_is_told_so_and_its_next_stream_carries_the_new_feeds(
    wall: RunningWall,
) -> None:
    screen = wall.store.create(number_screen())
    async with wall.watch(screen) as shown:
        wall.store.replace(screen.id, number_screen(zone_id="hall"))
        await eventually(lambda: shown.ended)
        assert shown.events[-1] == ("screen", {"status": "changed"})
        old = shown.named("state")[0]["version"]
    async with wall.watch(screen) as shown:
        state = shown.named("state")[0]
        assert set(state["feeds"]) == {"corner-shop/hall"}
        assert state["version"] != old


async def test_a_wall_of_all_sites_comes_back_soon_for_those_that_were_added(
    wall: RunningWall, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("screens.routes._SOMETIMES", (0.1, 0.2))
    every = wall.store.create(Composition(name="All", views=(View(kind=ViewKind.SITES),)))
    one = wall.store.create(number_screen())
    async with wall.watch(one) as lasting, wall.watch(every) as passing:
        await eventually(lambda: passing.ended)
        assert passing.named("screen") == [], "nothing is to be said: the wall comes back by itself"
        assert not lasting.ended


async def test_what_another_dashboard_revokes_ends_here_too(
    wall: RunningWall, start_wall: StartWall, site: SmallSite
) -> None:
    other = start_wall("http://127.0.0.1:9", site.read_key)
    screen = wall.store.create(number_screen())
    async with wall.watch(screen) as shown:
        other.store.revoke(screen.id)
        await eventually(lambda: shown.ended)
        assert shown.events[-1] == ("screen", {"status": "revoked"})


async def test_an_unchanged_screen_is_left_alone(wall: RunningWall) -> None:
    screen, other = wall.store.create(number_screen()), wall.store.create(number_screen("Other"))
    async with wall.watch(screen) as kept, wall.watch(other) as revoked:
        wall.store.revoke(other.id)
        await eventually(lambda: revoked.ended)
        assert not kept.ended


async def test_a_revoked_screen_ends_although_an_earlier_look_failed(wall: RunningWall) -> None:
    screen = wall.store.create(number_screen())
    async with wall.watch(screen) as shown:
        wall.access.fault = ValueError("the settings are half saved")
        await eventually(lambda: wall.access.failures > 0)
        wall.access.fault = None
        wall.store.revoke(screen.id)
        await eventually(lambda: shown.ended)
        assert shown.events[-1] == ("screen", {"status": "revoked"})


@pytest.mark.parametrize("rest", ["", "/stream", "/day.json", "/hours.json"])
def test_a_defect_of_the_store_is_told_as_an_outage(wall: RunningWall, rest: str) -> None:
    screen = wall.store.create(number_screen())
    wall.access.fault = ValueError("the settings are half saved")
    answer = httpx.get(wall.link(screen, rest))
    assert answer.status_code == 503
    assert answer.headers["retry-after"] == "10"
    assert "half saved" not in answer.text


async def test_who_looks_is_known_while_the_stream_is_open(wall: RunningWall) -> None:
    screen = wall.store.create(number_screen())
    async with wall.watch(screen), wall.watch(wall.preview(screen)):
        (viewer,) = wall.viewers.of(screen.id)
        assert (viewer.address, viewer.agent) == ("127.0.0.*", "Chrome 85 on X11; Linux armv7l")
    await eventually(lambda: not wall.viewers.of(screen.id))
    await eventually(lambda: wall.store.opened().get(screen.id) is not None)


async def test_walls_wait_for_nobody_who_writes_to_the_saved_screens(
    wall: RunningWall, tmp_path: Path
) -> None:
    screen = wall.store.create(number_screen())
    with closing(sqlite3.connect(tmp_path / "dashboard" / FILE_NAME, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        async with wall.watch(screen), wall.watch(screen), wall.watch(screen):
            assert len(wall.viewers.of(screen.id)) == 3
            assert wall.store.opened() == {}
        other.execute("ROLLBACK")
    await eventually(lambda: wall.store.opened().get(screen.id) is not None)


async def test_walls_go_on_while_the_file_of_the_saved_screens_is_away(
    wall: RunningWall, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Restoring a backup turns no wall dark, and tells none that its link is dead."""
    screen, looks = wall.store.create(number_screen()), list[int]()
    read_revisions = wall.store.revisions

    def counted_look() -> dict[str, LinkedRevision]:
        looks.append(len(looks))
        return read_revisions()

    monkeypatch.setattr(wall.store, "revisions", counted_look)
    file, aside = tmp_path / "dashboard" / FILE_NAME, tmp_path / "aside"
    async with wall.watch(screen) as shown:
        file.rename(aside)
        assert await status_of(wall.link(screen)) == 503
        looked = len(looks)
        await eventually(lambda: len(looks) > looked + 1)
        assert not shown.ended
        assert not file.exists()
        aside.rename(file)
        assert await status_of(wall.link(screen)) == 200
        wall.store.revoke(screen.id)
        await eventually(lambda: shown.ended)
        assert shown.events[-1] == ("screen", {"status": "revoked"})


def away() -> ScreenStoreError:
    """As of a database that several dashboards share."""
    error = ScreenStoreError("cannot be used: no answer.")
    error.__cause__ = DatabaseAwayError("no answer")
    return error


async def test_walls_go_on_and_come_back_while_their_database_is_away_but_not_for_ever(
    start_wall: StartWall, service: RunningService, site: SmallSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("screens.changes._EVERY", 0.1)
    wall = start_wall(service.base_url, site.read_key, unconfirmed=2.0)
    screen, never_opened = wall.store.create(number_screen()), wall.store.create(number_screen("Back"))
    async with wall.watch(screen) as shown:
        wall.access.fault = away()
        async with wall.watch(screen) as come_back:
            assert (come_back.status, shown.ended) == (200, False)
        assert await status_of(wall.link(screen)) == 200
        assert await status_of(wall.link(never_opened)) == 503
        await eventually(lambda: shown.ended)
        assert shown.named("screen") == [{"status": "unsure"}]
        assert await status_of(wall.link(screen)) == 503
    wall.access.fault = None
    assert await status_of(wall.link(screen)) == 200


async def test_what_was_revoked_before_the_database_went_away_is_not_shown_from_memory(
    wall: RunningWall,
) -> None:
    screen = wall.store.create(number_screen())
    assert await status_of(wall.link(screen)) == 200
    wall.store.revoke(screen.id)
    assert await status_of(wall.link(screen)) == 404
    wall.access.fault = away()
    assert await status_of(wall.link(screen)) == 503


async def test_a_preview_does_not_open_a_screen(wall: RunningWall) -> None:
    screen = wall.store.create(number_screen())
    async with wall.watch(wall.preview(screen)):
        assert wall.store.opened() == {}


def test_preview_needs_no_link(wall: RunningWall) -> None:
    screen = wall.store.create(number_screen())
    wall.store.revoke(screen.id)
    config = wall.config(wall.preview(screen))
    assert (config["name"], screen.token in str(config)) == ("Door", False)


async def test_preview_follows_its_screen_and_ends_with_it(wall: RunningWall) -> None:
    screen = wall.store.create(number_screen())
    async with wall.watch(wall.preview(screen)) as shown:
        wall.store.rotate(screen.id)
        await eventually(lambda: shown.ended)
        assert shown.events[-1] == ("screen", {"status": "changed"})
    async with wall.watch(wall.preview(screen)) as shown:
        wall.store.delete(screen.id)
        await eventually(lambda: shown.ended)
        assert shown.events[-1] == ("screen", {"status": "revoked"})
    assert await status_of(wall.link(wall.preview(screen))) == 404


async def test_preview_ends_with_its_ticket_and_says_so(wall: RunningWall) -> None:
    preview = wall.preview(wall.store.create(number_screen()))
    async with wall.watch(preview) as shown:
        wall.clock.ahead = 2 * 3600.0
        await eventually(lambda: shown.ended)
        assert shown.events[-1] == ("screen", {"status": "over"})
    async with httpx.AsyncClient() as client:
        for rest in ("", "/stream", "/day.json?view=0", "/hours.json"):
            answer = await client.get(wall.link(preview, rest))
            assert (answer.status_code, "This preview is over." in answer.text) == (410, True)


async def test_preview_goes_on_while_its_ticket_does(wall: RunningWall) -> None:
    """The other stream's end shows that somebody looked at the clock."""
    screen = wall.store.create(number_screen())
    old = wall.preview(screen)
    wall.clock.ahead = 2 * 3600.0
    later = NewLink(screen.id, PreviewSigner(SECRET, now=wall.clock).ticket(screen.id))
    wall.clock.ahead = 0.0
    async with wall.watch(later) as kept, wall.watch(old) as over:
        wall.clock.ahead = 2 * 3600.0
        await eventually(lambda: over.ended)
        assert not kept.ended


@pytest.mark.parametrize("forged", ["{id}", "{id}.", ".", "WyJhIiw5OTk5OTk5OTk5XQ.c2lnbmF0dXJl"])
def test_forged_ticket_leads_nowhere(wall: RunningWall, forged: str) -> None:
    screen = wall.store.create(number_screen())
    address = f"{wall.base_url}/screen/{forged.format(id=screen.id)}"
    assert httpx.get(address).status_code == 404
    assert httpx.get(f"{address}/stream").status_code == 404


async def test_a_screen_that_opens_before_the_service_waits_and_asks_again(start_wall: StartWall) -> None:
    wall = start_wall(f"http://127.0.0.1:{free_port()}", "key")
    screen = wall.store.create(number_screen().model_copy(update={"language": Language.ITALIAN}))
    async with httpx.AsyncClient() as client:
        page = await client.get(wall.link(screen), headers={"Accept-Language": "de"})
    assert page.status_code == 503
    assert page.headers["retry-after"] == "10"
    assert "Numero non disponibile, dalle <time" in page.text
    assert "127.0.0.1" not in page.text
    (told,) = wall.shown.of(screen.id, is_watched=False)
    assert "127.0.0.1" in told.error
    assert told.since is not None
    async with wall.watch(screen) as shown:
        assert shown.status == 503


async def test_a_screen_that_was_known_opens_while_the_service_is_away(
    start_wall: StartWall, site: SmallSite
) -> None:
    service = start_service(site.data_dir)
    wall = start_wall(service.base_url, site.read_key)
    screen = wall.store.create(number_screen())
    known = wall.config(screen)
    service.kill()
    assert json.dumps(wall.config(screen)) == json.dumps(known)


async def test_a_draft_is_shown_live_without_being_stored_or_counted(wall: RunningWall) -> None:
    ticket = PreviewSigner(SECRET).draft_ticket(number_screen(zone_id="cafe"))
    draft = NewLink("", ticket or "")
    assert wall.config(draft)["views"][0]["title"] == "Corner shop, Café"
    async with wall.watch(draft, "/stream?feed=corner-shop") as shown:
        assert set(shown.named("state")[0]["feeds"]) == {"corner-shop/cafe"}
        assert wall.viewers.of("") == ()
        wall.clock.ahead = 3 * 3600
        await eventually(lambda: shown.ended)
    assert shown.named("screen") == [{"status": "over"}]
    assert await status_of(wall.link(draft)) == 410
    assert wall.store.screens() == ()


async def test_a_draft_of_a_site_that_the_key_cannot_read_shows_nothing_of_it(wall: RunningWall) -> None:
    elsewhere = Composition(name="x", views=(View(kind=ViewKind.NUMBER, site_id="elsewhere"),))
    draft = NewLink("", PreviewSigner(SECRET).draft_ticket(elsewhere) or "")
    assert wall.config(draft)["views"][0]["feeds"] == []
    forged = NewLink("", PreviewSigner("another").draft_ticket(number_screen()) or "")
    assert await status_of(wall.link(forged)) == 404
