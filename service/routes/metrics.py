"""`POST /v3/metrics`: batch, newest value, live stream."""

from __future__ import annotations

from datetime import datetime
from itertools import chain
from typing import Any, Final

from fastapi import APIRouter, Request
from orjson import Fragment
from starlette.responses import Response

from contract import Envelope, ErrorEntry, Granularity, MetricPoint
from service.application_state import ApplicationState, application_state_of
from service.envelope import success
from service.event_stream import MEDIA_TYPE, EventStream, StreamLimits, accepts_events, live_events
from service.exception_handlers import ServiceError
from service.live_series import event
from service.openapi import METRICS_BODY, METRICS_TEXT, error_responses
from service.query.archive_warning import newest_without_archive, points_without_archive
from service.query.behind_warning import behind_warnings
from service.query.checked_query import CheckedQuery, check_query
from service.query.folded_warning import folded_warnings
from service.query.hidden_warning import hidden_warnings
from service.query.level_warning import level_warnings
from service.query.metrics_body import MetricsBody, read_metrics_body
from service.query.points import history_points, newest_point, past_points
from service.query.spread_warning import spread_warnings
from service.query.time_range import TimeRange, published
from service.request_body import parse_json
from service.routes.access import CurrentKey, readable_site
from service.routes.key_limits import check_open_streams
from service.store.protocol import KeyRecord, MetricStore

router = APIRouter(prefix="/v3/metrics", tags=["metrics"])

_STREAM_ANSWER: Final[dict[int | str, dict[str, Any]]] = {
    200: {
        "description": "Metric points; as Server-Sent Events when `live` is true.",
        "content": {
            MEDIA_TYPE: {
                "schema": {"type": "string"},
                "example": 'data: {"timestamp":"2025-03-30T01:00:00+00:00","metrics":{"exits":2}}\n\n',
            }
        },
    }
}
_SMALL_BODY: Final = 16 * 1024
"""Bytes of a body that the event loop reads by itself."""
_FEW_SERIES: Final = 100
"""Zones and passages whose newest values the event loop sums up by itself."""

# The specification does not say what they would do.
_WITHOUT_EFFECT: Final = [
    {
        "name": name,
        "in": "query",
        "required": False,
        "schema": {"type": "string"},
        "description": "Accepted, without effect.",
    }
    for name in ("limit", "offset")
]


@router.post(
    "",
    summary="Query metrics: history, newest value, live",
    description=METRICS_TEXT,
    response_model=Envelope[tuple[MetricPoint, ...]],
    responses=_STREAM_ANSWER | error_responses(400, 401, 403, 404, 408, 413, 415, 429, 503),
    openapi_extra={"requestBody": METRICS_BODY, "parameters": _WITHOUT_EFFECT},
)
async def query_metrics(
    request: Request,
    key: CurrentKey,
) -> Response:
    state = application_state_of(request)
    query = await _query(request, key, state)
    if query.live:
        return await _live(request, key, state, query)
    if query.range is None:
        return await _newest(request, state, query)
    asked = published(query.range, query.asked_at)
    return await state.reads.run(key.organization_id, _batch, request, state, query, asked, query.range)


def _batch(
    request: Request, state: ApplicationState, query: CheckedQuery, asked: TimeRange, whole: TimeRange
) -> Response:
    """Reads, and prints what may be megabytes: nothing for the event loop. `asked` ends before the running
    minute, `whole` is as it was asked for.
    """
    with state.store.reading_together():
        points, warnings = _points_and_warnings(state, query, asked, whole)
    return success(request, points, warnings=warnings, inferred_params=query.inferred)


def _points_and_warnings(
    state: ApplicationState, query: CheckedQuery, asked: TimeRange, whole: TimeRange
) -> tuple[Fragment, list[dict[str, Any]]]:
    store, metrics, levels = state.store, state.store.metrics, state.store.levels
    left_out = list[dict[str, Any]]()
    if state.settings.archive_away == "leave_out":
        points, behind, left_out = points_without_archive(metrics, query, asked)
    else:
        points, behind = past_points(metrics, query, asked)
    told = [warn(metrics, query, asked) for warn in (hidden_warnings, spread_warnings)]
    warnings = [
        *query.warnings,
        *left_out,
        *folded_warnings(store.retention, query, asked),
        *chain.from_iterable(told),
        *behind_warnings(behind),
        # Also what was set in the running minute: whoever did looks for it now.
        *level_warnings(levels, query, whole),
    ]
    return points, warnings


async def _query(request: Request, key: KeyRecord, state: ApplicationState) -> CheckedQuery:
    async with state.bodies.read(request, state.settings.query_body_limit) as text:
        # A small one is read before a thread would have begun.
        small = len(text) <= _SMALL_BODY
        body, problems = _read(text) if small else await state.reads.run(key.organization_id, _read, text)
    record, site_problems = None, list[ErrorEntry]()
    if body.site_id is not None:
        record, site_problems = await readable_site(state, key, body.site_id)
    query, other_problems = check_query(
        body, record, now=state.clock(), most_points=state.settings.answer_points
    )
    if query is None or problems:
        raise ServiceError([*site_problems, *problems, *other_problems])
    return query


def _read(text: bytes) -> tuple[MetricsBody, list[ErrorEntry]]:
    return read_metrics_body(parse_json(text))


async def _newest(request: Request, state: ApplicationState, query: CheckedQuery) -> Response:
    if _is_in_memory(query):
        point, left_out = _newest_and_warnings(state, query)
    else:
        owner = query.record.site.organization_id
        point, left_out = await state.reads.run(owner, _newest_and_warnings, state, query)
    matching = {"matchingFilters": {"zoneIds": list(query.zone_ids)}}
    points = [] if point is None else [point | matching]
    return success(request, points, warnings=[*query.warnings, *left_out], inferred_params=query.inferred)


def _newest_and_warnings(
    state: ApplicationState, query: CheckedQuery
) -> tuple[dict[str, Any] | None, list[dict[str, Any]]]:
    if state.settings.archive_away == "leave_out":
        return newest_without_archive(state.store.metrics, query)
    return newest_point(state.store.metrics, query), []


def _is_in_memory(query: CheckedQuery) -> bool:
    """The newest minute of a few series is: it is found before a thread would have begun."""
    return query.granularity is Granularity.MINUTE and query.series_count <= _FEW_SERIES


async def _live(request: Request, key: KeyRecord, state: ApplicationState, query: CheckedQuery) -> Response:
    if not accepts_events(",".join(request.headers.getlist("accept"))):
        return Response(b"", media_type=MEDIA_TYPE)
    check_open_streams(state, key)
    metrics, settings = state.store.metrics, state.settings
    # Before the history is read: what changes while it is, is sent again.
    reader = await state.live_series.reader(query)
    opening = b""
    if query.range:
        now = state.clock()
        opening = await state.reads.run(key.organization_id, _history, metrics, query, query.range, now)
    # Again, for those that were opened meanwhile.
    check_open_streams(state, key)
    limits = StreamLimits(settings.heartbeat, settings.send_timeout, settings.stream_lifetime)
    subscription = state.broadcast.subscribe(query.record.site.id, key.id)
    return EventStream(live_events(subscription, opening, reader, limits), settings.send_timeout)


def _history(store: MetricStore, query: CheckedQuery, asked: TimeRange, now: datetime) -> bytes:
    """The events of a range, printed here: they may be megabytes, which is nothing for the event loop."""
    return b"".join(map(event, history_points(store, query, asked, now)))
