from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as any_

from analysis.hours_text import spans_of_text, text_of_spans
from tests.damaged import refusal


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("9-18", "09:00–18:00"),
        ("09:00–12:30, 13.30 to 18h", "09:00–12:30, 13:30–18:00"),
        ("13:30-18, 9-12:30", "09:00–12:30, 13:30–18:00"),
        ("22:00–02:00", "22:00–02:00"),
        ("0-24", "00:00–24:00"),
        ("18-0", "18:00–24:00"),
        ("", "closed"),
        ("Closed", "closed"),
        ("9 AM - 8 PM", "09:00–20:00"),
        ("9am–5:30pm", "09:00–17:30"),
        ("9 a.m. to 5.30 p.m.", "09:00–17:30"),
        ("9:00\u202fAM–8:00\u202fPM", "09:00–20:00"),
        ("12 PM–12 AM", "12:00–24:00"),
        ("12am-12pm", "00:00–12:00"),
        ("9-5pm", "09:00–17:00"),
        ("9am-5", "09:00–17:00"),
        ("1–5 pm", "13:00–17:00"),
        ("10-2am", "22:00–02:00"),
        ("9-8:30 pm, 10 pm - 1 am", "09:00–20:30, 22:00–01:00"),
        ("18-2", "18:00–02:00"),
        ("09:00–05:00", "09:00–05:00"),
    ],
)
def test_hours_are_read_as_people_write_them_and_written_in_one_way(text: str, written: str) -> None:
    assert text_of_spans(spans_of_text(text)) == written
    assert spans_of_text(written) == spans_of_text(text)


@pytest.mark.parametrize(
    "text", ["9", "9-", "nine to five", "9-25", "24-25", "9:75-10", "9--10", "9-18,", "13am-2", "0 am-5"]
)
def test_what_is_no_span_says_what_to_write(text: str) -> None:
    with pytest.raises(ValueError, match="write for example 09:00–18:30, or closed"):
        spans_of_text(text)


@pytest.mark.parametrize("text", ["9-12, 11-13", "9-12, 9-12", "22-02, 23-24"])
def test_no_minute_is_open_twice(text: str) -> None:
    with pytest.raises(ValueError, match="write each minute once"):
        spans_of_text(text)


@pytest.mark.parametrize(
    ("text", "ways"),
    [
        ("9 to 5", "09:00–17:00 or 09:00–05:00"),
        ("10-3", "10:00–15:00 or 10:00–03:00"),
        ("9:30–5:30", "09:30–17:30 or 09:30–05:30"),
        ("9-9", "09:00–21:00 or 09:00–09:00"),
        ("12-5", "12:00–17:00 or 12:00–05:00"),
    ],
)
def test_what_may_be_meant_by_either_clock_is_asked_for(text: str, ways: str) -> None:
    with pytest.raises(ValueError, match=f"may be meant in two ways; write {ways}."):
        spans_of_text(text)
    for way in ways.split(" or "):
        assert text_of_spans(spans_of_text(way)) == way


@given(any_.text(max_size=30) | any_.text("0123456789:.h apm-–—to,closed", max_size=40))
def test_any_text_is_spans_within_a_day_or_it_is_said_what_to_write(text: str) -> None:
    said = refusal(lambda: spans_of_text(text), ValueError)
    if said is not None:
        assert said.endswith(".")
        return
    spans = spans_of_text(text)
    assert spans_of_text(text_of_spans(spans)) == spans
    for span in spans:
        assert 0 <= span.opens < span.closes
