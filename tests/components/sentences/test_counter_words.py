from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from analysis.counters import Crossings, Hung, most_urgent_first
from components.number_format import Formats
from components.sentences.counter_words import (
    clock_words,
    outcome_words,
    status_words,
    summary_words,
    to_be_counted_words,
    waiting_words,
    watch_words,
)
from contract.administration import ClockTold, PlacedAt, Sensor
from tests.small_site import SITE

NOW = datetime(2026, 11, 24, 12, 4, tzinfo=UTC)
FORMATS = Formats(now=NOW)
ENTRANCE = next(one for one in SITE.passages if one.id == "entrance")


def sensor(serial: str = "A1", **known: Any) -> Sensor:
    usual: dict[str, Any] = {
        "number": 1, "maker": "axis-3d", "line": "", "placement": PlacedAt(passage_id="entrance"),
        "site_id": SITE.id, "status": "Online", "status_since": NOW, "usual_silence_seconds": 900,
        "first_heard_at": NOW, "last_heard_at": NOW, "clock": None, "waiting": 0, "conflicts": 0,
    }  # fmt: skip
    return Sensor(serial=serial, **(usual | known))


@pytest.mark.parametrize(
    ("waiting", "said"),
    [
        (3, "3 reports wait, the last came at 12:04."),
        (1, "1 report waits, the last came at 12:04."),
        (0, "No report of it waits; the last came at 12:04."),
    ],
)
def test_a_counter_that_waits_is_named_with_its_reports(waiting: int, said: str) -> None:
    words = waiting_words(sensor(line="north\n", waiting=waiting, placement=None), UTC, FORMATS)
    assert words == f"A counter that nobody has placed: axis-3d A1, line north. {said}"


@pytest.mark.parametrize(
    ("outcomes", "said"),
    [
        ({}, "No report had waited."),
        ({"counted": 3}, "Of the reports that had waited, 3 counted."),
        (
            {"counted": 200, "waiting": 1},
            "Of the reports that had waited, 200 counted and 1 is to be counted within minutes.",
        ),
        (
            {"begun": 2, "duplicate": 1, "unheard-of": 4},
            "Of the reports that had waited, 2 began running totals, 1 had come before and 4 unheard-of.",
        ),
    ],
)
def test_what_became_of_reports_is_said_also_where_it_is_not_known(
    outcomes: dict[str, int], said: str
) -> None:
    assert outcome_words(outcomes, FORMATS) == said


@pytest.mark.parametrize(
    ("seconds", "trusted", "said"),
    [
        (-40, True, "right"),
        (180, False, "3 min ahead; not believed"),
        (-7200, True, "2 h 0 min behind, or reports come late"),
    ],
)
def test_a_clock_is_said_in_words(seconds: int, trusted: bool, said: str) -> None:
    assert clock_words(ClockTold(ahead_seconds=seconds, is_trusted=trusted), FORMATS).endswith(said)


def test_what_is_the_matter_is_summed_up_and_comes_first() -> None:
    fine, down, loose = sensor("A1"), sensor("A2", status="Offline"), sensor("A3", placement=None)
    assert [one.serial for one in most_urgent_first([fine, down, loose])] == ["A3", "A2", "A1"]
    assert summary_words([fine, down, loose], FORMATS) == (
        "3 lines of 3 counters: 1 waits to be placed and 1 is offline."
    )
    assert summary_words([fine, sensor("A1", line="2")], FORMATS) == (
        "2 lines of 1 counter: all are placed and report as they usually do."
    )
    assert status_words(down, UTC, FORMATS) == "Offline since 12:04"


def test_a_test_crossing_tells_nothing_apart_from_nobody() -> None:
    hung, swapped = Hung(SITE, ENTRANCE), PlacedAt(passage_id="entrance", is_swapped=True)
    told, means = watch_words(None, "14:05", hung, sensor(), FORMATS)
    assert told == "Nothing told since 14:05."
    assert means.startswith("In leads from outside to Hall. It is silent for 15 min at most")
    told, means = watch_words(Crossings(0, 0), "14:05", hung, sensor(placement=swapped), FORMATS)
    assert (told, means) == ("0 in, 0 out since 14:05.", "In leads from Hall to outside.")


@pytest.mark.parametrize(
    ("waiting", "said"),
    [
        (1, "1 report is still to be counted,"),
        (17_800, "17,800 reports are still to be counted,"),
    ],
)
def test_of_one_that_is_placed_it_is_said_what_is_still_to_be_counted(waiting: int, said: str) -> None:
    assert to_be_counted_words(sensor(waiting=waiting), FORMATS).startswith(said)
