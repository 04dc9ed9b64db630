from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import plotly.graph_objects as go

from components.figures.zone_graph import zone_graph
from components.number_format import Formats
from components.tables.zone_values import ZoneValue
from components.theme import Occupancy, Thresholds
from contract import Passage, Zone
from tests.small_site import SITE

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
