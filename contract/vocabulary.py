"""The words of the v3 specification: metric keys, granularities, aggregations, limits."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from enum import StrEnum
from types import MappingProxyType
from typing import Final

MAXIMUM_PAGE_SIZE: Final = 100
"""Upper bound of `limit` on the list of sites (specification, Limits)."""

PUBLICATION_DELAY: Final = timedelta(minutes=1)
"""Metric data is delayed by up to one minute (specification, Limits): a minute is there once it has ended."""

DEFAULT_TIMEZONE: Final = "Etc/UTC"
"""What `timezone` means when a metrics query leaves it out."""


class MetricKey(StrEnum):
    """What can be asked of `POST /v3/metrics`."""

    ENTRANCES = "entrances"
    """People counted in, per bucket."""
    EXITS = "exits"
    """People counted out, per bucket."""
    VISITORS_INSIDE = "visitorsInside"
    """People inside; a level, not a flow."""
    TIME_SPENT = "timeSpent"
    """Mean time inside, in seconds (our unit: the specification names none)."""


class Granularity(StrEnum):
    """Size of a bucket; its edges are local to the query's time zone."""

    MINUTE = "minute"
    """Only for ranges of up to one day."""
    HOUR = "hour"
    DAY = "day"
    """A local day: 23, 24 or 25 hours."""
    MONTH = "month"


class Aggregation(StrEnum):
    """How the minutes inside a bucket become one number."""

    AVERAGE = "average"
    SUM = "sum"
    MAXIMUM = "maximum"
    MINIMUM = "minimum"


V2_METRIC_NAMES: Final[Mapping[str, MetricKey]] = MappingProxyType(
    {
        "AFFLUENCE_IN": MetricKey.ENTRANCES,
        "AFFLUENCE_OUT": MetricKey.EXITS,
        "INSIDE": MetricKey.VISITORS_INSIDE,
        "DWELL": MetricKey.TIME_SPENT,
    }
)
"""Names of the previous version, so that an error can name today's key (specification, Versioning)."""
