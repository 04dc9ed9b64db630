"""Times as counters write them, each a type for a field of a model. None is guessed: a maker's module says
which.

All lie from 1970 to 2099, so that they can be moved to any zone; whether a clock is right is not asked here.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Annotated, Final

from pydantic import PlainValidator
from pydantic_core import PydanticCustomError

_ISO_8601: Final = re.compile(
    r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}([.,]\d{1,9})?)?(Z|[+-]\d{2}(:?\d{2})?)?", re.ASCII
)
_DIGITS: Final = re.compile(r"\d{1,15}", re.ASCII)
_YEARS: Final = range(1970, 2100)
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_LAST_SECOND: Final = int((datetime(2100, 1, 1, tzinfo=UTC) - _EPOCH).total_seconds()) - 1
_LARGEST_IN_SECONDS: Final = 10**11
"""What is larger is a year beyond 5000, and so is in milliseconds."""


def read_iso(value: object) -> datetime:
    """ISO 8601; naive without an offset. Raises ValueError, as all of this module."""
    text = value.strip().upper() if isinstance(value, str) else ""
    if not _ISO_8601.fullmatch(text):
        raise PydanticCustomError("time", "Input should be a time as 2026-03-28T09:15:00+01:00")
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise PydanticCustomError("time", "Input is not a date of the calendar") from error
    return _in_our_years(moment)


def read_utc(value: object) -> datetime:
    """ISO 8601; in UTC where no offset is told."""
    moment = read_iso(value)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def read_seconds(value: object) -> datetime:
    """Seconds since 1970, as a number or as text."""
    return _since_1970(value, timedelta(seconds=1))


def read_milliseconds(value: object) -> datetime:
    """Milliseconds since 1970, as a number or as text."""
    return _since_1970(value, timedelta(milliseconds=1))


def read_seconds_or_milliseconds(value: object) -> datetime:
    """Whichever lies in our time."""
    number = _number(value)
    return read_seconds(number) if number < _LARGEST_IN_SECONDS else read_milliseconds(number)


def read_iso_or(read_number: Callable[[object], datetime], value: object) -> datetime:
    """ISO 8601 or, where there is only a number, what `read_number` takes it for."""
    is_number = not isinstance(value, str) or _DIGITS.fullmatch(value.strip())
    return read_number(value) if is_number else read_iso(value)


def identity_of(moment: datetime) -> str:
    """The same text for the same moment, whatever its offset."""
    return (moment.astimezone(UTC) if moment.tzinfo else moment).isoformat()


def _since_1970(value: object, unit: timedelta) -> datetime:
    number = _number(value)
    if not 0 <= number <= _LAST_SECOND * (timedelta(seconds=1) // unit):
        raise PydanticCustomError("time", "Input should be a time from 1970 to 2099")
    return _EPOCH + number * unit


def _number(value: object) -> int | float:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    if isinstance(value, str) and _DIGITS.fullmatch(value.strip()):
        return int(value)
    raise PydanticCustomError("time", "Input should be a time in numbers")


def _in_our_years(moment: datetime) -> datetime:
    if moment.year not in _YEARS:
        raise PydanticCustomError("time", "Input should be a time from 1970 to 2099")
    return moment


IsoTime = Annotated[datetime, PlainValidator(read_iso)]
UtcTime = Annotated[datetime, PlainValidator(read_utc)]
MillisecondTime = Annotated[datetime, PlainValidator(read_milliseconds)]
IsoOrMillisecondTime = Annotated[datetime, PlainValidator(partial(read_iso_or, read_milliseconds))]
IsoOrNumberTime = Annotated[datetime, PlainValidator(partial(read_iso_or, read_seconds_or_milliseconds))]
