"""When a site is open: said, and changed by whoever may open the dashboard. Kept by the dashboard."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import date, datetime
from functools import partial
from typing import Any, Final

import pandas as pd
import streamlit as st
from pydantic import ValidationError

from analysis.opening_hours import (
    LONGEST_NAME_OF_DAY,
    OpeningHours,
    OtherDay,
    Span,
    spans_of_text,
    text_of_spans,
)
from analysis.public_holidays import countries, country_of, parts_of
from components.number_format import Formats, zone_words
from components.panels.page_parts import folded, guarded
from components.panels.viewer import site_zone
from components.plain_text import plain
from components.sentences.opening_words import holiday_words, other_days_words, state_words, week_words
from components.sentences.rhythm_words import weekday_name
from contract import Site

_DAY: Final = "Day"
_OPEN: Final = "Open"
_NAME: Final = "Name"
_WRITTEN: Final = "09:00–18:30, or closed"
_NO_HOLIDAYS: Final = ""
_LONGEST_TEXT: Final = 100

Keep = Callable[[str, OpeningHours | None], None]
"""Keeps hours for the site of an id; None: keep none. Raises RuntimeError with a sentence for people."""


Read = Callable[[str], OpeningHours | None]
"""Of the site of an id; None: none are kept. Raises RuntimeError with a sentence for people."""


def opening_hours_of(site: Site, read: Read) -> OpeningHours | None:
    """What is kept, as far as it can be read; else it is said, and the page goes on without."""
    hours: list[OpeningHours | None] = []
    with guarded("The opening hours", "opening-hours", RuntimeError):
        hours.append(read(site.id))
    return hours[0] if hours else None


def opening_hours_panel(
    site: Site, kept: OpeningHours | None, keep: Keep, now: datetime, formats: Formats
) -> None:
    """`now` is aware."""
    zone = site_zone(site)
    if kept is None:
        st.info("Nobody has said yet when this site is open, and the service does not tell.")
    else:
        st.markdown(plain(f"{state_words(kept, now, zone, formats)} {week_words(kept)}."))
        others = other_days_words(kept, now, zone, formats)
        said = [holiday_words(kept), *([f"Other days: {others}."] if others else [])]
        st.caption(plain(f"{' '.join(said)} All in {zone_words(zone.key)}."))
    folded("Change the opening hours", "edit_calendar", partial(_editor, site, kept, keep))


def _editor(site: Site, kept: OpeningHours | None, keep: Keep) -> None:
    st.caption("Charts shade closed time. This dashboard keeps the hours, for every browser that opens it.")
    texts = _week(site, kept)
    country, part, is_closed = _holidays(site, kept)
    st.markdown("**Days that differ**")
    others = _others(site, kept)
    with st.container(horizontal=True):
        is_to_keep = st.button(
            "Keep these hours", key=f"keep-hours-{site.id}", type="primary", icon=":material/save:"
        )
        is_to_forget = kept is not None and st.button(
            "Forget them", key=f"forget-hours-{site.id}", icon=":material/delete:"
        )
    problems: list[str] = []
    if is_to_keep:
        hours, problems = _read(texts, others, country=country, part=part, is_closed=is_closed)
        problems = problems or _kept(keep, site, hours)
    elif is_to_forget:
        problems = _kept(keep, site, None)
    for problem in problems:
        st.error(plain(problem), icon=":material/error:")


def _week(site: Site, kept: OpeningHours | None) -> list[str]:
    """What is written for each day, from Monday."""
    columns = st.columns(2)
    return [
        columns[day * 2 // 8].text_input(
            plain(weekday_name(day)),
            value=text_of_spans(kept.week[day]) if kept else "",
            key=f"hours-{site.id}-{day}",
            placeholder=_WRITTEN,
            max_chars=_LONGEST_TEXT,
        )
        for day in range(7)
    ]


def _holidays(site: Site, kept: OpeningHours | None) -> tuple[str, str, bool]:
    """Country, its part, and whether the site is closed on their holidays."""
    named = countries()
    usual = kept.country if kept else country_of(site.address.country) or _NO_HOLIDAYS
    which, where, how = st.columns([3, 3, 2], vertical_alignment="bottom")
    country = which.selectbox(
        "Public holidays of",
        [_NO_HOLIDAYS, *named],
        index=[_NO_HOLIDAYS, *named].index(usual if usual in named else _NO_HOLIDAYS),
        format_func=lambda code: plain(named.get(code, "No country")),
        key=f"hours-country-{site.id}",
    )
    parts = parts_of(country or "")
    own = kept.part if kept and kept.part in parts and kept.country == country else ""
    part = where.selectbox(
        "Part of the country",
        ["", *parts],
        index=["", *parts].index(own),
        format_func=lambda code: plain(parts.get(code, "Holidays of the whole country")),
        key=f"hours-part-{site.id}-{country}",
        disabled=not parts,
    )
    is_closed = how.checkbox(
        "Closed then",
        value=kept.is_closed_on_holidays if kept else True,
        key=f"hours-closed-{site.id}",
        disabled=not country,
    )
    return country or "", part or "", is_closed


def _others(site: Site, kept: OpeningHours | None) -> pd.DataFrame:
    rows = [
        {_DAY: other.day, _OPEN: text_of_spans(other.spans), _NAME: other.name}
        for other in sorted(kept.others if kept else (), key=lambda other: other.day)
    ]
    table = pd.DataFrame(rows, columns=[_DAY, _OPEN, _NAME]).astype({_OPEN: "string", _NAME: "string"})
    table[_DAY] = pd.to_datetime(table[_DAY])
    return st.data_editor(
        table,
        num_rows="dynamic",
        hide_index=True,
        key=f"hours-others-{site.id}",
        column_config={
            _DAY: st.column_config.DateColumn(required=True),
            _OPEN: st.column_config.TextColumn(help=_WRITTEN, max_chars=_LONGEST_TEXT),
            _NAME: st.column_config.TextColumn(max_chars=LONGEST_NAME_OF_DAY),
        },
    )


def _read(
    texts: Iterable[str], others: pd.DataFrame, *, country: str, part: str, is_closed: bool
) -> tuple[OpeningHours | None, list[str]]:
    """The hours, or what is wrong with what is written, a sentence each."""
    problems: list[str] = []
    week = [_spans(text, weekday_name(day), problems) for day, text in enumerate(texts)]
    days = [_other(row, problems) for row in others.to_dict("records") if _is_written(row)]
    if problems:
        return None, problems
    try:
        return OpeningHours(
            week=tuple(week),
            others=tuple(one for one in days if one),
            is_closed_on_holidays=is_closed,
            country=country,
            part=part,
        ), []
    except ValidationError as error:
        return None, [f"{one['msg'].removeprefix('Value error, ')}." for one in error.errors()]


def _spans(text: str, day: str, problems: list[str]) -> tuple[Span, ...]:
    try:
        return spans_of_text(text)
    except ValueError as error:
        problems.append(f"{day}: {error}")
        return ()


def _is_written(row: Mapping[Any, Any]) -> bool:
    return any(not pd.isna(row[name]) and str(row[name]).strip() for name in (_DAY, _OPEN, _NAME))


def _other(row: Mapping[Any, Any], problems: list[str]) -> OtherDay | None:
    text, name = ("" if pd.isna(row[key]) else str(row[key]) for key in (_OPEN, _NAME))
    if pd.isna(row[_DAY]):
        problems.append(f"“{text or name}” has no day; choose one, or delete the row.")
        return None
    day: date = pd.Timestamp(row[_DAY]).date()
    return OtherDay(day=day, spans=_spans(text, f"{day:%-d %B %Y}", problems), name=name.strip())


def _kept(keep: Keep, site: Site, hours: OpeningHours | None) -> list[str]:  # noqa: RET503 - rerun ends it
    """What went wrong; where nothing did, the page is drawn anew."""
    try:
        keep(site.id, hours)
    except RuntimeError as error:
        return [f"{error} What you wrote still stands here."]
    st.rerun()
