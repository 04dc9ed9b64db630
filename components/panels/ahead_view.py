"""The rest of today: sentences first, then today so far and the hours to come in one chart, and the table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import dropwhile
from typing import NamedTuple

import streamlit as st

from analysis.ahead_answer import Ahead, all_of_today, sound_since, today_of
from analysis.bucket_table import Completeness
from analysis.drift import Drift
from analysis.history_request import HistoryRequest
from analysis.names import LONGEST_NAME, one_line
from analysis.notes import Note
from analysis.opening_hours import OpeningHours, closed_within
from analysis.time_to_full import present_pace
from components.figures.ahead_chart import ahead_chart
from components.number_format import Formats, zone_words
from components.panels.data_table import number_table
from components.panels.fixed_chart import ChartData, Whose, fixed_chart, picture_of
from components.panels.known_of_site import listed_notes
from components.panels.viewer import viewer_theme
from components.plain_text import plain, plain_sentences
from components.sentences.ahead_words import (
    error_words,
    expected_words,
    full_words,
    no_pace_words,
    pace_words,
    rests_on,
    staff_words,
)
from components.sentences.coverage_words import portion
from components.sentences.metric_words import number_words
from components.sentences.note_words import ended_note_lines
from components.sentences.opening_words import special_day_words, today_words
from components.tables.ahead_table import ahead_file, ahead_table
from components.tables.downloads import ROW_RULES
from contract import METRICS, Granularity, MetricKey, MetricPoint, Site
from gauge.levels import ALL, Thresholds, levels_of, people_of


class Limits(NamedTuple):
    lines: Mapping[str, float]
    """Of the chart: name -> people."""
    full: float | None
    """From so many people on it is full; None: no capacity is reported."""


def ahead_panel(
    site: Site,
    request: HistoryRequest,
    found: Ahead,
    limits: Limits,
    ratio: int | None,
    *,
    minutes: Sequence[MetricPoint],
    spoilt: Drift | None,
    opening: OpeningHours | None,
    noted: Sequence[Note] = (),
    formats: Formats,
) -> None:
    """`minutes` are today's so far, and empty where they are not known; `spoilt` is the count that goes on,
    where its number inside means nothing. `noted` are the notes of the day, ascending.
    """
    metric, zone = request.metrics[0], request.timezone
    said = [today_words(opening, request.asked_at, zone, formats)] if opening else []
    said.append(expected_words(found, metric, zone, formats))
    if limits.full and metric is MetricKey.VISITORS_INSIDE:
        said.append(full_words(found, limits.full, zone, formats))
    st.markdown(plain_sentences(said))
    if pace := _pace(minutes, spoilt, None if found.is_over else limits.full, request, formats):
        st.markdown(plain(pace))
    if ratio and (staff := staff_words(found, ratio, metric, zone, formats)):
        st.markdown(plain(staff))
    if any(band.high for _, band in found.known):
        st.markdown(plain(error_words(found.error, metric, formats)))
    shown: list[str] = []
    day = all_of_today(request)
    closed = closed_within(opening, day, zone) if opening else []
    # That it is closed all day is said first.
    special = "" if closed == [day] else special_day_words(opening, site.address.country, day, zone, formats)
    rests = [*rests_on(found, zone, formats), as_of(request, formats)]
    if any(one.value is not None for one in found.so_far) or any(band.high for _, band in found.known):
        (subject,) = request.subjects
        shown = [*_notes(found, metric, ratio), *(["Shaded: closed."] if closed else [])]
        fixed_chart(
            ahead_chart(
                found, metric, limits.lines if metric is MetricKey.VISITORS_INSIDE else {}, ratio,
                closed=closed, notes=[one.at for one in noted], timezone=zone, theme=viewer_theme(),
                formats=formats, revision=f"{request.site_id} {subject.id} {metric}",
            ),
            "ahead-chart",
            f"Chart of today by the hour: {METRICS[metric].label} of"
            f" {one_line(subject.label, LONGEST_NAME)}, so far and as expected."
            f" {' '.join(filter(None, said))}",
            formats,
            picture_of(
                Whose(site, subject), f"{METRICS[metric].label}, the rest of the day", day,
                [special, *shown, *rests, *ended_note_lines(noted, zone, formats)],
                timezone=zone, formats=formats,
            ),
            data=_data(found, request, ratio, formats, is_opening_known=opening is not None),
        )  # fmt: skip
        listed_notes(noted, zone, formats)
    notes = [special, *shown, *rests]
    st.caption(plain_sentences(notes))


def _data(
    found: Ahead, request: HistoryRequest, ratio: int | None, formats: Formats, *, is_opening_known: bool
) -> ChartData:
    metric, zone = request.metrics[0], request.timezone
    known = Completeness(sum(one.value is not None for one in found.so_far), len(found.so_far))
    told = f"Of today so far {portion(known, 'hour', formats)} can be used." if known.expected else ""
    return ChartData(
        partial(ahead_file, found, metric, zone, ratio, is_opening_known=is_opening_known),
        ROW_RULES[Granularity.HOUR],
        f"{METRICS[metric].label}: {number_words(metric, None, Granularity.HOUR)}; low to high holds"
        " eight hours of ten",
        " ".join([told, *rests_on(found, zone, formats)]).strip(),
    )


def as_of(request: HistoryRequest, formats: Formats) -> str:
    """When it was told: a page that stays open is not told anew while nothing can be read."""
    when = formats.dated(request.asked_at.astimezone(request.timezone))
    return f"As of {when}. All times are {zone_words(request.timezone.key)}."


def _notes(found: Ahead, metric: MetricKey, ratio: int | None) -> list[str]:
    reduced = "on average of each hour" if metric is MetricKey.VISITORS_INSIDE else "in each hour"
    notes = [f"{METRICS[metric].label}, {reduced}."]
    since_first = dropwhile(lambda one: one.value is None, found.so_far)
    if any(one.value is None for one in since_first):
        notes.append("Where the line is broken, no counts can be used.")
    if ratio and found.known:
        notes.append("Above each bar: staff for what is expected.")
    return notes


def _pace(
    minutes: Sequence[MetricPoint], spoilt: Drift | None, full: float | None, request: HistoryRequest,
    formats: Formats,
) -> str:  # fmt: skip
    """When it is full at the present pace, or why the number inside means nothing since yesterday.

    Empty where today's minutes are not known, or mean nothing.
    """
    if spoilt and spoilt.since < today_of(request).start:
        return no_pace_words(spoilt, request.timezone, formats)
    if not minutes or not sound_since(minutes, (), today_of(request).start):
        return ""
    return pace_words(present_pace(minutes, request.range.end), full, request.timezone, formats)


def ahead_hours(request: HistoryRequest, found: Ahead, ratio: int | None, formats: Formats) -> None:
    """The table."""
    number_table(ahead_table(found, request.timezone, formats, ratio), "ahead")


def limits_of(thresholds: Thresholds, capacity: float | None, formats: Formats) -> Limits:
    """Where filling, full and the capacity are; none without a capacity."""
    if not capacity:
        return Limits({}, None)
    people = dict(zip(levels_of(thresholds), people_of(thresholds, capacity), strict=True))
    names = {thresholds.filling: "Filling from", thresholds.full: "Full from", ALL: "Capacity"}
    lines = {f"{names[percent]} {formats.number(one)}": one for percent, one in people.items()}
    return Limits(lines, people[thresholds.full])
