from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from babel import Locale

from analysis.error_part import ErrorPart
from analysis.inside_band import SureHour
from components.number_format import Formats
from components.sentences.sure_words import band_words, sure_hour_words, sure_words

ZURICH = ZoneInfo("Europe/Zurich")
HOUR = SureHour(datetime(2026, 6, 2, 12, tzinfo=UTC), 175, 165.2, 178.7)
READ = Formats()


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [
        (-0.003, 0.008, "between 3 too low and 8 too high"),
        (0.002, 0.008, "2 to 8 too high"),
        (-0.008, -0.002, "2 to 8 too low"),
        (0, 0.004, "up to 4 too high"),
        (-0.004, 0, "up to 4 too low"),
        (-0.0001, 0.0001, "less than 1 person off"),
        (0.005, 0.005, "5 too high"),
    ],
)
def test_the_error_is_told_for_a_day_like_those_of_the_place(low: float, high: float, said: str) -> None:
    assert sure_words(ErrorPart(low, high, 20, 18, 1000), (), ZURICH, READ) == (
        f"By the end of a usual day with 1,000 entrances the number inside is {said},"
        " as on at least 18 of 20 past days."
    )
    less = sure_words(ErrorPart(0, 0.016, 24, 22, 764), (), ZURICH, READ)
    assert "a usual day with 764 entrances the number inside is up to 12 too high, as" in less


def test_all_its_numbers_are_written_as_the_reader_writes_them() -> None:
    said = sure_words(ErrorPart(0, 0.5, 20, 18, 6520), (), ZURICH, Formats(Locale("de", "DE")))
    assert "6.520 entrances the number inside is up to 3.260 too high" in said
    assert "1,000" not in said


def test_a_number_that_was_right_is_not_said_to_be_wrong_on_some_days() -> None:
    right = "The number inside was right at the end of"
    assert (
        sure_words(ErrorPart(0, 0, 24, 22, 764), (), ZURICH, READ) == f"{right} at least 22 of 24 past days."
    )
    assert sure_words(ErrorPart(0, 0, 9, 9, 764), (), ZURICH, READ) == f"{right} all 9 past days."
    always = ErrorPart(0, 0, 24, 22, 764, were_right=True)
    assert sure_words(always, (), ZURICH, READ) == f"{right} all 24 past days."


def test_days_that_are_left_out_are_said_with_why() -> None:
    """Trust says beside it on how many days the number adds up: those among them, too."""
    quiet = "leaving out 4 on which nobody came or less than half as many as usual."
    right = ErrorPart(0, 0, 24, 22, 764, were_right=True, left_out=4)
    assert sure_words(right, (), ZURICH, READ) == (
        f"The number inside was right at the end of all 24 past days, {quiet}"
    )
    wrong = ErrorPart(0, 0.016, 24, 22, 764, left_out=4)
    assert sure_words(wrong, (), ZURICH, READ).endswith(f"as on at least 22 of 24 past days, {quiet}")


def test_few_days_are_said_to_be_all_and_too_few_to_tell_nothing() -> None:
    assert "as on all 6 past days." in sure_words(ErrorPart(0, 0.01, 6, 6, 100), (), ZURICH, READ)


def test_what_cannot_be_told_says_the_one_reason() -> None:
    assert sure_words(None, (), ZURICH, READ) == (
        "How sure the number is today cannot be told: that takes 5 past days that are counted whole and not"
        " much less busy than usual."
    )
    assert sure_words(None, (), ZURICH, READ, is_mostly_spoilt=True) == (
        "How sure the number is today cannot be told: on most past days it cannot be trusted at all."
    )


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [
        (0.001, 0.008, "too high"),
        (-0.008, -0.001, "too low"),
        (0, 0.008, "between how many"),
        (-0.001, 0.008, "between how many"),
    ],
)
def test_a_band_beside_its_line_says_which_way_the_number_errs(low: float, high: float, said: str) -> None:
    assert said in band_words(ErrorPart(low, high, 20, 18, 1000))


def test_the_newest_hour_is_told_with_its_band() -> None:
    said = sure_words(ErrorPart(-0.003, 0.008, 20, 18, 1000), [HOUR], ZURICH, READ)
    assert said.endswith(
        "In the hour from 14:00 it told 175 people inside on average: by that, 165 to 179 were."
    )
    assert sure_hour_words(HOUR, ZURICH, READ) == "14:00: 175 inside on average, 165 to 179 by past days"
