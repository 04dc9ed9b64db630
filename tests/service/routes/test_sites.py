from __future__ import annotations

from pathlib import Path

import httpx
import pytest

from service.open_store import open_store, store_url
from service.store.protocol import SiteRecord
from tests.running_service import start_service
from tests.service.conftest import Served
from tests.small_site import ORGANIZATION, SITE, create_small_site


def test_archived_sites_are_hidden_from_the_list_and_readable_by_id(served: Served) -> None:
    assert [site["id"] for site in served.get("/v3/sites").json()["data"]] == ["corner-shop"]
    closed = served.get("/v3/sites/closed-shop")
    assert closed.status_code == 200
    assert closed.json()["data"]["archived"] is True


def test_the_list_is_flat(served: Served) -> None:
    [site] = served.get("/v3/sites").json()["data"]
    assert not {"zones", "passages", "constructionYear"} & site.keys()


def test_each_organization_lists_its_own_sites(served: Served) -> None:
    answer = served.client.get("/v3/sites", headers={"x-api-key": served.site.rival_key})
    assert [site["id"] for site in answer.json()["data"]] == ["elsewhere"]


@pytest.mark.parametrize(
    ("query", "wrong"),
    [
        ("limit=0", {"limit"}),
        ("limit=101", {"limit"}),
        ("limit=ten", {"limit"}),
        ("limit=", {"limit"}),
        ("limit=1.0", {"limit"}),
        ("limit=%D9%A1", {"limit"}),
        ("limit=5&limit=6", {"limit"}),
        ("offset=-1", {"offset"}),
        ("offset=99999999999999999999", {"offset"}),
        ("limit=-1&offset=x", {"limit", "offset"}),
    ],
)
def test_each_wrong_pagination_parameter_is_named(served: Served, query: str, wrong: set[str]) -> None:
    answer = served.get(f"/v3/sites?{query}")
    assert answer.status_code == 400
    [error] = answer.json()["meta"]["errors"]
    assert error["code"] == "INVALID_PAGINATION_PARAMS"
    assert set(error["details"]) == wrong


def test_pages_follow_one_another_and_say_so(tmp_path: Path) -> None:
    small = create_small_site(tmp_path)
    names = ["x1", "x2", "x3", "x4"]
    sites = [SITE.model_copy(update={"id": name, "name": name, "passages": ()}) for name in names]
    store = open_store(store_url(tmp_path))
    store.catalogue.save(ORGANIZATION, [SiteRecord(site, "shop") for site in sites])
    store.close()
    service = start_service(tmp_path)
    try:
        pages = [
            httpx.get(f"{service.base_url}/v3/sites?limit=2&offset={offset}", headers=small.headers).json()
            for offset in (0, 2, 4, 6)
        ]
    finally:
        service.stop()
    assert [[site["id"] for site in page["data"]] for page in pages] == [
        ["corner-shop", "x1"],
        ["x2", "x3"],
        ["x4"],
        [],
    ]
    flags = [
        (page["meta"]["pagination"]["hasPrevious"], page["meta"]["pagination"]["hasNext"]) for page in pages
    ]
    assert flags == [(False, True), (True, True), (True, False), (True, False)]
    assert {page["meta"]["pagination"]["total"] for page in pages} == {5}
