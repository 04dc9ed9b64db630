from __future__ import annotations

from typing import Any

import pytest

from service.store.protocol import KeyScope
from tests.service.conftest import Served, key_of
from tests.small_site import ORGANIZATION


@pytest.fixture(scope="module")
def headers(served: Served) -> dict[str, str]:
    return {"x-api-key": key_of(served, ORGANIZATION.id, KeyScope.ADMIN)}


def test_the_organization_is_named(served: Served, headers: dict[str, str]) -> None:
    headers = headers | {"x-acting-for": "Ana"}
    assert served.client.get("/admin/organization", headers=headers).json()["data"] == {
        "id": "corner",
        "name": "Corner shops",
    }
    for _ in range(2):
        named = served.client.put("/admin/organization", json={"name": "Läden 🏬"}, headers=headers)
        assert (named.status_code, named.json()["data"]) == (200, {"id": "corner", "name": "Läden 🏬"})
    assert served.client.get("/admin/organization", headers=headers).json()["data"] == named.json()["data"]
    changes = served.client.get("/admin/audit", headers=headers).json()["data"]
    # The same name again is no change.
    [entry] = [change for change in changes if change["action"] == "organization.changed"]
    assert (entry["target"], entry["keyName"], entry["actingFor"]) == ("corner", "of a test", "Ana")
    assert (entry["before"], entry["after"]) == ({"name": "Corner shops"}, {"name": "Läden 🏬"})


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        ({}, {"name"}),
        ({"name": ""}, {"name"}),
        ({"name": " \t"}, {"name"}),
        ({"name": "\u200b\u202e"}, {"name"}),
        ({"name": "a\x00b"}, {"name"}),
        ({"name": "x" * 201}, {"name"}),
        ({"name": None}, {"name"}),
        ({"name": ["a"], "id": "mine"}, {"name", "id"}),
    ],
)
def test_a_name_that_is_none_is_refused(
    served: Served, headers: dict[str, str], body: dict[str, Any], fields: set[str]
) -> None:
    answer = served.client.put("/admin/organization", headers=headers, json=body)
    [error] = answer.json()["meta"]["errors"]
    assert (answer.status_code, error["code"], error["details"].keys()) == (400, "INVALID_BODY", fields)
