from __future__ import annotations

import cProfile
import pstats
from datetime import UTC, datetime
from typing import Any

import plotly.graph_objects as go

from components.figures.zone_graph import MOST_WAYS, MOST_ZONES, is_legible, zone_graph
from components.number_format import Formats
from components.tables.zone_values import ZoneValue
from components.theme import Occupancy, Thresholds
from contract import Passage, Zone
from tests.small_site import SITE
from tests.wide_site import wide_site

MINUTE = datetime(2026, 6, 1, 8, tzinfo=UTC)
VALUES = {"hall": ZoneValue(55, MINUTE), "cafe": ZoneValue(3, MINUTE)}


def graph(site: Any = SITE) -> go.Figure:
    return zone_graph(site, VALUES, Thresholds(), theme="light", formats=Formats())


def texts(figure: go.Figure) -> str:
    return " ".join(annotation.text for annotation in figure.layout.annotations)


def test_each_zone_can_be_clicked_by_its_id() -> None:
    (zones,) = graph().data
    assert list(zones.customdata) == ["shop", "hall", "cafe"]


def test_a_zone_shows_its_level_by_colour_shape_and_word() -> None:
    (zones,) = graph().data
    levels = [Occupancy.UNKNOWN, Occupancy.FULL, Occupancy.FREE]
    assert list(zones.marker.line.color) == [level.value.colour for level in levels]
    assert list(zones.marker.symbol) == ["circle", "square", "circle"]
    assert "Full, 92\N{NO-BREAK SPACE}%" in texts(graph())


def test_a_zone_without_a_value_shows_a_question_mark_and_never_0() -> None:
    assert "<b>?</b>" in texts(graph())
    assert "<b>0</b>" not in texts(graph())


def test_an_arrow_points_from_where_to_where() -> None:
    figure = graph()
    (zones,) = figure.data
    places = dict(zip(zones.customdata, zip(zones.x, zones.y, strict=True), strict=True))
    arrows = [a for a in figure.layout.annotations if a.showarrow]
    ends = [
        (a.x, a.y)
        for a in arrows
        if abs(a.ax - places["hall"][0]) < 0.1 and abs(a.ay - places["hall"][1]) < 0.1
    ]
    assert len(arrows) == 3
    assert len(ends) == 1
    assert abs(ends[0][0] - places["cafe"][0]) < 0.1


def test_the_outside_is_drawn() -> None:
    assert "Outside" in texts(graph())


def test_several_passages_the_same_way_are_counted() -> None:
    more = (*SITE.passages, Passage(id="second", name="Second", to_zone_id="hall"))
    assert "2 passages" in texts(graph(SITE.model_copy(update={"passages": more})))


def test_a_passage_from_a_zone_to_itself_is_no_arrow() -> None:
    loop = Passage(id="loop", name="Loop", from_zone_id="hall", to_zone_id="hall")
    figure = graph(SITE.model_copy(update={"passages": (loop,)}))
    assert not any(annotation.showarrow for annotation in figure.layout.annotations)


def test_a_long_or_marked_up_name_is_cut_and_text() -> None:
    zone = Zone(id="hall", name="<i>An extraordinarily long name</i>")
    figure = graph(SITE.model_copy(update={"zones": (zone,), "passages": ()}))
    assert "&lt;i>An extraordi" in texts(figure)
    assert "…" in texts(figure)


def test_the_whole_of_a_name_can_be_read_by_pointing_at_it() -> None:
    name = "An extraordinarily long name"
    zone = Zone(id="hall", name=name)
    (zones,) = graph(SITE.model_copy(update={"zones": (zone,), "passages": ()})).data
    assert name in zones.hovertext[0]


def test_a_name_is_no_link_no_picture_and_no_formula() -> None:
    name = '<a href="https://foreign.example">sign in</a> $x$ %{y}'
    (zones,) = graph(SITE.model_copy(update={"zones": (Zone(id="hall", name=name),), "passages": ()})).data
    assert "<a" not in zones.hovertext[0]
    assert "$" not in zones.hovertext[0]
    assert "%{" not in zones.hovertext[0]


def calls_to_draw(zones: int) -> int:
    profile = cProfile.Profile()
    site = wide_site(zones, 4 * zones)
    graph(site)
    profile.enable()
    graph(site)
    profile.disable()
    return int(pstats.Stats(profile).total_calls)  # type: ignore[attr-defined]  # counted, not declared


def test_eight_times_the_zones_are_about_eight_times_the_work() -> None:
    """200 zones and 800 passages against 25 and 100: function calls, which no busy machine changes."""
    assert calls_to_draw(200) < 12 * calls_to_draw(25)


def test_all_zones_are_one_trace() -> None:
    (zones,) = graph(wide_site(60, 200)).data
    assert len(zones.customdata) == 60


def test_more_zones_or_ways_than_can_be_read_are_not_legible() -> None:
    assert is_legible(wide_site(MOST_ZONES, MOST_WAYS))
    assert not is_legible(wide_site(MOST_ZONES + 1, 10))
    assert not is_legible(wide_site(MOST_ZONES, MOST_WAYS + 1))
