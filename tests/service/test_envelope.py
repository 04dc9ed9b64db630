from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from contract import HTTP_STATUS, ErrorCode
from service.envelope import SERVER_TAG, status_of
from service.exception_handlers import entry

ROOT = Path(__file__).resolve().parent.parent.parent


def test_the_server_tag_is_the_projects_version() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert f"{project['name']}-{project['version']}" == SERVER_TAG


@pytest.mark.parametrize("code", ErrorCode)
def test_every_code_has_a_place_among_the_severities(code: ErrorCode) -> None:
    assert status_of([entry(code, "")]) == HTTP_STATUS[code]


def test_the_most_severe_error_gives_the_status() -> None:
    wrong_time = entry(ErrorCode.INVALID_TIME_FILTER, "")
    no_site = entry(ErrorCode.SITE_NOT_FOUND, "")
    foreign = entry(ErrorCode.FORBIDDEN_ACCESS, "")
    assert status_of([wrong_time, no_site]) == 404
    assert status_of([no_site, foreign, wrong_time]) == 403
