"""`POST /ingest/levels`: how sources deliver that know how many are inside, not who crosses. Ours."""

from __future__ import annotations

from typing import Any, Final

from fastapi import APIRouter, Request
from starlette.responses import Response

from contract import Envelope, ErrorCode
from service.application_state import application_state_of
from service.envelope import success
from service.exception_handlers import refusal
from service.ingest.level_batch import read_level_batch, unknown_zones
from service.openapi import body_of, error_responses
from service.routes.access import CurrentIngestKey
from service.routes.ingest import IdempotencyKey, Receipt, idempotency_of, reused_key
from service.store.errors import FoldedCountsError, IdempotencyConflictError, UnknownZoneError
from service.store.level_protocol import ZoneLevel
from service.store.protocol import Store

router = APIRouter(prefix="/ingest", tags=["ingest"])

_PATH: Final = b"/ingest/levels\n"
"""Part of what an Idempotency-Key is remembered with: the same body elsewhere is another request."""
_BODY: Final[dict[str, Any]] = body_of(
    {"type": "array", "items": {"$ref": "#/components/schemas/LevelElement"}},
    [
        {
            "timestamp": "2025-03-30T01:00:12+01:00",
            "siteId": "corner-shop",
            "zoneId": "hall",
            "visitorsInside": 17,
        }
    ],
)


@router.post(
    "/levels",
    summary="Store how many are inside zones",
    response_model=Envelope[Receipt],
    response_description="The levels are on disk.",
    responses=error_responses(400, 401, 403, 408, 409, 413, 415, 429, 503, 507),
    openapi_extra=_BODY,
)
async def ingest_levels(
    request: Request, key: CurrentIngestKey, idempotency_key: IdempotencyKey = None
) -> Response:
    """For sources that know how many are inside, not who crosses. visitorsInside of the zone is the level of
    the minute, until the next level, what counts change, or the daily reset. Of several levels of the same
    zone and minute the one that came last holds. A minute without a level or a count is missing: send it
    every minute, also where it did not change.

    All of them are stored, or none. Limits, `Idempotency-Key` and timestamps are as those of counts.
    """
    state = application_state_of(request)
    settings = state.settings
    async with state.bodies.read(request, settings.ingest_body_limit) as body:

        def read() -> tuple[list[ZoneLevel], tuple[str, str] | None]:
            levels = read_level_batch(body, state.clock(), settings.ingest_count_limit)
            return levels, idempotency_of(key, idempotency_key, _PATH + body)

        levels, idempotency = await state.parsed(key.organization_id, len(body), read)

        def store(store: Store) -> bool:
            owner = key.organization_id
            return store.levels.append(levels, organization_id=owner, idempotency=idempotency)

        try:
            stored = await state.counts.run(store)
        except UnknownZoneError as error:
            raise unknown_zones(levels, error.zones) from error
        except FoldedCountsError as error:
            raise refusal(ErrorCode.COUNTS_FOLDED, f"Nothing was stored: {error}.") from error
        except IdempotencyConflictError as error:
            raise reused_key() from error
    return success(request, {"stored": len(levels) if stored else 0, "duplicate": not stored})
