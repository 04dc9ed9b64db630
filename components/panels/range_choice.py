"""Which range of time is shown: by its name, or from a date to a date."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from datetime import date, datetime, timedelta
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

import streamlit as st

from analysis.names import LONGEST_NAME, one_line
from analysis.time_range import (
    NamedRange,
    TimeRange,
    counted_part,
    has_moved_on,
    named_range,
    range_of_dates,
    range_of_id,
)
from components.number_format import zone_words
from components.panels.followed import drawn_anew_where
from components.panels.unknown_in_link import asked_in_link
from components.panels.url_choice import keep_in_link, remembered, url_choice
from components.panels.viewer import viewer_formats
from components.plain_text import plain
from components.sentences.range_words import why_not_shown
from components.tables.history_link import DATES

_HIDDEN: Final = frozenset({NamedRange.FOUR_WEEKS})
"""Offered to links that name it alone: it is all but the last 30 days."""
_ENDS: Final = ("from", "to")
_EARLIEST: Final = datetime(2000, 1, 1)  # noqa: DTZ001 - local to whichever zone is chosen
_LATEST: Final = datetime(2099, 12, 31, 23, 59)  # noqa: DTZ001 - as above
"""Streamlit's own bounds are ten years around today."""


class ChosenRange(NamedTuple):
    asked: TimeRange
    """As it was chosen: it may go on into the future."""
    counted: TimeRange
    """As much of it as is counted; never empty."""
    named: NamedRange | None
    """None: a range given by its dates."""


def range_id_choice() -> str:
    """The name of a range, or `DATES`; a link that gives dates alone means these."""
    if not asked_in_link("range") and any(map(asked_in_link, _ENDS)):
        st.query_params["range"] = DATES
    linked = range_of_id(st.query_params.get("range"))
    options = {one.id: one.label for one in NamedRange if one not in _HIDDEN or one is linked}
    return (
        url_choice("Range", options | {DATES: "From … to …"}, "range", lead=NamedRange.DAY.id, governs=_ENDS)
        or ""
    )


def range_choice(
    range_id: str,
    now: datetime,
    timezone: ZoneInfo,
    dates: AbstractContextManager[object],
    present: Callable[[], datetime],
) -> ChosenRange | None:
    """What the range means at `now` (aware); None where it holds nothing, and then the page says why.

    `dates` is where its ends are asked for. Once it means other days, as `Today` does after midnight, the
    page is drawn anew; `present` tells what time it is, aware.
    """
    named = range_of_id(range_id)
    formats = viewer_formats()
    asked = _dates(timezone, dates) if named is None else named_range(named, now, timezone)
    if asked is None:
        return None
    if named:
        drawn_anew_where(lambda: has_moved_on(named, asked, present(), timezone), "range-followed")
    if refusal := why_not_shown(asked, now, timezone, formats, named.label if named else ""):
        st.info(plain(refusal))
        return None
    return ChosenRange(asked, counted_part(asked, now), named)


def _dates(timezone: ZoneInfo, container: AbstractContextManager[object]) -> TimeRange | None:
    """Local to the chosen time zone."""
    with container:
        start, end = st.columns(2)
    with start:
        first = _end_choice("From", "from", timezone)
    with end:
        last = _end_choice("To", "to", timezone)
    if first is None or last is None:
        unreadable = "".join(
            f" “{one_line(text, LONGEST_NAME)}” in the link is no date and time that can be shown."
            for name in _ENDS
            if (text := _asked(name)) and _moment(text, name, timezone) is None
        )
        st.info(plain(f"Choose from when to when, in {zone_words(timezone.key)}.{unreadable}"))
        return None
    return range_of_dates(first, last, timezone)


def _end_choice(label: str, name: str, timezone: ZoneInfo) -> datetime | None:
    """Naive and local to `timezone`. Kept in the URL by us: Streamlit reads a date there that is written in
    one way, and takes any other out unsaid.
    """
    widget = f"choose-{name}"
    st.session_state[widget] = _moment(_asked(name), name, timezone)
    chosen: datetime | None = st.datetime_input(
        plain(label),
        None,
        _EARLIEST,
        _LATEST,
        key=widget,
        format=viewer_formats().typed_date,
        on_change=lambda: keep_in_link(name, _written(st.session_state[widget])),
    )
    if chosen:
        keep_in_link(name, _written(chosen))
    return chosen


def _asked(name: str) -> str:
    """What the link says of this end, or what was chosen before; empty: nothing."""
    return next(iter(asked_in_link(name)), "") or remembered(name)


def _written(moment: datetime | None) -> str:
    return moment.isoformat(timespec="minutes") if moment else ""


def _moment(text: str, name: str, timezone: ZoneInfo) -> datetime | None:
    """What a date in a link means, naive and local to `timezone`; None: nothing, or no moment of our times.

    A day without a time is all of it: from its midnight, or to the next one.
    """
    with suppress(ValueError, OverflowError):
        moment = datetime.fromisoformat(text)
        if moment.tzinfo:
            moment = moment.astimezone(timezone)
        elif name == "to" and _is_bare_day(text):
            moment += timedelta(days=1)
        moment = moment.replace(second=0, microsecond=0, tzinfo=None)
        return moment if _EARLIEST <= moment <= _LATEST else None
    return None


def _is_bare_day(text: str) -> bool:
    with suppress(ValueError):
        date.fromisoformat(text)
        return True
    return False
