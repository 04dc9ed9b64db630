"""What Replay plays: which day, from when on, and how fast. The browser writes the last two to the link."""

from __future__ import annotations

from contextlib import AbstractContextManager, suppress
from datetime import UTC, date, datetime, time, timedelta
from typing import Final
from zoneinfo import ZoneInfo

import streamlit as st

from analysis.recorded_day import RecordedDay, RecordedPlace, busiest_hour, fullest
from analysis.time_range import instant_of
from components.live_replay import SPEEDS
from components.panels.unknown_in_link import asked_in_link, is_unclear, unknown_in_link
from components.panels.url_choice import keep_in_link
from components.panels.viewer import viewer_formats

_DAY: Final = "day"
_AT: Final = "at"
_SPEED: Final = "speed"
_WIDGET: Final = "choose-day"
_EARLIEST: Final = date(2000, 1, 1)
_FASTEST: Final = SPEEDS[-1]
_BEFORE: Final = timedelta(minutes=30)
"""Before the fullest minute it begins, where the link does not say when: nobody waits for an empty night."""


def unknown_replay() -> None:
    """Say which values of the link mean nothing here."""
    days, times = asked_in_link(_DAY), asked_in_link(_AT)
    unknown_in_link(
        {
            _DAY: {one for one in days if _day_of(one)},
            _AT: {one for one in times if _clock_of(one)},
            _SPEED: {str(one) for one in SPEEDS},
        }
    )


def linked_day() -> date | None:
    """The day that the link names; None: none, several, or what is no day."""
    asked = asked_in_link(_DAY)
    return _day_of(asked[0]) if len(asked) == 1 else None


def day_choice(usual: date, today: date, container: AbstractContextManager[object]) -> date:
    """The chosen day; `usual` where none is. No later one than `today` is offered; a link may name one."""
    linked = linked_day()
    st.session_state[_WIDGET] = linked or usual
    with container:
        chosen: date | None = st.date_input(
            "Day",
            None,
            _EARLIEST,
            max(today, linked or today),
            key=_WIDGET,
            format=viewer_formats().typed_date,
            on_change=_follow,
        )
    chosen = chosen or usual
    if linked or not asked_in_link(_DAY):
        st.query_params[_DAY] = chosen.isoformat()
    return chosen


def _follow() -> None:
    """Another day has another fullest hour; without one the usual day comes."""
    chosen: date | None = st.session_state[_WIDGET]
    if chosen:
        st.query_params[_DAY] = chosen.isoformat()
    else:
        st.query_params.pop(_DAY, None)
    keep_in_link(_AT, "")


def speed_in_link() -> int:
    asked = asked_in_link(_SPEED)
    return int(asked[0]) if asked and not is_unclear(_SPEED, {str(one) for one in SPEEDS}) else _FASTEST


def begin_at(day: RecordedDay, place: RecordedPlace) -> datetime:
    """When it begins to play: as the link says, else a while before the fullest step, or when most came."""
    asked = asked_in_link(_AT)
    if len(asked) == 1 and (clock := _clock_of(asked[0])):
        return _at(clock, day.day, day.timezone)
    found = fullest(day, place)
    moment = found.at - _BEFORE if found else busiest_hour(day, place)
    return max(day.whole.start, moment or day.whole.start)


def _at(clock: time, day: date, timezone: ZoneInfo) -> datetime:
    """Of a time that the clocks repeat the first, unless `clock` has the offset of the other."""
    local = datetime.combine(day, clock)
    return local.astimezone(UTC) if clock.tzinfo else instant_of(local, timezone)


def _day_of(text: str) -> date | None:
    with suppress(ValueError):
        day = date.fromisoformat(text)
        return day if _EARLIEST <= day <= date(2099, 12, 31) else None
    return None


def _clock_of(text: str) -> time | None:
    """`02:30`, local to the site; with its offset, `02:30+02:00`, where the clocks show it twice."""
    for form in ("%H:%M", "%H:%M%z"):
        with suppress(ValueError):
            return datetime.strptime(text.replace(" ", "+"), form).timetz()  # noqa: DTZ007 - as typed
    return None
