"""How many minutes of an hour a counter reports that does not report each minute: the reporting interval.

One that reports every seven minutes has eight or nine minutes with counts in each hour, and none of them is
missing; no service says so. It follows from its hours: most have as many. Where they scatter, all sixty are
to be there. A counter that loses as many minutes of every hour looks the same.
"""

from __future__ import annotations

from collections.abc import Collection
from math import ceil
from statistics import fmean, median
from typing import Final, NamedTuple

from analysis.bucket_table import Completeness
from analysis.counted_minutes import is_nearly_all

MINUTES_AN_HOUR: Final = 60
MISSED: Final = 3
"""Minutes: so many fewer are as many. Of a whole hour the part that would hardly change its number."""
FEWEST_HOURS: Final = 3
"""That agree; two may be wrong alike."""
_TURNS: Final = 10
"""One hour in so many has one minute less: the interval does not divide the hour."""


class ReportingRate(NamedTuple):
    """Minutes with counts of an hour that is counted whole."""

    fewest: float
    mean: float

    def of_an_hour(self, minutes: float) -> float:
        """For how many minutes of an hour so many reported ones stand."""
        return min(MINUTES_AN_HOUR, minutes * MINUTES_AN_HOUR / self.fewest)


EACH_MINUTE: Final = ReportingRate(MINUTES_AN_HOUR, MINUTES_AN_HOUR)


def reporting_rate(minutes: Collection[float]) -> ReportingRate:
    """Of the counted minutes of hours, as far as these are known."""
    usual = agreed_minutes(minutes)
    if usual is None or is_nearly_all(Completeness(round(usual), MINUTES_AN_HOUR)):
        return EACH_MINUTE
    most = ceil(usual)  # of as many hours of eight as of nine, the median lies between
    fewer = sum(round(one) == most - 1 for one in minutes)
    fewest = max(1, most - 1 if _TURNS * fewer >= len(minutes) else most)
    return ReportingRate(fewest, fmean(one for one in minutes if abs(one - usual) <= MISSED))


def agreed_minutes(minutes: Collection[float]) -> float | None:
    """The median, where most are about as many."""
    if not minutes:
        return None
    middle = float(median(minutes))
    alike = sum(abs(one - middle) <= MISSED for one in minutes)
    return middle if alike >= FEWEST_HOURS and 2 * alike > len(minutes) else None
