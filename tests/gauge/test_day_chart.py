"""Today's curve on a day that is longer or shorter than others: its axis is time elapsed."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

import pytest

from tests.gauge_scripts import evaluated

USUAL_NIGHT = [[minute + 7.5, minute] for minute in range(60, 240, 15)]
LABELS = """
(function (day) {
  var written = [];
  svgElement = function () { return {}; };
  label = function (svg, x, y, anchor, text) {
    if (anchor === "middle") { written.push([x, text]); }
  };
  var frame = { width: given[2], height: 300, marks: [], format: formatFor("en-GB", day.timezone, 0) };
  var plot = dayPlot([[0, 5]], { from: given[1][0], to: given[1][1] }, frame, 0);
  drawDayAxes({ appendChild: function () {} }, plot, day, frame);
  return written;
})(given[0])
"""


def day(month: int, day_of_month: int, hours: int, *, begins: int = 22) -> dict[str, Any]:
    """The day in Zurich that begins at `begins` UTC of the day before."""
    start = datetime(2026, month, day_of_month - 1, begins, tzinfo=UTC).timestamp()
    return {
        "timezone": "Europe/Zurich", "day_start": start, "until": start + hours * 3600, "typical": USUAL_NIGHT
    }  # fmt: skip


LONG = day(10, 25, 25)
SHORT = day(3, 29, 23, begins=23)
PLAIN = day(10, 24, 24)


def labels(of: dict[str, Any], *hours: int, width: int = 900) -> list[str]:
    return [text for _, text in evaluated(LABELS, of, [60 * hour for hour in hours], width)]


def test_an_hour_that_comes_twice_has_two_places_each_named() -> None:
    two, three = (f"02:00\N{NO-BREAK SPACE}{zone}" for zone in ("CEST", "CET"))
    assert labels(LONG, 0, 6) == ["00:00", "01:00", two, three, "03:00", "04:00", "05:00"]
    assert labels(LONG, 19, 25) == ["18:00", "19:00", "20:00", "21:00", "22:00", "23:00", "00:00"]
    assert labels(SHORT, 0, 5) == ["00:00", "01:00", "03:00", "04:00", "05:00", "06:00"]
    assert labels(PLAIN, 19, 24) == ["19:00", "20:00", "21:00", "22:00", "23:00", "00:00"]


@pytest.mark.parametrize("width", [320, 390, 500, 700])
@pytest.mark.parametrize(("of", "hours"), [(LONG, (0, 25)), (LONG, (0, 6)), (PLAIN, (0, 24))])
def test_no_label_lies_on_another(of: dict[str, Any], hours: tuple[int, int], width: int) -> None:
    written = evaluated(LABELS, of, [60 * hour for hour in hours], width)
    assert len(written) > 2
    for (x, text), (next_x, next_text) in pairwise(written):
        assert next_x - x >= 7 * (len(text) + len(next_text)) / 2 - 6


def test_a_curve_never_goes_back() -> None:
    half_hours = [LONG["day_start"] + 1800 * step for step in range(51)]
    places = evaluated("given[1].map(function (at) { return minuteWithin(given[0], at); })", LONG, half_hours)
    assert places == [30 * step for step in range(51)]


def test_a_typical_day_stands_where_the_clocks_show_its_times() -> None:
    def drawn(of: dict[str, Any]) -> list[list[float]]:
        found: list[list[float]] = evaluated("typicalWithin(given[0])", of)
        return found

    assert drawn(PLAIN) == USUAL_NIGHT
    first, twice, after = USUAL_NIGHT[:4], USUAL_NIGHT[4:8], USUAL_NIGHT[8:]
    moved = [[minute + 60, usual] for minute, usual in twice + after]
    assert drawn(LONG) == [*first, *twice, *moved]
    assert drawn(SHORT) == [*first, *([minute - 60, usual] for minute, usual in after)]
