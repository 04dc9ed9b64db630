"""The answer about the past: sentences first, then the chart that proves them, the table and the files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial
from itertools import compress
from typing import Final
from zoneinfo import ZoneInfo

import pandas as pd
import streamlit as st

from analysis.asked_query import AskedQuery
from analysis.bucket_table import starts_of
from analysis.comparison import Against, named_in_sentence
from analysis.first_count import FirstCount
from analysis.history_answer import HistoryAnswer
from analysis.history_data import HistoryData, rows_that_count
from analysis.history_request import HistoryRequest
from analysis.made_once import made_last
from analysis.names import LONGEST_NAME, one_line
from analysis.subject import Subject, whole_site
from analysis.time_range import TimeRange
from components.figures.encoded_figure import EncodedFigure
from components.figures.history_chart import history_panels
from components.number_format import NO_VALUE, Formats, zone_words
from components.panels.data_files import Files, data_buttons
from components.panels.data_table import table_on_paper, with_times
from components.panels.fixed_chart import Whose, picture_of, zoomed_chart
from components.panels.page_parts import ask_again
from components.panels.range_choice import ChosenRange
from components.panels.viewer import viewer_theme
from components.plain_text import plain, plain_name, plain_sentences
from components.sentences.answers import answers_of, is_taken_over_closed_hours
from components.sentences.change_words import changes_of
from components.sentences.coverage_words import in_part_words, present_buckets, stopped_doors_words
from components.sentences.drift_words import checked_parts, checked_words, unchecked_words
from components.sentences.estimate_words import DRAWN, HOW
from components.sentences.headline import headline
from components.sentences.mark_words import closed_words, missing_words, untrusted_words
from components.sentences.note_words import ended, numbered_lines
from components.sentences.range_words import (
    archive_words,
    bucket_words,
    folded_words,
    held_in_part,
    named_range_text,
    other_period_text,
    still_to_come,
    why_nothing_stored,
)
from components.sentences.stay_words import cut_stay_words
from components.sentences.sure_words import band_words, sure_words
from components.tables.completeness import UNTOLD
from components.tables.downloads import COMPLETENESS, OF, TIME_ZONE, UNITS, about, file_stem
from components.tables.shown_table import COMPARED_WITH, FROM, NOTE, NOTES, file_table, shown_table
from contract import METRICS, Granularity, MetricKey, Site, Unit
from contract.buckets import inferred_granularity, next_bucket_start
from gauge.levels import Thresholds

_MOST_NAMED: Final = 3
"""Of zones and doors, in the title of a picture."""


def headline_panel(
    subjects: Sequence[Subject],
    answer: HistoryAnswer,
    chosen: ChosenRange,
    formats: Formats,
    against: Against,
) -> None:
    """The answer in a sentence, of several zones each in a line of its own; when that is and how complete."""
    if answer.data.held_from is not None:
        st.warning(plain(archive_words(answer.data.held_from, answer.data.timezone, formats)))
    beside = named_in_sentence(against, chosen.named)
    peaks, others = answer.peaks, answer.other_peaks
    said = {
        one: headline(one, answer.data, peaks.get(one), formats, others.get(one), beside=beside)
        for one in subjects
    }
    _by_subject(said)
    named = chosen.named
    when = [named_range_text(named.label, chosen.counted, answer.data.timezone, formats)] if named else []
    only = [] if answer.data.open_time is None else ["Open hours only."]
    st.caption(plain_sentences([*when, *only, present_buckets(answer.data, formats)]))


def account_panel(
    site: Site,
    subjects: Sequence[Subject],
    answer: HistoryAnswer,
    chosen: ChosenRange,
    formats: Formats,
    *,
    now: datetime,
) -> None:
    """All that the chart shows, in words, and how it is to be read. `now` is when it was read, aware."""
    said = {
        one: " ".join([
            *answers_of(one, answer.data, answer.peaks.get(one), formats, answer.other_peaks.get(one)),
            *changes_of(one, answer.data, formats),
        ])
        for one in subjects
    }  # fmt: skip
    _by_subject(said)
    st.caption(plain_sentences(_notes(site, answer, chosen, now, formats)))


def _by_subject(said: Mapping[Subject, str]) -> None:
    for subject, text in said.items():
        if text:
            st.markdown(
                (f"**{plain_name(subject.label)}:** " if len(said) > 1 else "") + plain_sentences([text])
            )


def _notes(
    site: Site, answer: HistoryAnswer, chosen: ChosenRange, now: datetime, formats: Formats
) -> list[str]:
    data, peaks = answer.data, answer.peaks
    zone = data.timezone
    notes = [f"All times are {zone_words(zone.key)}."]
    if chosen.named is None and (to_come := still_to_come(chosen.asked, now, zone, formats)):
        notes.append(to_come)
    if cut := _cut_words(data, chosen.counted, formats):
        notes.append(f"Dotted: {cut}")
    if in_part := in_part_words(data):
        notes.append(f"Dotted{', too' if cut else ''}: {in_part}.")
    notes += closed_words(data)
    notes += _band_notes(data, formats)
    notes += _missing_notes(data, formats)
    notes += untrusted_words(data)
    notes += cut_stay_words(data, formats)
    if data.open_time is not None and data.granularity is not Granularity.MINUTE:
        notes.append(f"Of each {data.granularity}, its open minutes alone are counted.")
    if is_taken_over_closed_hours(data):
        notes.append(
            f"The average of a {data.granularity} is taken over all its counted minutes, night included."
        )
    checked = {one: part for one, part in checked_parts(peaks).items() if one not in data.checked_by_hours}
    alone, is_reported = len(data.labels) == 1, not all(one.is_somewhere_spoilt for one in peaks.values())
    notes += checked_words(checked, chosen.counted, zone, formats, alone=alone, says_means=is_reported)
    notes += unchecked_words(data, formats)
    if data.earlier_range is not None:
        notes.append(f"Thin line: {other_period_text(data, data.earlier_range, formats)}")
    return [*notes, *filter(None, [stopped_doors_words(site, data.metrics)])]


def _cut_words(data: HistoryData, range_: TimeRange, formats: Formats) -> str | None:
    """Which of the buckets that count the range cuts. Of open time it cuts none at an end that is closed."""
    rows = list(compress(zip(starts_of(data.table), data.cut, strict=True), rows_that_count(data)))
    if not rows:
        return None
    (first, is_first_cut), (last, is_last_cut) = rows[0], rows[-1]
    start, end = max(range_.start, data.since or range_.start), range_.end
    held = TimeRange(
        start if is_first_cut else min(start, first),
        end if is_last_cut else max(end, next_bucket_start(last, data.granularity, data.timezone)),
    )
    return held_in_part([start for start, _ in rows], held, data.granularity, data.timezone, formats)


def _missing_notes(data: HistoryData, formats: Formats) -> list[str]:
    notes = missing_words(data)
    if data.held_from is not None:
        notes.append(archive_words(data.held_from, data.timezone, formats))
    if data.folded_until is not None:
        notes.append(folded_words(data.folded_until, data.granularity, data.timezone, formats))
    return notes


def _band_notes(data: HistoryData, formats: Formats) -> list[str]:
    if data.band is None:
        return []
    told = sure_words(data.band.part, (), data.timezone, formats)
    # Of counts that leave nothing over it is no wider than the line.
    is_seen = data.band.part.low < data.band.part.high
    return [f"Band: {band_words(data.band.part)}", told] if is_seen else [told]


def chart_panel(
    site: Site,
    answer: HistoryAnswer,
    chosen: ChosenRange,
    now: datetime,
    formats: Formats,
    *,
    revision: str,
    thresholds: Thresholds,
) -> None:
    """`revision` names the view: while it stays, the viewer's zoom stays. `now` is when it was read."""
    data = answer.data
    viewed = f"{revision} {chosen.asked.start.date()}"  # a zoom into yesterday would show nothing of today
    said = [present_buckets(data, formats), *_notes(site, answer, chosen, now, formats)]
    said += [HOW, DRAWN] if data.estimates else []
    said += [ended(line) for line in numbered_lines(data, formats)]
    zoomed_chart(
        _drawn(data, theme=viewer_theme(), formats=formats, revision=viewed, thresholds=thresholds),
        "history-chart",
        _alternative(data, formats),
        formats,
        picture_of(Whose(site), _what(data, site), data.range, said, timezone=data.timezone, formats=formats),
    )


@made_last
def _drawn(
    data: HistoryData, *, theme: str, formats: Formats, revision: str, thresholds: Thresholds
) -> EncodedFigure:
    drawn = history_panels(data, theme=theme, formats=formats, revision=revision, thresholds=thresholds)
    return drawn.encoded()


def _what(data: HistoryData, site: Site) -> str:
    """`People inside, Entrances of Café, Hall by hour`."""
    metrics = ", ".join(METRICS[metric].label for metric in data.metrics)
    labels = [one_line(label, LONGEST_NAME) for label in data.labels[:_MOST_NAMED]]
    more = len(data.labels) - len(labels)
    of = f" of {', '.join(labels)}{f' and {more} more' if more else ''}"
    only = "" if data.open_time is None else ", open hours only"
    only += ", with estimates" if data.estimates else ""
    return f"{metrics}{'' if data.labels == [whole_site(site).label] else of} by {data.granularity}{only}"


def table_and_files(
    site: Site, request: HistoryRequest, data: HistoryData, asked: Sequence[AskedQuery], formats: Formats
) -> None:
    _table(shown_table(data), data, formats)
    metadata = {
        OF: f"{whole_site(site).label}: {_what(data, site)}",
        **about(site, request, data, [one.request_id for one in asked]),
        COMPLETENESS: present_buckets(data, formats),
    }
    stem = file_stem(site, request.range, data.granularity, data.timezone)
    stem += "" if data.open_time is None else "_open-hours"
    stem += "_with-estimates" if data.estimates else ""
    # When a row is and how much of it is counted, it says itself, and there may be tens of thousands.
    in_rows = (OF, TIME_ZONE, UNITS)
    data_buttons(Files(partial(file_table, data), metadata, stem, in_rows=in_rows), "history")
    st.caption(plain(f"In these files {UNTOLD}"))


def _table(table: pd.DataFrame, data: HistoryData, formats: Formats) -> None:
    times = [name for name in (FROM, COMPARED_WITH) if name in table.columns]

    def write(start: pd.Timestamp) -> str:
        return bucket_words(start, data.granularity, formats)

    written = with_times(table, times, write)
    zone = data.timezone.key
    moment = st.column_config.DatetimeColumn(timezone=zone, help=plain(f"In {zone_words(zone)}"))
    number = st.column_config.NumberColumn(format="localized")
    numbers = [name for name in table.columns if name not in {*times, NOTES} and not name.endswith(NOTE)]
    st.dataframe(
        written, hide_index=True, placeholder=NO_VALUE,
        column_config=dict.fromkeys(numbers, number) | dict.fromkeys(times, moment),
    )  # fmt: skip
    table_on_paper(table, "history", write=write)


def archive_note(held_from: datetime | None, timezone: ZoneInfo, formats: Formats) -> None:
    """Of a page that rests on the days from then on, older ones cannot be read; None: on all it asked for."""
    if held_from:
        st.warning(plain(archive_words(held_from, timezone, formats)), icon=":material/warning:")
        ask_again("archive")


def nothing_stored(
    request: HistoryRequest,
    first: FirstCount | None,
    formats: Formats,
    folded_until: datetime | None = None,
    held_from: datetime | None = None,
    **what_to_do: str,
) -> None:
    """`what_to_do` is as for `why_nothing_stored`; before `folded_until` there are quarters alone,
    before `held_from` nothing can be read now.
    """
    if held_from is not None:
        st.info(plain(archive_words(held_from, request.timezone, formats)))
        return
    if folded_until is not None:
        granularity = request.granularity or inferred_granularity(*request.range)
        st.info(plain(folded_words(folded_until, granularity, request.timezone, formats)))
        return
    if request.open_time is not None:
        is_closed = not request.open_time.ranges
        why = (
            "It is closed throughout this range." if is_closed else "No counts are stored of its open hours."
        )
        st.info(plain(f"{why} Choose another range, or all hours under “More choices”."))
        return
    st.info(plain(why_nothing_stored(request.range, first, request.timezone, formats, **what_to_do)))


def _alternative(data: HistoryData, formats: Formats) -> str:
    """The chart for those who do not see it."""
    said = [
        f"{one_line(label, LONGEST_NAME)}, {METRICS[metric].label}: {_extent(data, (label, metric), formats)}"
        for label, metric in data.columns
    ]
    only = "" if data.open_time is None else " Open hours only."
    only += " What is missing is estimated beside it." if data.estimates else ""
    return f"Chart by {data.granularity}.{only} {'; '.join(said)}. {present_buckets(data, formats)}"


def _extent(data: HistoryData, column: tuple[str, MetricKey], formats: Formats) -> str:
    values = data.table[column].dropna()
    if values.empty:
        return "no counts"
    show = formats.duration if METRICS[column[1]].unit is Unit.SECONDS else formats.number
    return f"{show(float(values.min()))} to {show(float(values.max()))}"
