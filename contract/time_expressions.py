"""What `from` and `to` may say, the instant each form means, and the time zones they may be local to.

Accepted are `now`, a count with a unit and `ago`, and the two absolute forms without an offset; nothing
else (specification, Request body). Seconds, minutes and hours are elapsed time. Days, weeks, months and
years are calendar steps in the query's time zone, so that `1 day ago` is the same wall clock time yesterday
also when the clocks changed in between.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Final
from zoneinfo import ZoneInfo, available_timezones

from dateutil.relativedelta import relativedelta

from contract.error_codes import quoted

_NO_PLACES: Final = frozenset({"localtime", "Factory", "posixrules"})
"""Files beside those of the time zones: the machine's own, one that says "not set", and a default."""
NOW: Final = "now"

_RELATIVE: Final = re.compile(
    r"(?P<count>[0-9]{1,9}) (?P<unit>second|minute|hour|day|week|month|year)s? ago", re.ASCII
)
_ABSOLUTE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}:[0-9]{2}", re.ASCII)
_ELAPSED_UNITS: Final = {"second": 1, "minute": 60, "hour": 3600}
_CALENDAR_STEPS: Final = {
    "day": relativedelta(days=1),
    "week": relativedelta(weeks=1),
    "month": relativedelta(months=1),
    "year": relativedelta(years=1),
}
_FIRST_INSTANT: Final = datetime.min.replace(tzinfo=UTC)
_LAST_INSTANT: Final = datetime.max.replace(tzinfo=UTC)


class TimeExpressionError(ValueError):
    """The text is none of the accepted forms, or names a time that does not exist in the calendar."""


def parse_instant(expression: str, *, now: datetime, timezone: ZoneInfo) -> datetime:
    """The instant that `expression` means, in UTC.

    `now` is aware. An absolute time is local to `timezone`; one that the clocks skip is read with the
    offset before the change, one that occurs twice is the first of the two.

    Raises TimeExpressionError.
    """
    if expression == NOW:
        return now.astimezone(UTC)
    if match := _RELATIVE.fullmatch(expression):
        return _before(now, int(match["count"]), match["unit"], timezone)
    if _ABSOLUTE.fullmatch(expression):
        try:
            local = datetime.fromisoformat(expression)
        except ValueError as error:
            raise TimeExpressionError(f"{quoted(expression)} is not a date of the calendar") from error
        return instant_of_local(local, timezone)
    raise TimeExpressionError(
        f"{quoted(expression)} is neither 'now', nor a count, a unit and 'ago' (as in '5 minutes ago'), "
        "nor YYYY-MM-DDTHH:MM:SS or YYYY-MM-DD HH:MM:SS"
    )


def instant_of_local(local: datetime, timezone: ZoneInfo) -> datetime:
    """The instant of a naive local time, in UTC, as `parse_instant` reads an absolute one.

    Of a date at the calendar's end it is the first or the last one in UTC.
    """
    try:
        return local.replace(tzinfo=timezone, fold=0).astimezone(UTC)
    except OverflowError:
        return _FIRST_INSTANT if local.year == 1 else _LAST_INSTANT


def skipped_time(expression: str, timezone: ZoneInfo) -> str | None:
    """As which local time an absolute one is read that the clocks skip; None for any other expression."""
    if not _ABSOLUTE.fullmatch(expression):
        return None
    instant = parse_instant(expression, now=datetime.now(UTC), timezone=timezone)
    read_as = format_local(instant, timezone)
    return None if read_as == expression.replace(" ", "T") else read_as


def format_local(instant: datetime, timezone: ZoneInfo) -> str:
    """The absolute form of an instant, local to `timezone`, whole seconds."""
    return instant.astimezone(timezone).replace(tzinfo=None).isoformat(timespec="seconds")


def _before(now: datetime, count: int, unit: str, timezone: ZoneInfo) -> datetime:
    try:
        if unit in _ELAPSED_UNITS:
            return now.astimezone(UTC) - timedelta(seconds=count * _ELAPSED_UNITS[unit])
        local = now.astimezone(timezone).replace(tzinfo=None)
        step = _CALENDAR_STEPS[unit] * count
        return (local - step).replace(tzinfo=timezone).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise TimeExpressionError(f"'{count} {unit}s ago' is before the calendar begins") from error


@cache
def timezone_names() -> frozenset[str]:
    """IANA names of all time zones that this machine knows."""
    return frozenset(available_timezones()) - _NO_PLACES


def zone_named(name: str) -> ZoneInfo | None:
    """The time zone of that IANA name; None when there is none, or this machine does not know it."""
    # A name that is listed cannot lead ZoneInfo to any other file.
    return ZoneInfo(name) if name in timezone_names() else None
