"""When a bucket is, in words: on the page, in the table and where one points at the chart."""

from __future__ import annotations

from datetime import datetime

from components.number_format import Formats
from contract import Granularity


def bucket_words(local: datetime, granularity: Granularity, formats: Formats) -> str:
    """The bucket that begins at `local` (aware): `November 2026`, `Sat 21 Nov`, `Sat 21 Nov, 13:00`."""
    if granularity is Granularity.MONTH:
        return formats.month(local)
    if granularity is Granularity.DAY:
        return formats.day(local)
    return f"{formats.day(local)}, {clock_words(local, formats)}"


def span_words(start: datetime, end: datetime, granularity: Granularity, formats: Formats) -> str:
    """From when to when a bucket is, both aware: an hour is `Sat 21 Nov, 17:00–18:00`."""
    said = bucket_words(start, granularity, formats)
    return f"{said}–{clock_words(end, formats)}" if granularity is Granularity.HOUR else said


def clock_words(local: datetime, formats: Formats) -> str:
    """A time that occurs twice that day says which of the two it is: `02:30 CEST`."""
    return f"{formats.time(local)} {local.tzname()}" if _is_twice(local) else formats.time(local)


def _is_twice(local: datetime) -> bool:
    before, after = local.replace(fold=0).utcoffset(), local.replace(fold=1).utcoffset()
    return before is not None and after is not None and before > after
