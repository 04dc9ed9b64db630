from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import pytest
from hypothesis import given

from api_client import FUTURE, IMPOSSIBLE, SiteGone, SiteLatest, SitesComplete, SkippedEvent
from api_client.latest_stream import read_latest
from api_client.site_now import site_now
from contract import MetricPoint
from contract.latest_sites import LatestOfSite
from tests.damaged import ANY_BYTES, damaged

NOW: Final = datetime(2025, 6, 3, 10, tzinfo=UTC)
TOLD: Final[dict[str, Any]] = {
    "kind": "site",
    "siteId": "corner-shop",
    "name": "Corner shop",
    "timezone": "Europe/Zurich",
    "topZoneId": "shop",
    "capacity": 40,
    "devicesOffline": 2,
    "newest": {"timestamp": "2025-06-03T09:59:00+00:00", "metrics": {"visitorsInside": 12, "exits": 2}},
}


def read(**changes: Any) -> Any:
    return read_latest(json.dumps(TOLD | changes), NOW)


def test_a_site_is_read_as_the_answer_to_now_would_be() -> None:
    told = read()
    assert isinstance(told, SiteLatest)
    assert (told.site_id, told.capacity, told.devices_offline) == ("corner-shop", 40.0, 2)
    now = site_now(told.answer)
    assert (now.inside, now.measured_at, now.distrust) == (12, NOW - timedelta(minutes=1), "")
    assert now.zone_ids == ("shop",)


def test_a_site_before_its_first_count_has_no_value() -> None:
    now = site_now(read(newest=None).answer)
    assert (now.newest, now.zone_ids, now.distrust) == (None, ("shop",), "")


def test_what_the_contract_prints_is_read() -> None:
    point = MetricPoint(NOW, {"visitorsInside": 3})
    model = LatestOfSite(site_id="a", top_zone_id="all", newest=point)
    told = read_latest(model.model_dump_json(by_alias=True), NOW)
    assert isinstance(told, SiteLatest)
    assert told.answer.points == (point,)


def test_the_other_kinds_are_read_and_those_to_come_passed_over() -> None:
    assert read_latest('{"kind":"complete","sites":3}', NOW) == SitesComplete()
    assert read_latest('{"kind":"gone","siteId":"a"}', NOW) == SiteGone("a")
    for other in ('{"kind":"weather","siteId":"a"}', '{"kind":"heartbeat"}', "[]", "7", "{}", '{"kind":[]}'):
        assert isinstance(read_latest(other, NOW), SkippedEvent), other


@pytest.mark.parametrize("site_id", [None, "", 7, "x" * 201, "\0", {}])
def test_a_site_without_an_id_that_can_be_is_passed_over(site_id: object) -> None:
    assert isinstance(read(siteId=site_id), SkippedEvent)


def test_values_that_cannot_be_right_are_left_out_and_said() -> None:
    later = {"timestamp": (NOW + timedelta(hours=1)).isoformat(), "metrics": {"visitorsInside": 1}}
    assert read(newest=later).answer.left_out[FUTURE] == 1
    assert read(newest=later).answer.points == ()
    impossible = {"timestamp": NOW.isoformat(), "metrics": {"visitorsInside": -1}}
    assert read(newest=impossible).answer.left_out[IMPOSSIBLE] == 1
    assert isinstance(read(newest={"metrics": {}}), SkippedEvent)
    for wrong in (-1, "40", True, 1e308, None):
        assert read(capacity=wrong).capacity is None
        assert read(devicesOffline=wrong).devices_offline == 0


@given(
    ANY_BYTES | damaged(json.dumps(TOLD).encode(), pieces=[b"[", b"{", b"null", b'"', b"1e999", b"\\u0000"])
)
def test_any_damage_is_read_as_something(body: bytes) -> None:
    told = read_latest(body.decode(errors="replace"), NOW)
    assert isinstance(told, SiteLatest | SiteGone | SitesComplete | SkippedEvent)
