"""The rhythm of a place: sentences first, then the map of a week, a usual day, and the table."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from functools import partial
from typing import Final
from zoneinfo import ZoneInfo

import streamlit as st

from analysis.bucket_table import Completeness
from analysis.names import LONGEST_NAME, one_line
from analysis.notes import Note
from analysis.opening_hours import MINUTES_AN_HOUR, OpeningHours, closed_clock_hours
from analysis.rhythm import DAYS_A_WEEK, HOURS_A_DAY, Hour, Rhythm
from analysis.rhythm_answer import HourOfDay, RhythmAnswer, usual_today
from analysis.subject import whole_site
from analysis.threshold_minutes import ThresholdMinutes
from analysis.time_range import TimeRange
from analysis.untrusted import SPOILT_METRICS
from components.figures.day_band import day_band
from components.figures.rhythm_map import rhythm_map
from components.number_format import Formats, zone_words
from components.panels.data_table import number_table
from components.panels.fixed_chart import ChartData, Whose, data_files, fixed_chart, picture_of
from components.panels.known_of_site import listed_notes
from components.panels.page_parts import folded, unread_part
from components.panels.viewer import viewer_formats, viewer_theme
from components.plain_text import plain, plain_sentences
from components.sentences.coverage_words import portion_first
from components.sentences.empty_hours import empty_hours_words
from components.sentences.metric_words import number_words
from components.sentences.note_words import ended_note_lines
from components.sentences.opening_words import today_words
from components.sentences.range_words import range_text
from components.sentences.rhythm_words import (
    TIME_OF_AN_HOUR,
    began_words,
    extremes,
    power_words,
    rests_on,
    usual_words,
    usual_words_today,
    weekday_name,
)
from components.sentences.threshold_words import threshold_words
from components.tables.rhythm_table import (
    rhythm_table,
    threshold_file,
    threshold_table,
    usual_file,
    week_file,
)
from contract import METRICS, Granularity, MetricKey
from gauge.levels import Thresholds, levels_of, people_of

_HOUR_OF_WEEK: Final = "A row is an hour of the local clock of a weekday, named by its start."
_HOUR_OF_CLOCK: Final = "A row is a local hour, named by its start; one that comes twice is two."


def week_panel(
    whose: Whose,
    answer: RhythmAnswer,
    metric: MetricKey,
    formats: Formats,
    *,
    chosen: TimeRange,
    opening: OpeningHours | None,
    revision: str,
) -> None:
    """When the week is busy, and the map that proves it. The weeks that were `chosen` may be more."""
    closed = _closed(opening)
    data, week = answer.data, answer.week
    is_all = data.range.start > chosen.start
    said = [extremes(week, metric, formats, is_all=is_all), *empty_hours_words(week, closed, metric, formats)]
    st.markdown(plain_sentences(said))
    is_drawn = week.has_numbers
    power = answer.power
    dots = [power_words(power, formats, is_drawn=is_drawn, named=week.left_out)] if power else []
    for sentence in dots:
        st.markdown(plain(sentence))
    when = range_text(data.range, data.timezone, formats)
    said = [f"{when}, {zone_words(data.timezone.key)}.", rests_on(week.cells, answer.rate, formats)]
    if is_all:
        said.insert(1, began_words(data.range.start.astimezone(data.timezone), formats))
    st.caption(plain_sentences(said))
    if not is_drawn:
        return
    fixed_chart(
        rhythm_map(
            week.cells, metric, power.hours if power and power.are_told else (),
            closed=closed, theme=viewer_theme(), formats=formats, revision=revision,
        ),
        "rhythm-map",
        f"Map of the week by weekday and hour: {METRICS[metric].label} of"
        f" {_name(whose)}. {extremes(week, metric, formats, is_all=is_all)}",
        formats,
        picture_of(
            whose, f"{METRICS[metric].label} by weekday and hour", data.range,
            [*said[1:], *_notes(answer, metric, closed), *dots], timezone=data.timezone, formats=formats,
        ),
        data=ChartData(
            partial(week_file, week, metric, formats), _HOUR_OF_WEEK, _units(metric),
            rests_on(week.cells, answer.rate, formats),
        ),
    )  # fmt: skip
    st.caption(plain_sentences(_notes(answer, metric, closed)))


def _closed(opening: OpeningHours | None) -> frozenset[Hour]:
    """Hours of a usual week; none where nobody has said when it is open."""
    return frozenset(
        Hour(weekday, hour)
        for weekday in range(DAYS_A_WEEK)
        for hour in (closed_clock_hours(opening, weekday) if opening else ())
    )


def _units(metric: MetricKey) -> str:
    label, numbers = METRICS[metric].label, number_words(metric, None, Granularity.HOUR)
    return f"{label}: {numbers}; mean, low, median and high over the days used"


def _name(whose: Whose) -> str:
    return one_line((whose.subject or whole_site(whose.site)).label, LONGEST_NAME)


def _notes(answer: RhythmAnswer, metric: MetricKey, closed: Collection[Hour]) -> list[str]:
    cells = answer.week.cells.values()
    notes = [f"Each square is an hour of a weekday, on average, in {zone_words(answer.data.timezone.key)}."]
    if metric is MetricKey.TIME_SPENT:
        notes.append(TIME_OF_AN_HOUR)
    if closed:
        notes.append("Stroke: closed in a usual week.")
    if any(not cell.days.expected for cell in cells):
        notes.append("Blank: closed, or no number.")
    elif any(cell.value is None for cell in cells):
        notes.append("Blank: no number.")
    if any(cell.value is not None and cell.is_of_few_days for cell in cells):
        notes.append("Cross: fewer than half of its days can be used.")
    if answer.spoilt is None and metric in SPOILT_METRICS:
        notes.append("Whether the number inside can be trusted could not be read.")
    return notes


def usual_panel(
    whose: Whose,
    answer: RhythmAnswer,
    metric: MetricKey,
    weekday: int,
    day: Sequence[HourOfDay],
    *,
    opening: OpeningHours | None,
    noted: Sequence[Note] = (),
    now: datetime,
    revision: str,
) -> None:
    """A usual day of that weekday; `day` is today, and empty where that is another weekday.

    `now` is when it was read, local; `noted` are the notes of the day that is drawn, ascending.
    """
    bands, formats = answer.week.bands_of(weekday), viewer_formats()
    closed = closed_clock_hours(opening, weekday) if opening else frozenset()
    left_out, is_closed = answer.week.left_out_on(weekday), len(closed) == HOURS_A_DAY
    said = [usual_words(weekday, bands, metric, formats, left_out=left_out, is_closed=is_closed)]
    if opening and weekday == now.weekday():
        said.append(today_words(opening, now, answer.data.timezone, formats))
    if day and (beside := usual_words_today(day, usual_today(answer, day, metric, weekday), metric, formats)):
        said.append(beside)
    st.markdown(plain_sentences(said))
    # Of nobody at all a scale would have parts of a person.
    if not any(band.high for band in bands.values()) and not any(one.value for one in day):
        return
    notes = ["Shaded: closed."] if closed else []
    if any(one.value is not None for one in day):
        notes.append(f"Today as of {formats.dated(now)}.")
    elif opening and weekday == now.weekday():
        notes.append(f"Open or closed as of {formats.dated(now)}.")
    data = answer.data
    what = f"{METRICS[metric].label} on a usual {weekday_name(weekday)}"
    rests = rests_on(answer.week.cells, answer.rate, formats)
    fixed_chart(
        day_band(
            bands,
            day,
            metric,
            closed=closed,
            notes=[_clock_hours(one.at.astimezone(answer.data.timezone)) for one in noted],
            theme=viewer_theme(),
            formats=formats,
            revision=f"{revision} {weekday}",
        ),
        "usual-day",
        f"Chart of a usual {weekday_name(weekday)} by the hour. {' '.join(said)}",
        formats,
        picture_of(whose, what, data.range,
            [rests, *notes, *ended_note_lines(noted, data.timezone, formats)],
            timezone=data.timezone, formats=formats,
        ),
        data=ChartData(
            partial(usual_file, bands, day, metric, closed if opening else None),
            _HOUR_OF_CLOCK, _units(metric),
            rests_on(answer.week.cells, answer.rate, formats),
        ),
    )  # fmt: skip
    if notes:
        st.caption(plain_sentences(notes))
    listed_notes(noted, data.timezone, formats)


def _clock_hours(local: datetime) -> float:
    """Since midnight, by the clock."""
    return local.hour + local.minute / MINUTES_AN_HOUR


def week_table(week: Rhythm, metric: MetricKey, formats: Formats) -> None:
    """Folded; of a week of which nothing can be told there is none."""
    if week.has_numbers:
        folded("Table", "table", lambda: number_table(rhythm_table(week, metric, formats), "rhythm"))


def thresholds_panel(
    whose: Whose,
    range_: TimeRange,
    found: ThresholdMinutes | None,
    thresholds: Thresholds,
    capacity: float | None,
    *,
    timezone: ZoneInfo,
    retry_key: str,
) -> None:
    """For how long on each weekday of `range_`; None: it cannot be read, and is asked for again."""
    formats = viewer_formats()
    if capacity is None:
        st.markdown("No capacity is reported here, so there is no threshold to be above.")
        return
    if found is None:
        unread_part("The highest minutes of these weeks could not be read", retry_key)
        return
    percents = levels_of(thresholds)
    people = people_of(thresholds, capacity)
    said = threshold_words(found, percents, people, formats)
    st.markdown(plain_sentences(said))
    table = threshold_table(found, percents, formats)
    if table.empty:
        return
    number_table(table, "thresholds")
    used = sum(own.days for own in found.by_weekday.values())
    counted = portion_first(
        Completeness(used, used + found.spoilt + found.unread + len(found.lacking)), "day", formats
    )
    data = ChartData(
        partial(threshold_file, found, percents),
        "A row is a weekday.",
        "minutes of a day, mean over the days used",
        f"{counted} with counts could be used.",
    )
    what = "Minutes above the thresholds by weekday"
    data_files("thresholds", picture_of(whose, what, range_, said, timezone=timezone, formats=formats), data)
