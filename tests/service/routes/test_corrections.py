"""visitorsInside set by hand, over real HTTP: who, when, why, what charts are told, and taking it back."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import httpx
import pytest

from service.store.protocol import KeyScope
from tests.service.conftest import Served, key_of
from tests.small_site import ORGANIZATION, OTHER_ORGANIZATION, count

PATH = "/admin/sites/corner-shop/corrections"
MINUTE = timedelta(minutes=1)
LATELY = datetime.now(UTC).replace(minute=15, second=0, microsecond=0) - timedelta(days=9)


@pytest.fixture(scope="module")
def admin(served: Served) -> Iterator[httpx.Client]:
    headers = {"x-api-key": key_of(served, ORGANIZATION.id, KeyScope.ADMIN)}
    with httpx.Client(base_url=served.service.base_url, headers=headers, timeout=60.0) as client:
        yield client


def by_hand(inside: Any = 12, moment: datetime | None = None, **changes: Any) -> dict[str, Any]:
    body = {"zoneId": "hall", "visitorsInside": inside, "reason": "we counted"}
    return body | ({"timestamp": moment.isoformat()} if moment else {}) | changes


def asked(served: Served, moment: datetime, **changes: Any) -> dict[str, Any]:
    """The answer of the hall's hour from a moment on, by minute."""
    body = {
        "siteId": "corner-shop", "metrics": ["visitorsInside"], "granularity": "minute",
        "from": moment.strftime("%Y-%m-%dT%H:%M:%S"),
        "to": (moment + timedelta(hours=1)).strftime("%Y-%m-%dT%H:%M:%S"),
        "filter": {"zoneIds": ["hall"]},
    }  # fmt: skip
    answer = served.query(**(body | changes))
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def levels(answer: dict[str, Any]) -> list[int]:
    return [point["metrics"]["visitorsInside"] for point in answer["data"]]


def written(moment: datetime) -> str:
    return moment.astimezone(ZoneInfo("Europe/Zurich")).isoformat(timespec="minutes")


def test_it_holds_from_its_minute_on_and_the_answer_says_so(served: Served, admin: httpx.Client) -> None:
    served.ingest([count(LATELY + after * MINUTE, 2) for after in range(4)]).raise_for_status()
    made = admin.post(PATH, json=by_hand(12, LATELY + MINUTE), headers={"x-acting-for": "Maria"})
    assert made.status_code == 200, made.text
    record = made.json()["data"]
    assert record["timestamp"] == (LATELY + MINUTE).isoformat()
    assert (record["made"]["keyName"], record["made"]["actingFor"]) == ("of a test", "Maria")
    assert record["withdrawn"] is None
    answer = asked(served, LATELY)
    assert levels(answer) == [2, 12, 14, 16]
    [warning] = [one for one in answer["meta"]["warnings"] if one["code"] == "LEVEL_SET"]
    assert warning["details"] == {f"hall at {written(LATELY + MINUTE)}": "set to 12: we counted"}
    assert warning["message"] == "visitorsInside was set by hand once; counts go on from there."
    for silent in ({"metrics": ["entrances"]}, {"filter": {"zoneIds": ["cafe"]}}):
        assert asked(served, LATELY, **silent)["meta"]["warnings"] == []
    assert levels(asked(served, LATELY, filter=None)) == [2, 4, 6, 8], "the whole site stays as it is"

    taken = admin.delete(f"{PATH}/{record['number']}", headers={"x-acting-for": "Urs"})
    assert taken.status_code == 200, taken.text
    assert taken.json()["data"]["withdrawn"]["actingFor"] == "Urs"
    assert taken.json()["data"]["made"] == record["made"]
    answer = asked(served, LATELY)
    assert levels(answer) == [2, 4, 6, 8]
    assert not any(one["code"] == "LEVEL_SET" for one in answer["meta"]["warnings"])
    again = admin.delete(f"{PATH}/{record['number']}")
    assert again.json()["data"] == taken.json()["data"]


def test_the_newest_value_is_what_was_set_now(served: Served, admin: httpx.Client) -> None:
    admin.post(PATH, json=by_hand(31, zoneId="cafe")).raise_for_status()
    body = {
        "siteId": "corner-shop",
        "metrics": ["visitorsInside", "entrances"],
        "from": "now",
        "to": "now",
        "filter": {"zoneIds": ["cafe"]},
    }
    [point] = served.query(**body).json()["data"]
    assert point["metrics"] == {"visitorsInside": 31}


def test_all_of_a_range_are_listed_withdrawn_ones_too(served: Served, admin: httpx.Client) -> None:
    start = LATELY + timedelta(days=1)
    numbers = [
        admin.post(PATH, json=by_hand(5 + after, start + after * MINUTE)).json()["data"]["number"]
        for after in range(3)
    ]
    admin.delete(f"{PATH}/{numbers[1]}").raise_for_status()
    within = {"from": (start + MINUTE).isoformat(), "to": (start + 3 * MINUTE).isoformat()}
    found = admin.get(PATH, params=within).json()["data"]
    assert [one["number"] for one in found] == numbers[1:]
    assert [one["withdrawn"] is None for one in found] == [False, True]
    assert {one["number"] for one in admin.get(PATH).json()["data"]} > set(numbers)
    wrong = admin.get(PATH, params={"from": "yesterday"})
    assert wrong.status_code == 400
    assert wrong.json()["meta"]["errors"][0]["details"].keys() == {"from"}


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"visitorsInside": -1}, "visitorsInside"),
        ({"visitorsInside": 1.5}, "visitorsInside"),
        ({"visitorsInside": 1_000_001}, "visitorsInside"),
        ({"visitorsInside": None}, "visitorsInside"),
        ({"reason": " "}, "reason"),
        ({"reason": "two\nlines"}, "reason"),
        ({"reason": "a" * 201}, "reason"),
        ({"timestamp": "2025-02-03T11:15:00"}, "timestamp"),
        ({"timestamp": (datetime.now(UTC) + timedelta(days=1)).isoformat()}, "timestamp"),
        ({"timestamp": (datetime.now(UTC) - timedelta(days=31)).isoformat()}, "timestamp"),
        ({"zoneId": "cellar"}, "zoneId"),
        ({"zone": "hall"}, "zone"),
    ],
)
def test_what_cannot_be_taken_is_named_and_changes_nothing(
    served: Served, admin: httpx.Client, changes: dict[str, Any], field: str
) -> None:
    before = admin.get(PATH).json()["data"]
    answer = admin.post(PATH, json=by_hand(12) | changes)
    assert answer.status_code == 400, answer.text
    [error] = answer.json()["meta"]["errors"]
    assert field in error["details"]
    assert admin.get(PATH).json()["data"] == before


def test_the_person_may_have_a_name_of_any_letters(admin: httpx.Client) -> None:
    headers = {b"x-acting-for": "Mária Łos".encode()}
    made = admin.post(PATH, json=by_hand(12, LATELY + timedelta(days=2)), headers=headers)
    assert made.json()["data"]["made"]["actingFor"] == "Mária Łos"


@pytest.mark.parametrize("name", ["", "a" * 201, "Maria\u202e"])
def test_the_person_has_a_name_that_can_be_shown(admin: httpx.Client, name: str) -> None:
    answer = admin.post(PATH, json=by_hand(), headers={b"x-acting-for": name.encode()})
    assert answer.status_code == 400
    assert "x-acting-for" in answer.json()["meta"]["errors"][0]["details"]


def test_another_organization_or_another_scope_may_not(served: Served, admin: httpx.Client) -> None:
    rival = {"x-api-key": key_of(served, OTHER_ORGANIZATION.id, KeyScope.ADMIN)}
    requests = (("POST", PATH, by_hand()), ("GET", PATH, None), ("DELETE", f"{PATH}/1", None))
    for method, path, body in requests:
        for headers in (rival, served.site.headers, served.site.ingest_headers):
            answer = served.client.request(method, path, headers=headers, json=body)
            assert answer.status_code == 403, (method, headers)
    assert admin.delete(f"{PATH}/999999").status_code == 404
    nowhere = admin.post("/admin/sites/nowhere/corrections", json=by_hand())
    assert (nowhere.status_code, nowhere.json()["meta"]["errors"][0]["code"]) == (404, "SITE_NOT_FOUND")


def test_the_address_says_all_that_it_answers(admin: httpx.Client) -> None:
    answer = admin.options(PATH)
    assert (answer.status_code, answer.headers["allow"]) == (405, "GET, HEAD, POST")
