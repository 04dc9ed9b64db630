"""A service whose clock is not this machine's: ages and today are told by the service's."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from streamlit.testing.v1 import AppTest

from runtime import close_resources
from runtime.site_reports import close_survey
from tests.eventually import eventually
from tests.pages.analysis import PATIENCE, text_of
from tests.running_service import ROOT
from tests.scripted_service import KEY, ScriptedService, scripted_service
from tests.shown_gauges import component_data

_AHEAD = 12 - datetime.now(UTC).hour
NOON = ZoneInfo(f"Etc/GMT{-_AHEAD:+d}")  # the names of these zones count the other way
"""Where it is about noon: no day begins or ends while a test asks for today."""


def shop(number: int) -> dict[str, Any]:
    doors = [
        {"id": name, "name": name.capitalize(), "fromZoneId": None, "toZoneId": "hall"}
        for name in ("north", "south")
    ]
    zones = [{"id": "hall", "name": "Hall", "capacity": 100}]
    named = {"id": f"s{number}", "name": f"Shop {number}", "timezone": NOON.key}
    return named | {"zones": zones, "passages": doors}


@pytest.fixture(params=[timedelta(minutes=-10), timedelta(days=-3), timedelta(days=3)], ids=str)
def scripted(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[ScriptedService]:
    service = ScriptedService(
        [shop(number) for number in range(3)], ahead=request.param, top_zone_ids=["hall"]
    )
    with scripted_service(service) as running:
        monkeypatch.setenv("HEADROOM_BASE_URL", running.base_url)
        monkeypatch.setenv("HEADROOM_API_KEY", KEY)
        monkeypatch.setenv("HEADROOM_DATA_DIR", str(tmp_path))
        yield running
        close_survey()
        close_resources()


def page(name: str, **parameters: str) -> AppTest:
    test = AppTest.from_file(str(ROOT / "dashboard.py"), default_timeout=PATIENCE)
    for parameter, value in parameters.items():
        test.query_params[parameter] = value
    test.switch_page(f"pages/{name}.py").run()
    assert not test.exception
    return test


def midnight(scripted: ScriptedService) -> datetime:
    return scripted.now().astimezone(NOON).replace(hour=0, minute=0, second=0, microsecond=0)


async def test_a_count_of_this_minute_is_quiet_nowhere_and_its_age_is_told_as_usual(
    scripted: ScriptedService,
) -> None:
    overview = page("overview")
    await eventually(lambda: "21 people inside** in 3 of 3 sites" in text_of(overview.run()))
    states = " ".join(overview.pills(key="choose-show").options)
    assert "Free **3**" in states
    assert "Quiet" not in states
    connection = page("connection")
    said = text_of(connection)
    assert "Longer than usual" not in said
    assert "The service's clock is" in said
    assert "one of them is wrong" in said
    assert re.fullmatch(r"\d+ s|[12] min", connection.metric[-1].value)


def test_doors_are_ranked_by_the_day_that_it_is_for_the_service(scripted: ScriptedService) -> None:
    shown = component_data(page("live", site="s0"), "headroom_door_ranking")
    assert [abs(scripted.now().timestamp() - shown[name]) < 60 for name in ("read_at", "now")] == [True, True]
    asked = [question for question in scripted.asked if question["filter"].get("passageIds")]
    assert {question["from"] for question in asked} == {f"{midnight(scripted):%Y-%m-%dT%H:%M:%S}"}


def test_named_ranges_of_history_are_days_of_the_service(scripted: ScriptedService) -> None:
    page("history", site="s0", range="today")
    assert f"{midnight(scripted):%Y-%m-%dT%H:%M:%S}" in {question["from"] for question in scripted.asked}
