from __future__ import annotations

from typing import Any

import httpx
import pytest

from service.store.protocol import KeyScope
from tests.service.conftest import Served, key_of
from tests.small_site import ORGANIZATION


@pytest.fixture(scope="module")
def headers(served: Served) -> dict[str, str]:
    return {"x-api-key": key_of(served, ORGANIZATION.id, KeyScope.ADMIN)}


def page(served: Served, headers: dict[str, str], **asked: Any) -> httpx.Response:
    return served.client.get("/admin/audit", headers=headers, params=asked)


def test_changes_are_paged_from_the_newest_on(served: Served, headers: dict[str, str]) -> None:
    for number in range(5):
        served.client.put("/admin/organization", headers=headers, json={"name": f"Name {number}"})
    everything = page(served, headers).json()["data"]
    assert [change["after"]["name"] for change in everything[:5]] == [f"Name {n}" for n in (4, 3, 2, 1, 0)]
    found, before = [], everything[0]["number"] + 1
    while more := page(served, headers, limit=2, before=before).json()["data"]:
        assert len(more) <= 2
        found += more
        before = more[-1]["number"]
    assert found == everything
    assert {change["keyName"] for change in everything[5:]} == {"the service itself"}


@pytest.mark.parametrize(
    ("asked", "fields"),
    [
        ({"limit": 0, "before": 0}, {"limit", "before"}),
        ({"limit": 101, "before": "x"}, {"limit", "before"}),
        ({"limit": "1.5"}, {"limit"}),
        ({"before": "9" * 400}, {"before"}),
        ({"limit": ["1", "2"]}, {"limit"}),
        ({"before": ""}, {"before"}),
    ],
)
def test_a_page_that_cannot_be_given_is_refused(
    served: Served, headers: dict[str, str], asked: dict[str, Any], fields: set[str]
) -> None:
    answer = page(served, headers, **asked)
    [error] = answer.json()["meta"]["errors"]
    assert (answer.status_code, error["code"]) == (400, "INVALID_PAGINATION_PARAMS")
    assert error["details"].keys() == fields
