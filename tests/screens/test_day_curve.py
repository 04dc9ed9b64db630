from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import httpx
import pytest

from analysis.time_inside import Gap
from api_client import Client
from live.snapshot import FeedKey
from screens import Composition, View, ViewKind
from screens.day_curve import Day, read_time_inside, read_today, read_typical_day
from tests.running_service import start_service
from tests.screens.conftest import SITE_ID, RunningWall, StartWall, number_screen
from tests.scripted_service import KEY, ScriptedService, scripted_service
from tests.small_site import create_small_site, store_counts

ZURICH = ZoneInfo("Europe/Zurich")


def test_a_day_knows_its_length_when_the_clocks_change() -> None:
    def hours(day: date) -> float:
        found = Day(FeedKey("a"), ZURICH, day)
        return (found.end - found.start) / timedelta(hours=1)

    assert [hours(date(2026, 3, 29)), hours(date(2026, 10, 25)), hours(date(2026, 6, 1))] == [23, 25, 24]


@pytest.fixture
def counted(tmp_path: Path) -> Path:
    """The same hour of the last six weeks, with 60 entrances each, and of the last minutes."""
    create_small_site(tmp_path / "service")
    return tmp_path / "service"


def test_both_curves_come_from_a_real_service(counted: Path) -> None:
    now = datetime.now(UTC).replace(second=0, microsecond=0)
    counted_at = now - timedelta(minutes=2)
    day = Day(FeedKey(SITE_ID, ("hall",)), ZURICH, counted_at.astimezone(ZURICH).date())
    counts = []
    for weeks in range(1, 7):
        noon = day.earlier(7 * weeks).end - timedelta(hours=12)
        counts += [(noon + timedelta(minutes=minute), "entrance", weeks, 0) for minute in range(15)]
    counts += [(counted_at, "entrance", 25, 0)]
    store_counts(counted, counts)
    service = start_service(counted)
    try:
        site = create_small_site(counted)
        with Client(service.base_url, site.read_key) as client:
            typical = dict(read_typical_day(client, day).points)
            so_far = read_today(client, day)
            while_inside = read_time_inside(client, day, so_far)
            untold = read_time_inside(client, day, so_far._replace(points=()))
    finally:
        service.kill()
    # 15 minutes of 1, 2, .. 6 a minute: means of 8, 16, .. 48; their median lies between 24 and 32.
    assert typical[12 * 60 + 7.5] == 28.0
    assert so_far.points[-1][1] == 25.0
    assert so_far.request_id
    assert while_inside is None, "25 came in, and none of them has left"
    assert untold is None
    assert so_far.gaps == ()


Flows = dict[int, tuple[int, int]]
"""Hours ago -> who came to the café and who left it within that minute."""
VISITS: Flows = {9: (40, 0), 8: (0, 40), 4: (30, 0), 3: (0, 30)}
RESET = 6
"""Hours ago."""


def time_inside_of(folder: Path, flows: Flows, *gaps: Gap) -> float | None:
    """Of a day that began twelve hours ago, or nearly thirteen; its minutes and those before are counted."""
    now = datetime.now(UTC).replace(second=0, microsecond=0)
    zone = ZoneInfo(f"Etc/GMT{now.hour - 12:+d}")
    site = create_small_site(folder, reset_hour=(now - timedelta(hours=RESET)).astimezone(ZURICH).hour)
    at = {now - timedelta(hours=hours, minutes=30): flow for hours, flow in flows.items()}
    minutes = [now - timedelta(minutes=ago) for ago in range(2, 20 * 60)]
    counts = ((one, *at.get(one, (0, 0))) for one in minutes)
    store_counts(folder, [(one, "terrace", left, came) for one, came, left in counts])
    service = start_service(folder)
    try:
        with Client(service.base_url, site.read_key) as client:
            day = Day(FeedKey(SITE_ID, ("cafe",)), zone, now.astimezone(zone).date())
            so_far = read_today(client, day)
            return read_time_inside(client, day, so_far._replace(gaps=(*so_far.gaps, *gaps)))
    finally:
        service.kill()


@pytest.mark.parametrize(
    ("flows", "told"),
    [
        (VISITS, 3600),
        (VISITS | {10: (0, 30)}, None),
        (VISITS | {17: (0, 30), 16: (40, 0), 15: (0, 39), 11: (0, 1)}, None),
        (VISITS | {17: (0, 30), 16: (40, 0), 15: (0, 40)}, 3600),
        (VISITS | {9: (41, 0)}, 3600),
        (VISITS | {9: (49, 0)}, None),
        ({4: (20, 0), 3: (0, 20)}, 3600),
        ({4: (19, 0), 3: (0, 19)}, None),
    ],
    ids=[
        "sound",
        "spoilt today",
        "spoilt since yesterday",
        "spoilt and over yesterday",
        "one left over",
        "nine left over",
        "enough",
        "few",
    ],
)
def test_the_time_inside_rests_on_enough_visits_and_on_sound_counts_alone(
    tmp_path: Path, flows: Flows, told: float | None
) -> None:
    """30 leave uncounted before the reset, of a count that reaches into today or not."""
    stay = time_inside_of(tmp_path, flows)
    assert stay == (told if told is None else pytest.approx(told, rel=0.02))


@pytest.mark.parametrize(("people", "told"), [(3, 3600), (4, None)])
def test_no_time_inside_is_told_where_many_were_there_while_minutes_are_missing(
    tmp_path: Path, people: int, told: float | None
) -> None:
    """One visit in twenty of the 70."""
    assert time_inside_of(tmp_path, VISITS, Gap(people, 3600)) == told


@pytest.mark.parametrize(("left_over", "days", "spoilt"), [(40, 2, 4), (4, 6, 0)])
def test_days_that_leave_many_over_at_the_next_reset_make_no_typical_day(
    counted: Path, left_over: int, days: int, spoilt: int
) -> None:
    """60 come to the café at 20:00 and leave at 23:00, but on four of six days some are not seen to leave."""
    day = Day(FeedKey(SITE_ID, ("cafe",)), ZURICH, datetime.now(ZURICH).date())
    counts = []
    for weeks in range(1, 7):
        evening = day.earlier(7 * weeks).end - timedelta(hours=4)
        seen = 60 - left_over if weeks <= 4 else 60
        flows = {0: (0, 60), 180: (seen, 0)}
        counts += [
            (evening + timedelta(minutes=minute), "terrace", *flows.get(minute, (0, 0)))
            for minute in range(9 * 60)
        ]
    store_counts(counted, counts)
    service = start_service(counted)
    try:
        with Client(service.base_url, create_small_site(counted).read_key) as client:
            typical = read_typical_day(client, day)
    finally:
        service.kill()
    assert (typical.days, typical.spoilt) == (days, spoilt)
    assert bool(typical.points) is (spoilt == 0)


async def test_the_wall_asks_for_the_curve_of_its_own_view_only(wall: RunningWall) -> None:
    views = (View(kind=ViewKind.CURVE, site_id=SITE_ID), View(kind=ViewKind.NUMBER, site_id=SITE_ID))
    screen = wall.store.create(Composition(name="Curve", views=views))
    asked = wall.config(screen)["views"][0]["day"]
    async with httpx.AsyncClient() as client:
        answer = await client.get(f"{wall.base_url}/screen/{asked}")
        others = [
            await client.get(wall.link(screen, f"/day.json?view={view}"))
            for view in ("1", "2", "-1", "", "²")
        ]
    assert answer.status_code == 200
    body = answer.json()
    curve = {"timezone", "day_start", "until", "typical", "today", "request_id", "as_of"}
    assert set(body) == curve | {"closed"}  # no notes: whoever passes by reads a wall
    assert body["closed"] == []
    assert body["timezone"] == "Europe/Zurich"
    midnight = datetime.fromtimestamp(body["day_start"], ZURICH)
    assert (midnight.hour, midnight.minute) == (0, 0)
    end = datetime.fromtimestamp(body["until"], ZURICH)
    assert (end.date(), end.time()) == (midnight.date() + timedelta(days=1), midnight.time())
    assert [other.status_code for other in others] == [404] * 5
    assert all("error" in other.json() for other in others)


@pytest.mark.parametrize("ahead", [timedelta(days=-3), timedelta(days=3)])
def test_today_is_the_day_that_it_is_for_the_service(start_wall: StartWall, ahead: timedelta) -> None:
    zones = [{"id": "hall", "name": "Hall", "capacity": 100}]
    shop = {"id": SITE_ID, "name": "Shop", "timezone": "Europe/Zurich", "zones": zones}
    with scripted_service(ScriptedService([shop], ahead=ahead)) as scripted:
        wall = start_wall(scripted.base_url, KEY)
        curve = View(kind=ViewKind.CURVE, site_id=SITE_ID)
        screen = wall.store.create(Composition(name="Curve", views=(curve,)))
        body = httpx.get(wall.link(screen, "/day.json?view=0"), timeout=30.0).json()
        present = scripted.now().timestamp()
    assert body["day_start"] <= present < body["until"]
    assert abs(body["as_of"] - present) < 60


def test_a_curve_that_cannot_be_read_says_why(start_wall: StartWall, counted: Path) -> None:
    site = create_small_site(counted)
    service = start_service(counted)
    wall = start_wall(service.base_url, site.read_key)
    curve = View(kind=ViewKind.CURVE, site_id=SITE_ID)
    screen = wall.store.create(number_screen().model_copy(update={"views": (curve,)}))
    wall.config(screen)
    service.kill()
    answer = httpx.get(wall.link(screen, "/day.json?view=0"), timeout=30.0)
    assert answer.status_code == 502
    assert answer.json()["error"]
