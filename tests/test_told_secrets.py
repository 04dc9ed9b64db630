from __future__ import annotations

import secrets
from pathlib import Path

import httpx
import pytest
from argon2 import PasswordHasher
from itsdangerous import URLSafeSerializer, URLSafeTimedSerializer

from screens.store import new_token
from service.store.key_secret import new_secret
from tests.forked_process import run_forked
from tests.told_secrets import found, never_told, note

GRANTED = {"feeds": [["corner-shop", "hall"]]}
QUICK = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
"""What it makes looks like any hash; each process that collects tests makes one."""
WORD = f"a word that no log may have, {secrets.token_hex(4)}"


@pytest.mark.parametrize(
    ("kind", "line"),
    [
        ("an API key", f"key {new_secret()[1]} refused"),
        ("a hash of a password", QUICK.hash("a quiet word")),
        ("a token of a provider", "id_token=eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJtYXJpYSJ9.c2ln"),
        ("a cookie of a session", "_streamlit_user=2|1:0|10:1774688400|15:_streamlit_user|4:e30=|abc"),
        ("a signed token", f"GET /live/stream?token={URLSafeSerializer('x').dumps(GRANTED)} 200"),
        ("a signed token", f"cookie {URLSafeTimedSerializer('x').dumps(GRANTED)}"),
        ("a link of a screen", f"GET /screen/{new_token()}/stream"),
        ("credentials", "{'Authorization': 'Bearer abc'}"),
        ("what is configured as secret", f"logged in by {WORD}"),
    ],
    ids=range(9),  # secrets are new in each process, which must agree on the names of their tests
)
def test_a_secret_is_found_by_its_form_and_not_repeated(kind: str, line: str) -> None:
    never_told(WORD)
    note("service.log", line)
    told = found()
    assert [one for one in told if one.startswith(f"service.log has {kind}: ")]
    assert line not in "".join(told)


def test_what_a_process_prints_and_what_it_was_given_as_a_secret_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HEADROOM_OF_A_TEST_PASSWORD", "a word for the door")
    (tmp_path / "telling.py").write_text("import os, sys\nprint(os.environ, file=sys.stderr)\n")
    run_forked(["telling"], folder=tmp_path)
    [told] = [one for one in found() if "HEADROOM_OF_A_TEST_PASSWORD" in one]
    assert told.startswith("errors has what is configured as secret")
    assert "a word for the door" not in told


def test_an_answer_that_repeats_the_key_is_found() -> None:
    def echo(request: httpx.Request) -> httpx.Response:
        return httpx.Response(401, text=f"no such key: {request.headers['x-api-key']}")

    with httpx.Client(base_url="http://service", transport=httpx.MockTransport(echo)) as client:
        client.get("/v3/sites", headers={"x-api-key": "nobody's key"})
    assert found() == ["the answer 401 to GET /v3/sites repeats what came as x-api-key"]


def test_ordinary_lines_have_none() -> None:
    ordinary = (
        "2026-03-28T09:15:00Z [info] request path=/v3/metrics status=200 request_id=4ae67b8c-51a9-4015-940b",
        "File site-packages/streamlit/runtime/scriptrunner/script_runner.py, line 27",
        "screen shown at /screen/{token}",
    )
    for line in ordinary:
        note("service.log", line)
    assert found() == []
