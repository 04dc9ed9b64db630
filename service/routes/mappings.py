"""`/admin/mappings`: how bodies of counters are read that no adapter knows; tried, then kept. Ours."""

from __future__ import annotations

from hashlib import blake2b
from typing import Annotated, Any, Final

from fastapi import APIRouter, Header, Path, Request
from pydantic import BaseModel, ConfigDict
from starlette.responses import Response

from contract import Envelope, ErrorCode, quoted
from contract.administration import KeptMapping, MappingTried, MappingWritten
from service.application_state import application_state_of
from service.envelope import print_json, success
from service.exception_handlers import ServiceError, refusal
from service.kept_mapping import fault_of_name, faults_of_mapping, try_body
from service.openapi import body_of, error_responses
from service.preconditions import Preconditions, read_preconditions
from service.request_form import refuse_if_wrong, whole_form
from service.routes.access import CurrentAdminKey
from service.routes.authorship import ActingFor, author_of
from service.store.errors import TooManyMappingsError
from service.store.mapping_protocol import MOST_MAPPINGS, Check, StoredMapping

router = APIRouter(prefix="/admin/mappings", tags=["sensors"])

_LARGEST_TRIED: Final = 2 * 1024 * 1024
"""Bytes of a mapping and a body together."""

Name = Annotated[str, Path(description="What stands in the address to which counters post: /ingest/{name}.")]
IfMatch = Annotated[str | None, Header(alias="If-Match")]
IfNoneMatch = Annotated[str | None, Header(alias="If-None-Match")]


class _Written(MappingWritten):
    """As it is asked for: nothing else may stand beside it."""

    model_config = ConfigDict(extra="forbid", strict=True)


class _Asked(BaseModel):
    """What is to be tried."""

    model_config = ConfigDict(extra="forbid", strict=True)

    mapping: _Written
    body: str
    """As the counter sends it."""


@router.post(
    "/try",
    summary="Try how a body would be read",
    response_model=Envelope[MappingTried],
    response_description="What would be counted, or what is wrong by field of the mapping.",
    responses=error_responses(400, 401, 403, 408, 413, 415, 429, 503),
    openapi_extra=body_of(_Asked.model_json_schema()),
)
async def try_mapping(request: Request, key: CurrentAdminKey) -> Response:
    """Nothing is stored. What does not fit the body is an answer, and no error of the request."""
    state = application_state_of(request)
    async with state.bodies.read(request, _LARGEST_TRIED) as body:
        asked = whole_form(_Asked, body)
    tried = await state.mapping.run(key.organization_id, try_body, asked.mapping, asked.body.encode())
    return success(request, tried.model_dump(mode="json", by_alias=True))


@router.get(
    "",
    summary="List the mappings that are kept",
    response_model=Envelope[tuple[KeptMapping, ...]],
    response_description="By name.",
    responses=error_responses(401, 403, 429, 503),
)
async def list_mappings(request: Request, key: CurrentAdminKey) -> Response:
    state = application_state_of(request)
    own = state.store.mappings.of_organization
    found = await state.reads.run(key.organization_id, own, key.organization_id)
    return success(request, list(map(_shown, found)))


@router.put(
    "/{name}",
    summary="Keep how bodies of a counter are read",
    response_model=Envelope[KeptMapping],
    response_description="The mapping, by which what is posted to /ingest/{name} is read from now on.",
    responses=error_responses(400, 401, 403, 408, 409, 412, 413, 415, 429, 503, 507),
    openapi_extra=body_of(_Written.model_json_schema()),
)
async def keep_mapping(
    request: Request,
    key: CurrentAdminKey,
    name: Name,
    *,
    if_match: IfMatch = None,
    if_none_match: IfNoneMatch = None,
    acting_for: ActingFor = None,
) -> Response:
    """Of what was read before nothing changes. With `If-Match` only the state of that ETag is replaced (412
    otherwise); `If-None-Match: *` keeps a new one, and replaces nothing.
    """
    del if_match, if_none_match, acting_for  # read by what follows
    state, author = application_state_of(request), author_of(request, key)
    check = _check(read_preconditions(request))
    async with state.bodies.read(request, state.settings.query_body_limit) as body:
        written = whole_form(_Written, body)
    if fault := fault_of_name(name):
        raise _refused_name(fault)
    refuse_if_wrong(faults_of_mapping(written))
    told, owner = written.model_dump(mode="json", by_alias=True), key.organization_id
    try:
        kept = await state.counts.run(lambda store: store.mappings.keep(owner, name, told, check, author))
    except TooManyMappingsError as error:
        full = f"cannot be added: {MOST_MAPPINGS} are kept, remove one by which no counter is read"
        raise _refused_name(full) from error
    return success(request, _shown(kept))


@router.delete(
    "/{name}",
    summary="Remove how bodies of a counter are read",
    response_model=Envelope[KeptMapping],
    response_description="What it was. What counters post to /ingest/{name} is refused from now on.",
    responses=error_responses(400, 401, 403, 404, 412, 429, 503, 507),
)
async def remove_mapping(
    request: Request, key: CurrentAdminKey, name: Name, acting_for: ActingFor = None
) -> Response:
    """What was counted stays, and so do its counters on the list. `If-Match` is heeded here, too."""
    del acting_for
    state, author, owner = application_state_of(request), author_of(request, key), key.organization_id
    check = _check(read_preconditions(request))
    removed = await state.counts.run(lambda store: store.mappings.remove(owner, name, check, author))
    if removed is None:
        raise refusal(ErrorCode.NOT_FOUND, f"No mapping is kept as {quoted(name)}.")
    return success(request, _shown(removed))


def _refused_name(fault: str) -> ServiceError:
    return refusal(ErrorCode.INVALID_BODY, f"Nothing was changed: the name {fault}.", {"name": fault})


def _check(preconditions: Preconditions) -> Check:
    return lambda stored: preconditions.check(None if stored is None else _etag(stored), "mapping")


def _etag(stored: StoredMapping) -> str:
    return f'"{blake2b(print_json(stored.written), digest_size=8).hexdigest()}"'


def _shown(stored: StoredMapping) -> dict[str, Any]:
    return KeptMapping(
        name=stored.name,
        written=MappingWritten.model_validate(stored.written),
        tag=_etag(stored),
        changed_at=stored.changed_at,
    ).model_dump(mode="json", by_alias=True)
