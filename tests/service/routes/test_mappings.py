"""A mapping is tried on a pasted body, kept, and what a counter posts under its name is read by it."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from typing import Any, Final

import httpx
import pytest

from service.store.protocol import KeyScope
from tests.eventually import PATIENCE
from tests.service.conftest import Served, key_of
from tests.small_site import ORGANIZATION

QUARTER: Final = timedelta(minutes=15)
START: Final = datetime.now(UTC).replace(second=0, microsecond=0) - 2 * QUARTER
BODY: Final = {
    "box": "GYM-1",
    "doors": [
        {"door": "N", "from": int(START.timestamp()), "in": 3, "out": 1},
        {"door": "S", "from": int(START.timestamp()), "in": 4, "out": 0},
    ],
}
MAPPING: Final = {
    "kind": "interval",
    "timeFormat": "seconds",
    "rows": "doors",
    "serial": "body.box",
    "line": "row.door",
    "start": "row.from",
    "intervalSeconds": 900,
    "forward": "row.in",
    "backward": "row.out",
}


@pytest.fixture(scope="module")
def admin(served: Served) -> dict[str, str]:
    return {"x-api-key": key_of(served, ORGANIZATION.id, KeyScope.ADMIN)}


def tried(served: Served, admin: dict[str, str], mapping: Any, body: str) -> dict[str, Any]:
    asked = {"mapping": mapping, "body": body}
    answer = served.client.post("/admin/mappings/try", headers=admin, json=asked, timeout=PATIENCE)
    assert answer.status_code == HTTPStatus.OK, answer.text
    found: dict[str, Any] = answer.json()["data"]
    return found


def keep(
    served: Served, admin: dict[str, str], name: str, mapping: Any = MAPPING, **headers: str
) -> httpx.Response:
    return served.client.put(f"/admin/mappings/{name}", headers=admin | headers, json=mapping)


def test_what_would_be_counted_is_told_and_nothing_is_stored(served: Served, admin: dict[str, str]) -> None:
    before = served.client.get("/admin/sensors", headers=admin).json()["data"]
    found = tried(served, admin, MAPPING, json.dumps(BODY))
    assert (found["faults"], found["total"]) == ({}, 2)
    north, south = found["counts"]
    assert (north["serial"], north["line"], north["forward"], north["backward"]) == ("GYM-1", "N", 3, 1)
    assert datetime.fromisoformat(north["start"]) == START
    assert datetime.fromisoformat(north["end"]) == START + QUARTER
    assert south["forward"] == 4
    assert served.client.get("/admin/sensors", headers=admin).json()["data"] == before


@pytest.mark.parametrize(
    ("changes", "body", "fault"),
    [
        ({"forward": "row.came"}, json.dumps(BODY), ("forward", "finds nothing")),
        ({"forward": "row["}, "{}", ("forward", "cannot be read")),
        ({"intervalSeconds": 0}, "{}", ("intervalSeconds", "Input should be greater than 0")),
        ({"kind": "guess"}, "{}", ("kind", "Input should be")),
        ({}, "no JSON", ("body", "Invalid JSON")),
        ({}, "[" * 200_000, ("body", "Invalid JSON")),
        ({"forward": "a" * 301}, "{}", ("forward", "String should have at most 300")),
        ({"forward": "!" * 200 + "row"}, "{}", ("forward", "has too many parts")),
        ({"forward": "[@,@]|[@,@]|[@,@]"}, "{}", ("forward", "has a part that may not be used")),
    ],
)
def test_what_is_wrong_is_told_by_field(
    served: Served, admin: dict[str, str], changes: dict[str, Any], body: str, fault: tuple[str, str]
) -> None:
    field, why = fault
    found = tried(served, admin, MAPPING | changes, body)
    assert found["faults"].keys() == {field}
    assert found["faults"][field].startswith(why)
    assert (found["counts"], found["total"]) == ([], 0)


def test_the_row_in_which_it_is_wrong_is_named(served: Served, admin: dict[str, str]) -> None:
    broken = BODY | {"doors": [BODY["doors"][0], {"door": "S"}]}
    assert tried(served, admin, MAPPING, json.dumps(broken))["row"] == 2


def test_what_would_take_long_or_is_too_large_is_refused_in_words(
    served: Served, admin: dict[str, str]
) -> None:
    many = BODY | {"doors": [{"door": str(n), "from": 1, "in": 1, "out": 1} for n in range(9_000)]}
    slow = MAPPING | {"forward": "sum(body.doors[].in)"}
    assert tried(served, admin, slow, json.dumps(many))["faults"]["forward"].startswith("takes too long")
    asked = {"mapping": MAPPING, "body": "x" * 3_000_000}
    answer = served.client.post("/admin/mappings/try", headers=admin, json=asked, timeout=PATIENCE)
    assert answer.status_code == HTTPStatus.REQUEST_ENTITY_TOO_LARGE


@pytest.mark.parametrize("asked", [{}, {"mapping": MAPPING}, {"mapping": MAPPING, "body": 3}, []])
def test_what_is_no_question_is_refused(served: Served, admin: dict[str, str], asked: Any) -> None:
    answer = served.client.post("/admin/mappings/try", headers=admin, json=asked)
    assert answer.status_code == HTTPStatus.BAD_REQUEST
    assert answer.json()["meta"]["errors"][0]["code"] == "INVALID_BODY"


def test_what_a_counter_posts_under_the_name_is_read_and_waits_to_be_placed(
    served: Served, admin: dict[str, str]
) -> None:
    missing = served.client.post("/ingest/gym-doors", headers=served.site.ingest_headers, json=BODY)
    assert missing.status_code == HTTPStatus.NOT_FOUND
    keep(served, admin, "gym-doors").raise_for_status()
    posted = served.client.post("/ingest/gym-doors", headers=served.site.ingest_headers, json=BODY)
    assert posted.json()["data"] == {"waiting": 2}
    sensors = served.client.get("/admin/sensors", headers=admin).json()["data"]
    lines = [(one["maker"], one["serial"], one["line"]) for one in sensors if one["maker"] == "gym-doors"]
    assert lines == [("gym-doors", "GYM-1", "N"), ("gym-doors", "GYM-1", "S")]
    wrong = served.client.post("/ingest/gym-doors", headers=served.site.ingest_headers, json={"doors": [{}]})
    assert wrong.json()["meta"]["errors"][0]["code"] == "INVALID_REPORT"
    # From the next report on it is read as it is then written.
    keep(served, admin, "gym-doors", MAPPING | {"serial": "'OTHER'"}).raise_for_status()
    served.client.post("/ingest/gym-doors", headers=served.site.ingest_headers, json=BODY).raise_for_status()
    sensors = served.client.get("/admin/sensors", headers=admin).json()["data"]
    assert {one["serial"] for one in sensors if one["maker"] == "gym-doors"} == {"GYM-1", "OTHER"}
    gone = served.client.delete("/admin/mappings/gym-doors", headers=admin)
    assert gone.json()["data"]["written"]["serial"] == "'OTHER'"
    posted = served.client.post("/ingest/gym-doors", headers=served.site.ingest_headers, json=BODY)
    assert posted.status_code == HTTPStatus.NOT_FOUND
    changes = served.client.get("/admin/audit", headers=admin, params={"limit": 3}).json()["data"]
    assert [one["action"] for one in changes] == ["mapping.removed", "mapping.kept", "mapping.kept"]
    assert changes[1]["before"]["serial"] == "body.box"


@pytest.mark.parametrize("name", ["axis-3d", "counts", "levels", "Gym", "-gym", "a" * 41, "gym.doors"])
def test_a_name_that_cannot_stand_in_the_address_is_refused(
    served: Served, admin: dict[str, str], name: str
) -> None:
    answer = keep(served, admin, name)
    assert answer.status_code == HTTPStatus.BAD_REQUEST
    assert answer.json()["meta"]["errors"][0]["details"].keys() == {"name"}


def test_a_mapping_that_cannot_be_used_is_not_kept(served: Served, admin: dict[str, str]) -> None:
    answer = keep(served, admin, "gym", MAPPING | {"forward": "row["})
    assert answer.json()["meta"]["errors"][0]["details"]["forward"].startswith("cannot be read")
    assert "gym" not in {
        one["name"] for one in served.client.get("/admin/mappings", headers=admin).json()["data"]
    }


def test_of_two_who_change_one_the_later_is_told(served: Served, admin: dict[str, str]) -> None:
    fresh = {"if-none-match": "*"}
    tag = keep(served, admin, "shared", **fresh).json()["data"]["tag"]
    assert keep(served, admin, "shared", **fresh).status_code == HTTPStatus.PRECONDITION_FAILED
    first = keep(served, admin, "shared", MAPPING | {"line": "'1'"}, **{"if-match": tag})
    assert first.status_code == HTTPStatus.OK
    later = keep(served, admin, "shared", MAPPING | {"line": "'2'"}, **{"if-match": tag})
    assert later.status_code == HTTPStatus.PRECONDITION_FAILED
    (kept,) = [
        one
        for one in served.client.get("/admin/mappings", headers=admin).json()["data"]
        if one["name"] == "shared"
    ]
    assert kept["written"]["line"] == "'1'"
