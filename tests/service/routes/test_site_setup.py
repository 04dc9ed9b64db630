"""Sites as an administrator sets them up over HTTP."""

from __future__ import annotations

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.open_store import open_store, store_url
from service.sensors.taking import place, take
from service.sensors.told_count import Kind, Report, ToldCount
from service.store.protocol import KeyScope
from service.store.sensor_protocol import Placement, SensorName
from tests.service.conftest import Served, key_of
from tests.small_site import ORGANIZATION, count

DAY = datetime(2025, 6, 2, 9, tzinfo=UTC)


class SetUp:
    """Asks with a key of scope admin."""

    def __init__(self, client: httpx.Client, key: str) -> None:
        self.client = client
        self.headers = {"x-api-key": key}

    def get(self, site_id: str) -> httpx.Response:
        return self.client.get(f"/admin/sites/{site_id}", headers=self.headers)

    def put(self, site_id: str, body: Any, **headers: str) -> httpx.Response:
        content = body if isinstance(body, bytes) else json.dumps(body)
        return self.client.put(f"/admin/sites/{site_id}", headers=self.headers | headers, content=content)

    def changes(self, limit: int = 1) -> list[dict[str, Any]]:
        answer = self.client.get("/admin/audit", headers=self.headers, params={"limit": limit})
        found: list[dict[str, Any]] = answer.json()["data"]
        return found


@pytest.fixture(scope="module")
def set_up(served: Served) -> SetUp:
    return SetUp(served.client, key_of(served, ORGANIZATION.id, KeyScope.ADMIN))


def site(name: str = "Kiosk", *, door: str, **more: Any) -> dict[str, Any]:
    zones = [{"id": "all", "name": "All"}, {"id": "hall", "name": "Hall", "capacity": 10}]
    passages = [{"id": door, "name": "Door", "fromZoneId": None, "toZoneId": "hall"}]
    return {"name": name, "timezone": "Europe/Zurich", "zones": zones, "passages": passages} | more


def errors_of(answer: httpx.Response) -> dict[str, dict[str, str]]:
    """Code -> details."""
    assert answer.json()["data"] is None
    return {error["code"]: error.get("details") or {} for error in answer.json()["meta"]["errors"]}


def test_a_site_is_created_counts_and_is_archived(served: Served, set_up: SetUp) -> None:
    answer = set_up.put("kiosk", site(door="kiosk-door"), **{"if-none-match": "*"})
    stored = answer.json()["data"]
    assert answer.status_code == 200
    assert stored.pop("notes") == ["Zone 'all' was taken for the whole site (topZoneId)."]
    assert (stored["topZoneId"], stored["dailyResetHour"], stored["organizationId"]) == ("all", 4, "corner")
    read = set_up.get("kiosk")
    assert (read.json()["data"], read.headers["etag"]) == (stored, answer.headers["etag"])
    served.ingest([count(DAY, 3, passage="kiosk-door")])
    asked = {"siteId": "kiosk", "metrics": ["entrances"], "granularity": "hour"}
    range_ = {"from": "2025-06-02T08:00:00", "to": "2025-06-02T13:00:00"}
    counted = served.query(**asked, **range_).json()["data"]
    assert [point["metrics"] for point in counted] == [{"entrances": 3}]
    # The hall is renamed and the door kept: so are its counts.
    renamed = stored | {
        "name": "Kiosk 2",
        "zones": [stored["zones"][0], stored["zones"][1] | {"name": "Hal"}],
    }
    assert set_up.put("kiosk", renamed).status_code == 200
    assert served.query(**asked, **range_).json()["data"] == counted
    [change] = set_up.changes()
    assert (change["action"], change["target"]) == ("site.changed", "kiosk")
    assert change["before"] == {"name": "Kiosk", "zones": {"hall": {"name": "Hall"}}}
    assert change["after"] == {"name": "Kiosk 2", "zones": {"hall": {"name": "Hal"}}}
    for archived in (True, False):
        assert set_up.put("kiosk", renamed | {"archived": archived}).status_code == 200
        listed = served.get("/v3/sites?limit=100").json()["data"]
        assert ("kiosk" in {one["id"] for one in listed}) is not archived
        everything = served.client.get("/admin/sites", headers=set_up.headers).json()["data"]
        [row] = [one for one in everything if one["id"] == "kiosk"]
        assert (row["archived"], row["zones"], row["passages"]) == (archived, 2, 1)
        assert row["updatedAt"]


def test_what_the_api_answers_is_taken_with_its_envelope_and_changes_nothing(
    served: Served, set_up: SetUp
) -> None:
    before = set_up.changes()
    etag = set_up.get("corner-shop").headers["etag"]
    document = served.get("/v3/sites/corner-shop").json()
    for body in (document, document["data"], set_up.get("corner-shop").json()):
        answer = set_up.put("corner-shop", body)
        assert (answer.status_code, answer.headers["etag"], answer.json()["data"]["notes"]) == (200, etag, [])
        assert set_up.put("corner-shop", answer.json()["data"]).headers["etag"] == etag
    assert set_up.changes() == before


def test_placed_counters_that_an_answer_shows_are_no_part_of_the_site(served: Served, set_up: SetUp) -> None:
    """They would be devices for ever, with the status of that moment."""
    set_up.put("counted", site(door="counted-door"))
    etag = set_up.get("counted").headers["etag"]
    end = datetime.now(UTC) - timedelta(minutes=1)
    told = ToldCount("S-77", "", Kind.INTERVAL, end - timedelta(minutes=15), end, 3, 4, "identity")
    with closing(open_store(store_url(served.site.data_dir))) as store, store.sensors.writing() as rows:
        take(rows, ORGANIZATION.id, "axis-3d", Report((told,)), end)
        line = rows.line(SensorName(ORGANIZATION.id, "axis-3d", "S-77", ""), end)
        place(rows, line, Placement("counted-door", is_swapped=False))
    document = served.get("/v3/sites/counted").json()
    [passage] = document["data"]["passages"]
    assert [device["id"] for device in passage["devices"]] == ["S-77"]
    assert set_up.put("counted", document).headers["etag"] == etag
    # One that somebody has written into the site stays.
    document["data"]["passages"][0]["devices"] += [{"id": "pad", "name": "Pad", "status": ""}]
    stored = set_up.put("counted", document).json()["data"]
    assert [device["id"] for device in stored["passages"][0]["devices"]] == ["pad"]


def test_of_editors_at_the_same_time_one_is_taken(served: Served, set_up: SetUp) -> None:
    set_up.put("raced", site(door="raced-door"))
    read = set_up.get("raced")
    begin = threading.Barrier(4)

    def edit(number: int) -> int:
        body = read.json()["data"] | {"name": f"Editor {number}"}
        with httpx.Client(base_url=served.client.base_url, timeout=60.0) as client:
            begin.wait(60.0)
            answer = SetUp(client, set_up.headers["x-api-key"]).put(
                "raced", body, **{"if-match": read.headers["etag"]}
            )
        return answer.status_code

    with ThreadPoolExecutor(4) as editors:
        assert sorted(editors.map(edit, range(4))) == [200, 412, 412, 412]
    assert len([change for change in set_up.changes(4) if change["target"] == "raced"]) == 2


def test_a_site_of_another_installation_is_taken_as_the_organizations_own(set_up: SetUp) -> None:
    answer = set_up.put("moved", site(door="moved-door", organizationId="test-installation"))
    stored = answer.json()["data"]
    assert stored["organizationId"] == "corner"
    assert "test-installation" in stored["notes"][0]


def test_of_two_editors_the_second_reads_again(set_up: SetUp) -> None:
    set_up.put("shared", site(door="shared-door"))
    first, second = set_up.get("shared"), set_up.get("shared")
    mine = first.json()["data"] | {"name": "Mine"}
    theirs = second.json()["data"] | {"name": "Theirs"}
    assert set_up.put("shared", mine, **{"if-match": first.headers["etag"]}).status_code == 200
    late = set_up.put("shared", theirs, **{"if-match": second.headers["etag"]})
    assert (late.status_code, [*errors_of(late)]) == (412, ["PRECONDITION_FAILED"])
    now = set_up.get("shared")
    assert now.json()["data"]["name"] == "Mine"
    assert late.headers["etag"] == now.headers["etag"]
    merged = now.json()["data"] | {"name": "Both"}
    assert set_up.put("shared", merged, **{"if-match": late.headers["etag"]}).status_code == 200


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"if-none-match": "*"}, 412),
        ({"if-match": '"1"'}, 412),
        ({"if-match": 'W/"1", "2"'}, 412),
        ({"if-match": "1"}, 400),
        ({"if-match": '"1'}, 400),
        ({"if-none-match": ""}, 400),
        ({"if-none-match": '*, "1"'}, 400),
        ({"if-match": "*"}, 200),
        ({"if-none-match": '"1"'}, 200),
    ],
)
def test_a_precondition_holds_or_nothing_is_changed(
    set_up: SetUp, headers: dict[str, str], status: int
) -> None:
    set_up.put("held", site(door="held-door"))
    answer = set_up.put("held", site("Changed", door="held-door"), **headers)
    assert answer.status_code == status
    assert (set_up.get("held").json()["data"]["name"] == "Changed") is (status == 200)


def test_a_site_that_is_not_there_is_not_replaced(set_up: SetUp) -> None:
    answer = set_up.put("absent", site(door="absent-door"), **{"if-match": "*"})
    assert (answer.status_code, set_up.get("absent").status_code) == (412, 404)


def test_all_that_is_wrong_is_named_by_field_at_once(set_up: SetUp) -> None:
    zones = [{"id": "a/b", "name": ""}, {"id": "a", "name": "A", "capacity": -1, "colour": "red"}]
    body = {"id": "other", "name": "x" * 201, "dailyResetHour": 24, "zones": zones, "passages": {}}
    details = errors_of(set_up.put("wrong", body))["INVALID_BODY"]
    assert details.keys() == {
        *("id", "name", "dailyResetHour", "passages"),
        *("zones[0].id", "zones[0].name", "zones[1].capacity", "zones[1].colour"),
    }


def test_contradictions_and_taken_passages_are_named_together(set_up: SetUp) -> None:
    """Another organization is not named, nor is its site."""
    body = {
        "name": "x",
        "timezone": "Europe/Zuerich",
        "zones": [{"id": "a", "name": "A"}, {"id": "a", "name": "A"}, {"id": "b", "name": "B"}],
        "passages": [
            {"id": "other-door", "name": "Theirs", "toZoneId": "a"},
            {"id": "entrance", "name": "Ours", "toZoneId": "nowhere"},
            {"id": "round", "name": "Round", "fromZoneId": "a", "toZoneId": "a"},
            {"id": "round", "name": "Round", "fromZoneId": "a", "toZoneId": "b"},
        ],
    }
    answer = set_up.put("contradictory", body)
    found = errors_of(answer)
    assert answer.status_code == 409
    assert found["INVALID_BODY"].keys() == {
        *("zones", "timezone", "topZoneId", "passages", "passages[1].toZoneId", "passages[2]"),
    }
    assert found["PASSAGE_TAKEN"].keys() == {"passages[0].id", "passages[1].id"}
    assert "another organization" in found["PASSAGE_TAKEN"]["passages[0].id"]
    assert "'corner-shop'" in found["PASSAGE_TAKEN"]["passages[1].id"]
    assert "elsewhere" not in answer.text
    assert "rival" not in answer.text
    assert set_up.get("contradictory").status_code == 404


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("%00", 400),
        ("a%0Ab", 400),
        ("%20", 400),
        ("%2e%2e", 400),
        ("a%E2%80%8Bb", 400),
        ("x" * 201, 400),
        ("a%2Fb", 404),
        ("%F0%9F%9A%AA", 200),
    ],
)
def test_an_id_that_no_address_can_carry_is_refused(set_up: SetUp, path: str, status: int) -> None:
    answer = set_up.put(path, {"name": "x", "zones": [{"id": "all", "name": "All"}]})
    assert answer.status_code == status
    if status == 400:
        assert errors_of(answer)["INVALID_BODY"].keys() == {"id"}


PARTS = 10_000
ZONES = [{"id": "top", "name": "Top"}, *({"id": f"z{n}", "name": f"Z {n}"} for n in range(PARTS - 1))]
HOSTILE: dict[str, tuple[Any, int, str]] = {
    "one zone too many": ({"zones": [*ZONES, {"id": "more", "name": "M"}]}, 400, "zones"),
    "every field wrong": ({"zones": [{"id": 1, "name": 1, "area": ""}] * PARTS}, 400, "zones[0].id"),
    "many unknown fields": ({"zones": [dict.fromkeys(map(str, range(150_000)))]}, 400, "zones[0]"),
    "many devices": ({"zones": [{"id": "a", "name": "a", "devices": [1] * 10**6}]}, 400, "zones[0].devices"),
    "a zone as deep as JSON goes": (
        b'{"zones":[{"id":"a","name":"a","capacity":' + b"[" * 900 + b"]" * 900 + b"}]}", 400,
        "zones[0].capacity",
    ),
    "deeper than JSON goes": (b'{"name":' + b"[" * 10**6, 400, ""),
    "a long name": ({"name": "x" * 3_000_000}, 400, "name"),
    "a long time zone": ({"name": "x", "timezone": "x" * 3_000_000}, 400, "timezone"),
    "a long id": ({"name": "x", "id": "x" * 3_000_000}, 400, "id"),
    "too long a body": (b" " * (4 * 1024 * 1024 + 1), 413, ""),
    "no JSON": (b"\xff", 400, ""),
    "half a letter": (b'{"name":"\\ud800"}', 400, ""),
    "a list": ([], 400, "body"),
    "an answer without a site": ({"data": None, "meta": {}}, 400, "body"),
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_body_is_refused_in_few_words(set_up: SetUp, name: str) -> None:
    body, status, field = HOSTILE[name]
    if isinstance(body, dict) and "data" not in body:
        body = {"name": "x"} | body
    answer = set_up.put("hostile", body)
    assert answer.status_code == status
    [(_, details)] = errors_of(answer).items()
    assert len(details) <= 100
    assert not field or field in details
    assert len(answer.content) < 20_000
    assert set_up.get("hostile").status_code == 404


def test_the_largest_site_is_taken(set_up: SetUp) -> None:
    doors = [
        {"id": f"p{n}", "name": "Door", "fromZoneId": f"z{n}", "toZoneId": f"z{n + 1}"}
        for n in range(PARTS - 2)
    ]
    body = {"name": "Large", "topZoneId": "top", "zones": ZONES, "passages": doors}
    answer = set_up.put("large", body)
    assert answer.status_code == 200
    assert len(answer.json()["data"]["zones"]) == PARTS
    assert set_up.put("large", body | {"archived": True}).status_code == 200
    [change] = set_up.changes()
    assert (change["before"], change["after"]) == ({"archived": False}, {"archived": True})


def test_of_large_changes_a_page_has_fewer(set_up: SetUp) -> None:
    for number in range(4):
        zones = [{"id": f"y{number}-{n}", "name": f"{number}" * 150} for n in range(5_000)]
        body = {"name": "Toggled", "topZoneId": zones[0]["id"], "zones": zones}
        assert set_up.put("toggled", body).status_code == 200
    changes: list[dict[str, Any]] = []
    while len(changes) < 4:
        before = {"before": changes[-1]["number"]} if changes else {}
        answer = set_up.client.get("/admin/audit", headers=set_up.headers, params={"limit": 4} | before)
        assert 1 <= len(answer.json()["data"]) < (5 if changes else 4)
        assert len(answer.content) < 6_000_000
        changes += answer.json()["data"]
    assert [change["target"] for change in changes[:4]] == ["toggled"] * 4
    numbers = [change["number"] for change in changes]
    assert numbers == sorted(set(numbers), reverse=True)


NAMES = st.sampled_from(["id", "name", "zones", "passages", "topZoneId", "timezone", "data", "archived", "a"])


@settings(max_examples=150)
@given(
    body=st.dictionaries(
        NAMES,
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
            lambda inner: (
                st.lists(inner, max_size=3)
                | st.dictionaries(
                    NAMES | st.sampled_from(["toZoneId", "devices", "capacity"]), inner, max_size=5
                )
            ),
            max_leaves=12,
        ),
        max_size=6,
    )
)
def test_any_body_is_a_site_or_says_what_is_wrong(set_up: SetUp, body: dict[str, Any]) -> None:
    answer = set_up.put("any", body)
    if answer.status_code == 200:
        stored = answer.json()["data"]
        assert set_up.put("any", stored).headers["etag"] == answer.headers["etag"]
    else:
        assert answer.status_code in (400, 409)
        assert errors_of(answer).keys() <= {"INVALID_BODY", "MALFORMED_JSON", "PASSAGE_TAKEN"}


def test_a_site_whose_clock_was_wrong_keeps_when_it_was_made(set_up: SetUp) -> None:
    made = set_up.put("dated", site(door="dated-door")).json()["data"]
    ahead = (datetime.now(UTC) + timedelta(days=400)).isoformat()
    body = made | {"name": "Renamed", "createdAt": ahead, "updatedAt": ahead}
    stored = set_up.put("dated", body).json()["data"]
    assert stored["createdAt"] == made["createdAt"]
    assert datetime.fromisoformat(stored["updatedAt"]) <= datetime.now(UTC)
