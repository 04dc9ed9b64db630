"""Where a tour leads a visitor: to the busiest Saturday, to where somebody is inside now, to doubtful doors.

Everything is chosen by counts, so that no stop shows an empty hour where there is one that is not.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

from analysis.recorded_day import busiest_day
from analysis.time_range import TimeRange, range_of_days, whole_day
from contract import MetricKey, MetricPoint, Number
from contract.buckets import local_midnight

WEEKS: Final = 13
_SATURDAY: Final = 5
FEWEST_INSIDE: Final = 3
"""With fewer a live view is as good as empty."""
_FEWEST_HOURS: Final = 2
"""Of the rest of a day, with somebody to come."""


class TourSite(NamedTuple):
    """What a tour must know of a site."""

    id: str
    name: str
    timezone: ZoneInfo
    days: Sequence[MetricPoint]
    """Entrances and exits by day, of `past_weeks`."""
    hours: Sequence[MetricPoint]
    """Entrances by hour, of `rest_of_day`."""
    inside: Number | None
    """Now; None: not known, or not to be trusted."""
    is_silent: bool = False
    """Whether counts are missing now, or nobody can tell whether they are."""


class BusiestSaturday(NamedTuple):
    site: TourSite
    day: date
    came: Number
    saturdays: int
    """With anybody, of which it is the busiest."""


class DoubtfulDoors(NamedTuple):
    site: TourSite
    came: Number
    left: Number
    """In all the weeks."""


class Tour(NamedTuple):
    sites: int
    """Of which it knows."""
    first: TourSite
    """With anybody in its days; where nobody came anywhere, the first of all."""
    saturday: BusiestSaturday | None
    """None: nobody came on any."""
    present: TourSite | None
    """Where somebody is inside now; None: nowhere."""
    doubtful: DoubtfulDoors | None
    ahead: TourSite | None
    """Where people will probably come today; None: nowhere any more."""


def past_weeks(now: datetime, timezone: ZoneInfo) -> TimeRange:
    """The weeks before today; `now` is aware."""
    today = now.astimezone(timezone).date()
    return range_of_days(today - timedelta(weeks=WEEKS), today, timezone)


def rest_of_day(now: datetime, timezone: ZoneInfo) -> TimeRange:
    """What was left of the day a week ago, from the next whole hour on; it may be empty."""
    local = now.astimezone(timezone)
    day = local.date() - timedelta(weeks=1)
    start = local_midnight(day, timezone) + timedelta(hours=local.hour + 1)
    return TimeRange(start, max(start, whole_day(day, timezone).end))


def tour_of(sites: Sequence[TourSite]) -> Tour:
    """`sites` are one at least, in the order in which they are listed: the first that fits is shown."""
    saturdays = (day for site in sites if (day := _busiest_saturday(site)))
    # What is now is shown of counters that count now.
    heard = [site for site in sites if not site.is_silent]
    return Tour(
        len(sites),
        next((site for site in sites if _has_entrances(site)), sites[0]),
        next(saturdays, None),
        next((site for site in heard if (site.inside or 0) >= FEWEST_INSIDE), None),
        max((doors for site in sites if (doors := _doors(site))), key=_difference, default=None),
        next((site for site in heard if _busy_hours(site) >= _FEWEST_HOURS), None),
    )


def _has_entrances(site: TourSite) -> bool:
    return any(point.metrics.get(MetricKey.ENTRANCES, 0) > 0 for point in site.days)


def _busiest_saturday(site: TourSite) -> BusiestSaturday | None:
    day = busiest_day(site.days, site.timezone, _SATURDAY)
    if day is None:
        return None
    came = {
        point.timestamp.astimezone(site.timezone).date(): point.metrics.get(MetricKey.ENTRANCES, 0)
        for point in site.days
    }
    saturdays = sum(count > 0 and one.weekday() == _SATURDAY for one, count in came.items())
    return BusiestSaturday(site, day, came[day], saturdays)


def _doors(site: TourSite) -> DoubtfulDoors | None:
    came, left = (
        sum(point.metrics.get(metric, 0) for point in site.days)
        for metric in (MetricKey.ENTRANCES, MetricKey.EXITS)
    )
    return DoubtfulDoors(site, came, left) if came > 0 and came != left else None


def _difference(doors: DoubtfulDoors) -> float:
    """As a part of those who came."""
    return abs(doors.left - doors.came) / doors.came


def _busy_hours(site: TourSite) -> int:
    return sum(point.metrics.get(MetricKey.ENTRANCES, 0) > 0 for point in site.hours)
