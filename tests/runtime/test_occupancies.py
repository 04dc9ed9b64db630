"""How full a site is, and whether a page that was not told is to be drawn anew."""

from __future__ import annotations

from datetime import timedelta
from typing import NoReturn

import pytest

from api_client import Unreachable
from runtime import told_site
from runtime.cache import Cache
from runtime.occupancies import is_told_anew, occupancy_or_none
from tests.scripted_service import KEY, ScriptedService, scripted_service

SITE = {"id": "s", "name": "S", "timezone": "Etc/UTC", "zones": [{"id": "z", "name": "Z"}]}


def nobody_is_there() -> NoReturn:
    raise Unreachable("Nobody is there.", code="CONNECTION_FAILED")


def test_a_page_is_drawn_anew_once_what_it_was_not_told_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("runtime.reads._site", Cache(timedelta(), most=9, keeps_old=True))
    monkeypatch.setattr("runtime.occupancies._occupancies", Cache(timedelta(), most=9))
    monkeypatch.setenv("HEADROOM_API_KEY", KEY)
    with scripted_service(ScriptedService([SITE])) as service:
        monkeypatch.setenv("HEADROOM_BASE_URL", service.base_url)
        now = told_site("s")
        inside = occupancy_or_none(now.value)
        assert not is_told_anew(now, inside)
        with monkeypatch.context() as silent:
            silent.setattr("runtime.reads.get_client", nobody_is_there)
            silent.setattr("runtime.occupancies.get_client", nobody_is_there)
            before = told_site("s")
            assert (before.value, before.age is None) == (now.value, False)
            assert occupancy_or_none(before.value) is None
            assert not is_told_anew(before, None)
        assert is_told_anew(before, inside)
        assert is_told_anew(now, None)
