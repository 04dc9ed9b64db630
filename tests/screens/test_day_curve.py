from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import httpx
import pytest

from api_client import Client
from contract import MetricKey, MetricPoint
from live.snapshot import FeedKey
from screens import Composition, View, ViewKind
from screens.day_curve import (
    Day,
    means_by_quarter,
    means_by_step,
    read_today,
    read_typical_day,
    typical_day,
)
from tests.running_service import start_service
from tests.screens.conftest import SITE_ID, RunningWall, StartWall, number_screen
from tests.small_site import create_small_site, store_counts

ZURICH = ZoneInfo("Europe/Zurich")


def points(start: datetime, values: Iterable[float | None]) -> list[MetricPoint]:
    """One a minute from `start`; None: no value in that minute."""
    return [
        MetricPoint(
            timestamp=start + timedelta(minutes=minute),
            metrics={} if value is None else {MetricKey.VISITORS_INSIDE: value},
        )
        for minute, value in enumerate(values)
    ]


def test_todays_curve_has_a_mean_every_five_minutes_and_keeps_its_gaps() -> None:
    start = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
    values = [1, 2, 3, 4, 5, *[None] * 5, 7, 8]
    assert means_by_step(points(start, values)) == (
        (int(start.timestamp()), 3.0),
        (int(start.timestamp()) + 600, 7.5),
    )


def test_a_quarter_is_named_by_the_local_clock() -> None:
    start = datetime(2026, 3, 2, 8, 0, tzinfo=UTC)
    assert means_by_quarter(points(start, [4] * 15 + [6] * 15), ZURICH) == {540: 4.0, 555: 6.0}


def test_the_hour_that_the_clocks_repeat_is_one_hour_of_the_typical_day() -> None:
    before_the_change = datetime(2026, 10, 25, 0, 0, tzinfo=UTC)
    assert means_by_quarter(points(before_the_change, [2] * 60 + [4] * 60), ZURICH) == {
        120: 3.0,
        135: 3.0,
        150: 3.0,
        165: 3.0,
    }


def test_a_typical_day_is_the_median_and_one_feast_does_not_move_it() -> None:
    assert typical_day([{540: 10.0}, {540: 12.0}, {540: 500.0}]).points == ((540, 12.0),)


def test_two_days_make_no_typical_day() -> None:
    assert typical_day([{540: 10.0, 555: 10.0}, {540: 12.0}, {555: 3.0}]).points == ()


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
        noon = day.earlier(7 * weeks).start + timedelta(hours=12)
        counts += [(noon + timedelta(minutes=minute), "entrance", weeks, 0) for minute in range(15)]
    counts += [(counted_at, "entrance", 5, 0)]
    store_counts(counted, counts)
    service = start_service(counted)
    try:
        site = create_small_site(counted)
        with Client(service.base_url, site.read_key) as client:
            typical = dict(read_typical_day(client, day).points)
            so_far = read_today(client, day)
    finally:
        service.kill()
    # 15 minutes of 1, 2, .. 6 a minute: means of 8, 16, .. 48; their median lies between 24 and 32.
    assert typical[12 * 60] == 28.0
    assert so_far.points[-1][1] == 5.0
    assert so_far.request_id


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
    assert set(body) == {"timezone", "day_start", "typical", "today", "request_id", "as_of"}
    assert body["timezone"] == "Europe/Zurich"
    midnight = datetime.fromtimestamp(body["day_start"], ZURICH)
    assert (midnight.hour, midnight.minute) == (0, 0)
    assert [other.status_code for other in others] == [404] * 5
    assert all("error" in other.json() for other in others)


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
