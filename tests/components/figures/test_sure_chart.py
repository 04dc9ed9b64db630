from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from analysis.inside_band import SureHour
from analysis.time_range import TimeRange
from components.figures.sure_chart import sure_chart
from components.number_format import Formats

FIVE = datetime(2026, 6, 2, 3, tzinfo=UTC)
HOURS = [SureHour(FIVE + timedelta(hours=n), 10.0 * n, 9.0 * n, 12.0 * n) for n in range(8)]


def test_a_bar_goes_from_the_fewest_to_the_most_and_the_line_has_the_number() -> None:
    figure = sure_chart(HOURS, ZoneInfo("Europe/Zurich"), theme="dark", formats=Formats(), revision="a")
    band, line = figure.data
    assert (list(band.base)[2], list(band.y)[2]) == (18, 6)
    assert list(line.y) == [10 * n for n in range(8)]
    assert list(figure.layout.xaxis.ticktext) == ["05:00", "07:00", "09:00", "11:00"]


def test_closed_time_is_shaded_and_a_note_is_numbered_where_it_happened() -> None:
    figure = sure_chart(
        HOURS, ZoneInfo("Europe/Zurich"),
        closed=[TimeRange(FIVE, FIVE + timedelta(hours=3))], notes=[FIVE + timedelta(hours=4.5)],
        theme="dark", formats=Formats(), revision="a",
    )  # fmt: skip
    assert [(one.x0, one.x1) for one in figure.layout.shapes] == [(0, 3), (4.5, 4.5)]
    assert [(one.x, one.text) for one in figure.layout.annotations] == [(4.5, "1")]
