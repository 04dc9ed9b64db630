"""`/admin/organization`: what the key's organization is called. Ours."""

from __future__ import annotations

from typing import Annotated, Any, Final

from fastapi import APIRouter, Request
from pydantic import BaseModel, ConfigDict, WithJsonSchema
from starlette.responses import Response

from contract import Envelope
from contract.administration import NamedOrganization
from service.application_state import application_state_of
from service.envelope import success
from service.ingest.site_entries import LONGEST_NAME, Name
from service.openapi import body_of, error_responses
from service.request_form import read_form, refuse_if_wrong
from service.routes.access import CurrentAdminKey
from service.routes.authorship import ActingFor, author_of
from service.store.protocol import Organization, Store

router = APIRouter(prefix="/admin/organization", tags=["administration"])


class OrganizationBody(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, json_schema_extra={"required": ["name"]})

    name: Annotated[
        Name | None, WithJsonSchema({"type": "string", "minLength": 1, "maxLength": LONGEST_NAME})
    ] = None


_BODY: Final[dict[str, Any]] = body_of(OrganizationBody.model_json_schema())


@router.get(
    "",
    summary="The organization of the key",
    response_model=Envelope[NamedOrganization],
    response_description="Its id and name.",
    responses=error_responses(401, 403, 429, 503),
)
async def get_organization(request: Request, key: CurrentAdminKey) -> Response:
    state = application_state_of(request)
    found = await state.reads.run(key.organization_id, _organization, state.store, key.organization_id)
    return success(request, {"id": found.id, "name": found.name})


@router.put(
    "",
    summary="Name the organization",
    response_model=Envelope[NamedOrganization],
    response_description="As it is called now.",
    responses=error_responses(400, 401, 403, 408, 413, 415, 429, 503, 507),
    openapi_extra=_BODY,
)
async def name_organization(request: Request, key: CurrentAdminKey, acting_for: ActingFor = None) -> Response:
    del acting_for
    state, author = application_state_of(request), author_of(request, key)
    async with state.bodies.read(request, state.settings.query_body_limit) as body:
        told, details = read_form(OrganizationBody, body)
    if told.name is None:
        details = {"name": "is missing: say how the organization is called"} | details
    refuse_if_wrong(details)
    named = Organization(key.organization_id, told.name or "")
    await state.counts.run(lambda store: store.catalogue.save(named, [], author=author))
    return success(request, {"id": named.id, "name": named.name})


def _organization(store: Store, organization_id: str) -> Organization:
    return next(found for found in store.catalogue.organizations() if found.id == organization_id)
