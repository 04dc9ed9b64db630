"""A query of `POST /v3/metrics`, checked against its site; everything that is wrong is found at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

from contract import (
    DEFAULT_TIMEZONE,
    METRICS,
    NOW,
    V2_METRIC_NAMES,
    Aggregation,
    ErrorCode,
    ErrorEntry,
    Granularity,
    MetricKey,
    MetricKind,
    format_local,
    listed,
    quoted,
)
from contract.warning_codes import WarningCode
from service.exception_handlers import entry
from service.query.metrics_body import MetricsBody
from service.query.time_range import TimeRange, read_time_range, read_timezone
from service.settings import MOST_POINTS
from service.store.protocol import SiteRecord


@dataclass(frozen=True, slots=True)
class CheckedQuery:
    """What is asked, with everything filled in that was left out."""

    asked_at: datetime
    """The one present that all of the query is read against, aware."""
    record: SiteRecord
    metrics: tuple[MetricKey, ...]
    live: bool
    range: TimeRange | None
    """None: only the newest value is asked for (`now` to `now`, or live without a history)."""
    granularity: Granularity
    timezone: ZoneInfo
    zone_ids: tuple[str, ...]
    """Empty only when passages are named and zones are not."""
    passage_ids: tuple[str, ...]
    aggregation: Aggregation | None
    inferred: dict[str, Any]
    """`meta.inferredParams`: exactly what was filled in. The default aggregation is not among it, since it
    differs from metric to metric."""

    @property
    def series_count(self) -> int:
        """How many zones and passages are named."""
        return len(self.zone_ids) + len(self.passage_ids)

    @property
    def warnings(self) -> list[dict[str, str]]:
        if self.aggregation in {None, Aggregation.AVERAGE}:
            return []
        means = [METRICS[key] for key in self.metrics if METRICS[key].kind is MetricKind.MEAN]
        messages = [f"{mean.key} is {mean.quotient}, whatever the aggregation." for mean in means]
        return [{"code": WarningCode.AGGREGATION_IGNORED.value, "message": message} for message in messages]


def check_query(
    body: MetricsBody, record: SiteRecord | None, *, now: datetime, most_points: int = MOST_POINTS
) -> tuple[CheckedQuery | None, list[ErrorEntry]]:
    """The query, or what is wrong with it. Without a site, what can be checked without one is.

    `most_points` bounds its answer.
    """
    problems: list[ErrorEntry] = []
    timezone = read_timezone(body.timezone, problems)
    zone = timezone or ZoneInfo(DEFAULT_TIMEZONE)
    asked_range = read_time_range(body, zone, now, problems, most_points=most_points)
    metrics = _metrics(body.metrics or (), problems)
    zone_ids, passage_ids = _filters(body, record, metrics, problems)
    if problems or record is None or timezone is None or not metrics:
        return None, problems
    granularity = asked_range.granularity if asked_range else body.granularity or Granularity.MINUTE
    query = CheckedQuery(
        asked_at=now,
        record=record,
        metrics=metrics,
        live=bool(body.live),
        range=asked_range,
        granularity=granularity,
        timezone=timezone,
        zone_ids=zone_ids or (() if passage_ids else (record.top_zone_id,)),
        passage_ids=passage_ids,
        aggregation=body.aggregation,
        inferred=_inferred(body, granularity, record, timezone, now),
    )
    return query, []


def _metrics(names: Sequence[str], problems: list[ErrorEntry]) -> tuple[MetricKey, ...]:
    known = {key.value: key for key in MetricKey}
    # No more than there may be metrics in a body.
    unknown = {f"metrics[{i}]": _unknown_metric(name) for i, name in enumerate(names) if name not in known}
    if unknown:
        message = f"Not metrics of version 3; those are {', '.join(known)}."
        problems.append(entry(ErrorCode.UNKNOWN_METRIC, message, unknown))
    return tuple(dict.fromkeys(known[name] for name in names if name in known))


def _unknown_metric(name: str) -> str:
    if key := V2_METRIC_NAMES.get(name):
        return f"{name!r} is the version 2 name of {key.value!r}"
    return f"{quoted(name)} is not a metric"


def _filters(
    body: MetricsBody,
    record: SiteRecord | None,
    metrics: Iterable[MetricKey],
    problems: list[ErrorEntry],
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    zone_ids = _distinct(body.filter.zone_ids if body.filter else None)
    passage_ids = _distinct(body.filter.passage_ids if body.filter else None)
    if record is not None:
        zones = {zone.id for zone in record.site.zones}
        passages = {passage.id for passage in record.site.passages}
        _check_members("zone", zone_ids, zones, ErrorCode.UNKNOWN_ZONE, problems)
        _check_members("passage", passage_ids, passages, ErrorCode.UNKNOWN_PASSAGE, problems)
    levels = [key.value for key in metrics if not METRICS[key].is_of_passages]
    if passage_ids and levels:
        belong = "belongs" if len(levels) == 1 else "belong"
        message = f"{' and '.join(levels)} {belong} to zones and cannot be asked for by passage."
        flows = " and ".join(key for key, spec in METRICS.items() if spec.is_of_passages)
        details = {"filter.passageIds": f"only {flows} can be asked for by passage"}
        problems.append(entry(ErrorCode.METRIC_NOT_BY_PASSAGE, message, details))
    return zone_ids, passage_ids


def _distinct(names: Sequence[str] | None) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names or ()))


def _check_members(
    noun: str, asked: Iterable[str], existing: set[str], code: ErrorCode, problems: list[ErrorEntry]
) -> None:
    unknown = [quoted(name) for name in asked if name not in existing]
    if unknown:
        names = listed(unknown)
        details = {f"filter.{noun}Ids": f"the site has no {noun} {names}"}
        problems.append(entry(code, f"The site has no {noun} {names}.", details))


def _inferred(
    body: MetricsBody, granularity: Granularity, record: SiteRecord, timezone: ZoneInfo, now: datetime
) -> dict[str, Any]:
    inferred: dict[str, Any] = {}
    if body.granularity is None:
        inferred["granularity"] = granularity.value
    if body.timezone is None:
        inferred["timezone"] = DEFAULT_TIMEZONE
    if body.live is None:
        inferred["live"] = False
    if body.filter is None or (body.filter.zone_ids is None and body.filter.passage_ids is None):
        inferred["filter"] = {"zoneIds": [record.top_zone_id]}
    if body.from_ == NOW and body.to == NOW and not body.live:
        moment = format_local(now.astimezone(UTC), timezone)
        inferred |= {"from": moment, "to": moment}
    return inferred
