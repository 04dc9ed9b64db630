"""The v3 vocabulary that dashboard and service both speak; it knows neither of them.

`vocabulary` has the words, `metrics` what each metric is, `resources` what travels (the query, too),
`time_expressions` what times mean, `minutes` and `buckets` how they are rounded, `error_codes` what may go
wrong and how a message quotes what was sent.
"""

from contract.error_codes import HTTP_STATUS, MAXIMUM_NAMED, ErrorCode, listed, quoted, shortened
from contract.metrics import CROSSINGS, METRICS, MetricKind, MetricSpec, Unit
from contract.resources import (
    Address,
    Device,
    Envelope,
    ErrorEntry,
    MatchingFilters,
    Meta,
    MetricPoint,
    MetricsFilter,
    MetricsQuery,
    Number,
    Pagination,
    Passage,
    Site,
    SiteSummary,
    Zone,
)
from contract.time_expressions import (
    NOW,
    TimeExpressionError,
    format_local,
    parse_instant,
    skipped_time,
    timezone_names,
    zone_named,
)
from contract.vocabulary import (
    DEFAULT_TIMEZONE,
    MAXIMUM_PAGE_SIZE,
    PUBLICATION_DELAY,
    V2_METRIC_NAMES,
    Aggregation,
    Granularity,
    MetricKey,
)

__all__ = [
    "CROSSINGS",
    "DEFAULT_TIMEZONE",
    "HTTP_STATUS",
    "MAXIMUM_NAMED",
    "MAXIMUM_PAGE_SIZE",
    "METRICS",
    "NOW",
    "PUBLICATION_DELAY",
    "V2_METRIC_NAMES",
    "Address",
    "Aggregation",
    "Device",
    "Envelope",
    "ErrorCode",
    "ErrorEntry",
    "Granularity",
    "MatchingFilters",
    "Meta",
    "MetricKey",
    "MetricKind",
    "MetricPoint",
    "MetricSpec",
    "MetricsFilter",
    "MetricsQuery",
    "Number",
    "Pagination",
    "Passage",
    "Site",
    "SiteSummary",
    "TimeExpressionError",
    "Unit",
    "Zone",
    "format_local",
    "listed",
    "parse_instant",
    "quoted",
    "shortened",
    "skipped_time",
    "timezone_names",
    "zone_named",
]
