from __future__ import annotations

from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest

from analysis.recorded_day import empty_day, recorded_place
from components.number_format import Formats
from components.sentences.replay_words import replay_notes


@pytest.mark.parametrize(
    ("zone", "day", "said"),
    [
        ("Europe/Zurich", date(2026, 10, 25), "this day has 25 hours."),
        ("Europe/Zurich", date(2026, 3, 29), "this day has 23 hours."),
        ("Australia/Lord_Howe", date(2026, 10, 4), "this day has 23 hours and 30 minutes."),
        ("Australia/Lord_Howe", date(2026, 4, 5), "this day has 24 hours and 30 minutes."),
        ("Australia/Lord_Howe", date(2026, 4, 6), ""),
    ],
)
def test_how_long_a_day_is_on_which_the_clocks_are_changed_is_said(zone: str, day: date, said: str) -> None:
    recorded = empty_day(day, ZoneInfo(zone), datetime(2027, 1, 1, tzinfo=UTC))
    notes = " ".join(replay_notes(recorded, recorded_place(recorded, []), Formats()))
    assert (said in notes) if said else ("clocks" not in notes)
