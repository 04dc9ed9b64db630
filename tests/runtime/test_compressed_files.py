from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.staticfiles import StaticFiles

from live import FeedKey, GrantedFeed, StreamGrant, StreamSigner
from runtime._compat import files_folder, page_of_streamlit
from runtime.compressed_files import CompressedFiles, accepts_gzip
from runtime.page_routes import first_page
from tests.running_dashboard import RunningDashboard, start_dashboard

SECRET = "the one of these tests"
UNREACHED = {
    "HEADROOM_BASE_URL": "http://127.0.0.1:9",
    "HEADROOM_API_KEY": "key",
    "HEADROOM_SECRET": SECRET,
}
FOR_EVER = {"public", "max-age=31536000", "immutable"}
WITHOUT_A_HASH = ["/", "/favicon.png", "/manifest.json", "/index.html", "/history"]
GZIP = {"Accept-Encoding": "gzip"}
PLAIN = {"Accept-Encoding": "identity"}


@pytest.fixture(scope="module")
def dashboard(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningDashboard]:
    started = start_dashboard(tmp_path_factory.mktemp("dashboard"), environment=UNREACHED)
    yield started
    started.kill()


@pytest.fixture(scope="module")
def client(dashboard: RunningDashboard) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=dashboard.base_url, timeout=30) as opened:
        yield opened


@pytest.fixture(scope="module")
def script() -> str:
    """The path of the largest script that there is."""
    largest = max(files_folder().rglob("*.js"), key=lambda file: file.stat().st_size)
    return f"/{largest.relative_to(files_folder()).as_posix()}"


def original(path: str) -> bytes:
    return (files_folder() / path.removeprefix("/")).read_bytes()


def on_the_wire(client: httpx.Client, path: str, headers: dict[str, str]) -> tuple[httpx.Response, bytes]:
    with client.stream("GET", path, headers=headers) as answer:
        return answer, b"".join(answer.iter_raw())


def directives(answer: httpx.Response) -> set[str]:
    return set(re.split(r",\s*", answer.headers["cache-control"]))


def test_a_script_comes_compressed_and_whole(client: httpx.Client, script: str) -> None:
    answer, body = on_the_wire(client, script, GZIP)
    assert answer.headers["content-encoding"] == "gzip"
    assert int(answer.headers["content-length"]) == len(body) < len(original(script)) / 3
    assert gzip.decompress(body) == original(script)
    assert answer.headers["content-type"].startswith("text/javascript")
    assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("headers", [PLAIN, {"Accept-Encoding": "gzip;q=0, *"}, {"Accept-Encoding": "br"}])
def test_who_takes_no_gzip_gets_the_file_as_it_is(
    client: httpx.Client, script: str, headers: dict[str, str]
) -> None:
    answer, body = on_the_wire(client, script, headers)
    assert "content-encoding" not in answer.headers
    assert body == original(script)
    page, text = on_the_wire(client, "/history", headers)
    assert "content-encoding" not in page.headers
    assert b"<html" in text


@pytest.mark.parametrize("headers", [GZIP, PLAIN])
def test_caches_between_keep_both_forms_apart(
    client: httpx.Client, script: str, headers: dict[str, str]
) -> None:
    assert "accept-encoding" in client.head(script, headers=headers).headers["vary"].lower()
    other = GZIP if headers is PLAIN else PLAIN
    tags = {client.head(script, headers=one).headers["etag"] for one in (headers, other)}
    assert len(tags) == 2


def test_the_head_says_what_the_body_would_be(client: httpx.Client, script: str) -> None:
    head, (whole, body) = client.head(script, headers=GZIP), on_the_wire(client, script, GZIP)
    assert head.content == b""
    assert int(head.headers["content-length"]) == len(body)
    assert head.headers["etag"] == whole.headers["etag"]


def test_what_the_browser_has_is_not_sent_again(client: httpx.Client, script: str) -> None:
    for headers in (GZIP, PLAIN):
        tag = client.head(script, headers=headers).headers["etag"]
        for known in (tag, f"W/{tag}", f'"another", {tag}'):
            again = client.get(script, headers=headers | {"If-None-Match": known})
            assert (again.status_code, again.content) == (304, b"")
            assert again.headers["etag"] == tag
            assert directives(again) == FOR_EVER
        assert client.get(script, headers=headers | {"If-None-Match": '"another"'}).status_code == 200


def test_a_part_is_one_of_the_file_as_it_is(client: httpx.Client, script: str) -> None:
    answer, body = on_the_wire(client, script, GZIP | {"Range": "bytes=1000-1999"})
    assert answer.status_code == 206
    assert "content-encoding" not in answer.headers
    assert answer.headers["content-range"] == f"bytes 1000-1999/{len(original(script))}"
    assert body == original(script)[1000:2000]


def test_what_has_a_hash_in_its_name_is_kept_for_ever(client: httpx.Client) -> None:
    named = re.findall(r"\./(static/[^\"]+)", client.get("/").text)
    assert len(named) > 10
    for path in named:
        answer = client.head(f"/{path}")
        assert directives(answer) == FOR_EVER, path
        is_text = path.endswith((".js", ".css"))
        assert (answer.headers.get("content-encoding") == "gzip") == is_text, path


@pytest.mark.parametrize("path", WITHOUT_A_HASH)
def test_everything_else_is_asked_for_again(client: httpx.Client, path: str) -> None:
    assert directives(client.get(path)) == {"no-cache"}


@pytest.mark.parametrize(
    ("path", "page"),
    [
        ("/", first_page()),
        ("/history", first_page("history")),
        ("/live?site=x", first_page("live")),
        ("/index.html", page_of_streamlit()),
    ],
)
def test_the_page_itself_is_compressed_once(client: httpx.Client, path: str, page: str) -> None:
    answer, body = on_the_wire(client, path, GZIP)
    assert answer.headers.get_list("content-encoding") == ["gzip"]
    assert gzip.decompress(body).decode() == page


def test_a_stream_comes_as_it_is_and_at_once(client: httpx.Client) -> None:
    grant = StreamGrant((GrantedFeed(FeedKey("corner-shop"), "Europe/Zurich"),))
    address = f"/live/stream?token={StreamSigner(SECRET).sign(grant)}"
    with client.stream("GET", address, headers=GZIP) as answer:
        assert "content-encoding" not in answer.headers
        first = next(answer.iter_raw())  # the stream stays open
        assert b"event: state" in first


@pytest.mark.parametrize("path", ["/static/js/none.AbCdEfGh.js", "/static/../../app.py", "/static/js/", "//"])
def test_no_other_file_can_be_had(client: httpx.Client, path: str) -> None:
    answer = client.get(path, headers=GZIP)
    assert "immutable" not in answer.headers.get("cache-control", "")
    assert b"get_settings" not in answer.content


def test_only_reading_is_answered(client: httpx.Client, script: str) -> None:
    assert client.post(script).status_code == 405


@pytest.mark.parametrize(
    ("said", "taken"),
    [
        ([], False),
        ([""], False),
        (["identity"], False),
        (["gzip"], True),
        (["GZIP ; q=0.001"], True),
        (["br, zstd", "deflate, gzip;q=1.0"], True),
        (["*"], True),
        (["*;q=0"], False),
        (["*;q=0, gzip"], True),
        (["gzip;q=0"], False),
        (["gzip;q=0.000, *"], False),
        (["gzip;q=nan"], False),
        (["gzip;q=-1"], False),
        (["gzip;q=1e9"], False),
        (["gzip;q=1;q=1"], False),
        (["not-gzip, gzipped"], False),
        ([",;,;=;q"], False),
        (["gzip" + " " * 60_000 + ";q=" + "1" * 60_000], False),
        (["\x00\xff;q=²"], False),
    ],
)
def test_what_a_browser_takes(said: list[str], taken: bool) -> None:
    assert accepts_gzip(said) is taken


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "static").mkdir()
    (tmp_path / "static" / "page.AbCdEfGh.js").write_text("let x = 1;" * 1000)
    (tmp_path / "static" / "plain.js").write_text("let x = 1;" * 1000)
    return tmp_path


def serving(folder: Path, prefix: str = "") -> httpx.AsyncClient:
    files = Starlette(routes=[Mount(prefix or "/", StaticFiles(directory=folder))])
    transport = httpx.ASGITransport(CompressedFiles(files, folder, prefix))
    return httpx.AsyncClient(transport=transport, base_url="http://shop", headers=GZIP)


async def test_each_file_is_compressed_once(folder: Path) -> None:
    async with serving(folder) as client:
        first = await client.get("/static/page.AbCdEfGh.js")
        (folder / "static" / "page.AbCdEfGh.js").write_text("never read")
        second = await client.get("/static/page.AbCdEfGh.js")
    assert first.text == second.text == "let x = 1;" * 1000


async def test_a_file_without_a_hash_is_read_each_time(folder: Path) -> None:
    async with serving(folder) as client:
        await client.get("/static/plain.js")
        (folder / "static" / "plain.js").write_text("changed")
        answer = await client.get("/static/plain.js")
    assert answer.text == "changed"
    assert answer.headers["cache-control"] == "no-cache"


async def test_a_file_that_is_gone_is_left_to_who_is_behind(folder: Path) -> None:
    async with serving(folder) as client:
        (folder / "static" / "page.AbCdEfGh.js").unlink()
        assert (await client.get("/static/page.AbCdEfGh.js")).status_code == 404


async def test_files_below_a_path_prefix_are_compressed_too(folder: Path) -> None:
    async with serving(folder, "/headroom") as client:
        answer = await client.get("/headroom/static/page.AbCdEfGh.js")
        elsewhere = await client.get("/static/page.AbCdEfGh.js")
    assert answer.headers["content-encoding"] == "gzip"
    assert elsewhere.status_code == 404
