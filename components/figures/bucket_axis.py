"""Buckets laid along an axis. Plotly knows no time zones: it prints the times it is given.

Days and months lie at their local dates, so that each is as wide as the next. Hours and minutes lie at
elapsed time, written with the offset that holds at the start of the range: where the clocks do not change
that is the local time and plotly labels the axis itself, also after a zoom. Where they change, wall clock
time would fold two hours onto each other, so the ticks are written here and say their local time.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import Any, Final
from zoneinfo import ZoneInfo

import numpy as np
import numpy.typing as npt

from analysis.time_range import TimeRange, naive_local
from components.figures.plotly_locale import tick_formats
from components.number_format import Formats
from contract import Granularity
from contract.buckets import next_bucket_start, offset_pieces

_MOST_TICKS: Final = 9
_MARGIN: Final = 0.004
"""Part of the range left free at both ends, so that plotly does not drop the tick of the first edge."""
_MILLISECONDS: Final = "datetime64[ms]"
_TICK_STEPS: Final = (1, 2, 3, 6, 12, 24, 48, 168)
"""Hours between two written ticks."""


Moments = npt.NDArray[np.datetime64]
"""Naive local times, as plotly takes them."""


Edges = tuple[datetime, datetime]
"""Naive: where something begins and ends on the axis."""


@dataclass(frozen=True)
class BucketAxis:
    """Where each bucket lies on the x axis, and how that is labelled."""

    left: list[datetime]
    """Naive: where each bucket begins on the axis."""
    right: list[datetime]
    """Naive: where it ends."""
    layout: dict[str, Any]
    """What the x axis of a figure needs."""
    changes: list[tuple[datetime, str]]
    """Naive: where the clocks change on an axis of elapsed time, and how."""
    offset: timedelta | None = None
    """From UTC, all along an axis of elapsed time; None: days and months lie at their dates."""

    @cached_property
    def middle(self) -> Moments:
        """Of all lines of a chart the same array: to make it of datetimes takes as long as to draw one."""
        left, right = (np.array(edges, dtype=_MILLISECONDS) for edges in (self.left, self.right))
        middle: Moments = left + (right - left) // 2
        return middle

    @cached_property
    def edges(self) -> Moments:
        """The left and the right one of each bucket, in turn."""
        return np.array([self.left, self.right], dtype=_MILLISECONDS).T.ravel()

    def edges_of(self, rows: Sequence[tuple[int, int]]) -> list[Edges]:
        """From where to where each run of rows [first, after) is."""
        return [(self.left[first], self.right[after - 1]) for first, after in rows]

    def within(self, times: Sequence[TimeRange]) -> list[Edges]:
        """From where to where each of `times` is, on an axis of elapsed time; without what is beside it."""
        assert self.offset is not None, "days and months lie at their dates"
        placed = (tuple(_elapsed(moment, self.offset) for moment in one) for one in times)
        edges = [(max(start, self.left[0]), min(end, self.right[-1])) for start, end in placed]
        return [(start, end) for start, end in edges if start < end]

    @property
    def widths(self) -> list[float]:
        """In milliseconds, as plotly takes the width of a bar."""
        return [
            (end - start) / timedelta(milliseconds=1)
            for start, end in zip(self.left, self.right, strict=True)
        ]


def bucket_axis(
    starts: Sequence[datetime], granularity: Granularity, timezone: ZoneInfo, formats: Formats
) -> BucketAxis:
    """Where the buckets that begin at `starts` (aware, ascending, at least one) lie."""
    ends = [next_bucket_start(start, granularity, timezone) for start in starts]
    if granularity in {Granularity.DAY, Granularity.MONTH}:
        left = [naive_local(start, timezone) for start in starts]
        right = [naive_local(end, timezone) for end in ends]
        return BucketAxis(left, right, _plain(left, right) | tick_formats(formats), [])
    offset = _offset(starts[0], timezone)
    left = [_elapsed(start, offset) for start in starts]
    right = [_elapsed(end, offset) for end in ends]
    if _offset(ends[-1], timezone) == offset:
        return BucketAxis(left, right, _plain(left, right) | tick_formats(formats), [], offset)
    changes = _changes(starts[0], ends[-1], offset, timezone)
    return BucketAxis(
        left, right, _plain(left, right) | _written_ticks(starts, left, timezone, formats), changes, offset
    )


def _plain(left: Sequence[datetime], right: Sequence[datetime]) -> dict[str, Any]:
    margin = (right[-1] - left[0]) * _MARGIN
    return {"type": "date", "range": [left[0] - margin, right[-1] + margin]}


def _changes(
    first: datetime, after: datetime, offset: timedelta, timezone: ZoneInfo
) -> list[tuple[datetime, str]]:
    pieces = offset_pieces(first, after, timezone)
    return [
        (_elapsed(piece.start, offset), "clocks go back" if piece.offset < before.offset else "clocks go on")
        for before, piece in itertools.pairwise(pieces)
    ]


def _written_ticks(
    starts: Sequence[datetime], left: Sequence[datetime], timezone: ZoneInfo, formats: Formats
) -> dict[str, Any]:
    hours = [index for index, start in enumerate(starts) if start.astimezone(timezone).minute == 0]
    step = next((step for step in _TICK_STEPS if len(hours) <= step * _MOST_TICKS), _TICK_STEPS[-1])
    chosen = [index for index in hours if _is_tick(starts[index].astimezone(timezone), step)]
    return {
        "tickmode": "array",
        "tickvals": [left[index] for index in chosen],
        "ticktext": _tick_texts([starts[index].astimezone(timezone) for index in chosen], step, formats),
    }


def _is_tick(local: datetime, step: int) -> bool:
    if step < 24:  # noqa: PLR2004 - hours of a day
        return local.hour % step == 0
    return local.hour == 0 and local.toordinal() % (step // 24) == 0


def _tick_texts(locals_: Sequence[datetime], step: int, formats: Formats) -> list[str]:
    """Times with the date where it changes."""
    if step >= 24:  # noqa: PLR2004 - hours of a day
        return [f"{formats.day(local)}<br>{local.year}" for local in locals_]
    texts: list[str] = []
    for index, local in enumerate(locals_):
        time = formats.time(local)
        new_date = index == 0 or locals_[index - 1].date() != local.date()
        texts.append(f"{time}<br>{formats.day(local)}" if new_date else time)
    return texts


def _offset(instant: datetime, timezone: ZoneInfo) -> timedelta:
    return instant.astimezone(timezone).utcoffset() or timedelta()


def _elapsed(instant: datetime, offset: timedelta) -> datetime:
    return (instant.astimezone(UTC) + offset).replace(tzinfo=None)
