"""What a caller hears of minutes that are folded, over real HTTP."""

from __future__ import annotations

from contextlib import closing
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from contract.minutes import minute_number
from service.open_store import open_store, store_url
from service.store.audit_protocol import Author
from service.store.level_protocol import ZoneLevel
from service.store.protocol import KeyScope
from tests.service.conftest import Served, key_of
from tests.small_site import ORGANIZATION, SITE, count, store_counts

NOON = datetime(2025, 3, 3, 11, tzinfo=UTC)
"""At the site, whose counts begin there: of two hours of one day, and two of the next."""
UNTIL = "2025-03-04T04:00+01:00"


@pytest.fixture(scope="module", autouse=True)
def _folded(served: Served) -> None:
    """All but the second day."""
    minutes = [NOON + timedelta(days=day, minutes=minute) for day in (0, 1) for minute in range(120)]
    store_counts(served.site.data_dir, [(minute, "entrance", 2, 1) for minute in minutes])
    now = NOON + timedelta(days=4)
    with closing(open_store(store_url(served.site.data_dir), clock=lambda: now)) as store:
        # Of a minute before there were counts.
        told = ZoneLevel(SITE.id, "hall", minute_number(NOON) - 60, 0)
        assert store.levels.correct(told, "we counted", Author("Desk", "key-1", None), now).number == 1
        assert store.retention.fold(2)


def ask(served: Served, **changes: Any) -> tuple[list[Any], list[dict[str, Any]]]:
    asked = {
        "siteId": SITE.id,
        "metrics": ["entrances"],
        "from": "2025-03-03T12:00:00",
        "to": "2025-03-03T14:00:00",
        "timezone": "Europe/Zurich",
    }
    body = served.query(**(asked | changes)).json()
    return [point["metrics"]["entrances"] for point in body["data"]], body["meta"]["warnings"]


def test_hours_are_answered_from_quarters_and_it_is_said(served: Served) -> None:
    points, [warning] = ask(served, granularity="hour")
    assert points == [120, 120]
    assert (warning["code"], warning["details"]) == ("MINUTES_FOLDED", {"until": UNTIL})
    assert warning["message"].startswith(f"Before {UNTIL} counts are kept as quarters of an hour: ")
    assert ask(served, granularity="hour", aggregation="maximum")[0] == [2, 2]


def test_there_are_no_minutes_and_it_is_said(served: Served) -> None:
    points, [warning] = ask(served, granularity="minute")
    assert points == []
    assert warning["message"].endswith("there are no points by the minute.")


def test_nothing_is_said_of_ranges_that_are_kept_by_the_minute(served: Served) -> None:
    points, warnings = ask(
        served, **{"from": "2025-03-04T04:00:00", "to": "2025-03-04T14:00:00"}, granularity="hour"
    )
    assert points == [120, 120]
    assert warnings == []


def test_a_maximum_of_several_zones_has_no_points_and_it_is_said(served: Served) -> None:
    points, [warning] = ask(
        served, granularity="hour", aggregation="maximum", filter={"zoneIds": ["hall", "shop"]}
    )
    assert points == []
    assert "no points of the maximum of several zones" in warning["message"]


def test_a_count_of_folded_minutes_is_refused_alone(served: Served) -> None:
    refused = served.ingest([count(NOON)])
    assert refused.status_code == 400
    [error] = refused.json()["meta"]["errors"]
    assert error["code"] == "COUNTS_FOLDED"
    assert error["message"].startswith("Nothing was stored: ")
    assert error["message"].endswith("counts are taken from 2025-03-04T03:00:00+00:00 on.")
    assert served.ingest([count(NOON + timedelta(days=1))]).status_code == 200


def test_a_level_and_a_correction_of_folded_minutes_are_refused_alone(served: Served) -> None:
    told = {"timestamp": NOON.isoformat(), "siteId": SITE.id, "zoneId": "hall", "visitorsInside": 3}
    kept = told | {"timestamp": (NOON + timedelta(days=1)).isoformat()}
    own = served.site.ingest_headers
    refused = served.client.post("/ingest/levels", headers=own, json=[kept, told])
    assert refused.status_code == 400
    [error] = refused.json()["meta"]["errors"]
    assert error["code"] == "COUNTS_FOLDED"
    assert error["message"].startswith("Nothing was stored: some levels are of minutes that are kept as")
    assert error["message"].endswith("levels are taken from 2025-03-04T03:00:00+00:00 on.")
    assert served.client.post("/ingest/levels", headers=own, json=[kept]).status_code == 200
    path, admin = f"/admin/sites/{SITE.id}/corrections/1", key_of(served, ORGANIZATION.id, KeyScope.ADMIN)
    withdrawn = served.client.delete(path, headers={"x-api-key": admin})
    assert withdrawn.status_code == 400
    [error] = withdrawn.json()["meta"]["errors"]
    assert error["code"] == "COUNTS_FOLDED"
    assert error["message"].startswith("Nothing was changed: some corrections are of minutes that are kept")
