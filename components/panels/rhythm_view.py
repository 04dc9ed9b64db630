"""The rhythm of a place: sentences first, then the map of a week, a usual day, and the table."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import streamlit as st

from analysis.names import LONGEST_NAME, one_line
from analysis.opening_hours import OpeningHours, closed_clock_hours
from analysis.rhythm import HOURS_A_DAY, Rhythm
from analysis.rhythm_answer import HourOfDay, RhythmAnswer, usual_today
from analysis.subject import whole_site
from analysis.threshold_minutes import ThresholdMinutes
from analysis.time_range import TimeRange
from analysis.untrusted import SPOILT_METRICS
from components.figures.day_band import day_band
from components.figures.rhythm_map import rhythm_map
from components.number_format import Formats, zone_words
from components.panels.data_table import number_table
from components.panels.fixed_chart import Whose, fixed_chart, picture_of
from components.panels.viewer import viewer_formats, viewer_theme
from components.plain_text import plain
from components.sentences.opening_words import today_words
from components.sentences.range_words import range_text
from components.sentences.rhythm_words import (
    TIME_OF_AN_HOUR,
    began_words,
    extremes,
    power_words,
    rests_on,
    threshold_words,
    usual_words,
    usual_words_today,
    weekday_name,
)
from components.tables.rhythm_table import rhythm_table, threshold_table
from contract import METRICS, MetricKey
from gauge.levels import Thresholds, levels_of, people_of


def week_panel(
    whose: Whose,
    answer: RhythmAnswer,
    metric: MetricKey,
    formats: Formats,
    *,
    chosen: TimeRange,
    revision: str,
) -> None:
    """When the week is busy, and the map that proves it. The weeks that were `chosen` may be more."""
    data, week = answer.data, answer.week
    is_all = data.range.start > chosen.start
    st.markdown(plain(extremes(week, metric, formats, is_all=is_all)))
    dots = [power_words(answer.power, formats)] if answer.power else []
    for sentence in dots:
        st.markdown(plain(sentence))
    when = range_text(data.range, data.timezone, formats)
    said = [f"{when}, {zone_words(data.timezone.key)}.", rests_on(week.cells, answer.rate, formats)]
    if is_all:
        said.insert(1, began_words(data.range.start.astimezone(data.timezone), formats))
    st.caption(plain(" ".join(said)))
    if all(cell.value is None for cell in week.cells.values()):
        return
    fixed_chart(
        rhythm_map(
            week.cells, metric, answer.power.hours if answer.power else (),
            theme=viewer_theme(), formats=formats, revision=revision,
        ),
        "rhythm-map",
        f"Map of the week by weekday and hour: {METRICS[metric].label} of"
        f" {_name(whose)}. {extremes(week, metric, formats, is_all=is_all)}",
        formats,
        picture_of(
            whose, f"{METRICS[metric].label} by weekday and hour", data.range,
            [*said[1:], *_notes(answer, metric), *dots], timezone=data.timezone, formats=formats,
        ),
    )  # fmt: skip
    st.caption(plain(" ".join(_notes(answer, metric))))


def _name(whose: Whose) -> str:
    return one_line((whose.subject or whole_site(whose.site)).label, LONGEST_NAME)


def _notes(answer: RhythmAnswer, metric: MetricKey) -> list[str]:
    cells = answer.week.cells.values()
    notes = [f"Each square is an hour of a weekday, on average, in {zone_words(answer.data.timezone.key)}."]
    if metric is MetricKey.TIME_SPENT:
        notes.append(TIME_OF_AN_HOUR)
    if any(not cell.days.expected for cell in cells):
        notes.append("Blank: closed, or no number.")
    elif any(cell.value is None for cell in cells):
        notes.append("Blank: no number.")
    if any(cell.value is not None and cell.is_of_few_days for cell in cells):
        notes.append("Cross: fewer than half of its days have counts.")
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
    now: datetime,
    revision: str,
) -> None:
    """A usual day of that weekday; `day` is today, and empty where that is another weekday.

    `now` is when it was read, local.
    """
    bands, formats = answer.week.bands_of(weekday), viewer_formats()
    closed = closed_clock_hours(opening, weekday) if opening else frozenset()
    partial, is_closed = answer.week.partial_hours(weekday), len(closed) == HOURS_A_DAY
    said = [usual_words(weekday, bands, metric, formats, partial=partial, is_closed=is_closed)]
    if opening and weekday == now.weekday():
        said.append(today_words(opening, now, answer.data.timezone, formats))
    if day and (beside := usual_words_today(day, usual_today(answer, day, metric, weekday), metric, formats)):
        said.append(beside)
    st.markdown(plain(" ".join(said)))
    # Of nobody at all a scale would have parts of a person.
    if not any(band.high for band in bands.values()) and not any(one.value for one in day):
        return
    notes = ["Shaded: closed."] if closed else []
    if day or (opening and weekday == now.weekday()):
        notes.append(f"Today as of {formats.dated(now)}.")
    data = answer.data
    what = f"{METRICS[metric].label} on a usual {weekday_name(weekday)}"
    rests = rests_on(answer.week.cells, answer.rate, formats)
    fixed_chart(
        day_band(
            bands,
            day,
            metric,
            closed=closed,
            theme=viewer_theme(),
            formats=formats,
            revision=f"{revision} {weekday}",
        ),
        "usual-day",
        f"Chart of a usual {weekday_name(weekday)} by the hour. {' '.join(said)}",
        formats,
        picture_of(whose, what, data.range, [rests, *notes], timezone=data.timezone, formats=formats),
    )
    if notes:
        st.caption(plain(" ".join(notes)))


def week_table(week: Rhythm, metric: MetricKey, formats: Formats) -> None:
    number_table(rhythm_table(week, metric, formats), "rhythm")


def no_capacity(error: Exception) -> None:
    """That it could not be read, which is not that there is none."""
    st.markdown(plain(f"The capacity could not be read. {error} Close and open this part to try again."))


def thresholds_panel(
    found: ThresholdMinutes | None, thresholds: Thresholds, capacity: float | None, formats: Formats
) -> None:
    """For how long on each weekday; None: it cannot be read."""
    if capacity is None:
        st.markdown("No capacity is reported here, so there is no threshold to be above.")
        return
    if found is None:
        st.markdown(
            "The highest minutes of these weeks could not be read. Close and open this part to try again."
        )
        return
    percents = levels_of(thresholds)
    people = people_of(thresholds, capacity)
    st.markdown(plain(" ".join(threshold_words(found, percents, people, formats))))
    table = threshold_table(found, percents, formats)
    if not table.empty:
        number_table(table, "thresholds")
