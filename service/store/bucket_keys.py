"""Bucket keys: what SQL and NumPy group minutes by, and the instant each key stands for.

Time zones stay in our code: `contract.buckets` cuts a range into parts of one UTC offset, and SQL only
adds the offset of the part. An hour's key is its first minute; a day's and a month's is the number of its
first local date since 1970-01-01, negative before.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from typing import Any, Final, NamedTuple
from zoneinfo import ZoneInfo

import numpy as np
from sqlalchemy import BigInteger, ColumnElement, bindparam, case

from contract import Granularity
from contract.buckets import bucket_start, offset_pieces
from contract.minutes import MINUTE, MINUTES_A_DAY, minute_ceiling, minute_number, minute_start
from service.store.protocol import Numbers
from service.store.zone_series import QUARTER, quarter_ceiling, quarter_floor

_HOUR: Final = 60
_FIRST_DATE: Final = date(1970, 1, 1)

# SQL divides towards zero and not downwards: it gets no negative number, because these days are added first.
_SHIFT_DAYS: Final = 1_000_000
_SHIFT: Final = _SHIFT_DAYS * MINUTES_A_DAY

_Branch = tuple[ColumnElement[int], ColumnElement[int]]
"""An end, and an expression of the values before it."""


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

    def shape(self, granularity: Granularity) -> RangeShape:
        first, last = self.whole_quarters
        begins = [piece.start != _first_full_hour(piece) for piece in self.pieces]
        months = len(self._months()) if granularity is Granularity.MONTH else 0
        return RangeShape((self.start < first, first < last, last < self.end), tuple(begins), months)

    def parameters(self, granularity: Granularity) -> dict[str, int]:
        """What a statement of this shape takes: all that `number_of` names."""
        first, last = self.whole_quarters
        found = {"start": self.start, "first": first, "last": last, "end": self.end}
        for position, piece in enumerate(self.pieces):
            found[f"start_{position}"] = piece.start
            found[f"full_{position}"] = _first_full_hour(piece)
            found[f"end_{position}"] = piece.end
            found[f"shift_{position}"] = piece.offset + _SHIFT
        months = self._months() if granularity is Granularity.MONTH else []
        return found | {f"month_{position}": key for position, key in enumerate(months)}

    def _months(self) -> list[int]:
        """The keys of the months in which the pieces lie."""
        first, last = self.pieces[0], self.pieces[-1]
        month = _date((first.start + first.offset) // MINUTES_A_DAY).replace(day=1)
        end = (last.end + last.offset) // MINUTES_A_DAY
        keys = []
        while (key := _number(month)) <= end:
            keys.append(key)
            month = (month + timedelta(days=31)).replace(day=1)
        return keys

    @property
    def whole_quarters(self) -> tuple[int, int]:
        """The stretch [first, last) that is made of quarters; empty when a quarter may lie in two buckets."""
        first, last = quarter_ceiling(self.start), quarter_floor(self.end)
        return (first, last) if self.fits_quarters and first < last else (self.end, self.end)

    @property
    def fits_quarters(self) -> bool:
        """Whether each quarter lies in one bucket; not so when clocks changed at one minute past midnight."""
        return all(piece.offset % QUARTER == 0 and piece.start % QUARTER == 0 for piece in self.pieces)


class RangeShape(NamedTuple):
    """All that the text of a statement depends on, of the minutes that it reads; the rest are parameters."""

    parts: tuple[bool, bool, bool]
    """Whether there are minutes before the whole quarters, whole quarters, and minutes after them."""
    begin_within_an_hour: tuple[bool, ...]
    """Of each piece."""
    months: int
    """In which the pieces lie; 0 where it is not months that are asked for."""


def number_of(name: str) -> ColumnElement[int]:
    """A parameter of a statement; see `MinuteRange.parameters`."""
    return bindparam(name, type_=BigInteger())


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


def date_number(minute: ColumnElement[int], shift: int | ColumnElement[int] = _SHIFT) -> ColumnElement[int]:
    """Days from 1970-01-01 to the date of a minute; `shift` is `_SHIFT` and a UTC offset in minutes."""
    return (minute + shift) // MINUTES_A_DAY - _SHIFT_DAYS


def key_of_minute(
    minute: ColumnElement[int], shape: RangeShape, granularity: Granularity
) -> ColumnElement[int]:
    """The key of the hour or the local date (for days and months) that holds a minute."""
    branches: list[_Branch] = []
    for position, begins_within_an_hour in enumerate(shape.begin_within_an_hour):
        end, shift = number_of(f"end_{position}"), number_of(f"shift_{position}")
        if granularity is not Granularity.HOUR:
            branches.append((end, date_number(minute, shift)))
            continue
        if begins_within_an_hour:
            # It begins with a bucket of its own, up to the next full hour.
            branches.append((number_of(f"full_{position}"), number_of(f"start_{position}")))
        branches.append((end, minute - (minute + shift) % _HOUR))
    return _by_end(branches, minute)


def key_of_month(day: ColumnElement[int], shape: RangeShape) -> ColumnElement[int]:
    """The key of the month that holds a local date, given as its key."""
    months = [number_of(f"month_{position}") for position in range(shape.months)]
    return _by_end(list(zip([*months[1:], months[-1]], months, strict=True)), day)


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
    days: Numbers = local // MINUTES_A_DAY
    if granularity is Granularity.MONTH:
        days = days.astype("datetime64[D]").astype("datetime64[M]").astype("datetime64[D]").astype(np.int64)
    return days


def starts_of(keys: Numbers, granularity: Granularity, timezone: ZoneInfo) -> Numbers:
    """The first minute of each key's bucket."""
    if granularity in (Granularity.MINUTE, Granularity.HOUR):
        return keys
    return np.array([_start_of_date(key, timezone) for key in keys.tolist()], dtype=np.int64)


def _first_full_hour(piece: Piece) -> int:
    return piece.start + -(piece.start + piece.offset) % _HOUR


def _by_end(branches: Sequence[_Branch], value: ColumnElement[int]) -> ColumnElement[Any]:
    """The expression of the first branch whose end lies after the value; the last has no need of its end."""
    *earlier, (_, last) = branches
    return case(*((value < end, key) for end, key in earlier), else_=last) if earlier else last


@lru_cache(maxsize=50_000)
def _start_of_date(number: int, timezone: ZoneInfo) -> int:
    # Noon is on the date in every zone, whatever the clocks do at night.
    noon = datetime.combine(_date(number), datetime.min.time().replace(hour=12), tzinfo=timezone)
    return minute_number(minute_ceiling(bucket_start(noon, Granularity.DAY, timezone)))


def _date(number: int) -> date:
    return _FIRST_DATE + timedelta(days=number)


def _number(day: date) -> int:
    return (day - _FIRST_DATE).days
