"""When a site is open: said, and changed by whoever may open the dashboard. Kept by the dashboard."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import date, datetime
from functools import partial
from hashlib import sha256
from typing import Any, Final

import pandas as pd
import streamlit as st
from pydantic import ValidationError

from analysis.hours_text import spans_of_text
from analysis.keeper import Keeper
from analysis.opening_hours import LONGEST_NAME_OF_DAY, KeptHours, OpeningHours, OtherDay, Span
from analysis.public_holidays import countries, country_of, parts_of
from components.number_format import Formats, zone_words
from components.panels.kept_draft import (
    Choice,
    KeptDraft,
    kept_draft,
    mine_or_theirs,
    overtaken_note,
)
from components.panels.page_parts import folded
from components.panels.permission import may_change_or_say
from components.panels.read_last import read_or_last
from components.panels.viewer import site_zone
from components.plain_text import plain, plain_sentences
from components.sentences.opening_words import (
    holiday_words,
    other_days_words,
    spans_words,
    state_words,
    week_words,
)
from components.sentences.rhythm_words import weekday_name
from contract import Site

_DAY: Final = "Day"
_OPEN: Final = "Open"
_NAME: Final = "Name"
_WRITTEN: Final = "09:00–18:30, or closed"
_DAMAGED: Final = "The opening hours kept of this site are damaged and cannot be read: none are used."
_NO_HOLIDAYS: Final = ""
_LONGEST_TEXT: Final = 100

HoursKeeper = Keeper[OpeningHours | None, KeptHours]
"""None: none are to be kept."""
Read = Callable[[str], OpeningHours | None]
"""Of the site of an id; None: none are kept. Raises RuntimeError with a sentence for people."""


def opening_hours_of(site: Site, read: Read) -> OpeningHours | None:
    """What is kept, as far as it can be read; else it is said, and the page goes on without."""
    return read_or_last("The opening hours", "opening-hours", site.id, lambda: read(site.id), None)


def holidays_note(hours: OpeningHours | None) -> None:
    """Of a page that leaves closed time out: holidays close a site that nobody has said to be closed then."""
    if hours:
        st.caption(plain(f"Opening hours are as kept on the page Site. {holiday_words(hours)}"))


def hours_of_demo_note() -> None:
    """Above hours that nobody has written."""
    st.caption(
        "These hours came with the demo, whose simulated visitors keep to them; recorded sites have none."
        " Change or forget them below: they do not come back."
    )


def opening_hours_panel(
    site: Site, kept: KeptHours, keeper: HoursKeeper, now: datetime, formats: Formats
) -> None:
    """`now` is aware."""
    zone = site_zone(site)
    if kept.is_damaged:
        st.error(plain(f"{_DAMAGED} Whoever writes them anew puts the damaged ones aside."))
    elif (hours := kept.hours) is None:
        st.info("Nobody has said yet when this site is open, and the service does not tell.")
    else:
        st.markdown(plain(f"{state_words(hours, now, zone, formats)} {week_words(hours, formats)}."))
        others = other_days_words(hours, now, zone, formats)
        said = [holiday_words(hours), *([f"Other days: {others}."] if others else [])]
        st.caption(plain_sentences([*said, f"All in {zone_words(zone.key)}."]))
    folded("Change the opening hours", "edit_calendar", partial(_editor, site, kept, keeper, formats))


def _editor(site: Site, kept: KeptHours, keeper: HoursKeeper, formats: Formats) -> None:
    if not may_change_or_say(site.id):
        return
    draft = kept_draft("hours", site.id, kept, lambda name: f"hours-{name}-0")
    st.caption(
        "Charts shade closed time, walls and live pages call the site closed then. This dashboard keeps the"
        " hours, for every browser that opens it."
        " A day that is left empty is closed."
    )
    before = draft.base.hours
    texts = _week(draft, before, formats)
    country, part, is_closed = _holidays(site, draft, before)
    st.markdown("**Days that differ**")
    others = _others(draft, before, formats)
    hours, problems = _read(texts, others, country=country, part=part, is_closed=is_closed)
    draft.note(f"{[*texts, country, part, is_closed]!r} {others.to_json(date_format='iso')}")
    if hours and (draft.is_changed or hours == kept.hours):
        # Beside the button: whoever has pressed it sees that they are kept.
        said = "Kept" if hours == before == kept.hours else "As written"
        st.caption(plain(f"{said}: {week_words(hours, formats)}."))
    if draft.is_overtaken:  # there, too: the fields are higher than a phone
        overtaken_note(_done_by_others(kept, formats), keeper.kept_at)
    chosen = _buttons(site, kept, draft)
    if chosen is Choice.MINE:
        problems = problems or _kept(keeper, hours, kept, draft)
    elif chosen is Choice.FORGET:
        problems = _kept(keeper, None, kept, draft)
    elif chosen is Choice.THEIRS:
        draft.begin_anew()
        problems = []
    if chosen is None:
        return
    if not problems:
        st.rerun()
    for problem in problems:
        st.error(plain(problem), icon=":material/error:")


def _done_by_others(kept: KeptHours, formats: Formats) -> str:
    if kept.hours:
        return f"kept others: {week_words(kept.hours, formats)}. {holiday_words(kept.hours)}"
    return "kept some that cannot be read." if kept.is_damaged else "made this dashboard forget them."


def _buttons(site: Site, kept: KeptHours, draft: KeptDraft[KeptHours]) -> Choice | None:
    """Each is one of what is shown beside it: whoever presses it has read that."""
    shown = f"{site.id}-{sha256(kept.document.encode()).hexdigest()[:8]}"
    with st.container(horizontal=True):
        if draft.is_overtaken:
            return mine_or_theirs(f"hours-{shown}")
        key = f"keep-hours-{site.id}"
        if st.button("Keep these hours", key=key, type="primary", icon=":material/save:"):
            return Choice.MINE
        is_to_forget = kept.document and st.button(
            "Forget them", key=f"forget-hours-{shown}", icon=":material/delete:"
        )
        return Choice.FORGET if is_to_forget else None


def _week(draft: KeptDraft[KeptHours], kept: OpeningHours | None, formats: Formats) -> list[str]:
    """What is written for each day, from Monday."""
    columns = st.columns(2)
    return [
        columns[day * 2 // 8].text_input(
            plain(weekday_name(day)),
            value=spans_words(kept.week[day], formats) if kept else "",
            key=f"hours-{draft.name}-{day}",
            placeholder=_WRITTEN,
            max_chars=_LONGEST_TEXT,
            on_change=draft.touch,
        )
        for day in range(7)
    ]


def _holidays(site: Site, draft: KeptDraft[KeptHours], kept: OpeningHours | None) -> tuple[str, str, bool]:
    """Country, its part, and whether the site is closed on their holidays."""
    named = countries()
    usual = kept.country if kept else country_of(site.address.country) or _NO_HOLIDAYS
    which, where, how = st.columns([3, 3, 2], vertical_alignment="bottom")
    country = which.selectbox(
        "Public holidays of",
        [_NO_HOLIDAYS, *named],
        index=[_NO_HOLIDAYS, *named].index(usual if usual in named else _NO_HOLIDAYS),
        format_func=lambda code: plain(named.get(code, "No country")),
        key=f"hours-country-{draft.name}",
        on_change=draft.touch,
    )
    parts = parts_of(country or "")
    own = kept.part if kept and kept.part in parts and kept.country == country else ""
    part = where.selectbox(
        "Part of the country",
        ["", *parts],
        index=["", *parts].index(own),
        format_func=lambda code: plain(parts.get(code, "Holidays of the whole country")),
        key=f"hours-part-{draft.name}-{country}",
        disabled=not parts,
        on_change=draft.touch,
    )
    is_closed = how.checkbox(
        "Closed then",
        value=kept.is_closed_on_holidays if kept else True,
        key=f"hours-closed-{draft.name}",
        disabled=not country,
        on_change=draft.touch,
    )
    if kept is None and country and is_closed and country == usual:
        st.caption(
            plain(
                f"{named[country]} is taken from the site's address; once hours are kept, its public"
                " holidays count as closed, unless you change that."
            )
        )
    return country or "", part or "", is_closed


def _others(draft: KeptDraft[KeptHours], kept: OpeningHours | None, formats: Formats) -> pd.DataFrame:
    rows = [
        {_DAY: other.day, _OPEN: spans_words(other.spans, formats), _NAME: other.name}
        for other in sorted(kept.others if kept else (), key=lambda other: other.day)
    ]
    table = pd.DataFrame(rows, columns=[_DAY, _OPEN, _NAME]).astype({_OPEN: "string", _NAME: "string"})
    table[_DAY] = pd.to_datetime(table[_DAY])
    return st.data_editor(
        table,
        num_rows="dynamic",
        hide_index=True,
        key=f"hours-others-{draft.name}",
        on_change=draft.touch,
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


def _kept(
    keeper: HoursKeeper, hours: OpeningHours | None, before: KeptHours, draft: KeptDraft[KeptHours]
) -> list[str]:
    """What went wrong; nothing where others were kept meanwhile, which the next run says."""
    try:
        if keeper.keep(hours, before):
            draft.begin_anew()
    except RuntimeError as error:
        return [f"{error} What you wrote still stands here."]
    return []
