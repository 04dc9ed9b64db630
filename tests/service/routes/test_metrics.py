from __future__ import annotations

import itertools
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from service.application import create_application
from service.open_store import open_store, store_url
from service.settings import ServiceSettings
from tests.service.conftest import Served
from tests.small_site import count, create_small_site, store_counts

QUERY = {"siteId": "corner-shop", "metrics": ["entrances"], "from": "1 hour ago", "to": "now"}


def test_a_range_that_starts_a_minute_ago_has_no_data(served: Served) -> None:
    now = datetime.now(UTC)
    served.ingest([count(now - timedelta(minutes=age)) for age in range(4)])
    fresh = served.query(**QUERY | {"from": "1 minute ago"}).json()
    assert fresh["data"] == []
    assert fresh["meta"]["errors"] == []
    earlier = served.query(**QUERY | {"from": "4 minutes ago"}).json()["data"]
    assert earlier
    assert all(datetime.fromisoformat(point["timestamp"]) < now - timedelta(minutes=1) for point in earlier)


async def test_range_that_starts_a_minute_ago_is_empty_when_the_minute_turns_meanwhile(
    tmp_path: Path,
) -> None:
    site = create_small_site(tmp_path)
    turn = datetime(2025, 6, 2, 10, tzinfo=UTC)
    store_counts(tmp_path, [(turn - timedelta(minutes=age), "entrance", 1, 0) for age in range(4)])
    readings = (turn + timedelta(seconds=0.1 * step - 0.05) for step in itertools.count())
    with closing(open_store(store_url(tmp_path))) as store:
        application = create_application(store, ServiceSettings(), clock=lambda: next(readings))
        transport = httpx.ASGITransport(application)
        async with (
            application.router.lifespan_context(application),
            httpx.AsyncClient(transport=transport, base_url="http://service") as client,
        ):
            asked = QUERY | {"from": "1 minute ago", "granularity": "minute"}
            answer = await client.post("/v3/metrics", headers=site.headers, json=asked)
    assert answer.json()["data"] == []


def test_the_newest_value_knows_the_running_minute(served: Served) -> None:
    served.ingest([count(datetime.now(UTC), forward=3)])
    before = datetime.now(UTC).replace(second=0, microsecond=0) - timedelta(minutes=1)
    [point] = served.query(**QUERY | {"from": "now"}).json()["data"]
    assert datetime.fromisoformat(point["timestamp"]) >= before
    assert point["metrics"]["entrances"] >= 3


def test_the_newest_hour_is_given_as_far_as_it_is_filled(served: Served) -> None:
    served.ingest([count(datetime.now(UTC), forward=2)])
    [point] = served.query(**QUERY | {"from": "now", "granularity": "hour"}).json()["data"]
    assert datetime.fromisoformat(point["timestamp"]).minute == 0
    assert point["metrics"]["entrances"] >= 2


def test_a_zurich_day_of_25_hours_has_25_points(served: Served) -> None:
    start = datetime(2025, 10, 25, 22, tzinfo=UTC)
    store_counts(
        served.site.data_dir, [(start + timedelta(minutes=m), "entrance", 1, 0) for m in range(25 * 60)]
    )
    day = {"from": "2025-10-26T00:00:00", "to": "2025-10-27T00:00:00", "timezone": "Europe/Zurich"}
    hours = served.query(**QUERY | day | {"granularity": "hour"}).json()["data"]
    assert [point["metrics"]["entrances"] for point in hours] == [60] * 25
    assert hours[2]["timestamp"] == "2025-10-26T00:00:00+00:00"
    [whole] = served.query(**QUERY | day | {"granularity": "day"}).json()["data"]
    assert whole == {"timestamp": "2025-10-25T22:00:00+00:00", "metrics": {"entrances": 1500}}
    assert len(served.query(**QUERY | day | {"granularity": "minute"}).json()["data"]) == 1500


def test_another_processs_counts_are_seen(served: Served) -> None:
    start = datetime(2025, 1, 6, 12, tzinfo=UTC)
    store_counts(served.site.data_dir, [(start, "archway", 4, 1)])
    asked = {"from": "2025-01-06T12:00:00", "to": "2025-01-06T13:00:00", "filter": {"zoneIds": ["cafe"]}}
    answer = served.query(**QUERY | asked | {"metrics": ["entrances", "exits"]}).json()
    assert [point["metrics"] for point in answer["data"]] == [{"entrances": 4, "exits": 1}]


def test_a_metric_without_a_value_is_left_out(served: Served) -> None:
    start = datetime(2025, 1, 7, 12, tzinfo=UTC)
    store_counts(served.site.data_dir, [(start, "entrance", 0, 0)])
    asked = {
        "from": "2025-01-07T12:00:00",
        "to": "2025-01-07T13:00:00",
        "metrics": ["entrances", "timeSpent"],
    }
    assert served.query(**QUERY | asked).json()["data"][0]["metrics"] == {"entrances": 0}


@pytest.mark.parametrize(
    "fields",
    [
        {"siteId": "s" * 200_000},
        {"metrics": [1] * 80_000},
        {"metrics": ["a"] * 50_000},
        {"timezone": "T" * 5000},
        {"timezone": "Europe"},
        {"filter": {"zoneIds": ["z" * 5000]}},
    ],
    ids=lambda fields: str(fields)[:30],
)
def test_a_large_or_odd_mistake_is_answered_briefly(served: Served, fields: dict[str, Any]) -> None:
    answer = served.query(**QUERY | fields)
    assert answer.status_code in {400, 404}
    assert len(answer.content) < 20_000


@pytest.mark.parametrize(("site", "status"), [("elsewhere", 403), ("nowhere", 404)])
def test_other_organizations_sites_cannot_be_queried(served: Served, site: str, status: int) -> None:
    answer = served.query(**QUERY | {"siteId": site})
    assert answer.status_code == status


def test_the_status_is_that_of_the_most_severe_error(served: Served) -> None:
    answer = served.query(**QUERY | {"siteId": "elsewhere", "timezone": "Nowhere", "metrics": []})
    assert answer.status_code == 403
    codes = [error["code"] for error in answer.json()["meta"]["errors"]]
    assert codes == ["FORBIDDEN_ACCESS", "INVALID_BODY", "UNKNOWN_TIMEZONE"]


def test_limit_and_offset_are_accepted_without_effect(served: Served) -> None:
    plain = served.query(**QUERY | {"from": "2025-10-26T00:00:00", "to": "2025-10-26T12:00:00"}).json()
    paged = served.client.post(
        "/v3/metrics?limit=1&offset=many",
        headers=served.site.headers,
        json=QUERY | {"from": "2025-10-26T00:00:00", "to": "2025-10-26T12:00:00"},
    ).json()
    assert paged["data"] == plain["data"]
