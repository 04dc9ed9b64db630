from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from pydantic import ValidationError

from analysis.notes import LONGEST_NOTE, Note, notes_by_bucket, notes_on_days, notes_within
from analysis.time_range import TimeRange

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


def note(hours: float, text: str = "sale") -> Note:
    return Note(at=NOON + hours * HOUR, text=text)


def test_notes_of_a_range_ascend_and_its_end_belongs_to_the_next() -> None:
    notes = {"c": note(2), "b": note(0, "b"), "a": note(0, "a"), "before": note(-0.01), "end": note(3)}
    assert list(notes_within(notes, TimeRange(NOON, NOON + 3 * HOUR))) == ["a", "b", "c"]


def test_each_note_stands_in_the_row_of_its_time() -> None:
    starts = [NOON, NOON + HOUR, NOON + 2 * HOUR]
    notes = [note(-1, "before"), note(0, "first"), note(0.99, "too"), note(1, "second"), note(9, "last")]
    assert notes_by_bucket(notes, starts) == [["first", "too"], ["second"], ["last"]]


@pytest.mark.parametrize(
    "wrong", [{"text": ""}, {"text": "x" * (LONGEST_NOTE + 1)}, {"at": "2026-06-01T12:00:00"}, {"more": 1}]
)
def test_what_is_no_note_is_not_kept(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        Note.model_validate({"at": "2026-06-01T12:00:00Z", "text": "sale"} | wrong)


def test_a_note_is_on_the_day_of_the_count_whose_hours_hold_it() -> None:
    days = [date(2026, 6, 1), date(2026, 6, 2)]
    early, noon, after = note(-10), note(0), note(24 + 18)
    found = notes_on_days([early, noon, note(15), after], days, 6, ZoneInfo("UTC"))
    # 02:00 is of the day before, which is none of them; so is 06:00 on the third.
    assert found == {noon: -0.25, note(15): 0.375}
