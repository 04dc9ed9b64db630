"""What live pages and walls are told of closed time, by the hours that are kept."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
import structlog

from analysis.closed_ahead import ClosedSpans
from analysis.hours_text import spans_of_text
from analysis.opening_hours import OpeningHours, OtherDay
from runtime.closed_ahead import read_closed_ahead
from runtime.site_knowledge import keep_opening_hours
from runtime.site_knowledge_store import SiteKnowledgeStore
from runtime.upstream import service_digest

ZURICH = ZoneInfo("Europe/Zurich")
MONDAY = datetime(2026, 11, 23, tzinfo=UTC)
NOON = MONDAY + timedelta(hours=12)
HOURS = OpeningHours(week=(spans_of_text("9-13, 14-18"),) * 7)


pytestmark = pytest.mark.usefixtures("kept_here")


def closed_of(timezones: Mapping[str, str]) -> dict[str, ClosedSpans]:
    found = read_closed_ahead(timezones, NOON)
    assert found is not None
    return found


def test_closed_time_is_told_of_sites_whose_hours_are_kept_from_today_on_for_two_weeks() -> None:
    keep_opening_hours("shop", HOURS)
    keep_opening_hours("kiosk", OpeningHours(week=((),) * 7))
    closed = closed_of({"shop": ZURICH.key, "kiosk": "UTC", "stall": ZURICH.key})
    midnight = MONDAY.timestamp()
    assert set(closed) == {"shop", "kiosk"}
    assert closed["shop"][:2] == [
        (midnight, midnight + 8 * 3600),
        (midnight + 12 * 3600, midnight + 13 * 3600),
    ]
    begin, end = closed["shop"][-1]
    assert begin > (NOON + timedelta(days=14)).timestamp()
    assert end is None, "it lies beyond what is looked at"
    assert closed["kiosk"] == [(midnight, None)]


def test_a_place_opens_after_a_day_that_somebody_has_named() -> None:
    stocktaking = OtherDay(day=date(2026, 11, 24), name="stocktaking")
    keep_opening_hours("shop", HOURS.model_copy(update={"others": (stocktaking,)}))
    begin, end = closed_of({"shop": ZURICH.key})["shop"][2]
    assert begin == (MONDAY + timedelta(hours=17)).timestamp()
    assert end == (MONDAY + timedelta(days=2, hours=8)).timestamp()


def test_changed_hours_are_told_the_next_time_and_those_of_a_damaged_site_are_none(tmp_path: Path) -> None:
    zones = {"shop": ZURICH.key, "stall": ZURICH.key}
    keep_opening_hours("shop", HOURS)
    before = closed_of(zones)
    keep_opening_hours("shop", HOURS.model_copy(update={"week": (spans_of_text("10-12"),) * 7}))
    SiteKnowledgeStore(tmp_path).keep(service_digest(), "stall", "opening hours", "", "{")
    after = closed_of(zones)
    assert set(before) == set(after) == {"shop"}
    assert before != after


def test_that_they_cannot_be_read_is_not_that_none_are_kept(tmp_path: Path) -> None:
    """A wall would forget what it knows, and invite people in."""
    keep_opening_hours("kiosk", HOURS)
    assert closed_of({"shop": ZURICH.key}) == {}
    (file,) = tmp_path.glob("site-knowledge.sqlite")
    file.write_bytes(b"no database")
    assert read_closed_ahead({"shop": ZURICH.key}, NOON) is None


def test_hours_that_are_damaged_are_named_in_the_log_once_however_often_they_are_read(tmp_path: Path) -> None:
    SiteKnowledgeStore(tmp_path).keep(service_digest(), "damaged", "opening hours", "", "{")
    with structlog.testing.capture_logs() as lines:
        for _ in range(3):
            read_closed_ahead({"damaged": "UTC"}, NOON)
    assert [line["site"] for line in lines] == ["damaged"]


def test_damaged_hours_are_logged_once_however_often_walls_ask(tmp_path: Path) -> None:
    timezones = {f"often-{number}": ZURICH.key for number in range(3)}
    for site_id in timezones:
        SiteKnowledgeStore(tmp_path).keep(service_digest(), site_id, "opening hours", "", "{}")
    with structlog.testing.capture_logs() as lines:
        for _ in range(50):
            assert closed_of(timezones) == {}
    assert sorted(line["site"] for line in lines) == sorted(timezones)


def test_a_file_that_fails_is_logged_once_however_often_walls_ask(tmp_path: Path) -> None:
    (tmp_path / "site-knowledge.sqlite").write_bytes(b"no database" * 100)
    with structlog.testing.capture_logs() as lines:
        for _ in range(50):
            assert read_closed_ahead({"shop": ZURICH.key}, NOON) is None
    assert len(lines) == 1
