from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from analysis.inside_band import ErrorPart, SureHour
from components.number_format import Formats
from components.sentences.sure_words import sure_hour_words, sure_words

ZURICH = ZoneInfo("Europe/Zurich")
HOUR = SureHour(datetime(2026, 6, 2, 12, tzinfo=UTC), 175, 165.2, 178.7)
READ = Formats()


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [
        (-0.003, 0.008, "between 3 too low and 8 too high"),
        (0.002, 0.008, "2 to 8 too high"),
        (-0.008, -0.002, "2 to 8 too low"),
        (0, 0.004, "0 to 4 too high"),
        (0, 0, "right"),
        (0.005, 0.005, "5 too high"),
    ],
)
def test_the_error_is_told_for_a_thousand_who_came_in(low: float, high: float, said: str) -> None:
    assert sure_words(ErrorPart(low, high, 20), (), ZURICH, READ) == (
        f"With 1,000 who have come in, the number inside is {said}, on eight days of ten, by 20 past days."
    )


def test_few_days_are_said_to_be_all_and_too_few_to_tell_nothing() -> None:
    assert "on all 6 days with counts enough." in sure_words(ErrorPart(0, 0.01, 6), (), ZURICH, READ)
    assert "cannot be told" in sure_words(None, (), ZURICH, READ)


def test_the_newest_hour_is_told_with_its_band() -> None:
    said = sure_words(ErrorPart(-0.003, 0.008, 20), [HOUR], ZURICH, READ)
    assert said.endswith(
        "In the hour from 14:00 it told 175 people inside on average: by that, 165 to 179 were."
    )
    assert sure_hour_words(HOUR, ZURICH, READ) == "14:00: 175 inside on average, 165 to 179 by past days"
