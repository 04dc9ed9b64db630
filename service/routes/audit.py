"""`GET /admin/audit`: who changed what of the organization, when, and what it was before. Ours."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any, Final

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from contract import Envelope
from contract.administration import AuditShown
from service.application_state import application_state_of
from service.envelope import success
from service.openapi import error_responses
from service.routes.access import CurrentAdminKey
from service.routes.query_numbers import WholeNumber, read_numbers
from service.store.audit_protocol import AuditEntry, AuditFilter

router = APIRouter(prefix="/admin/audit", tags=["administration"])

_KINDS: Final = "organization, site, sensor, mapping, level, key"
_LIMIT: Final = WholeNumber(1, 100, default=50)
_BEFORE: Final = WholeNumber(1, 2**53, default=2**53)


@router.get(
    "",
    summary="List what was changed, the newest first",
    response_model=Envelope[tuple[AuditShown, ...]],
    response_description="A page of changes; the next is that before the lowest number.",
    responses=error_responses(400, 401, 403, 429, 503),
)
async def list_changes(
    request: Request,
    key: CurrentAdminKey,
    *,
    limit: Annotated[Any, Query(description="At most so many.", json_schema_extra=_LIMIT.schema())] = None,
    before: Annotated[
        Any, Query(description="Only with a lower number.", json_schema_extra=_BEFORE.schema())
    ] = None,
    site: Annotated[str, Query(description="Only of this site, by its id.")] = "",
    kind: Annotated[str, Query(description=f"Only of this: {_KINDS}.")] = "",
    person: Annotated[str, Query(description="Only by whom, or by which key: a part of the name.")] = "",
) -> Response:
    """What is changed by this API and by the command line. No entry holds a secret, as none is kept. A page
    of large changes has fewer than `limit`; an empty one is the last.
    """
    del limit, before  # read below, where all that is wrong is found at once
    asked = read_numbers(request.query_params, {"limit": _LIMIT, "before": _BEFORE})
    state = application_state_of(request)
    read = partial(state.store.audit.entries, limit=asked["limit"], before=asked["before"])
    read = partial(read, only=AuditFilter(site, kind, person))
    entries = await state.reads.run(key.organization_id, read, key.organization_id)
    return success(request, list(map(_shown, entries)))


def _shown(entry: AuditEntry) -> dict[str, Any]:
    author, change = entry.author, entry.change
    return AuditShown(
        number=entry.number,
        at=entry.at,
        key_id=author.key_id,
        key_name=author.name,
        acting_for=author.acting_for,
        action=change.action,
        target=change.target,
        before=None if change.before is None else dict(change.before),
        after=None if change.after is None else dict(change.after),
    ).model_dump(mode="json", by_alias=True)
