"""`/admin/sensors`: which counters were heard of, and at which passages their lines count. Ours."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import datetime
from typing import Annotated, Any, Final

from fastapi import APIRouter, Path, Request
from pydantic import BaseModel, ConfigDict
from starlette.responses import Response

from contract import Envelope, ErrorCode, quoted
from contract.administration import ClockTold, PlacedAt, Sensor, SensorsDismissed
from service.application_state import application_state_of
from service.envelope import success
from service.exception_handlers import refusal
from service.openapi import body_of, error_responses
from service.request_form import whole_form
from service.routes.access import CurrentAdminKey
from service.routes.authorship import ActingFor, author_of
from service.routes.sensors import Taken
from service.sensors.counting import Outcome
from service.sensors.presence import presence
from service.sensors.taking import go_on, place
from service.store.audit_protocol import Author
from service.store.errors import StoreError, UnknownLineError, UnknownPassageError
from service.store.protocol import KeyRecord, Store
from service.store.sensor_protocol import Placement, SensorLine
from service.thread_pools import PoolFullError

router = APIRouter(prefix="/admin/sensors", tags=["sensors"])

_LARGEST_NUMBER: Final = 2**53
_MOMENT_SECONDS: Final = 2.0
"""For which whoever has placed a line is kept waiting."""

Number = Annotated[int, Path(ge=1, le=_LARGEST_NUMBER, description="As the list of sensors tells it.")]


class _Asked(PlacedAt):
    """Where a line is to count, as it is asked for: nothing else may stand beside it."""

    model_config = ConfigDict(extra="forbid", strict=True)


class _Unwanted(SensorsDismissed):
    """As it is asked for: nothing else may stand beside it."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Dismissed(BaseModel):
    dismissed: int


@router.get(
    "",
    summary="List the counters that were heard of",
    response_model=Envelope[tuple[Sensor, ...]],
    response_description="A row for each line.",
    responses=error_responses(401, 403, 429, 503),
)
async def list_sensors(request: Request, key: CurrentAdminKey) -> Response:
    """By maker, serial and line. One without `placement` waits for somebody to say at which passage it is."""
    state = application_state_of(request)
    lines = await state.reads.run(key.organization_id, state.store.sensors.lines, key.organization_id)
    now = state.clock()
    return success(request, [_shown(line, now, state.listening_since) for line in lines])


@router.put(
    "/{number}/placement",
    summary="Say at which passage a line counts",
    response_model=Envelope[Taken],
    response_description="What became of the reports that waited.",
    responses=error_responses(400, 401, 403, 404, 408, 413, 415, 429, 503, 507),
    openapi_extra=body_of(_Asked.model_json_schema(by_alias=True)),
)
async def place_sensor(
    request: Request, key: CurrentAdminKey, number: Number, acting_for: ActingFor = None
) -> Response:
    """From now on it counts there, and so do the reports that waited: as many as a moment allows at once; the
    rest, told as `waiting`, within the minutes that follow. Without a passage it is taken down, and its
    reports wait again. What it has counted elsewhere stays there: raw counts are never moved.
    """
    del acting_for
    state, author = application_state_of(request), author_of(request, key)
    async with state.bodies.read(request, state.settings.query_body_limit) as body:
        told = whole_form(_Asked, body)
    placement = Placement(told.passage_id, told.is_swapped) if told.passage_id is not None else None
    try:
        outcomes = await _placed(request, key, number, placement, author)
    except UnknownPassageError as error:
        message = f"Nothing was changed: the organization has no passage {quoted(told.passage_id or '')}."
        raise refusal(ErrorCode.UNKNOWN_PASSAGE, message, {"passageId": str(error)}) from error
    return success(request, outcomes)


@router.post(
    "/dismissal",
    summary="Dismiss counters that nobody has placed",
    response_model=Envelope[Dismissed],
    response_description="How many there were of these.",
    responses=error_responses(400, 401, 403, 404, 408, 413, 415, 429, 503, 507),
    openapi_extra=body_of(_Unwanted.model_json_schema(by_alias=True)),
)
async def dismiss_sensors(request: Request, key: CurrentAdminKey, acting_for: ActingFor = None) -> Response:
    """What waits of them is forgotten. One that reports again is back on the list, unless it is ignored: then
    its reports are acknowledged and forgotten, until it is placed or dismissed otherwise. Those that are
    placed stay as they are: take them down first.
    """
    del acting_for
    state, author, owner = application_state_of(request), author_of(request, key), key.organization_id
    async with state.bodies.read(request, state.settings.query_body_limit) as body:
        told = whole_form(_Unwanted, body)

    def dismissed(number: int) -> Callable[[Store], bool]:
        return lambda store: store.sensors.dismiss(owner, number, author, is_ignored=told.is_ignored)

    # One by one: much may wait of each, and sensors wait meanwhile.
    number = sum([await state.counts.run(dismissed(one)) for one in dict.fromkeys(told.numbers)])
    if not number:
        raise refusal(ErrorCode.NOT_FOUND, "None of these sensors is there and waits to be placed.")
    return success(request, {"dismissed": number})


async def _placed(
    request: Request, key: KeyRecord, number: int, placement: Placement | None, author: Author
) -> Mapping[Outcome, int]:
    def work(store: Store) -> Counter[Outcome] | None:
        line = store.sensors.find(key.organization_id, number)
        if line is None:
            return None
        try:
            with store.sensors.writing() as rows:
                return place(rows, line, placement, author)
        except UnknownLineError:
            return None

    def more(store: Store) -> Counter[Outcome]:
        with store.sensors.writing() as rows:
            return go_on(rows, number)

    counts, begun = application_state_of(request).counts, time.monotonic()
    outcomes = await counts.run(work)
    if outcomes is None:
        raise refusal(ErrorCode.NOT_FOUND, f"There is no sensor {number}.")
    # It is placed by now, whatever becomes of the rest: that is `Backlog`'s then.
    with suppress(StoreError, PoolFullError):
        while outcomes[Outcome.WAITING] and time.monotonic() < begun + _MOMENT_SECONDS:
            next_outcomes = await counts.run(more)
            del outcomes[Outcome.WAITING]
            outcomes += next_outcomes
    return outcomes


def _shown(line: SensorLine, now: datetime, listening_since: datetime) -> dict[str, Any]:
    placement, clock = line.placement, line.clock
    status = presence(line.sensor, now, listening_since)
    return Sensor(
        number=line.number,
        maker=line.name.maker,
        serial=line.name.serial,
        line=line.name.line,
        placement=PlacedAt(passage_id=placement.passage_id, is_swapped=placement.is_swapped)
        if placement
        else None,
        site_id=line.site_id if placement else None,
        status=status.status.value,
        status_since=status.since,
        usual_silence_seconds=round(line.sensor.usual.total_seconds()),
        first_heard_at=line.first_heard,
        last_heard_at=line.last_heard,
        clock=ClockTold(ahead_seconds=clock.ahead_seconds, is_trusted=clock.is_trusted) if clock else None,
        waiting=line.waiting,
        conflicts=line.conflicts,
        is_ignored=line.is_ignored,
    ).model_dump(mode="json", by_alias=True)
