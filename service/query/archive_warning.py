"""What in part lies in an archive that is away: answered without that part, which a warning says."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import orjson

from contract import DEFAULT_TIMEZONE
from contract.buckets import bucket_start, next_bucket_start
from contract.warning_codes import WarningCode
from service.query.checked_query import CheckedQuery
from service.query.points import newest_point, past_points
from service.query.time_range import TimeRange, written
from service.store.errors import ArchiveAwayError
from service.store.protocol import MetricStore

Entries = list[dict[str, Any]]


def points_without_archive(
    store: MetricStore, query: CheckedQuery, asked: TimeRange
) -> tuple[orjson.Fragment, timedelta, Entries]:
    """`past_points`, and one warning where some are left out; reads the store. Raises StoreError."""
    try:
        return *past_points(store, query, asked), []
    except ArchiveAwayError as error:
        if error.held_from is None:
            raise
        # A bucket is whole, or it is not told.
        start = bucket_start(error.held_from, asked.granularity, query.timezone)
        if start != error.held_from:
            start = next_bucket_start(start, asked.granularity, query.timezone)
    return *past_points(store, query, asked._replace(start=start)), [_warning(query, start)]


def newest_without_archive(store: MetricStore, query: CheckedQuery) -> tuple[dict[str, Any] | None, Entries]:
    """`newest_point`, and one warning where it is left out; reads the store. Raises StoreError."""
    try:
        return newest_point(store, query), []
    except ArchiveAwayError as error:
        if error.held_from is None:
            raise
        return None, [_warning(query, error.held_from)]


def _warning(query: CheckedQuery, start: datetime) -> dict[str, Any]:
    moment = written(start, ZoneInfo(query.record.site.timezone or DEFAULT_TIMEZONE))
    message = (
        f"What was counted before {moment} lies in an archive that is out of reach for now: those points are"
        " left out. Ask again later."
    )
    return {"code": WarningCode.ARCHIVE_AWAY.value, "message": message, "details": {"from": moment}}
