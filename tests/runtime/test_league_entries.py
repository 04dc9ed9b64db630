"""Entries of a league read from a service over real HTTP: bounded, kept, and left alone where they fail."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from analysis.history_request import HistoryRequest
from analysis.league_entry import Measure
from analysis.league_period import Days, league_ranges
from analysis.subject import whole_site
from api_client import InvalidQuery
from contract import MetricKey, SiteSummary
from runtime.league_entries import Question, read_league
from tests.scripted_service import KEY, ScriptedService, scripted_service

UTC_ZONE = ZoneInfo("Etc/UTC")
LONG = 30.0
"""Seconds; more than any reading here takes."""


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedService]:
    with scripted_service(ScriptedService(past=range(24 * 60, 0, -20))) as running:
        monkeypatch.setenv("HEADROOM_BASE_URL", running.base_url)
        monkeypatch.setenv("HEADROOM_API_KEY", KEY)
        yield running


def questions(count: int) -> dict[str, Question]:
    """Of that many sites, about yesterday."""
    now = datetime.now(UTC)
    yesterday = now.date() - timedelta(days=1)
    ranges = league_ranges(Days(yesterday, yesterday), now, UTC_ZONE)
    found = {}
    for number in range(count):
        site = SiteSummary(id=f"shop-{number}", name=f"Shop {number}", timezone="Etc/UTC")
        metrics = (MetricKey.ENTRANCES,)
        request = HistoryRequest(site.id, (whole_site(site),), metrics, ranges.present, UTC_ZONE, now)
        found[site.id] = Question(request, ranges, Measure.ENTRANCES)
    return found


def test_without_time_nothing_is_asked(service: ScriptedService) -> None:
    found = read_league(questions(3), 0)
    assert (found.entries, found.failures, service.asked) == ({}, {}, [])


def test_what_is_read_is_kept_and_known_without_time(service: ScriptedService) -> None:
    asked = questions(3)
    first = read_league(asked, LONG)
    assert first.entries.keys() == asked.keys()
    count = len(service.asked)
    assert read_league(asked, 0).entries == first.entries
    assert read_league(asked, LONG).entries == first.entries
    assert len(service.asked) == count > 0


def test_a_site_that_failed_is_named_and_not_asked_again_at_once(service: ScriptedService) -> None:
    service.past_failure = (500, {})
    asked = questions(2)
    assert read_league(asked, LONG).failures.keys() == asked.keys()
    count = len(service.asked)
    service.past_failure = None
    assert read_league(asked, LONG).failures.keys() == asked.keys()
    assert len(service.asked) == count > 0


def test_a_site_that_is_young_is_told_though_its_service_accepts_no_months(service: ScriptedService) -> None:
    """Since when it is counted is looked for in these, and is not known then."""
    asked = questions(1)
    service.refused = frozenset({"month"})
    found = read_league(asked, LONG)
    assert found.entries.keys() == asked.keys()
    assert "month" in {one.get("granularity") for one in service.asked}


def test_a_site_whose_service_accepts_no_hours_is_named_with_the_reason(service: ScriptedService) -> None:
    service.refused = frozenset({"hour"})
    found = read_league(questions(1), LONG)
    assert isinstance(found.failures["shop-0"], InvalidQuery)


def test_where_site_after_site_fails_the_rest_is_not_asked(service: ScriptedService) -> None:
    service.past_failure = (500, {})
    asked = questions(60)
    found = read_league(asked, LONG)
    assert 0 < len(found.failures) < 60
    assert {body["siteId"] for body in service.asked} == found.failures.keys()
