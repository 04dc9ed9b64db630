"""`POST /ingest/counts`: how sensors deliver what they counted. Ours; the specification only reads."""

from __future__ import annotations

import hashlib
import re
from typing import Annotated, Any, Final

from fastapi import APIRouter, Header, Request
from pydantic import BaseModel
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from contract import Envelope, ErrorCode
from service.envelope import success
from service.failures import refusal
from service.ingest.count_batch import read_count_batch, unknown_passages
from service.request_body import read_body
from service.routes.dependencies import CurrentIngestKey
from service.routes.documentation import failures
from service.store.protocol import (
    IdempotencyConflictError,
    KeyRecord,
    PassageCount,
    SiteCatalogue,
    UnknownPassageError,
    WriteMode,
)
from service.surroundings import Surroundings, surroundings_of

router = APIRouter(prefix="/ingest", tags=["ingest"])

_IDEMPOTENCY_KEY: Final = re.compile(r"[\x21-\x7e]{1,255}")
_BODY: Final[dict[str, Any]] = {
    "required": True,
    "content": {
        "application/json": {
            "schema": {"type": "array", "items": {"$ref": "#/components/schemas/CountElement"}},
            "example": [
                {
                    "timestamp": "2025-03-30T01:00:12+01:00",
                    "passageId": "entrance",
                    "forward": 2,
                    "backward": 1,
                }
            ],
        }
    },
}


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
    responses=failures(400, 401, 403, 409, 413, 503, 507),
    openapi_extra={"requestBody": _BODY},
)
async def ingest_counts(
    request: Request,
    key: CurrentIngestKey,
    idempotency_key: Annotated[
        str | None,
        Header(alias="Idempotency-Key", json_schema_extra={"pattern": r"^[!-~]{1,255}$"}),
    ] = None,
) -> Response:
    """Counts of the same passage and minute add up. All of them are stored, or none.

    What was acknowledged is on disk. Send an `Idempotency-Key` (1 to 255 printable ASCII characters, no
    spaces) so that a request sent again, because its answer was lost, is not counted twice; keys are the
    organization's and are remembered for seven days.

    Nothing can be counted in the future: a timestamp up to a minute ahead of the service's clock is taken as
    of the present minute, one further ahead is refused, and so is one of before 2010-01-01T00:00:00+00:00.
    """
    surroundings = surroundings_of(request)
    body = await read_body(request, surroundings.settings.ingest_body_limit)
    idempotency = _idempotency(key, idempotency_key, body)
    counts = read_count_batch(body, surroundings.clock())
    stored = await run_in_threadpool(_store, surroundings, key, counts, idempotency)
    return success(request, {"stored": len(counts) if stored else 0, "duplicate": not stored})


def _idempotency(key: KeyRecord, idempotency_key: str | None, body: bytes) -> tuple[str, str] | None:
    if idempotency_key is None:
        return None
    if not _IDEMPOTENCY_KEY.fullmatch(idempotency_key):
        message = "Idempotency-Key takes 1 to 255 printable ASCII characters, no spaces."
        raise refusal(ErrorCode.INVALID_BODY, message, {"Idempotency-Key": message})
    return f"{key.organization_id} {idempotency_key}", hashlib.sha256(body).hexdigest()


def _store(
    surroundings: Surroundings,
    key: KeyRecord,
    counts: list[PassageCount],
    idempotency: tuple[str, str] | None,
) -> bool:
    store = surroundings.store
    passage_ids = {count.passage_id for count in counts}
    own = _passages_of(store.catalogue, key.organization_id, passage_ids)
    if refused := unknown_passages(counts, own):
        raise refused
    try:
        return store.metrics.append(counts, WriteMode.ADD, idempotency=idempotency)
    except IdempotencyConflictError as error:
        message = "This Idempotency-Key came before with a different body; nothing was stored."
        raise refusal(ErrorCode.IDEMPOTENCY_KEY_REUSED, message) from error
    except UnknownPassageError as error:
        # A passage that was removed since it was looked up.
        raise unknown_passages(counts, own - error.passage_ids) or error from error


def _passages_of(catalogue: SiteCatalogue, organization_id: str, passage_ids: set[str]) -> frozenset[str]:
    """Those of the passages that belong to the organization's sites."""
    site_ids = catalogue.site_ids_of_passages(passage_ids)
    records = {site_id: catalogue.find(site_id) for site_id in set(site_ids.values())}
    own = {
        site_id
        for site_id, record in records.items()
        if record and record.site.organization_id == organization_id
    }
    return frozenset(passage_id for passage_id, site_id in site_ids.items() if site_id in own)
