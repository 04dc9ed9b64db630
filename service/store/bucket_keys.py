"""Bucket keys: what SQL and NumPy group minutes by, and the instant each key stands for.

Time zones stay in our code: `contract.buckets` cuts a range into parts of one UTC offset, and SQL only
adds the offset of the part. An hour's key is its first minute; a day's and a month's is the number of its
first local date since 1970-01-01, negative before.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache, partial
from typing import Any, Final, NamedTuple
from zoneinfo import ZoneInfo

import numpy as np
from sqlalchemy import ColumnElement, case, literal

from contract import Granularity
from contract.buckets import bucket_start, offset_pieces
from contract.minutes import MINUTE, minute_ceiling, minute_number, minute_start
from service.store.protocol import Numbers
from service.store.zone_series import QUARTER, quarter_ceiling, quarter_floor

_HOUR: Final = 60
_DAY: Final = 24 * 60
_FIRST_DATE: Final = date(1970, 1, 1)

# SQL divides towards zero and not downwards: it gets no negative number, because these days are added first.
_SHIFT_DAYS: Final = 1_000_000
_SHIFT: Final = _SHIFT_DAYS * _DAY


class Piece(NamedTuple):
    """Minutes [start, end) over which the UTC offset, in minutes, does not change."""

    start: int
    end: int
    offset: int


class MinuteRange(NamedTuple):
    """The minutes [start, end) that a query reads."""

    start: int
    end: int
    pieces: tuple[Piece, ...]
    """By UTC offset, from the start of the first bucket on."""

    @property
    def whole_quarters(self) -> tuple[int, int]:
        """The stretch [first, last) that is made of quarters; empty when a quarter may lie in two buckets."""
        first, last = quarter_ceiling(self.start), quarter_floor(self.end)
        # As when clocks changed at one minute past midnight.
        fits = all(piece.offset % QUARTER == 0 and piece.start % QUARTER == 0 for piece in self.pieces)
        return (first, last) if fits and first < last else (self.end, self.end)


def minute_range(start: int, end: int, granularity: Granularity, timezone: ZoneInfo) -> MinuteRange:
    """The minutes [start, end) by UTC offset."""
    return MinuteRange(start, end, tuple(_pieces(start, end, granularity, timezone)))


def _pieces(start: int, end: int, granularity: Granularity, timezone: ZoneInfo) -> list[Piece]:
    """The minutes [start, end), begun at the start of the first bucket, by UTC offset."""
    first = bucket_start(minute_start(start), granularity, timezone)
    found: list[Piece] = []
    for year in range(first.year, minute_start(end - 1).year + 1):
        for piece in _pieces_of_year(year, timezone):
            if found and found[-1].offset == piece.offset:
                found[-1] = found[-1]._replace(end=piece.end)
            else:
                found.append(piece)
    begin = minute_number(minute_ceiling(first))
    return [
        Piece(max(piece.start, begin), min(piece.end, end), piece.offset)
        for piece in found
        if piece.start < end and piece.end > begin
    ]


@lru_cache(maxsize=5_000)
def _pieces_of_year(year: int, timezone: ZoneInfo) -> tuple[Piece, ...]:
    """Kept, because to find the changes of a year takes about as long as to read a year of quarters."""
    return tuple(
        Piece(minute_number(piece.start), minute_number(piece.end), piece.offset // MINUTE)
        for piece in offset_pieces(
            datetime(year, 1, 1, tzinfo=UTC), datetime(year + 1, 1, 1, tzinfo=UTC), timezone
        )
    )


def date_number(minute: ColumnElement[int], offset: int = 0) -> ColumnElement[int]:
    """Days from 1970-01-01 to the date of a minute, at a UTC offset in minutes."""
    return (minute + (offset + _SHIFT)) // _DAY - _SHIFT_DAYS


def key_of_minute(
    minute: ColumnElement[int], parts: Sequence[Piece], granularity: Granularity
) -> ColumnElement[int]:
    """The key of the hour or the local date (for days and months) that holds a minute."""
    if granularity is Granularity.HOUR:
        return _by_end([branch for part in parts for branch in _hours(minute, part)], minute)
    return _by_end([(part.end, date_number(minute, part.offset)) for part in parts], minute)


def key_of_month(day: ColumnElement[int], parts: Sequence[Piece]) -> ColumnElement[int]:
    """The key of the month that holds a local date, given as its key."""
    first, last = parts[0], parts[-1]
    month = _date((first.start + first.offset) // _DAY).replace(day=1)
    end = (last.end + last.offset) // _DAY
    branches = []
    while _number(month) <= end:
        following = (month + timedelta(days=31)).replace(day=1)
        branches.append((_number(following), literal(_number(month))))
        month = following
    return _by_end(branches, day)


def keys_of(minutes: Numbers, parts: Sequence[Piece], granularity: Granularity) -> Numbers:
    """The key of the bucket that holds each minute, of any granularity."""
    if granularity is Granularity.MINUTE:
        return minutes
    part = np.searchsorted([part.end for part in parts[:-1]], minutes, side="right")
    begin, _, offset = np.array(parts, dtype=np.int64)[part].T
    local = minutes + offset
    if granularity is Granularity.HOUR:
        hours: Numbers = np.maximum(minutes - local % _HOUR, begin)
        return hours
    days: Numbers = local // _DAY
    if granularity is Granularity.MONTH:
        days = days.astype("datetime64[D]").astype("datetime64[M]").astype("datetime64[D]").astype(np.int64)
    return days


def key_reader(granularity: Granularity, timezone: ZoneInfo) -> Callable[[int], datetime]:
    """What gives the first instant of a key's bucket, in UTC."""
    if granularity in (Granularity.MINUTE, Granularity.HOUR):
        return minute_start
    return partial(_start_of_date, timezone=timezone)


def _hours(minute: ColumnElement[int], part: Piece) -> list[tuple[int, ColumnElement[int]]]:
    """A part that begins within an hour begins with a bucket of its own, up to the next full hour."""
    first_full_hour = part.start + -(part.start + part.offset) % _HOUR
    whole = (part.end, minute - (minute + (part.offset + _SHIFT)) % _HOUR)
    if first_full_hour == part.start:
        return [whole]
    return [(first_full_hour, literal(part.start)), whole]


def _by_end(
    branches: Sequence[tuple[int, ColumnElement[int]]], value: ColumnElement[int]
) -> ColumnElement[Any]:
    """The expression of the first branch whose end lies after the value."""
    *earlier, (_, last) = branches
    return case(*((value < end, key) for end, key in earlier), else_=last) if earlier else last


@lru_cache(maxsize=50_000)
def _start_of_date(number: int, timezone: ZoneInfo) -> datetime:
    # Noon is on the date in every zone, whatever the clocks do at night.
    noon = datetime.combine(_date(number), datetime.min.time().replace(hour=12), tzinfo=timezone)
    return bucket_start(noon, Granularity.DAY, timezone)


def _date(number: int) -> date:
    return _FIRST_DATE + timedelta(days=number)


def _number(day: date) -> int:
    return (day - _FIRST_DATE).days
