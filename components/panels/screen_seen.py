"""Who looks at a screen now, and when somebody last did."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Final, Protocol
from zoneinfo import ZoneInfo

import streamlit as st

from analysis.names import LONGEST_NAME
from components.number_format import Formats
from components.panels.viewer import viewer_formats, viewer_or_utc
from components.plain_text import plain

_MOST_LISTED: Final = 5
_AWAY: Final = timedelta(days=1)
"""A wall that is switched off at night is back before."""


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
    """Of all screens, by their ids."""

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
    """As Markdown."""
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
