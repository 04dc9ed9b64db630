from __future__ import annotations

import httpx
import pytest
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Mount

from runtime.page_routes import other_addresses_route


async def ask(path: str, prefix: str = "") -> httpx.Response:
    """As it is answered before what stands for Streamlit."""
    app = Starlette(routes=[other_addresses_route(prefix), Mount("/", app=PlainTextResponse("Streamlit"))])
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://dashboard") as client:
        return await client.get(path)


@pytest.mark.parametrize(
    ("path", "leads_to"),
    [
        ("/overview", "/"),
        ("/Overview/?show=full&show=quiet", "/?show=full&show=quiet"),
        ("/live/?site=a%20b", "/live?site=a%20b"),
        ("/HISTORY", "/history"),
    ],
)
@pytest.mark.parametrize("prefix", ["", "shop/floor"])
async def test_a_page_that_is_written_otherwise_is_found(path: str, leads_to: str, prefix: str) -> None:
    root = f"/{prefix}" if prefix else ""
    answer = await ask(root + path, prefix)
    assert answer.next_request
    assert str(answer.next_request.url) == f"http://dashboard{root}{leads_to}"


@pytest.mark.parametrize("path", ["/nope", "/live/nope", "/a/b/c/", "/static/nope", "/%3Cb%3E"])
async def test_an_address_without_a_page_is_not_found_and_names_the_pages(path: str) -> None:
    answer = await ask(path)
    assert answer.status_code == 404
    top = "../" * (path.count("/") - 1) or "./"
    assert f'<a href="{top}">Overview</a><a href="{top}live">Live</a>' in answer.text
    assert "<b>" not in answer.text


async def test_a_very_long_address_is_told_in_short() -> None:
    assert len((await ask("/" + "x" * 5_000)).text) < 1_100


@pytest.mark.parametrize(
    "path", ["/", "/favicon.png", "/static/js/index.js", "/_stcore/health", "/_stcore/upload", "/media/0af3"]
)
async def test_what_streamlit_serves_is_left_to_it(path: str) -> None:
    assert (await ask(path)).text == "Streamlit"
