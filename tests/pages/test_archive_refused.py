"""Pages of a service that refuses what lies in an archive which it cannot read now, and says from when on."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from streamlit.testing.v1 import AppTest

from contract import parse_instant
from tests.pages.administration import said
from tests.running_service import ROOT
from tests.scripted_service import KEY, ScriptedService, scripted_service
from tests.written_days import written_day

SHOP = {"id": "shop", "name": "Shop", "timezone": "Etc/UTC", "zones": [], "passages": []}
ZONE = ZoneInfo("Etc/UTC")
HOUR = timedelta(hours=1)
MIDNIGHT = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
HELD_FROM = MIDNIGHT - timedelta(days=41) + 5 * HOUR


class Hourly(ScriptedService):
    """It has counted in each hour, and tells no minutes."""

    def past_points(self, query: dict[str, Any]) -> list[dict[str, Any]]:
        if query.get("granularity") != "hour":
            return []
        now = self.now()
        start, end = (parse_instant(query[name], now=now, timezone=ZONE) for name in ("from", "to"))
        hours = [start + hour * HOUR for hour in range((min(end, now) - start) // HOUR)]
        return [{"timestamp": one.isoformat(), "metrics": self.metrics} for one in hours]


@pytest.fixture(autouse=True)
def service(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedService]:
    with scripted_service(Hourly(sites=[SHOP], held_from=HELD_FROM)) as scripted:
        monkeypatch.setenv("HEADROOM_BASE_URL", scripted.base_url)
        monkeypatch.setenv("HEADROOM_API_KEY", KEY)
        monkeypatch.setenv("HEADROOM_DATA_DIR", str(tmp_path))
        yield scripted


def opened(page: str, **parameters: str) -> str:
    test = AppTest.from_file(str(ROOT / "dashboard.py"), default_timeout=60)
    test.query_params["site"] = "shop"
    for name, value in parameters.items():
        test.query_params[name] = value
    test.switch_page(f"pages/{page}.py").run()
    assert not test.exception
    return said(test)


def test_history_says_from_when_on_a_range_can_be_read() -> None:
    text = opened("history", range="3m")
    assert "Older days lie in the service's archive, which it cannot read right now." in text
    assert written_day(HELD_FROM, ZONE.key) in text
    assert "on can be read." in text


@pytest.mark.parametrize(
    ("page", "parameters"),
    [("rhythm", {"metric": "entrances", "weeks": "13"}), ("ahead", {"metric": "entrances"})],
)
def test_what_tells_of_past_weeks_rests_on_the_whole_days_that_can_be_read(
    page: str, parameters: dict[str, str], service: ScriptedService
) -> None:
    text = opened(page, **parameters)
    first = MIDNIGHT - timedelta(days=40)
    assert "What was counted before" in text
    assert "lies in the service's archive, which it cannot read now" in text
    assert written_day(first, ZONE.key) in text
    assert "cannot be shown" not in text
    assert "is not ready yet" not in text
    asked = {query["from"] for query in service.asked if query.get("granularity") == "hour"}
    assert first in {parse_instant(one, now=first, timezone=ZONE) for one in asked}


def test_where_no_whole_day_can_be_read_it_is_said_from_when_on_there_is_one(
    service: ScriptedService,
) -> None:
    service.held_from = MIDNIGHT + 30 * timedelta(days=1)
    text = opened("rhythm", metric="entrances")
    assert "The rhythm is not ready yet. Older days lie in the service's archive" in text.replace("*", "")
    assert "on can be read." in text
