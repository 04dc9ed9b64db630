"""`from`, `to`, `granularity` and `timezone` of a query, as a range of whole minutes that may be read."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

from contract import (
    DEFAULT_TIMEZONE,
    NOW,
    PUBLICATION_DELAY,
    ErrorCode,
    ErrorEntry,
    Granularity,
    TimeExpressionError,
    parse_instant,
    quoted,
    skipped_time,
    zone_named,
)
from contract.buckets import inferred_granularity, minute_range_is_allowed
from contract.minutes import EPOCH, MINUTE, minute_ceiling
from service.exception_handlers import entry
from service.query.metrics_body import MetricsBody
from service.settings import MOST_POINTS

# A day can be added to and taken from these, in every time zone.
_CALENDAR: Final = (datetime(2, 1, 1, tzinfo=UTC), datetime(9998, 1, 1, tzinfo=UTC))
_SHORTEST: Final = {
    Granularity.MINUTE: MINUTE,
    Granularity.HOUR: timedelta(hours=1),
    Granularity.DAY: timedelta(days=1),
    Granularity.MONTH: timedelta(days=28),
}


class TimeRange(NamedTuple):
    """Minutes that begin in [start, end), both whole minutes in UTC, in buckets of one size."""

    start: datetime
    end: datetime
    granularity: Granularity


def published(asked: TimeRange, now: datetime) -> TimeRange:
    """The part of the range that a batch may read: the minutes that have ended before `now`.

    A minute m, named by its start, is read when m + 60 s < now: the publication delay is no more than the
    minute itself. A range that starts one minute before `now` is therefore always empty (specification, What
    the service does), given that both are reckoned from the same `now`.
    """
    return asked._replace(end=min(asked.end, minute_ceiling(now - PUBLICATION_DELAY)))


def read_timezone(name: str | None, problems: list[ErrorEntry]) -> ZoneInfo | None:
    """None when there is no such time zone."""
    name = DEFAULT_TIMEZONE if name is None else name
    if zone := zone_named(name):
        return zone
    message = f"{quoted(name)} is not an IANA time zone, as 'Europe/Zurich' is."
    problems.append(entry(ErrorCode.UNKNOWN_TIMEZONE, message, {"timezone": "not an IANA name"}))
    return None


def read_time_range(
    body: MetricsBody,
    timezone: ZoneInfo,
    now: datetime,
    problems: list[ErrorEntry],
    *,
    most_points: int = MOST_POINTS,
) -> TimeRange | None:
    """The range, or None when the newest value alone is asked for or the range cannot be read.

    A live query has a history only when from, to and granularity are all given (specification, Live
    streaming); one that gives some of them streams updates only, but what it gives is checked.
    """
    start, end = _instants(body, timezone, now, problems)
    if start is None or end is None:
        return None
    if start > end:
        message = "The range ends before it begins."
        details = {"from": f"lies after `to`{_skipped(body, timezone)}"}
        problems.append(entry(ErrorCode.INVALID_TIME_RANGE, message, details))
        return None
    if not body.live and body.from_ == NOW and body.to == NOW:
        return None
    if body.live and body.granularity is None:
        return None
    granularity = body.granularity or inferred_granularity(start, end)
    if granularity is Granularity.MINUTE and not minute_range_is_allowed(start, end, timezone):
        problems.append(_too_long(granularity, "minute is for ranges of up to one day"))
    # No minute was counted before the epoch or after today: looking there would only cost time.
    first, last = max(minute_ceiling(start), EPOCH), minute_ceiling(min(end, now + timedelta(days=1)))
    if (last - first) / _SHORTEST[granularity] > most_points:
        reason = (
            f"the answer would have more than the {most_points} points of one answer; ask for a coarser"
            " granularity, or for the range in parts"
        )
        problems.append(_too_long(granularity, reason))
    return TimeRange(first, last, granularity)


def _skipped(body: MetricsBody, timezone: ZoneInfo) -> str:
    """Why a range may be reversed that does not look so: the clocks skip one of its ends."""
    for expression in (body.from_, body.to):
        if read_as := skipped_time(str(expression), timezone):
            return f": the clocks of {timezone.key} skip {expression}, which is read as {read_as}"
    return ""


def _instants(
    body: MetricsBody, timezone: ZoneInfo, now: datetime, problems: list[ErrorEntry]
) -> tuple[datetime | None, datetime | None]:
    instants: list[datetime | None] = []
    details: dict[str, str] = {}
    for name, expression in (("from", body.from_), ("to", body.to)):
        try:
            instants.append(_instant(expression, timezone, now, required=not body.live))
        except TimeExpressionError as error:
            instants.append(None)
            details[name] = str(error)
    if details:
        message = f"Not a time that can be read: {', '.join(details)}."
        problems.append(entry(ErrorCode.INVALID_TIME_FILTER, message, details))
    return instants[0], instants[1]


def _instant(expression: object, timezone: ZoneInfo, now: datetime, *, required: bool) -> datetime | None:
    if expression is None and not required:
        return None
    if expression is None:
        raise TimeExpressionError("is required unless live is true")
    if not isinstance(expression, str):
        raise TimeExpressionError("is not a string")
    first, last = _CALENDAR
    return max(first, min(parse_instant(expression, now=now, timezone=timezone), last))


def _too_long(granularity: Granularity, reason: str) -> ErrorEntry:
    message = f"The range is too long for granularity {granularity.value}: {reason}."
    return entry(ErrorCode.RANGE_TOO_LONG, message, {"granularity": reason})


def written(moment: datetime, timezone: ZoneInfo) -> str:
    """As details of warnings have it: ISO 8601 to the minute, at the offset of `timezone`."""
    return moment.astimezone(timezone).isoformat(timespec="minutes")
