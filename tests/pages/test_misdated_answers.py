"""A service whose points lie outside of the range, or whose hours are not those of the local clock."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from streamlit.testing.v1 import AppTest

from contract import parse_instant
from tests.pages.analysis import PATIENCE, text_of
from tests.running_service import ROOT
from tests.scripted_service import KEY, ScriptedService, scripted_service

OpenPage = Callable[..., str]
HOUR = timedelta(hours=1)
STEPS = {"minute": timedelta(minutes=1), "hour": HOUR, "day": 24 * HOUR}
BEGINNING = datetime(2020, 1, 1, tzinfo=UTC)


def shop(timezone: str) -> dict[str, Any]:
    hall = {"id": "hall", "name": "Hall", "capacity": 100}
    return {"id": "shop", "name": "Shop", "timezone": timezone, "zones": [hall], "passages": []}


@dataclass
class Dated(ScriptedService):
    """Counts 3 in each bucket of UTC, moved by `late`; and 999 at each time `outside` of the range."""

    late: timedelta = timedelta()
    before: tuple[timedelta, ...] = ()
    """How long before its beginning."""
    after: tuple[timedelta, ...] = ()
    """How long after its end."""

    def past_points(self, query: dict[str, Any]) -> list[dict[str, Any]]:
        zone, now = ZoneInfo(query.get("timezone") or "Etc/UTC"), self.now()
        start, end = (parse_instant(query[edge], now=now, timezone=zone) for edge in ("from", "to"))
        step = STEPS.get(query.get("granularity") or "hour", 30 * 24 * HOUR)
        first = start - (start - BEGINNING - self.late) % step
        told = {first + number * step: 3 for number in range(-((first - min(end, now)) // step))}
        told |= dict.fromkeys([start - span for span in self.before], 999)
        told |= dict.fromkeys([end + span for span in self.after if end + span < now], 999)
        return [
            {"timestamp": at.isoformat(), "metrics": dict.fromkeys(query["metrics"], told[at])}
            for at in sorted(told)
        ]


@pytest.fixture
def page_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> OpenPage:
    def page(scripted: ScriptedService, name: str, **parameters: str) -> str:
        with scripted_service(scripted):
            monkeypatch.setenv("HEADROOM_BASE_URL", scripted.base_url)
            monkeypatch.setenv("HEADROOM_API_KEY", KEY)
            monkeypatch.setenv("HEADROOM_DATA_DIR", str(tmp_path))
            test = AppTest.from_file(str(ROOT / "dashboard.py"), default_timeout=PATIENCE)
            for parameter, value in {"site": "shop", **parameters}.items():
                test.query_params[parameter] = value
            test.switch_page(f"pages/{name}.py").run()
            assert not test.exception
            return text_of(test)

    return page


@pytest.mark.parametrize(
    ("before", "after"),
    [((timedelta(days=400),), ()), ((HOUR,), ()), ((), (timedelta(),)), ((), (3 * HOUR,))],
    ids=["a-year-before", "the-hour-before", "at-the-end", "hours-after"],
)
def test_what_lies_outside_of_the_range_is_in_no_number_of_history(
    page_of: OpenPage, before: tuple[timedelta, ...], after: tuple[timedelta, ...]
) -> None:
    service = Dated(sites=[shop("Etc/UTC")], before=before, after=after)
    said = page_of(service, "history", range="yesterday", granularity="hour", timezone="Etc/UTC")
    assert "72 came in" in said
    assert "All 24 hours have counts" in said
    assert "999" not in said


def test_replay_chooses_none_of_the_days_that_it_did_not_ask_for(page_of: OpenPage) -> None:
    service = Dated(sites=[shop("Etc/UTC")], before=(timedelta(days=400),))
    said = page_of(service, "replay")
    week = [datetime.now(UTC) - timedelta(days=ago) for ago in range(1, 8)]
    assert any(f"{day:%A} {day.day} {day:%B} {day.year}" in said for day in week)


KATHMANDU = "The {unit}s of this service begin {minutes} minutes past those of Kathmandu time, so {what}."
NO_CHECK = "the number inside cannot be checked"
NO_BUCKETS = "nothing can be told by them. Choose minutes, of a day at most, under “More choices”"


@pytest.mark.parametrize(("late", "past"), [(timedelta(), 45), (timedelta(minutes=3, seconds=17), 48)])
@pytest.mark.parametrize(
    "asked",
    [
        ("trust", {}, "hour", NO_CHECK),
        ("history", {"range": "7d"}, "hour", NO_BUCKETS),
        ("history", {"range": "7d", "granularity": "day"}, "day", NO_BUCKETS),
        ("rhythm", {}, "hour", "no rhythm can be told"),
    ],
)
def test_buckets_of_another_clock_are_named_in_the_place_of_numbers(
    page_of: OpenPage, asked: tuple[str, dict[str, str], str, str], late: timedelta, past: int
) -> None:
    name, parameters, unit, what = asked
    said = page_of(Dated(sites=[shop("Asia/Kathmandu")], late=late), name, **parameters)
    minutes = past + (5 * 60 if unit == "day" else 0)
    assert KATHMANDU.format(unit=unit, minutes=minutes, what=what) in said
    assert "came in" not in said
    assert "have counts" not in said


def test_compare_names_hours_of_another_clock_as_the_reason(page_of: OpenPage) -> None:
    said = page_of(Dated(sites=[shop("Asia/Kathmandu")]), "compare")
    assert "the hours of its service begin 45 minutes past those of its clock" in said
    assert "counted in" not in said


def test_minutes_are_told_whatever_the_hours_are(page_of: OpenPage) -> None:
    service = Dated(sites=[shop("Asia/Kathmandu")])
    said = page_of(service, "history", range="1h", granularity="minute")
    assert "All 60 minutes have counts" in said or "60 of 61 minutes have counts" in said


REFUSED = "answered with values that cannot be right"


@pytest.mark.parametrize("value", [1e300, 1e15, float("nan"), "7"])
@pytest.mark.parametrize("name", ["history", "trust", "replay"])
def test_values_that_are_refused_are_not_said_to_be_missing(page_of: OpenPage, name: str, value: Any) -> None:
    service = ScriptedService(
        sites=[shop("Etc/UTC")], is_past_of_range=True,
        metrics={"visitorsInside": value, "entrances": value, "exits": value},
    )  # fmt: skip
    said = page_of(service, name)
    assert f"The service {REFUSED}. They are left out" in said
    assert "No counts are stored" not in said


def test_values_that_are_refused_are_why_a_site_is_left_out_of_compare(page_of: OpenPage) -> None:
    values = {"visitorsInside": 1e300, "entrances": 1e300, "exits": 1e300}
    said = page_of(ScriptedService(sites=[shop("Etc/UTC")], metrics=values, is_past_of_range=True), "compare")
    assert f"its service {REFUSED}; “Connection” says which" in said
    assert "counted in" not in said


@pytest.mark.parametrize("name", ["history", "trust", "replay", "compare"])
def test_of_values_that_are_right_nothing_is_said_to_be_refused(page_of: OpenPage, name: str) -> None:
    assert "cannot be right" not in page_of(Dated(sites=[shop("Etc/UTC")]), name)
