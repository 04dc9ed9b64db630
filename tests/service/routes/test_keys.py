from __future__ import annotations

import socket

import pytest

from service.open_store import open_store, store_url
from service.store.protocol import KeyScope
from tests.service.conftest import Served
from tests.small_site import ORGANIZATION

PATHS = [
    ("GET", "/v3/sites"),
    ("GET", "/v3/sites/corner-shop"),
    ("POST", "/v3/metrics"),
    ("POST", "/ingest/counts"),
]


@pytest.mark.parametrize(("method", "path"), PATHS)
@pytest.mark.parametrize("key", [None, "", "nonsense", "hr_0_x", "\u00e9"])
def test_without_a_good_key_nothing_is_answered(
    served: Served, method: str, path: str, key: str | None
) -> None:
    headers = [] if key is None else [(b"x-api-key", key.encode())]
    answer = served.client.request(method, path, headers=headers, content=b"not even JSON")
    assert answer.status_code == 401
    assert [error["code"] for error in answer.json()["meta"]["errors"]] == ["INVALID_API_KEY"]
    assert answer.json()["data"] is None


@pytest.mark.parametrize(("method", "path"), PATHS)
def test_a_revoked_key_is_refused_and_named(served: Served, method: str, path: str) -> None:
    store = open_store(store_url(served.site.data_dir))
    record, secret = store.keys.create(ORGANIZATION.id, "lost on a train", KeyScope.READ)
    store.keys.revoke(record.id)
    store.close()
    answer = served.client.request(method, path, headers={"x-api-key": secret})
    assert answer.status_code == 401
    assert "lost on a train" in answer.json()["meta"]["errors"][0]["message"]


def test_a_read_key_may_not_ingest(served: Served) -> None:
    answer = served.client.post("/ingest/counts", headers=served.site.headers, json=[])
    assert answer.status_code == 403
    assert answer.json()["meta"]["errors"][0]["code"] == "FORBIDDEN_ACCESS"


def test_every_answer_carries_its_request_id_in_the_header_too(served: Served) -> None:
    for answer in (served.get("/v3/sites"), served.get("/v3/nothing"), served.client.get("/v3/sites")):
        assert answer.headers["x-request-id"] == answer.json()["meta"]["requestId"]
    first, second = served.get("/v3/sites"), served.get("/v3/sites")
    assert first.headers["x-request-id"] != second.headers["x-request-id"]


def test_revoked_key_is_refused_at_next_request(served: Served) -> None:
    """In use until then, and revoked by another process."""
    store = open_store(store_url(served.site.data_dir))
    for _ in range(10):
        record, secret = store.keys.create(ORGANIZATION.id, "in use", KeyScope.READ)
        headers = {"x-api-key": secret}
        assert served.client.get("/v3/sites", headers=headers).status_code == 200
        store.keys.revoke(record.id)
        answer = served.client.get("/v3/sites", headers=headers)
        assert answer.status_code == 401
        assert "in use" in answer.json()["meta"]["errors"][0]["message"]
    store.close()


@pytest.mark.parametrize("around", [" {} ", "{}\t", "\t {}"])
def test_blanks_around_a_key_do_not_belong_to_it(served: Served, around: str) -> None:
    headers = [(b"x-api-key", around.format(served.site.read_key).encode())]
    with socket.create_connection(("127.0.0.1", served.service.port), timeout=60.0) as connection:
        head = b"GET /v3/sites HTTP/1.1\r\nHost: test\r\nConnection: close\r\n"
        connection.sendall(head + b"".join(b"%s:%s\r\n" % header for header in headers) + b"\r\n")
        assert connection.makefile("rb").readline().startswith(b"HTTP/1.1 200")
