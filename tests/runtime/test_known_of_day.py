"""What live curves are told of opening hours and notes; a curve is never lost for what is kept of a site."""

from __future__ import annotations

import sqlite3
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import httpx
import pytest
from starlette.applications import Starlette
from structlog.testing import capture_logs

from analysis.hours_text import spans_of_text
from analysis.known_of_day import KnownOfDay
from analysis.notes import Note
from analysis.opening_hours import OpeningHours
from analysis.told_levels import ToldLevel
from api_client import Client
from live import StreamSigner
from live.snapshot import FeedKey
from live.tokens import GrantedFeed, StreamGrant
from runtime.known_of_day import read_known_of_day
from runtime.site_knowledge import keep_note, keep_opening_hours
from runtime.site_knowledge_store import SiteKnowledgeStore
from runtime.upstream import service_digest
from runtime.usual_routes import usual_routes
from screens.day_curve import Day, typical_days
from tests.scripted_service import KEY, ScriptedService, scripted_service

ZURICH = ZoneInfo("Europe/Zurich")
SHOP = FeedKey("shop")
HALL = FeedKey("shop", ("hall",))
MONDAY = Day(SHOP, ZURICH, date(2026, 11, 23))
HOURS = OpeningHours(week=(spans_of_text("9-13, 14-18"),) * 7)


pytestmark = pytest.mark.usefixtures("kept_here")


def closed_of(day: Day) -> list[tuple[str, str]]:
    """In UTC."""
    return [(f"{one.start:%H:%M}", f"{one.end:%H:%M}") for one in read_known_of_day(day).closed]


def test_closed_time_of_the_day_is_told_of_the_site_and_of_its_zones() -> None:
    assert read_known_of_day(MONDAY) == KnownOfDay()
    keep_opening_hours("shop", HOURS)
    assert closed_of(MONDAY) == [("23:00", "08:00"), ("12:00", "13:00"), ("17:00", "23:00")]
    assert closed_of(MONDAY._replace(feed=HALL)) == closed_of(MONDAY)
    assert closed_of(MONDAY._replace(feed=FeedKey("stall"))) == []


@pytest.mark.parametrize(
    ("day", "closed"), [(date(2026, 3, 29), ("23:00", "07:00")), (date(2026, 10, 25), ("22:00", "08:00"))]
)
def test_of_a_day_of_23_or_25_hours_the_night_is_as_long_as_it_is(day: date, closed: tuple[str, str]) -> None:
    keep_opening_hours("shop", HOURS)
    assert closed_of(MONDAY._replace(date=day))[0] == closed


def test_notes_of_the_day_alone_are_told_in_the_order_of_their_time() -> None:
    for hours, text in ((25, "tomorrow"), (12, "sale\nbegins"), (-1, "yesterday"), (9, "sensor moved")):
        keep_note("shop", Note(at=MONDAY.start + timedelta(hours=hours), text=text))
    body = read_known_of_day(MONDAY).body()
    start = MONDAY.start.timestamp()
    assert body["notes"] == [[start + 9 * 3600, "sensor moved"], [start + 12 * 3600, "sale begins"]]


def test_walls_get_no_notes() -> None:
    keep_opening_hours("shop", HOURS)
    keep_note("shop", Note(at=MONDAY.start, text="theft"))
    known = read_known_of_day(MONDAY)
    assert len(known.notes) == 1
    assert known.of_everybody() == {"closed": known.body()["closed"]}


def test_what_is_changed_is_told_the_next_time() -> None:
    keep_opening_hours("shop", HOURS)
    assert len(closed_of(MONDAY)) == 3
    keep_opening_hours("shop", None)
    assert closed_of(MONDAY) == []


def test_damaged_hours_leave_the_notes(tmp_path: Path) -> None:
    SiteKnowledgeStore(tmp_path).keep(service_digest(), "shop", "opening hours", "", "{")
    keep_note("shop", Note(at=MONDAY.start, text="sale"))
    known = read_known_of_day(MONDAY)
    assert known.closed == ()
    assert [note.text for note in known.notes] == ["sale"]


@pytest.mark.parametrize("content", [b"no database", b"SQLite format 3\0" + b"\xff" * 5000])
def test_a_file_that_is_damaged_leaves_the_curve(tmp_path: Path, content: bytes) -> None:
    keep_opening_hours("shop", HOURS)
    (file,) = tmp_path.glob("site-knowledge.sqlite")
    for rest in tmp_path.glob("site-knowledge.sqlite-*"):
        rest.unlink()
    file.write_bytes(content)
    with pytest.raises(sqlite3.DatabaseError):
        sqlite3.connect(file).execute("SELECT * FROM sqlite_master").fetchall()
    assert read_known_of_day(MONDAY) == KnownOfDay()


def test_what_was_set_by_hand_stands_among_the_notes_with_a_word_of_its_own() -> None:
    keep_note("shop", Note(at=MONDAY.start + timedelta(hours=9), text="sale"))
    start = MONDAY.start.timestamp()
    by_hand = [ToldLevel(MONDAY.start + timedelta(hours=8), 12, "we counted")]
    known = read_known_of_day(MONDAY)
    assert known.body(by_hand)["notes"] == [
        [start + 8 * 3600, "set to 12 by hand: we counted", "by hand"],
        [start + 9 * 3600, "sale"],
    ]
    assert "notes" not in known.of_everybody()


async def test_a_page_is_told_it_with_the_curve_of_today_alone() -> None:
    signer = StreamSigner("a secret for tests that nobody guesses")
    token = signer.sign(StreamGrant((GrantedFeed(SHOP, "Europe/Zurich"), GrantedFeed(HALL, "Europe/Zurich"))))
    shop = {"id": "shop", "name": "Shop", "timezone": "Europe/Zurich"}
    with scripted_service(ScriptedService([shop])) as service, Client(service.base_url, KEY) as client:
        today = Day.at(datetime.now(UTC), SHOP, "Europe/Zurich")
        keep_note("shop", Note(at=today.start, text="<b>sale</b>"))
        routes = usual_routes(lambda: client, lambda: signer, typical_days(lambda: client), read_known_of_day)
        transport = httpx.ASGITransport(app=Starlette(routes=routes))
        async with httpx.AsyncClient(transport=transport, base_url="http://dashboard") as browser:
            asked = {"token": token, "feed": [SHOP.name, HALL.name], "today": SHOP.name}
            while (told := (await browser.get("/live/usual", params=asked)).json())["missing"]:
                pass  # a busy machine may take longer than a page waits
            feeds = told["feeds"]
    assert feeds[SHOP.name]["notes"] == [[today.start.timestamp(), "<b>sale</b>"]]
    assert feeds[SHOP.name]["closed"] == []
    assert "notes" not in feeds[HALL.name]


def test_a_file_that_fails_does_not_fill_the_log_of_those_who_draw_the_curve(tmp_path: Path) -> None:
    (tmp_path / "site-knowledge.sqlite").write_bytes(b"no database" * 100)
    with capture_logs() as lines:
        for _ in range(50):
            assert read_known_of_day(MONDAY) == KnownOfDay()
    assert len(lines) == 2
