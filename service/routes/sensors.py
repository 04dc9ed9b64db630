"""`POST /ingest/{maker}`: reports as counters send them. Ours; the specification only reads."""

from __future__ import annotations

from typing import Annotated, Any, Final

import structlog
from fastapi import APIRouter, Path, Request
from pydantic import BaseModel, Field
from starlette.responses import Response

from contract import Envelope, ErrorCode
from service.application_state import ApplicationState, application_state_of
from service.envelope import success
from service.exception_handlers import refusal
from service.kept_mapping import UnknownMakerError, adapter_of
from service.openapi import body_of, error_responses
from service.routes.access import CurrentSensorKey
from service.sensors.adapter import Adapter
from service.sensors.adapters import ADAPTERS
from service.sensors.told_count import ReportError
from service.store.errors import WaitingListFullError
from service.store.protocol import KeyRecord
from service.taken_report import take_report

router = APIRouter(prefix="/ingest", tags=["ingest"])

_log: Final = structlog.get_logger("service.routes.sensors")

_BODY: Final[dict[str, Any]] = body_of({}, media_type="*/*")


class Taken(BaseModel):
    """What became of the counts of a report; those that are 0 are left out."""

    counted: int = 0
    begun: int = 0
    """First running totals: what they grow by from now on counts."""
    waiting: int = 0
    """They count once their line is placed, and what came before them is counted."""
    duplicate: int = 0
    conflicting: int = 0
    """Other numbers came before for the same, and are kept; or a total grew by more than any line counts."""
    stale: int = 0
    """Totals of before the last one."""
    unkept: int = 0
    """Of lines that nobody has placed, of which as many reports wait as may: place them."""
    ignored: int = 0
    """Of lines that somebody has said to ignore."""
    left_out: Annotated[tuple[str, ...], Field(alias="leftOut")] = ()
    """What stands in the body and is not counted, in words."""


@router.post(
    "/{maker}",
    summary="Take a counter's report",
    response_model=Envelope[Taken],
    response_description="What the report tells is on disk, or was before.",
    responses=error_responses(400, 401, 403, 404, 408, 413, 415, 429, 503, 507),
    openapi_extra=_BODY,
)
async def ingest_report(
    request: Request,
    key: CurrentSensorKey,
    maker: Annotated[str, Path(description=f"{', '.join(ADAPTERS)}; or the name of a mapping that is kept.")],
) -> Response:
    """A report as the maker's counters send it, whatever its Content-Type. The key comes in `x-api-key`, as a
    bearer token, or as the password of any user.

    A counter is known by its serial; each of its lines counts once it is placed at a passage, and until then
    its reports are kept. The same report sent twice counts once. Sums of a stretch are spread evenly over its
    minutes; of running totals, what they have grown by, also over a time without reports, and a lower total
    has begun again at 0. A time that lies more than a minute ahead or more than 30 days back is not taken
    from the counter: its count is of when it arrived.
    """
    state = application_state_of(request)
    adapter = _adapter(state, key, maker)
    async with state.bodies.read(request, state.settings.ingest_body_limit, is_json=False) as body:
        arrived = state.clock()
        try:
            taken = await take_report(
                state,
                key.organization_id,
                adapter.maker,
                adapter.read,
                body=body,
                arrived=arrived,
                is_mapped=adapter.is_mapped,
            )
        except ReportError as error:
            _log.warning("report refused", maker=maker, reason=str(error))
            message = f"Nothing was stored: this is no report of {adapter.title} counters: {error}."
            raise refusal(ErrorCode.INVALID_REPORT, message) from error
        except WaitingListFullError as error:
            raise refusal(ErrorCode.WAITING_LIST_FULL, f"Nothing was stored: {error}.") from error
    became: dict[str, object] = {outcome.value: number for outcome, number in taken.outcomes.items()}
    if taken.left_out:
        became["leftOut"] = taken.left_out
    return success(request, became)


def _adapter(state: ApplicationState, key: KeyRecord, name: str) -> Adapter:
    """What reads bodies that are posted under the name. ServiceError where nothing does."""
    try:
        return adapter_of(state.store.mappings, key.organization_id, name)
    except UnknownMakerError as error:
        raise refusal(ErrorCode.NOT_FOUND, f"Nothing was stored: {error}.") from error
    except ReportError as error:
        raise refusal(ErrorCode.INVALID_REPORT, f"Nothing was stored: {error}.") from error
