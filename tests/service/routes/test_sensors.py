"""Reports of counters over HTTP, and where somebody places them."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any, Final
from zoneinfo import ZoneInfo

import httpx
import pytest

from service.open_store import open_store, store_url
from service.sensors.presence import heard_again
from service.store.protocol import KeyScope
from tests.service.conftest import Served, key_of
from tests.small_site import ORGANIZATION, OTHER_ORGANIZATION

SERIALS: Final = (f"ACCC8E{number:06}" for number in count())
QUARTER: Final = timedelta(minutes=15)
LATELY: Final = datetime.now(UTC).replace(minute=0, second=0, microsecond=0) - timedelta(days=2)


@pytest.fixture(scope="module")
def admin_key(served: Served) -> str:
    return key_of(served, ORGANIZATION.id, KeyScope.ADMIN)


@pytest.fixture
def serial() -> str:
    return next(SERIALS)


@pytest.fixture(autouse=True)
def taken_down(served: Served, admin_key: str) -> Iterator[None]:
    """Another test's counter counts nothing here."""
    yield
    for sensor in sensors(served, admin_key):
        if sensor["placement"]:
            served.client.put(placement(sensor), headers={"x-api-key": admin_key}, json={"passageId": None})


def report(serial: str, start: datetime, came: int, went: int) -> dict[str, Any]:
    items = [{"direction": "in", "count": came}, {"direction": "out", "count": went}]
    measured = {
        "kind": "people-counts",
        "utcFrom": start.isoformat(),
        "utcTo": (start + QUARTER).isoformat(),
        "items": items,
    }
    return {
        "apiName": "Axis Retail Data",
        "sensor": {"serial": serial},
        "data": {"measurements": [measured]},
    }


def sent(served: Served, body: Any, **headers: str) -> httpx.Response:
    return served.client.post("/ingest/axis-3d", headers=served.site.ingest_headers | headers, json=body)


def sensors(served: Served, admin_key: str) -> list[dict[str, Any]]:
    answer = served.client.get("/admin/sensors", headers={"x-api-key": admin_key})
    assert answer.status_code == 200
    found: list[dict[str, Any]] = answer.json()["data"]
    return found


def the_sensor(served: Served, admin_key: str, serial: str) -> dict[str, Any]:
    [found] = [one for one in sensors(served, admin_key) if one["serial"] == serial]
    return found


def placement(sensor: dict[str, Any]) -> str:
    return f"/admin/sensors/{sensor['number']}/placement"


def error_of(answer: httpx.Response) -> tuple[int, str, str]:
    [error] = answer.json()["meta"]["errors"]
    return answer.status_code, error["code"], error["message"]


def inside_of(served: Served, start: datetime) -> list[tuple[int, int]]:
    asked = {
        "siteId": "corner-shop", "metrics": ["entrances", "exits"], "granularity": "minute",
        "from": f"{start:%Y-%m-%dT%H:%M:%S}", "to": f"{start + QUARTER:%Y-%m-%dT%H:%M:%S}",
        "filter": {"passageIds": ["entrance"]},
    }  # fmt: skip
    points = served.query(**asked).json()["data"]
    return [(point["metrics"]["entrances"], point["metrics"]["exits"]) for point in points]


def test_a_counter_is_heard_placed_and_counts(served: Served, admin_key: str, serial: str) -> None:
    start = LATELY
    waits = sent(served, report(serial, start, 15, 1))
    assert (waits.status_code, waits.json()["data"]) == (200, {"waiting": 1})
    sensor = the_sensor(served, admin_key, serial)
    assert (sensor["maker"], sensor["line"], sensor["placement"], sensor["waiting"]) == (
        "axis-3d",
        "",
        None,
        1,
    )
    assert inside_of(served, start) == []
    body = {"passageId": "entrance", "isSwapped": False}
    placed = served.client.put(placement(sensor), headers={"x-api-key": admin_key}, json=body)
    assert (placed.status_code, placed.json()["data"]) == (200, {"counted": 1})
    assert inside_of(served, start) == [(1, 0)] * 7 + [(1, 1)] + [(1, 0)] * 7
    again = sent(served, report(serial, start, 15, 1))
    assert again.json()["data"] == {"duplicate": 1}
    sensor = the_sensor(served, admin_key, serial)
    assert sensor["status"] == "Online"
    assert sensor["placement"] == body
    assert (sensor["waiting"], sensor["conflicts"]) == (0, 0)
    down = served.client.put(placement(sensor), headers={"x-api-key": admin_key}, json={"passageId": None})
    assert (down.status_code, down.json()["data"]) == (200, {})
    assert sent(served, report(serial, start + QUARTER, 1, 1)).json()["data"] == {"waiting": 1}


def test_a_placed_counter_is_a_device_of_its_passage(served: Served, admin_key: str, serial: str) -> None:
    sent(served, report(serial, LATELY, 1, 1))
    body = {"passageId": "entrance"}
    address = placement(the_sensor(served, admin_key, serial))
    served.client.put(address, headers={"x-api-key": admin_key}, json=body)
    passages = served.get("/v3/sites/corner-shop").json()["data"]["passages"]
    assert passages[0]["devices"] == [
        {"id": "pad-1", "name": "Pad 1", "status": "Online"},
        {"id": serial, "name": f"AXIS 3D People Counter {serial}", "status": "Online"},
    ]
    assert [device["id"] for device in passages[1]["devices"]] == ["pad-2"]


def test_minutes_of_which_only_a_sum_was_told_are_named(served: Served, admin_key: str, serial: str) -> None:
    body = report(serial, LATELY, 60, 1)
    [measured] = body["data"]["measurements"]
    measured["utcTo"] = (LATELY + timedelta(hours=1)).isoformat()
    sent(served, body)
    address = placement(the_sensor(served, admin_key, serial))
    served.client.put(address, headers={"x-api-key": admin_key}, json={"passageId": "terrace"})
    asked = {
        "siteId": "corner-shop", "metrics": ["entrances"], "granularity": "hour",
        "from": f"{LATELY:%Y-%m-%dT%H:30:00}", "to": f"{LATELY + timedelta(hours=3):%Y-%m-%dT%H:%M:%S}",
    }  # fmt: skip
    here = ZoneInfo("Europe/Zurich")
    begins, ends = (LATELY + timedelta(minutes=minute) for minute in (30, 60))
    [warning] = served.query(**asked).json()["meta"]["warnings"]
    assert warning == {
        "code": "COUNTS_SPREAD",
        "message": "Of 30 minutes of passages counters told no more than sums of longer stretches;"
        " their people are spread evenly.",
        "details": {
            f"terrace from {begins.astimezone(here).isoformat(timespec='minutes')}":
            f"until {ends.astimezone(here).isoformat(timespec='minutes')}"
        },
    }  # fmt: skip
    of_others = asked | {"filter": {"passageIds": ["archway"]}}
    assert served.query(**of_others).json()["meta"]["warnings"] == []


def test_open_streams_hear_of_a_counter(served: Served, admin_key: str, serial: str) -> None:
    now = datetime.now(UTC)
    sent(served, report(serial, now - 2 * QUARTER, 1, 0))
    asked = {"siteId": "corner-shop", "metrics": ["entrances"], "live": True}
    headers = served.site.headers | {"accept": "text/event-stream"}
    with served.client.stream("POST", "/v3/metrics", headers=headers, json=asked) as stream:
        lines = stream.iter_lines()
        body = {"passageId": "entrance"}
        address = placement(the_sensor(served, admin_key, serial))
        served.client.put(address, headers={"x-api-key": admin_key}, json=body)
        sent(served, report(serial, datetime.now(UTC) - QUARTER, 999, 0))
        assert next(line for line in lines if '"entrances":' in line and line != "data: []")


@pytest.mark.parametrize("scheme", ["basic", "bearer"])
def test_a_counter_without_headers_of_its_own_sends_the_key_as_a_password(
    served: Served, serial: str, scheme: str
) -> None:
    body = report(serial, LATELY, 1, 1)
    key = served.site.ingest_key
    given = {"basic": base64.b64encode(f"counter:{key}".encode()).decode(), "bearer": key}[scheme]
    address = "/ingest/axis-3d"
    sent = served.client.post(address, headers={"authorization": f"{scheme.title()} {given}"}, json=body)
    assert (sent.status_code, sent.json()["data"]) == (200, {"waiting": 1})


@pytest.mark.parametrize(
    "given", ["", "Basic", "Basic %%%", "Basic Og==", "Digest abc", "Bearer", "Bearer x"]
)
def test_what_is_no_key_is_refused(served: Served, given: str) -> None:
    answer = served.client.post("/ingest/axis-3d", headers={"authorization": given}, json={})
    assert error_of(answer)[:2] == (401, "INVALID_API_KEY")


def test_the_type_of_a_body_is_the_counters_business(served: Served, serial: str) -> None:
    body = report(serial, LATELY, 1, 1)
    assert sent(served, body, **{"content-type": "text/plain"}).status_code == 200


def test_a_report_that_is_none_is_refused_by_name(served: Served) -> None:
    status, code, message = error_of(sent(served, {"apiName": "Axis Retail Data"}))
    assert (status, code) == (400, "INVALID_REPORT")
    assert message.startswith("Nothing was stored: this is no report of AXIS 3D People Counter")
    assert "data: Field required" in message


def test_makers_that_are_not_known_are_named(served: Served) -> None:
    answer = served.client.post("/ingest/nobody", headers=served.site.ingest_headers, json={})
    status, code, message = error_of(answer)
    assert (status, code) == (404, "NOT_FOUND")
    assert "axis-3d" in message


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"{", "MALFORMED_JSON"),
        (b"{}", "INVALID_BODY"),
        (b"[]", "INVALID_BODY"),
        (b'{"passageId": "entrance", "isSwapped": 1}', "INVALID_BODY"),
        (b'{"passageId": "entrance", "swapped": true}', "INVALID_BODY"),
        (b'{"passageId": "nowhere"}', "UNKNOWN_PASSAGE"),
        (b'{"passageId": "other-door"}', "UNKNOWN_PASSAGE"),
    ],
)
def test_a_place_that_is_none_changes_nothing(
    served: Served, admin_key: str, serial: str, body: bytes, code: str
) -> None:
    sent(served, report(serial, LATELY, 1, 1))
    sensor = the_sensor(served, admin_key, serial)
    answer = served.client.put(placement(sensor), headers={"x-api-key": admin_key}, content=body)
    assert error_of(answer)[:2] == (400, code)
    assert the_sensor(served, admin_key, serial) == sensor


def test_a_sensor_that_is_not_there_cannot_be_placed(served: Served, admin_key: str) -> None:
    address = "/admin/sensors/123456/placement"
    answer = served.client.put(address, headers={"x-api-key": admin_key}, json={"passageId": "entrance"})
    assert error_of(answer)[:2] == (404, "NOT_FOUND")


def test_each_organization_sees_and_places_its_own(served: Served, admin_key: str, serial: str) -> None:
    sent(served, report(serial, LATELY, 1, 1))
    sensor = the_sensor(served, admin_key, serial)
    rival = {"x-api-key": key_of(served, OTHER_ORGANIZATION.id, KeyScope.ADMIN)}
    assert served.client.get("/admin/sensors", headers=rival).json()["data"] == []
    answer = served.client.put(placement(sensor), headers=rival, json={"passageId": "other-door"})
    assert error_of(answer)[:2] == (404, "NOT_FOUND")


def test_each_key_does_what_it_is_for(served: Served, admin_key: str) -> None:
    read, ingest = served.site.headers, served.site.ingest_headers
    admin = {"x-api-key": admin_key}
    for method, path, others in (
        ("GET", "/admin/sensors", (read, ingest)),
        ("PUT", "/admin/sensors/1/placement", (read, ingest)),
        ("POST", "/ingest/axis-3d", (read, admin)),
        ("GET", "/v3/sites", (ingest, admin)),
    ):
        for headers in others:
            answer = served.client.request(method, path, headers=headers)
            assert error_of(answer)[:2] == (403, "FORBIDDEN_ACCESS"), path


def dismissed(served: Served, admin_key: str, *numbers: int, **asked: object) -> httpx.Response:
    body = {"numbers": numbers} | asked
    headers = {"x-api-key": admin_key, "x-acting-for": "Ana"}
    return served.client.post("/admin/sensors/dismissal", headers=headers, json=body)


def changes(served: Served, admin_key: str, number: int) -> list[tuple[str, str, str]]:
    headers = {"x-api-key": admin_key}
    found = served.client.get("/admin/audit", headers=headers, params={"limit": number}).json()["data"]
    return [(one["action"], one["target"], one["actingFor"]) for one in found]


def test_a_counter_that_is_dismissed_is_back_when_it_reports_again(
    served: Served, admin_key: str, serial: str
) -> None:
    sent(served, report(serial, LATELY, 3, 1))
    sent(served, report(serial, LATELY + QUARTER, 3, 1))
    number = the_sensor(served, admin_key, serial)["number"]
    assert dismissed(served, admin_key, number, number).json()["data"] == {"dismissed": 1}
    assert serial not in {one["serial"] for one in sensors(served, admin_key)}
    assert changes(served, admin_key, 1) == [("sensor.dismissed", f"axis-3d {serial}", "Ana")]
    assert sent(served, report(serial, LATELY, 3, 1)).json()["data"] == {"waiting": 1}
    assert the_sensor(served, admin_key, serial)["waiting"] == 1


def test_a_counter_that_is_ignored_stays_so_until_it_is_placed_or_heeded_again(
    served: Served, admin_key: str, serial: str
) -> None:
    sent(served, report(serial, LATELY, 3, 1))
    number = the_sensor(served, admin_key, serial)["number"]
    dismissed(served, admin_key, number, isIgnored=True).raise_for_status()
    assert changes(served, admin_key, 1) == [("sensor.ignored", f"axis-3d {serial}", "Ana")]
    assert sent(served, report(serial, LATELY + QUARTER, 3, 1)).json()["data"] == {"ignored": 1}
    found = the_sensor(served, admin_key, serial)
    assert (found["isIgnored"], found["waiting"]) == (True, 0)
    served.client.put(
        placement(found), headers={"x-api-key": admin_key}, json={"passageId": "entrance"}
    ).raise_for_status()
    assert sent(served, report(serial, LATELY + 2 * QUARTER, 3, 1)).json()["data"] == {"counted": 1}
    assert not dismissed(served, admin_key, number).is_success, "it is placed"
    served.client.put(
        placement(found), headers={"x-api-key": admin_key}, json={"passageId": None}
    ).raise_for_status()
    assert not the_sensor(served, admin_key, serial)["isIgnored"]
    assert dismissed(served, admin_key, number).is_success
    # What had counted of it is known no more: it is another counter.
    assert sent(served, report(serial, LATELY + 2 * QUARTER, 3, 1)).json()["data"] == {"waiting": 1}


def test_each_organization_dismisses_its_own(served: Served, admin_key: str, serial: str) -> None:
    sent(served, report(serial, LATELY, 3, 1))
    number = the_sensor(served, admin_key, serial)["number"]
    other = key_of(served, OTHER_ORGANIZATION.id, KeyScope.ADMIN)
    assert error_of(dismissed(served, other, number))[:2] == (404, "NOT_FOUND")
    assert the_sensor(served, admin_key, serial)["waiting"] == 1


@pytest.mark.parametrize("numbers", [[], [0], ["1"], [1.5], None, [1] * 1_001])
def test_what_is_no_list_of_counters_dismisses_nothing(
    served: Served, admin_key: str, numbers: object
) -> None:
    headers = {"x-api-key": admin_key}
    answer = served.client.post("/admin/sensors/dismissal", headers=headers, json={"numbers": numbers})
    assert error_of(answer)[:2] == (400, "INVALID_BODY")


def test_a_status_alone_takes_no_room_once_something_is_dismissed(
    served: Served, admin_key: str, serial: str
) -> None:
    sent(served, report(serial, LATELY, 3, 1))
    with closing(open_store(store_url(served.site.data_dir))) as store:
        with store.sensors.writing() as rows:
            rows.note_heard(ORGANIZATION.id, "axis-3d", "SILENT-1", heard_again(None, LATELY))
        dismissed(served, admin_key, the_sensor(served, admin_key, serial)["number"])
        with store.sensors.writing() as rows:
            assert rows.heard(ORGANIZATION.id, "axis-3d", "SILENT-1") is None
