"""Requests that clients get wrong: each has an answer in the envelope, and none leaves a traceback."""

from __future__ import annotations

import gzip
import json
import re
import socket
import time
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.service.conftest import Served

QUERY = b'{"siteId":"corner-shop","metrics":["exits"],"from":"now","to":"now"}'
PACKED = gzip.compress(QUERY)
CHUNKED = "Transfer-Encoding: chunked\r\n"
LIVE = b'{"siteId":"corner-shop","metrics":["exits"],"live":true}'


@pytest.fixture(autouse=True)
def no_traceback(served: Served) -> Iterator[None]:
    yield
    assert "Traceback" not in served.service.log()


def code(answer: httpx.Response) -> str:
    assert answer.json()["data"] is None
    assert answer.headers["x-request-id"] == answer.json()["meta"]["requestId"]
    [error] = answer.json()["meta"]["errors"]
    text: str = error["code"]
    return text


def exchange(served: Served, request: bytes) -> tuple[int, dict[str, str], bytes]:
    """What the service answers to bytes, read until it closes: status, headers, body."""
    with socket.create_connection(("127.0.0.1", served.service.port), timeout=30.0) as connection:
        connection.sendall(request)
        received = connection.makefile("rb").read()
    head, _, body = received.partition(b"\r\n\r\n")
    lines = head.decode().split("\r\n")
    headers = dict(line.lower().split(": ", 1) for line in lines[1:])
    return int(lines[0].split()[1]), headers, body


def error_of(answer: tuple[int, dict[str, str], bytes]) -> tuple[int, str]:
    status, headers, body = answer
    document: dict[str, Any] = json.loads(body)
    assert headers["x-request-id"] == document["meta"]["requestId"]
    assert headers["connection"] == "close"
    return status, document["meta"]["errors"][0]["code"]


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/v3/sites/"),
        ("GET", "/v3/sites/corner-shop/"),
        ("POST", "/v3/metrics/"),
        ("GET", "/healthz//"),
    ],
)
def test_slash_at_the_end_is_answered_with_the_path_that_is_meant(
    served: Served, method: str, path: str
) -> None:
    answer = served.client.request(method, path, headers=served.site.headers)
    assert (answer.status_code, code(answer)) == (404, "NOT_FOUND")
    assert answer.json()["meta"]["errors"][0]["message"].endswith(f": {path.rstrip('/')}.")


@pytest.mark.parametrize(
    "path",
    [
        "/v3/sites/%",
        "/v3/sites/%zz",
        "/v3/sites/%ff%fe",
        "/v3/sites/%00",
        "/v3/sites/%ed%a0%80",
        "/v3/sites/" + "a" * 20_000,
        "/v3/sites?limit=%ff",
        "/v3/sites?limit=" + "9" * 20_000,
        "/%2e%2e/%2e%2e/etc/passwd",
        "/" + "%41" * 5_000,
        "//",
        "*",
    ],
)
def test_strange_path_is_answered_in_the_envelope(served: Served, path: str) -> None:
    head = (
        f"GET {path} HTTP/1.1\r\nHost: test\r\nx-api-key: {served.site.read_key}\r\nConnection: close\r\n\r\n"
    )
    status, _, body = exchange(served, head.encode())
    assert status in {400, 404}
    assert json.loads(body)["meta"]["errors"]
    assert len(body) < 30_000


@pytest.mark.parametrize("host", ["[", "a b", "]:x", "test:99999999", "\u00e9"])
def test_strange_host_changes_nothing(served: Served, host: str) -> None:
    request = f"GET /nothing HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode("latin-1")
    status, _, body = exchange(served, request)
    assert (status, json.loads(body)["meta"]["errors"][0]["code"]) == (404, "NOT_FOUND")


@pytest.mark.parametrize(
    "request_bytes",
    [
        b"nonsense\r\n\r\n",
        b"GET\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"GET /\xff HTTP/1.1\r\nHost: test\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost test\r\n\r\n",
        b"POST /v3/metrics HTTP/1.1\r\nContent-Length: many\r\n\r\n",
        b"POST /v3/metrics HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
    ],
)
def test_what_is_not_http_is_answered_in_the_envelope(served: Served, request_bytes: bytes) -> None:
    assert error_of(exchange(served, request_bytes)) == (400, "MALFORMED_REQUEST")


@pytest.mark.parametrize("rest", ["Transfer-Encoding: identity\r\n\r\n", f"{CHUNKED}\r\nzz\r\n"])
@pytest.mark.parametrize("at_once", [False, True])
def test_body_that_is_not_http_is_answered_in_the_envelope(
    served: Served, rest: str, *, at_once: bool
) -> None:
    head = f"POST /v3/metrics HTTP/1.1\r\nHost: test\r\nx-api-key: {served.site.read_key}\r\n"
    with socket.create_connection(("127.0.0.1", served.service.port), timeout=60) as connection:
        for piece in [head + rest] if at_once else [head, *rest.splitlines(keepends=True)]:
            connection.sendall(piece.encode())
            time.sleep(0.05)
        received = connection.makefile("rb").read()
    assert received.startswith(b"HTTP/1.1 400")
    assert b'"MALFORMED_REQUEST"' in received


@pytest.mark.parametrize(
    "flood",
    [b"".join(b"x-%d: 1\r\n" % number for number in range(40_000)), b"x: " + b"a" * 300_000],
    ids=["many headers", "one long header"],
)
def test_flood_of_headers_is_cut(served: Served, flood: bytes) -> None:
    assert error_of(exchange(served, b"GET / HTTP/1.1\r\n" + flood)) == (431, "HEADERS_TOO_LARGE")


def test_endless_path_is_cut(served: Served) -> None:
    assert error_of(exchange(served, b"GET /" + b"a" * 300_000))[0] in {400, 431}


@pytest.mark.parametrize(
    "content_type",
    [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "json",
        "a/b+jsonx",
    ],
)
def test_body_declared_as_something_else_is_refused(served: Served, content_type: str) -> None:
    headers = served.site.headers | {"Content-Type": content_type}
    answer = served.client.post("/v3/metrics", headers=headers, content=QUERY)
    assert (answer.status_code, code(answer)) == (415, "UNSUPPORTED_MEDIA_TYPE")


@pytest.mark.parametrize(
    "content_type",
    [
        None,
        "application/json",
        "Application/JSON; charset=utf-8",
        "application/json ;x=y",
        "application/a.b+json",
    ],
)
def test_body_declared_as_json_or_not_at_all_is_taken(served: Served, content_type: str | None) -> None:
    headers = served.site.headers | ({} if content_type is None else {"Content-Type": content_type})
    assert served.client.post("/v3/metrics", headers=headers, content=QUERY).status_code == 200


@pytest.mark.parametrize("encoding", ["gzip", "x-gzip", "GZIP", "identity"])
def test_body_in_a_known_encoding_is_taken(served: Served, encoding: str) -> None:
    body = QUERY if encoding == "identity" else gzip.compress(QUERY)
    headers = served.site.headers | {"Content-Encoding": encoding}
    assert served.client.post("/v3/metrics", headers=headers, content=body).status_code == 200


@pytest.mark.parametrize("encoding", ["br", "deflate", "gzip, gzip", "zstd"])
def test_body_in_another_encoding_is_refused(served: Served, encoding: str) -> None:
    headers = served.site.headers | {"Content-Encoding": encoding}
    answer = served.client.post("/v3/metrics", headers=headers, content=QUERY)
    assert (answer.status_code, code(answer)) == (415, "UNSUPPORTED_ENCODING")
    assert "gzip" in answer.headers["accept-encoding"]


@pytest.mark.parametrize(
    "body",
    [
        QUERY,
        b"",
        gzip.compress(QUERY)[:-5],
        gzip.compress(QUERY) + b"x",
        gzip.compress(QUERY)[:20] + b"x" * 20,
    ],
    ids=["not packed", "empty", "cut", "more behind", "broken"],
)
def test_body_that_is_not_what_its_encoding_says_is_refused(served: Served, body: bytes) -> None:
    headers = served.site.headers | {"Content-Encoding": "gzip"}
    answer = served.client.post("/v3/metrics", headers=headers, content=body)
    assert (answer.status_code, code(answer)) == (400, "INVALID_ENCODING")


def test_packed_body_that_comes_in_pieces_is_taken(served: Served) -> None:
    packed = gzip.compress(b" " * 200_000 + QUERY)
    headers = served.site.headers | {"Content-Encoding": "gzip"}
    pieces = (packed[at : at + 7] for at in range(0, len(packed), 7))
    assert served.client.post("/v3/metrics", headers=headers, content=pieces).status_code == 200


def test_second_accept_line_asks_for_a_stream(served: Served) -> None:
    headers = [*served.site.headers.items(), ("Accept", "application/json"), ("Accept", "text/event-stream")]
    with served.client.stream("POST", "/v3/metrics", headers=headers, content=LIVE) as answer:
        assert next(answer.iter_raw()).startswith(b":")


@pytest.mark.parametrize("path", ["/v3/sites", "/v3/sites/corner-shop", "/healthz", "/docs", "/openapi.json"])
def test_head_is_answered_like_get_without_the_body(served: Served, path: str) -> None:
    get, head = served.get(path), served.client.head(path, headers=served.site.headers)
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["content-length"] == get.headers["content-length"]
    assert "x-request-id" in head.headers


@pytest.mark.parametrize(
    ("path", "allowed"),
    [
        ("/v3/sites", "GET, HEAD"),
        ("/docs", "GET, HEAD"),
        ("/v3/metrics", "POST"),
        # Of several operations at one path all are named.
        ("/admin/keys", "GET, HEAD, POST"),
        ("/admin/sites/corner-shop", "GET, HEAD, PUT"),
    ],
)
def test_options_name_what_is_allowed(served: Served, path: str, allowed: str) -> None:
    answer = served.client.options(path)
    assert (answer.status_code, answer.headers["allow"]) == (405, allowed)
    assert code(answer) == "METHOD_NOT_ALLOWED"


def test_client_that_leaves_within_its_body_leaves_no_traceback(served: Served) -> None:
    head = f"POST /ingest/counts HTTP/1.1\r\nHost: test\r\nx-api-key: {served.site.ingest_key}\r\n"
    for _ in range(5):
        with socket.create_connection(("127.0.0.1", served.service.port)) as connection:
            connection.sendall(f"{head}Content-Length: 100000\r\n\r\n[".encode())
    assert served.client.get("/healthz").status_code == 200


@pytest.mark.parametrize("in_pieces", [False, True])
@pytest.mark.parametrize("is_chunked", [False, True])
def test_offer_of_another_protocol_is_passed_over(
    served: Served, *, is_chunked: bool, in_pieces: bool
) -> None:
    # As Java's client and curl --http2 make it to every server without TLS.
    framing = f"Content-Length: {len(QUERY)}\r\n"
    body = QUERY
    if is_chunked:
        framing, body = "Transfer-Encoding: chunked\r\n", b"%x\r\n%s\r\n0\r\n\r\n" % (len(QUERY), QUERY)
    head = (
        f"POST /v3/metrics HTTP/1.1\r\nHost: test\r\nx-api-key: {served.site.read_key}\r\n{framing}"
        "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n"
    )
    sent = (head.encode() + body) * 2 + b"GET /healthz HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n"
    with socket.create_connection(("127.0.0.1", served.service.port), timeout=60) as connection:
        for piece in [sent[at : at + 1] for at in range(len(sent))] if in_pieces else [sent]:
            connection.sendall(piece)
        received = connection.makefile("rb").read()
    assert re.findall(rb"HTTP/1.1 (\d+)", received) == [b"200"] * 3


def test_client_that_leaves_its_stream_with_another_request_waiting_leaves_no_traceback(
    served: Served,
) -> None:
    head = f"POST /v3/metrics HTTP/1.1\r\nHost: test\r\nx-api-key: {served.site.read_key}\r\n"
    head += f"Accept: text/event-stream\r\nContent-Length: {len(LIVE)}\r\n\r\n"
    with socket.create_connection(("127.0.0.1", served.service.port), timeout=60) as connection:
        connection.sendall(head.encode() + LIVE + b"GET /healthz HTTP/1.1\r\nHost: test\r\n\r\n")
        assert connection.recv(65536).startswith(b"HTTP/1.1 200")
    while served.client.get("/healthz").json()["data"]["openStreams"]:
        time.sleep(0.05)
