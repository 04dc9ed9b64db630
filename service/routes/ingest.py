"""`POST /ingest/counts`: how sensors deliver what they counted. Ours; the specification only reads."""

from __future__ import annotations

import hashlib
import re
from typing import Annotated, Any, Final

from fastapi import APIRouter, Header, Request
from pydantic import BaseModel
from starlette.responses import Response

from contract import Envelope, ErrorCode
from service.application_state import application_state_of
from service.envelope import success
from service.exception_handlers import ServiceError, refusal
from service.ingest.count_batch import read_count_batch, unknown_passages
from service.ingest.count_report import CountReport
from service.openapi import body_of, error_responses
from service.routes.access import CurrentIngestKey
from service.store.errors import FoldedCountsError, IdempotencyConflictError, UnknownPassageError
from service.store.protocol import KeyRecord

router = APIRouter(prefix="/ingest", tags=["ingest"])

_IDEMPOTENCY_KEY: Final = re.compile(r"[\x21-\x7e]{1,255}")
_BODY: Final[dict[str, Any]] = body_of(
    {"type": "array", "items": {"$ref": "#/components/schemas/CountElement"}},
    [{"timestamp": "2025-03-30T01:00:12+01:00", "passageId": "entrance", "forward": 2, "backward": 1}],
)


IdempotencyKey = Annotated[
    str | None, Header(alias="Idempotency-Key", json_schema_extra={"pattern": r"^[!-~]{1,255}$"})
]


class Receipt(BaseModel):
    stored: int
    """Counts taken by this request."""
    duplicate: bool
    """True: the Idempotency-Key came before with the same body, and nothing was stored again."""


@router.post(
    "/counts",
    summary="Store counts",
    response_model=Envelope[Receipt],
    response_description="The counts are on disk.",
    responses=error_responses(400, 401, 403, 408, 409, 413, 415, 429, 503, 507),
    openapi_extra=_BODY,
)
async def ingest_counts(
    request: Request,
    key: CurrentIngestKey,
    idempotency_key: IdempotencyKey = None,
) -> Response:
    """Counts of the same passage and minute add up. All of them are stored, or none.

    What was acknowledged is on disk. Send an `Idempotency-Key` (1 to 255 printable ASCII characters, no
    spaces) so that a request sent again, because its answer was lost, is not counted twice. The same key with
    other bytes is refused, 409, and nothing is stored: give each body its own. Keys are the organization's,
    for counts and levels alike, and are remembered for seven days. One request takes 10,000 counts of
    62 days, in 8 MiB, unless the service is set up otherwise; of bad values it names the first hundred.

    Nothing can be counted in the future: a timestamp up to a minute ahead of the service's clock is taken as
    of the present minute, one further ahead is refused, and so is one of before 2010-01-01T00:00:00+00:00.
    """
    state = application_state_of(request)
    settings = state.settings
    async with state.bodies.read(request, settings.ingest_body_limit) as body:

        def read() -> CountReport:
            counts = read_count_batch(body, state.clock(), settings.ingest_count_limit)
            idempotency = idempotency_of(key, idempotency_key, body)
            return CountReport(counts, organization_id=key.organization_id, idempotency=idempotency)

        report = await state.parsed(key.organization_id, len(body), read)
        # Within, so that large batches that wait to be written are bounded, too.
        try:
            stored = await state.counts.store(report)
        except UnknownPassageError as error:
            raise unknown_passages(report.counts, error.passage_ids) from error
        except FoldedCountsError as error:
            raise refusal(ErrorCode.COUNTS_FOLDED, f"Nothing was stored: {error}.") from error
        except IdempotencyConflictError as error:
            raise reused_key() from error
    return success(request, {"stored": len(report.counts) if stored else 0, "duplicate": not stored})


def reused_key() -> ServiceError:
    message = "This Idempotency-Key came before with a different body; nothing was stored."
    return refusal(ErrorCode.IDEMPOTENCY_KEY_REUSED, message)


def idempotency_of(key: KeyRecord, idempotency_key: str | None, body: bytes) -> tuple[str, str] | None:
    """What `MetricStore.append` takes; ServiceError for a key that cannot be one."""
    if idempotency_key is None:
        return None
    if not _IDEMPOTENCY_KEY.fullmatch(idempotency_key):
        message = "Idempotency-Key takes 1 to 255 printable ASCII characters, no spaces."
        raise refusal(ErrorCode.INVALID_BODY, message, {"Idempotency-Key": message})
    return f"{key.organization_id} {idempotency_key}", hashlib.sha256(body).hexdigest()
