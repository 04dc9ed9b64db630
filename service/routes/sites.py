"""`GET /v3/sites` and `GET /v3/sites/{siteId}`."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any, Final

from fastapi import APIRouter, Path, Query, Request
from starlette.responses import Response

from contract import MAXIMUM_PAGE_SIZE, Envelope, Pagination, Site, SiteSummary
from service.application_state import application_state_of
from service.envelope import success
from service.exception_handlers import ServiceError
from service.openapi import error_responses
from service.routes.access import CurrentKey, readable_site
from service.routes.query_numbers import WholeNumber, read_numbers
from service.site_devices import with_devices

DEFAULT_PAGE_SIZE: Final = 50

router = APIRouter(prefix="/v3/sites", tags=["sites"])

_LIMIT_TEXT: Final = f"Sites on a page, 1 to {MAXIMUM_PAGE_SIZE}."
_LIMIT: Final = WholeNumber(1, MAXIMUM_PAGE_SIZE, default=DEFAULT_PAGE_SIZE)
_OFFSET: Final = WholeNumber(0, 2**31 - 1, default=0)


@router.get(
    "",
    summary="List the sites that the key can read",
    response_model=Envelope[tuple[SiteSummary, ...]],
    response_description="A page of sites.",
    responses=error_responses(400, 401, 403, 429, 503),
)
async def list_sites(
    request: Request,
    key: CurrentKey,
    limit: Annotated[Any, Query(description=_LIMIT_TEXT, json_schema_extra=_LIMIT.schema())] = None,
    offset: Annotated[
        Any, Query(description="Sites to leave out first.", json_schema_extra=_OFFSET.schema())
    ] = None,
) -> Response:
    """Flat sites, without topology, by name. Archived and deleted sites are not listed."""
    del limit, offset  # declared for the document; read below, where all that is wrong is found at once
    page = read_numbers(request.query_params, {"limit": _LIMIT, "offset": _OFFSET})
    page_size, first = page["limit"], page["offset"]
    state = application_state_of(request)
    catalogue = state.store.catalogue
    read = partial(catalogue.list_sites, limit=page_size, offset=first, site_ids=key.site_ids)
    records, total = await state.reads.run(key.organization_id, read, key.organization_id)
    pagination = Pagination(
        limit=page_size,
        offset=first,
        total=total,
        has_previous=first > 0,
        has_next=first + page_size < total,
    )
    return success(request, [summary(record.site) for record in records], pagination=pagination)


@router.get(
    "/{siteId}",
    summary="One site with its zones, passages and devices",
    response_model=Envelope[Site],
    response_description="The site.",
    responses=error_responses(401, 403, 404, 429, 503),
)
async def get_site(
    request: Request,
    key: CurrentKey,
    site_id: Annotated[str, Path(alias="siteId")],
) -> Response:
    """A site that is archived can still be read by its id; `archived` then says so. Devices that send reports
    are Online or Offline: silent for longer than they usually are, or so by their own word.
    """
    state = application_state_of(request)
    record, problems = await readable_site(state, key, site_id)
    if record is None:
        raise ServiceError(problems)
    lines = await state.reads.run(key.organization_id, state.store.sensors.of_site, site_id)
    site = with_devices(record.site, lines, state.clock(), state.listening_since)
    return success(request, site.model_dump(mode="json", by_alias=True))


def summary(site: Site) -> dict[str, Any]:
    """The site as the list shows it."""
    return site.model_dump(mode="json", by_alias=True, include=set(SiteSummary.model_fields))
