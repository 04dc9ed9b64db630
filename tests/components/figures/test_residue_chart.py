from __future__ import annotations

from analysis.bucket_table import Completeness
from components.figures.counted_map import counted_map
from components.figures.residue_chart import residue_chart
from components.number_format import Formats
from tests.components.trusted import day, zone

DAYS = [
    day(1000, 900),
    day(1000, 1000, number=1),
    day(500, 480, number=2, counted=Completeness(700, 1440)),
]


def test_bars_are_about_zero_hatched_where_spoilt_and_crossed_where_not_whole() -> None:
    bars, crosses = residue_chart(DAYS, theme="light", formats=Formats(), revision="a").data
    assert list(bars.y) == [100, 0, None]
    assert list(bars.marker.pattern.shape) == ["/", "", ""]
    assert list(crosses.x) == ["2026-11-18"]


def test_days_that_are_all_whole_have_no_crosses() -> None:
    (bars,) = residue_chart(DAYS[:2], theme="dark", formats=Formats(), revision="a").data
    assert len(bars.x) == 2


def test_an_error_of_one_or_two_is_drawn_small() -> None:
    small = residue_chart([day(1000, 998)], theme="light", formats=Formats(), revision="a")
    assert tuple(small.layout.yaxis.range) == (-12, 12)
    large = residue_chart(DAYS, theme="light", formats=Formats(), revision="a")
    assert large.layout.yaxis.range is None


def test_the_map_has_a_row_for_each_zone_and_a_cross_where_minutes_are_missing() -> None:
    none = day(0, 0, counted=Completeness(0, 0))
    zones = [zone("Shop", DAYS), zone("<b>Hall</b> %{x} a very long name", [none, *DAYS[1:]])]
    figure = counted_map(zones, theme="light", formats=Formats(), revision="a")
    heat, crosses = figure.data
    assert heat.z[0][2] == 100 * 700 / 1440
    assert [heat.z[1][0], heat.z[1][1]] == [None, 100]
    assert list(zip(crosses.x, crosses.y, strict=True)) == [("2026-11-18", 0), ("2026-11-18", 1)]
    assert not any("<b>" in text or "%{" in text for row in heat.text for text in row)
    assert all("<b>" not in name for name in figure.layout.yaxis.ticktext)
    assert figure.layout.yaxis.rangemode == "normal", "from 0 on the first row would be cut in half"


def test_a_note_is_numbered_on_its_day() -> None:
    figure = residue_chart(DAYS, notes=[1.25], theme="light", formats=Formats(), revision="a")
    assert [(one.x, one.text) for one in figure.layout.annotations] == [(1.25, "1")]
    assert figure.layout.shapes[0].x0 == 1.25
