"""How a saved screen fares: who looks at it and when somebody last did, and why it shows no number."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Final, NamedTuple, Protocol
from zoneinfo import ZoneInfo

import streamlit as st

from analysis.names import LONGEST_NAME
from components.number_format import Formats
from components.panels.viewer import viewer_formats, viewer_or_utc
from components.plain_text import plain, plain_name

_MOST_LISTED: Final = 5
_AWAY: Final = timedelta(days=1)
"""A wall that is switched off at night is back before."""
_MOST_PLACES: Final = 3


class SeenState(StrEnum):
    SEEN = "seen"
    UNSEEN = "unseen"
    """Nobody looks at it, and somebody did within a day, or it is not known when."""
    AWAY = "away"
    """Nobody has looked at it for a day."""
    NEVER = "never"
    """It was never opened."""


class Viewer(Protocol):
    """Somebody who looks at a screen."""

    @property
    def address(self) -> str: ...

    @property
    def agent(self) -> str: ...

    @property
    def since(self) -> datetime: ...


@dataclass(frozen=True, slots=True)
class Seen:
    """When somebody looked at each screen, by screen id."""

    viewers_of: Callable[[str], Sequence[Viewer]]
    """Who looks at it now, the longest there first."""
    last_left: Callable[[str], datetime | None]
    """When the last one that left did; None: nobody did since this process began."""
    opened: Mapping[str, datetime | None]
    """When a wall last connected, to whatever process; None: not known. What is absent was never opened."""

    def last(self, screen_id: str) -> datetime | None:
        """UTC; None: never, or not known."""
        return max(filter(None, (self.last_left(screen_id), self.opened.get(screen_id))), default=None)

    def state(self, screen_id: str) -> SeenState:
        if self.viewers_of(screen_id):
            return SeenState.SEEN
        last = self.last(screen_id)
        if last is None:
            return SeenState.UNSEEN if screen_id in self.opened else SeenState.NEVER
        return SeenState.AWAY if datetime.now(UTC) - last >= _AWAY else SeenState.UNSEEN


def seen_panel(seen: Seen, screen_id: str) -> None:
    st.markdown(seen_sentence(seen, screen_id, viewer_formats(), viewer_or_utc()))


def seen_sentence(seen: Seen, screen_id: str, formats: Formats, timezone: ZoneInfo) -> str:
    """Who looks at the screen now, or when somebody last did, as Markdown."""
    state, last = seen.state(screen_id), seen.last(screen_id)
    if state is SeenState.SEEN:
        return _viewers_sentence(seen.viewers_of(screen_id), formats, timezone)
    if state is SeenState.NEVER:
        return ":material/visibility_off: Nobody looks at it now. It was never opened."
    when = f": last seen {plain(formats.moment(last.astimezone(timezone)))}" if last else ""
    if state is SeenState.AWAY and last:
        ago = plain(formats.duration((datetime.now(UTC) - last).total_seconds()))
        return f":material/visibility_off: **Nobody has looked at it for {ago}**{when}. Is its television on?"
    return f":material/visibility_off: Nobody looks at it now{when}."


def _viewers_sentence(viewers: Sequence[Viewer], formats: Formats, timezone: ZoneInfo) -> str:
    listed = [
        f"{plain(viewer.agent, LONGEST_NAME)}, {plain(viewer.address, LONGEST_NAME)}, "
        f"since {plain(formats.moment(viewer.since.astimezone(timezone)))}"
        for viewer in viewers[:_MOST_LISTED]
    ]
    more = len(viewers) - len(listed)
    listed += [f"and {plain(formats.number(more))} more"] if more else []
    count = "1 viewer" if len(viewers) == 1 else f"{plain(formats.number(len(viewers)))} viewers"
    return f":material/visibility: **{count} now:** " + " · ".join(listed)


class Trouble(Protocol):
    """Why a view of a screen shows no number."""

    @property
    def view(self) -> int: ...

    @property
    def title(self) -> str: ...

    @property
    def reason(self) -> str: ...

    @property
    def since(self) -> datetime | None: ...

    @property
    def next_step(self) -> str: ...

    @property
    def request_id(self) -> str: ...


class Reading(NamedTuple):
    """How the viewer writes numbers and times."""

    formats: Formats
    timezone: ZoneInfo


def shared_troubles(troubles: Mapping[str, Sequence[Trouble]]) -> dict[str, tuple[int, list[Trouble]]]:
    """Reasons that several screens share, the most common first: how many these are, and their troubles.

    `troubles` is by screen id.
    """
    counts = Counter(reason for own in troubles.values() for reason in {one.reason for one in own})
    return {
        reason: (count, [one for own in troubles.values() for one in own if one.reason == reason])
        for reason, count in counts.most_common(_MOST_LISTED)
        if count > 1
    }


def shared_troubles_panel(troubles: Mapping[str, Sequence[Trouble]]) -> Collection[str]:
    """Says once, above the list, what several screens share; the reasons that it said."""
    reading, shared = Reading(viewer_formats(), viewer_or_utc()), shared_troubles(troubles)
    lines = [
        f"**{plain(reading.formats.number(count))} screens have views without a number"
        f"{_when(group, reading)}.** {_words(group[0])}"
        for count, group in shared.values()
    ]
    if lines:
        st.warning("  \n".join(lines), icon=":material/warning:")
    return shared.keys()


def troubles_panel(troubles: Sequence[Trouble], said: Collection[str] = ()) -> None:
    """Why views of one screen show no number. `said` are the reasons that stand above the list."""
    if troubles:
        reading = Reading(viewer_formats(), viewer_or_utc())
        st.warning(troubles_sentence(troubles, reading, said), icon=":material/warning:")


def troubles_sentence(troubles: Sequence[Trouble], reading: Reading, said: Collection[str] = ()) -> str:
    """One line for each reason: which views, since when, why, what next, and a request id to quote."""
    groups: dict[str, list[Trouble]] = {}
    for trouble in troubles:
        groups.setdefault(trouble.reason, []).append(trouble)
    lines = [_line(groups[reason], reading, is_said=reason in said) for reason in list(groups)[:_MOST_LISTED]]
    more = len(groups) - len(lines)
    lines += [f"And {plain(reading.formats.number(more))} more."] if more else []
    return "  \n".join(lines)


def _line(troubles: Sequence[Trouble], reading: Reading, *, is_said: bool) -> str:
    what = f"{_subject(troubles, reading.formats)} no number{_when(troubles, reading)}"
    request = next(filter(None, (trouble.request_id for trouble in troubles)), "")
    quoted = f" Request id {plain(request)}." if request else ""
    return f"**{what}**, as said above.{quoted}" if is_said else f"**{what}.** {_words(troubles[0])}{quoted}"


def _when(troubles: Sequence[Trouble], reading: Reading) -> str:
    """Markdown: ` since 14:02`, or ` since 14:02 or later` of several; empty where that is not known."""
    known = sorted(trouble.since.astimezone(reading.timezone) for trouble in troubles if trouble.since)
    moments = list(dict.fromkeys(map(reading.formats.moment, known)))
    return f" since {plain(moments[0])}{' or later' if len(moments) > 1 else ''}" if moments else ""


def _subject(troubles: Sequence[Trouble], formats: Formats) -> str:
    """Markdown: `Views 1, 3 (Hall, Café and 4 more) show`."""
    views = sorted({trouble.view for trouble in troubles})
    titles = list(dict.fromkeys(trouble.title for trouble in troubles if trouble.title))
    listed = ", ".join(plain_name(title) for title in titles[:_MOST_PLACES])
    more = len(titles) - _MOST_PLACES
    rest = f" and {plain(formats.number(more))} more" if more > 0 else ""
    places = f" ({listed}{rest})" if titles else ""
    numbers = ", ".join(plain(formats.number(view)) for view in views)
    return f"View {numbers}{places} shows" if len(views) == 1 else f"Views {numbers}{places} show"


def _words(trouble: Trouble) -> str:
    step = f" {plain(trouble.next_step.removesuffix('.'))}." if trouble.next_step else ""
    # A reason may end in the service's own words.
    stop = "" if not step or trouble.reason.endswith((".", "!", "?")) else "."
    return f"{plain(trouble.reason)}{stop}{step}"
