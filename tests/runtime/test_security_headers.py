from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from runtime._compat import inline_script_digests
from tests.running_dashboard import RunningDashboard, start_dashboard

UNREACHED = {"HEADROOM_BASE_URL": "http://127.0.0.1:9", "HEADROOM_API_KEY": "key"}
Get = Callable[[str], httpx.Response]


@pytest.fixture(scope="module")
def dashboard(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningDashboard]:
    started = start_dashboard(tmp_path_factory.mktemp("dashboard"), environment=UNREACHED)
    yield started
    started.kill()


@pytest.fixture
def get(dashboard: RunningDashboard) -> Get:
    return lambda path: httpx.get(f"{dashboard.base_url}{path}", timeout=30)


def directives(answer: httpx.Response) -> dict[str, list[str]]:
    [policy] = answer.headers.get_list("content-security-policy")
    return {name: sources for name, *sources in (part.split() for part in policy.split(";"))}


@pytest.mark.parametrize("path", ["/", "/screens", "/history?site=x", "/screen/unknown"])
def test_no_foreign_page_may_show_a_document_in_a_frame(get: Get, path: str) -> None:
    answer = get(path)
    assert answer.headers["content-type"].startswith("text/html")
    assert directives(answer)["frame-ancestors"] == ["'self'"]
    assert answer.headers["x-frame-options"] == "SAMEORIGIN"
    assert answer.headers["cross-origin-opener-policy"] == "same-origin"


@pytest.mark.parametrize("path", ["/", "/screen/unknown", "/healthz", "/_stcore/health", "/live/stream"])
def test_every_answer_says_what_it_is_and_gives_no_address_away(get: Get, path: str) -> None:
    answer = get(path)
    assert answer.headers.get_list("x-content-type-options") == ["nosniff"]
    assert answer.headers.get_list("referrer-policy") == ["no-referrer"]


def test_a_page_loads_and_asks_nothing_foreign(get: Get) -> None:
    policy = directives(get("/"))
    assert policy["default-src"] == ["'none'"]
    sources = {source for name in policy for source in policy[name]}
    assert {source for source in sources if ":" in source} == {"blob:", "data:"}
    assert policy["img-src"] == ["'self'", "data:", "blob:"]
    assert policy["connect-src"] == ["'self'"]
    assert not {"'unsafe-inline'", "'unsafe-eval'", "data:"} & set(policy["script-src"])


def test_each_script_inside_the_page_of_streamlit_is_named_by_its_digest(get: Get) -> None:
    for path in ("/", "/history", "/index.html"):
        page = get(path)
        digests = inline_script_digests(page.text)
        assert page.text.count("<script>") == len(digests) > 0
        assert {f"'{digest}'" for digest in digests} <= set(directives(page)["script-src"])


def test_not_modified_answer_renews_the_headers_that_a_browser_keeps(dashboard: RunningDashboard) -> None:
    """Else a browser that was here before the dashboard had a policy would go on without one."""
    for path in ("/", "/live"):
        page = httpx.get(f"{dashboard.base_url}{path}", timeout=30)
        known = {"If-None-Match": page.headers["etag"]}
        again = httpx.get(f"{dashboard.base_url}{path}", headers=known, timeout=30)
        assert again.status_code == 304
        assert again.headers["content-security-policy"] == page.headers["content-security-policy"]


def test_named_origins_may_show_pages_and_walls_in_a_frame(tmp_path: Path) -> None:
    embedders = {"HEADROOM_EMBED_ORIGINS": "https://intranet.example.org, https://*.shop.example:8443/"}
    dashboard = start_dashboard(tmp_path, environment=UNREACHED | embedders)
    try:
        for path in ("/?embed=true", "/screen/unknown"):
            answer = httpx.get(f"{dashboard.base_url}{path}", timeout=30)
            assert directives(answer)["frame-ancestors"] == [
                "'self'",
                "https://intranet.example.org",
                "https://*.shop.example:8443",
            ]
            assert "x-frame-options" not in answer.headers
    finally:
        dashboard.kill()


@pytest.mark.parametrize(
    "origin", ["intranet.example.org", "https://a.example/page", "*", "https://a; script-src *"]
)
def test_embedding_origin_that_is_none_ends_the_start_with_a_sentence(tmp_path: Path, origin: str) -> None:
    with pytest.raises(RuntimeError, match=r"HEADROOM_EMBED_ORIGINS: .+ is no origin"):
        start_dashboard(tmp_path, environment=UNREACHED | {"HEADROOM_EMBED_ORIGINS": origin})
