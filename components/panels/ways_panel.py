"""The ways through the zones, from the outside inwards or outwards, within the range of History."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Final

import streamlit as st

from analysis.bucket_table import Completeness
from analysis.door_blame import Way
from analysis.granularity import answered_in, past_the_hour
from analysis.half_counted import half_counted
from analysis.history_request import HistoryRequest, RunQueries
from analysis.subject import labels_of, whole_site
from analysis.trust_request import way_queries, ways_of
from analysis.zone_ways import MOST_WAYS, Direction, at_hour, streams, streams_at
from components.figures.way_flow import way_flow
from components.number_format import Formats
from components.panels.data_table import number_table
from components.panels.fixed_chart import ChartData, Whose, fixed_chart, picture_of
from components.panels.hours_choice import in_title, is_told_of_open_hours
from components.panels.page_parts import loading, unread_part
from components.panels.viewer import viewer_formats, viewer_theme
from components.plain_text import plain
from components.sentences.coverage_words import counted_in_part
from components.sentences.door_words import (
    ways_words,
)
from components.sentences.rhythm_words import clock_name, hours_text
from components.tables.door_table import (
    FROM,
    PASSAGE,
    SUMS,
    TO,
    stream_table,
)
from contract import Aggregation, Granularity, MetricPoint, Site

_CROSSINGS: Final = "A passage counts crossings, not persons: who goes in twice is counted twice."
_ALL_HOURS: Final = -1
_LONGEST_BY_HOUR: Final = timedelta(days=31)
"""Of each passage, some 750 hours."""
_DIRECTIONS: Final = {Direction.IN: "The way in", Direction.OUT: "The way out"}


def ways_panel(site: Site, request: HistoryRequest, read: RunQueries) -> None:
    """From the outside inwards, or outwards, by passages as wide as people crossed."""
    ways = ways_of(site)
    if not ways:
        st.caption("This site lists no passages between zones or to the outside.")
        return
    if len(ways) > MOST_WAYS:
        st.caption(f"{len(ways)} passages are too many for one picture: up to {MOST_WAYS} are drawn.")
        return
    direction = st.segmented_control(
        "Direction", options=list(Direction), default=Direction.IN, required=True, key="ways-direction",
        format_func=_DIRECTIONS.__getitem__, label_visibility="collapsed",
    )  # fmt: skip
    if not is_told_of_open_hours(request, len(ways)):
        return
    formats, hour = viewer_formats(), _hour_choice(request, viewer_formats())
    unit = Granularity.MONTH if hour is None else Granularity.HOUR
    whole = replace(request, subjects=(whole_site(site),), granularity=unit, aggregation=None)
    queries = {
        (way, aggregation): query
        for aggregation in (Aggregation.SUM, Aggregation.AVERAGE)
        for way, query in way_queries(replace(whole, aggregation=aggregation), ways).items()
    }
    with loading(retry_key := f"ways-{site.id}", 300):
        read_all = read(queries)
    answers, averages = (
        {way: own for (way, aggregation), own in read_all.items() if aggregation is asked}
        for asked in (Aggregation.SUM, Aggregation.AVERAGE)
    )
    drawn, when = streams(answers, direction, ways), ""
    if hour is not None:
        if not all(_is_by_the_hour(own, whole) for own in answers.values()):
            st.caption(
                "The service does not tell these passages by the hour of this clock: choose all hours."
            )
            return
        drawn = streams_at(drawn, answers, hour, request.timezone)
        answers, averages = (_at_hour(told, hour, request) for told in (answers, averages))
        when = f", {hours_text(hour, hour + 1, formats)}"
    names = labels_of(site.zones)
    known = len([one for one in answers.values() if one])
    said = ways_words(drawn, direction, names, formats, are_all=known == len(ways))
    if known:
        st.markdown(plain(said))
    half = half_counted(answers, averages, whole)
    lacking = _lacking(half, len(answers) - known, len(ways), formats)
    unread = _undrawn(len(ways) - len(answers), len(ways), "could not be read", formats)
    if any(one.people for one in drawn):
        what = f"{_DIRECTIONS[direction]} through the zones{when}"
        revision = f"{site.id} {direction}"
        figure = way_flow(drawn, names, direction, theme=viewer_theme(), formats=formats, revision=revision)
        picture = picture_of(
            Whose(site), f"{what}{in_title(request)}", request.range, [said, *unread, *lacking, _CROSSINGS],
            timezone=request.timezone, formats=formats,
        )  # fmt: skip
        counted = " ".join((*unread, *lacking)) or f"All {formats.number(len(ways))} passages have counts."
        table = stream_table(drawn, names)
        data = ChartData(lambda: table, "A row is a passage.", SUMS, counted, [PASSAGE, FROM, TO])
        fixed_chart(figure, "way-flow", f"{what}. {said}", formats, picture, data=data)
        number_table(table, "ways")
    for sentence in (*lacking, _CROSSINGS):
        st.caption(plain(sentence))
    for sentence in unread:
        unread_part(sentence.rstrip("."), retry_key)


def _hour_choice(request: HistoryRequest, formats: Formats) -> int | None:
    """The hour of the clock that is shown; None: all of them, or the range is too long to ask by the hour."""
    if request.range.end - request.range.start > _LONGEST_BY_HOUR:
        st.caption(f"One hour of the clock after the other is shown of up to {_LONGEST_BY_HOUR.days} days.")
        return None
    chosen = st.select_slider(
        "Hour of the clock", options=[_ALL_HOURS, *range(24)], key="ways-hour",
        format_func=lambda one: "All hours" if one == _ALL_HOURS else clock_name(one, formats),
    )  # fmt: skip
    return None if chosen == _ALL_HOURS else int(chosen)


def _at_hour(
    points: Mapping[Way, Sequence[MetricPoint]], hour: int, request: HistoryRequest
) -> dict[Way, Sequence[MetricPoint]]:
    return {way: at_hour(own, hour, request.timezone) for way, own in points.items()}


def _is_by_the_hour(points: Sequence[MetricPoint], request: HistoryRequest) -> bool:
    unit = answered_in(points, Granularity.HOUR, request.timezone) if points else Granularity.HOUR
    return unit is Granularity.HOUR and not past_the_hour(points, request.timezone)


def _lacking(half: Sequence[tuple[Way, Completeness]], empty: int, ways: int, formats: Formats) -> list[str]:
    """Which passages are counted in part, and how many of all `ways` have no counts."""
    return [*counted_in_part(half, formats), *_undrawn(empty, ways, "have no counts in this range", formats)]


def _undrawn(number: int, ways: int, why: str, formats: Formats) -> list[str]:
    many = f"{formats.number(number)} of {formats.number(ways)} passages"
    return [f"{many} {why}; they are not drawn."] if number else []
