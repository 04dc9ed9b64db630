"""`meta.warnings` of what visitorsInside hides, over real HTTP, and where it stays out."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, time, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import httpx
import pytest

from tests.running_service import start_service
from tests.service.conftest import Served
from tests.small_site import count, create_small_site

ZURICH = ZoneInfo("Europe/Zurich")


def reset_ago(days: int) -> datetime:
    """A reset that is over by days, at the site's offset."""
    today = datetime.now(ZURICH)
    day = today.date() - timedelta(days=days + (today.hour < 5))
    return datetime.combine(day, time(4), ZURICH)


def asked(**changes: Any) -> dict[str, Any]:
    first, last = (reset_ago(days).strftime("%Y-%m-%dT%H:%M:%S") for days in (9, 2))
    body = {
        "siteId": "corner-shop", "metrics": ["visitorsInside"], "from": first, "to": last,
        "granularity": "hour", "timezone": "Europe/Zurich",
    }  # fmt: skip
    return body | changes


@pytest.fixture(scope="module")
def hiding(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Six days ago five went out before twelve came in."""
    site = create_small_site(tmp_path_factory.mktemp("hiding"))
    service = start_service(site.data_dir)
    noon = reset_ago(6).astimezone(UTC) + timedelta(hours=8)
    counts = [count(noon, 0, 5), count(noon + timedelta(hours=1), 12), count(noon + timedelta(days=1), 0, 0)]
    try:
        with httpx.Client(base_url=service.base_url, timeout=60.0) as client:
            served = Served(site, service, client)
            served.ingest(counts).raise_for_status()
            yield served
    finally:
        service.stop()


def warned(served: Served, **changes: Any) -> Any:
    answer = served.query(**asked(**changes))
    assert answer.status_code == 200, answer.text
    return answer.json()["meta"]["warnings"]


def test_each_counted_day_is_told_at_its_reset(hiding: Served) -> None:
    (entry,) = warned(hiding)
    assert entry["code"] == "PEOPLE_HIDDEN"
    assert "12 were left over at daily resets, and 5 exits found nobody inside" in entry["message"]
    assert entry["details"] == {
        reset_ago(5).isoformat(timespec="minutes"): "12 left over, 5 exits found nobody inside",
        reset_ago(4).isoformat(timespec="minutes"): "0 left over, 0 exits found nobody inside",
    }


def test_a_count_that_goes_on_has_left_nobody_over_yet(hiding: Served) -> None:
    begun = reset_ago(6)
    until = (begun + timedelta(hours=10)).strftime("%Y-%m-%dT%H:%M:%S")
    (entry,) = warned(hiding, to=until)
    since = f"since {begun.isoformat(timespec='minutes')}"
    assert entry["details"] == {since: "5 exits found nobody inside"}


@pytest.mark.parametrize(
    "changes",
    [
        {"metrics": ["entrances", "exits"]},
        {"metrics": ["entrances"], "filter": {"passageIds": ["entrance"]}},
        {"filter": {"zoneIds": ["cafe"]}},
        {"from": "1 year ago", "to": "now", "granularity": "day"},
        {"from": "now", "to": "now", "granularity": None},
        {"from": "1 minute ago", "to": "now"},
    ],
)
def test_where_nothing_is_hidden_or_it_is_not_asked_for_there_is_no_warning(
    hiding: Served, changes: dict[str, Any]
) -> None:
    assert warned(hiding, **changes) == []


def test_other_warnings_stay_beside_it(hiding: Served) -> None:
    found = warned(hiding, metrics=["visitorsInside", "timeSpent"], aggregation="maximum")
    assert [entry["code"] for entry in found] == ["AGGREGATION_IGNORED", "PEOPLE_HIDDEN"]


def test_a_stream_tells_points_and_nothing_else(hiding: Served) -> None:
    headers = hiding.site.headers | {"Accept": "text/event-stream"}
    body, lines = asked(live=True), list[str]()
    with hiding.client.stream("POST", "/v3/metrics", headers=headers, json=body) as answer:
        for line in answer.iter_lines():
            lines.append(line)
            if sum(one.startswith("data:") for one in lines) >= 3:
                break
    points = [json.loads(line.removeprefix("data:")) for line in lines if line.startswith("data:")]
    assert all(point.keys() == {"timestamp", "metrics"} for point in points)
    assert not any("PEOPLE_HIDDEN" in line for line in lines)


def test_a_late_count_is_in_the_next_answer(tmp_path: Path) -> None:
    site = create_small_site(tmp_path)
    service = start_service(tmp_path)
    noon = reset_ago(4).astimezone(UTC) + timedelta(hours=8)
    try:
        with httpx.Client(base_url=service.base_url, timeout=60.0) as client:
            served = Served(site, service, client)
            served.ingest([count(noon, 0, 5)]).raise_for_status()
            (before,) = warned(served)
            served.ingest([count(noon - timedelta(hours=1), 3)]).raise_for_status()
            (after,) = warned(served)
    finally:
        service.stop()
    reset = reset_ago(3).isoformat(timespec="minutes")
    assert before["details"] == {reset: "0 left over, 5 exits found nobody inside"}
    assert after["details"] == {reset: "0 left over, 2 exits found nobody inside"}
