"""From when on it is quieter is told on walls where it can be; a curve is never lost for it."""

from __future__ import annotations

from datetime import date
from zoneinfo import ZoneInfo

import pytest
import structlog

from analysis.known_of_day import Quieter
from live.snapshot import FeedKey
from runtime import quieter_hours
from runtime.quieter_hours import read_known_on_wall
from screens.day_curve import Day

pytestmark = pytest.mark.usefixtures("kept_here")


def on_a_wall_of(site_id: str) -> Day:
    return Day(FeedKey(site_id), ZoneInfo("Europe/Zurich"), date(2026, 11, 23))


def test_a_defect_in_what_is_told_of_the_rest_of_the_day_leaves_the_curve_and_is_logged(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken(day: Day) -> None:
        raise ZeroDivisionError(day.feed.site_id)

    monkeypatch.setattr(quieter_hours, "_read", broken)
    with structlog.testing.capture_logs() as logged:
        assert read_known_on_wall(on_a_wall_of("defect")).quieter == Quieter()
    assert [(one["log_level"], one["site"]) for one in logged] == [("error", "defect")]


def test_a_service_that_does_not_answer_leaves_the_curve_and_is_logged() -> None:
    with structlog.testing.capture_logs() as logged:
        read_known_on_wall(on_a_wall_of("silent"))
        quieter_hours._told.popitem()[1].outcome.result(60)
    [line] = [one for one in logged if one["event"].startswith("a wall does not tell")]
    assert line["log_level"] == "warning"
    assert line["reason"]
