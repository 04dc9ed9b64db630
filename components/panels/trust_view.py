"""Trust: sentences first, then what days leave, how much is counted, and the tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from functools import partial
from typing import Final
from zoneinfo import ZoneInfo

import pandas as pd
import streamlit as st

from analysis.door_check import DoorCheck
from analysis.inside_band import SureHour, error_part, is_mostly_spoilt
from analysis.names import LONGEST_NAME, one_line
from analysis.notes import Note, notes_on_days
from analysis.reconciliation import ReconciledHour
from analysis.residue import DayBalance
from analysis.subject import Subject
from analysis.time_range import TimeRange, range_of_days
from analysis.trust_answer import TrustAnswer
from components.figures.counted_map import counted_map
from components.figures.residue_chart import residue_chart
from components.figures.sure_chart import sure_chart
from components.number_format import Formats
from components.panels.data_table import number_table, timed_table
from components.panels.fixed_chart import ChartData, Picture, Whose, data_files, fixed_chart, picture_of
from components.panels.known_of_site import KnownWithin, listed_notes
from components.panels.viewer import viewer_theme
from components.plain_text import plain, plain_sentences
from components.sentences.blame_words import daily_words, doors_words, silence_words
from components.sentences.check_words import damaged_words, short_words
from components.sentences.note_words import ended_note_lines
from components.sentences.stopped_words import lacks_doors, stopped_words
from components.sentences.sure_words import band_words, sure_words
from components.sentences.told_words import told_words, unseen_zone_words
from components.sentences.trust_words import (
    agreement_words,
    begins_words,
    counted_words,
    day_words,
    even_words,
    habit_words,
    hours_words,
    is_somewhere_incomplete,
    late_words,
    left_out_words,
    residue_words,
    spoilt_zones_words,
    verdict,
)
from components.tables.downloads import ROW_RULES
from components.tables.trust_table import (
    BETWEEN,
    DOOR,
    HOUR,
    ZONE,
    agreement_table,
    day_file,
    day_table,
    door_file,
    door_table,
    hour_file,
    hour_table,
    sure_file,
)
from contract import Granularity, SiteSummary

_OF_DAYS: Final = "Who came and went, by zone and day"
_PEOPLE: Final = "people, but for columns that name another unit: %, hours, minutes"
_COMPARED: Final = "Compared are counted minutes whose one before is, too: not the first of a day."
_MARKS: Final = "Cross: minutes are missing, the paler the more. Blank: no counts were to be expected."
_BARS: Final = "Line: the number as told. Bar:"
_AS_TOLD: Final = (
    "The service tells of its own count who was still inside at its daily reset, and who went out while"
    " its number inside was 0: those it adds to stay at 0. The first minus the second is what its count"
    " leaves; by how much that differs from came minus went stands beside it. Blank: it says nothing of"
    " that day."
)


def answer_panel(
    site: SiteSummary,
    answer: TrustAnswer,
    timezone: ZoneInfo,
    formats: Formats,
    *,
    left_out: int,
    known: KnownWithin,
    revision: str,
) -> None:
    """May the number be trusted, and which door is to blame; then the charts that prove it."""
    whole = answer.zones[0]
    told = f"{verdict(whole, formats, lacks_doors=lacks_doors(answer))} {residue_words(whole.whole, formats)}"
    stopped = " ".join(stopped_words(answer, timezone, formats))
    is_dead = any(one.label == whole.subject.label for one in answer.stopped)
    said = [stopped, told] if is_dead else [told, stopped]
    said.append(spoilt_zones_words(answer, formats))
    said += doors_words(answer, formats, left_out) + daily_words(answer.daily, formats)
    said += silence_words(answer.silences, timezone, formats)
    said += told_words(whole, answer.begin, timezone, formats)
    for sentence in said:
        if sentence:
            st.markdown(plain(sentence))
    notes = [begins_words(answer, timezone, formats), counted_words(answer, formats)]
    notes += [unseen_zone_words(answer, formats), late_words(answer, timezone, formats)]
    notes += [*habit_words(answer), *left_out_words(answer, left_out, formats)]
    st.caption(plain_sentences(notes))
    picture = partial(_picture, site, answer, timezone, formats)
    data = _days(answer, timezone, formats)
    noted = _noted(answer, known, timezone)
    words = [*filter(None, notes), _legend(answer), *ended_note_lines(list(noted), timezone, formats)]
    is_drawn = _residue(
        answer, formats, revision, partial(picture, words=words), data, noted=[*noted.values()]
    )
    if is_drawn:
        listed_notes(list(noted), timezone, formats)
    if is_somewhere_incomplete(answer):
        st.header("How much is counted", anchor=False)
        fixed_chart(
            counted_map(answer.zones, theme=viewer_theme(), formats=formats, revision=revision),
            "counted",
            f"Map of counted minutes by zone and day. {counted_words(answer, formats)}",
            formats,
            picture("Share of minutes counted, by zone and day", words=[*notes, _MARKS]),
            data=data,
            legend=_MARKS,
        )


def _picture(
    site: SiteSummary, answer: TrustAnswer, timezone: ZoneInfo, formats: Formats, what: str,
    *, words: Sequence[str] = (),
) -> Picture:  # fmt: skip
    """Of all days that are shown."""
    first, last = (answer.zones[0].days[place].date for place in (0, -1))
    range_ = range_of_days(first, last + timedelta(days=1), timezone)
    return picture_of(Whose(site), what, range_, words, timezone=timezone, formats=formats)


def _noted(answer: TrustAnswer, known: KnownWithin, timezone: ZoneInfo) -> dict[Note, float]:
    """Notes of the days drawn, and their places; none where no days are drawn."""
    days = [] if answer.zones[0].lacks else [one.date for one in answer.zones[0].days]
    if not days:
        return {}
    # The last one ends on the morning of the next.
    range_ = range_of_days(days[0], days[-1] + timedelta(days=2), timezone)
    return notes_on_days(known(range_).notes, days, answer.begin, timezone)


def _days(answer: TrustAnswer, timezone: ZoneInfo, formats: Formats) -> ChartData:
    rows = f"A row is a day of the site, or of a zone: {begins_words(answer, timezone, formats)}"
    counted = counted_words(answer, formats)
    return ChartData(partial(day_file, answer, formats), rows, _PEOPLE, counted, [ZONE])


def _residue(
    answer: TrustAnswer, formats: Formats, revision: str, picture: Callable[[str], Picture], data: ChartData,
    *, noted: Sequence[float],
) -> bool:  # fmt: skip
    """What each day leaves; of one direction alone nothing can be left. Whether it is drawn: of days that all
    leave nobody a sentence says all.
    """
    site = answer.zones[0]
    if site.lacks:
        st.caption(plain(f"What each day leaves is not drawn: it takes {site.lacks}, too."))
        return False
    st.header("Came in minus went out, by day", anchor=False)
    if even := even_words(site.days, formats):
        st.markdown(plain(even))
        data_files("residue", picture("Came in minus went out, by day"), data)
        return False
    fixed_chart(
        residue_chart(site.days, notes=noted, theme=viewer_theme(), formats=formats, revision=revision),
        "residue",
        f"Chart of {one_line(site.subject.label, LONGEST_NAME)} by day: people who came in minus people who"
        f" went out. {verdict(site, formats, lacks_doors=lacks_doors(answer))}"
        f" {day_words(site.days[-1], formats)}.",
        formats,
        picture("Came in minus went out, by day"),
        data=data,
        legend=_legend(answer),
    )
    return True


def _legend(answer: TrustAnswer) -> str:
    days = answer.zones[0].days
    notes = ["Above 0 the count leaves people inside; below 0 more went out than came in."]
    if any(day.is_spoilt for day in days):
        has_inside = answer.zones[0].has_inside
        wrong = "the number inside cannot be trusted" if has_inside else "entrances and exits do not add up"
        notes.append(f"Hatched: {wrong}.")
    if any(not day.is_whole for day in days):
        notes.append("Cross: the day is not counted whole, both ways.")
    return " ".join(notes)


def doors_panel(
    site: SiteSummary,
    answer: TrustAnswer,
    timezone: ZoneInfo,
    formats: Formats,
    *,
    checks: Callable[[], Mapping[str, DoorCheck]],
    damaged: Callable[[], Sequence[str]],
) -> None:
    """The doors, first the one that explains most of what its zones are wrong by, and how each was checked.

    `checks` gives those that are kept, `damaged` the names of those of the site that cannot be read; both
    raise RuntimeError with a sentence for people.
    """
    checked: dict[str, str] = {}
    try:
        for check in sorted(checks().values(), key=lambda one: one.start):
            checked[check.passage_id] = short_words(check, timezone, formats)
        if left_out := len(damaged()):
            st.caption(plain(f"{damaged_words(left_out, formats)} Delete what is damaged on the page Doors."))
    except RuntimeError as error:
        st.caption(plain(f"Whether a door was checked by hand is not known: {error}"))
    table = door_table(answer, formats, checked)
    if table.empty:
        st.markdown("No door of these zones could be read.")
        return
    number_table(table, "doors")
    counted = "Each row says in how many of the hours of these days a door is counted both ways."
    made = partial(door_file, answer, formats, checked)
    data = ChartData(made, "A row is a door or passage.", _PEOPLE, counted, [DOOR, BETWEEN])
    data_files("doors", _picture(site, answer, timezone, formats, "Doors, the most suspect first"), data)


def door_link(site_id: str, answer: TrustAnswer) -> None:
    """Where somebody counts by hand at the door that is to blame, or else at the most suspect one."""
    ranked = [one.way for one in answer.ranked]
    blamed = {way for blame in answer.blames for way in blame.ways}
    ways = [way for way in ranked if way in blamed] or [*blamed] or ranked
    if ways:
        st.page_link(
            "pages/doors.py",
            label=plain(f"Check by hand: {one_line(ways[0].label, LONGEST_NAME)}"),
            icon=":material/touch_app:",
            query_params={"site": site_id, "door": ways[0].passage_id},
        )


def days_panel(site: SiteSummary, answer: TrustAnswer, timezone: ZoneInfo, formats: Formats) -> None:
    if any(one.told for one in answer.zones):
        st.caption(_AS_TOLD)
    number_table(day_table(answer, formats), "days")
    data_files("days", _picture(site, answer, timezone, formats, _OF_DAYS), _days(answer, timezone, formats))


def sure_panel(
    site: SiteSummary,
    days: Sequence[DayBalance],
    hours: Sequence[SureHour],
    timezone: ZoneInfo,
    formats: Formats,
    *,
    known: KnownWithin,
    revision: str,
) -> None:
    """The number inside of the present day, and between how many people may really have been inside, by past
    `days`.

    `known` gives what is closed and the notes within a range, both ascending.
    """
    part = error_part(days)
    said = sure_words(part, hours, timezone, formats, is_mostly_spoilt=is_mostly_spoilt(days))
    st.markdown(plain(said))
    if part is None or not hours:
        return
    range_ = TimeRange(hours[0].start, hours[-1].start + timedelta(hours=1))
    closed, noted = known(range_)
    figure = sure_chart(
        hours, timezone, closed=closed, notes=[one.at for one in noted],
        theme=viewer_theme(), formats=formats, revision=revision,
    )  # fmt: skip
    bars = f"{_BARS} {band_words(part)}{' Shaded: closed.' if closed else ''}"
    what, words = (
        "How sure the people inside are, by hour",
        [said, bars, *ended_note_lines(noted, timezone, formats)],
    )
    picture = picture_of(Whose(site), what, range_, words, timezone=timezone, formats=formats)
    alt = f"Chart of today by the hour, each with its band. {said}"
    counted = (
        f"Told are {formats.number(len(hours))} hours on end from the beginning of the count on, until one"
        " that is not over or not counted."
    )
    data = ChartData(
        partial(sure_file, hours, timezone), ROW_RULES[Granularity.HOUR], "people, average per hour", counted
    )
    fixed_chart(figure, "sure", alt, formats, picture, data=data, legend=bars)
    listed_notes(noted, timezone, formats)


def agreement_panel(site: SiteSummary, answer: TrustAnswer, timezone: ZoneInfo, formats: Formats) -> None:
    st.markdown(plain(agreement_words(answer, formats)))
    table = agreement_table(answer)
    if not table.empty:
        number_table(table, "agreement")
        what, counted = "People inside against time inside", counted_words(answer, formats)
        data = ChartData(lambda: table, "A row is the site, or a zone.", _PEOPLE, counted, [ZONE])
        data_files("agreement", _picture(site, answer, timezone, formats, what), data)


def hours_panel(
    site: SiteSummary,
    day: TimeRange,
    hours: Mapping[Subject, Sequence[ReconciledHour]],
    timezone: ZoneInfo,
    formats: Formats,
) -> None:
    """What the number inside changed by beside who came and went, by zone and hour of the last `day`."""
    st.markdown(plain(hours_words(hours, timezone, formats)))
    table = hour_table(hours, formats)
    if table.empty:
        return
    table[HOUR] = pd.to_datetime(table[HOUR], utc=True).dt.tz_convert(timezone)
    timed_table(table, "hours", {}, [HOUR], lambda moment: formats.dated(moment.to_pydatetime()))
    what = "People inside against who came and went, by zone and hour"
    st.caption(_COMPARED)
    counted = f"Each row says how many of its minutes are compared. {_COMPARED}"
    made = partial(hour_file, hours, formats, timezone)
    data = ChartData(made, ROW_RULES[Granularity.HOUR], _PEOPLE, counted, [ZONE])
    picture = picture_of(Whose(site), what, day, (), timezone=timezone, formats=formats)
    data_files("hours", picture, data)
