"""`/admin/sites`: the organization's sites as an administrator sets them up. Ours."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from hashlib import blake2b
from typing import Annotated, Any

from fastapi import APIRouter, Header, Path, Request
from starlette.responses import Response

from contract import Envelope, ErrorCode
from contract.administration import ListedSite, SiteSetUp, SiteStored
from service.application_state import ApplicationState, application_state_of
from service.envelope import print_json, success
from service.exception_handlers import ServiceError, refusal
from service.ingest.placed_counters import without_placed
from service.ingest.site_document import (
    SiteFaultsError,
    faults_of_site,
    read_site_document,
    top_zone_note,
)
from service.ingest.site_entries import SiteEntry
from service.ingest.site_file import site_record, top_zone_of
from service.openapi import body_of, error_responses
from service.preconditions import Preconditions, read_preconditions
from service.request_body import parse_json
from service.request_form import refused
from service.routes.access import CurrentAdminKey, readable_site
from service.routes.authorship import ActingFor, author_of
from service.shown_counters import shown_counters
from service.store.catalogue import site_form
from service.store.errors import PassageTakenError
from service.store.protocol import KeyRecord, SiteRecord, Store

router = APIRouter(prefix="/admin/sites", tags=["administration"])


@router.get(
    "",
    summary="List all sites of the organization",
    response_model=Envelope[tuple[ListedSite, ...]],
    response_description="By name, archived ones included.",
    responses=error_responses(401, 403, 429, 503),
)
async def list_all_sites(request: Request, key: CurrentAdminKey) -> Response:
    state = application_state_of(request)
    return success(request, await state.reads.run(key.organization_id, _listed, state.store, key))


@router.get(
    "/{siteId}",
    summary="A site in the form in which it is set up",
    response_model=Envelope[SiteSetUp],
    response_description="The site, and its ETag.",
    responses=error_responses(401, 403, 404, 429, 503),
)
async def get_site_set_up(
    request: Request, key: CurrentAdminKey, site_id: Annotated[str, Path(alias="siteId")]
) -> Response:
    """What `PUT` takes and a file for `sites import` holds. The header ETag names this state of it."""
    record, problems = await readable_site(application_state_of(request), key, site_id)
    if record is None:
        raise ServiceError(problems)
    return _answer(request, record)


@router.put(
    "/{siteId}",
    summary="Set up a site: create or replace it",
    response_model=Envelope[SiteStored],
    response_description="The site as it is stored, and its ETag.",
    responses=error_responses(400, 401, 403, 408, 409, 412, 413, 415, 429, 503, 507),
    openapi_extra=body_of({"$ref": "#/components/schemas/SiteEntry"}),
)
async def set_up_site(
    request: Request,
    key: CurrentAdminKey,
    site_id: Annotated[str, Path(alias="siteId")],
    *,
    if_match: Annotated[str | None, Header(alias="If-Match")] = None,
    if_none_match: Annotated[str | None, Header(alias="If-None-Match")] = None,
    acting_for: ActingFor = None,
) -> Response:
    """The form of `GET /admin/sites/{siteId}`, or what `GET /v3/sites/{siteId}` answers, with its envelope or
    without. Zones and passages that stay, by their ids, keep their counts; what is left out of the site is as
    it is stored. `archived` takes it from the list or brings it back. The same again changes nothing.

    With `If-Match` only the state of that ETag is replaced (412 otherwise), so that two people do not undo
    what the other did; `If-None-Match: *` creates, and replaces nothing.
    """
    del if_match, if_none_match, acting_for  # read by what follows
    state, author = application_state_of(request), author_of(request, key)
    preconditions = read_preconditions(request)
    stored = await _own_site(state, key, site_id)
    async with state.bodies.read(request, state.settings.site_body_limit) as body:
        site, notes = await _read(state, key, site_id, body)
    await _refuse_contradictions(state, key, site, stored)
    lines = await state.reads.run(key.organization_id, state.store.sensors.lines, key.organization_id)
    site = without_placed(site, stored, shown_counters(lines))
    change = _change(site, key, preconditions, state)
    try:
        record = await state.counts.run(
            lambda store: store.catalogue.change_site(site_id, change, author=author)
        )
    except PassageTakenError as error:
        # Taken since it was looked up.
        raise refused(ErrorCode.PASSAGE_TAKEN, {"passages": str(error)}) from error
    return _answer(request, record, {"notes": [*notes, *top_zone_note(site, stored)]})


async def _own_site(state: ApplicationState, key: KeyRecord, site_id: str) -> SiteRecord | None:
    """None where there is none. ServiceError for another organization's."""
    record, problems = await readable_site(state, key, site_id)
    others = [problem for problem in problems if problem.code != ErrorCode.SITE_NOT_FOUND]
    if others:
        raise ServiceError(others)
    return record


async def _read(
    state: ApplicationState, key: KeyRecord, site_id: str, body: bytes
) -> tuple[SiteEntry, list[str]]:
    owner = key.organization_id
    try:
        return await state.parsed(
            owner, len(body), lambda: read_site_document(parse_json(body), site_id, owner)
        )
    except SiteFaultsError as error:
        raise refused(ErrorCode.INVALID_BODY, error.faults) from error


async def _refuse_contradictions(
    state: ApplicationState, key: KeyRecord, site: SiteEntry, stored: SiteRecord | None
) -> None:
    def work() -> tuple[dict[str, str], dict[str, str]]:
        return faults_of_site(site, stored, _taken(state.store, site, key))

    contradictions, taken = await state.reads.run(key.organization_id, work)
    found = ((ErrorCode.PASSAGE_TAKEN, taken), (ErrorCode.INVALID_BODY, contradictions))
    if entries := [one for code, faults in found if faults for one in refused(code, faults).entries]:
        raise ServiceError(entries)


def _taken(store: Store, site: SiteEntry, key: KeyRecord) -> Mapping[str, str]:
    """Passages of other sites, and how to call these: another organization's is not named."""
    owners = store.catalogue.site_ids_of_passages([one.id for one in site.passages], with_former=True)
    others = {passage_id: owner for passage_id, owner in owners.items() if owner != site.id}
    records = {owner: store.catalogue.find(owner) for owner in set(others.values())}
    names = {
        owner: f"the site {owner!r}"
        if record and record.site.organization_id == key.organization_id
        else "another organization"
        for owner, record in records.items()
    }
    return {passage_id: names[owner] for passage_id, owner in others.items()}


def _change(
    site: SiteEntry, key: KeyRecord, preconditions: Preconditions, state: ApplicationState
) -> Callable[[SiteRecord | None], SiteRecord]:
    def decide(stored: SiteRecord | None) -> SiteRecord:
        if stored is not None and stored.site.organization_id != key.organization_id:
            message = "Nothing was changed: a site of another organization has this id. Choose another."
            raise refusal(ErrorCode.FORBIDDEN_ACCESS, message)
        preconditions.check(None if stored is None else _etag(stored), "site")
        if top_zone_of(site, stored) is None:
            raise refused(ErrorCode.INVALID_BODY, {"topZoneId": "say which zone is the whole site"})
        # When it was made is known of one that is there; when it was changed is now.
        kept = {"updated_at": None} | ({} if stored is None else {"created_at": None})
        return site_record(site.model_copy(update=kept), key.organization_id, stored, state.clock())

    return decide


def _answer(request: Request, record: SiteRecord, more: Mapping[str, Any] | None = None) -> Response:
    response = success(request, site_form(record) | dict(more or {}))
    response.headers["ETag"] = _etag(record)
    return response


def _etag(record: SiteRecord) -> str:
    """Of what it holds, not of how often it was saved: a store that was restored counts that anew."""
    return f'"{blake2b(print_json(site_form(record)), digest_size=8).hexdigest()}"'


def _listed(store: Store, key: KeyRecord) -> list[dict[str, Any]]:
    return [
        ListedSite(
            id=site.id,
            name=site.name,
            archived=site.archived,
            timezone=site.timezone,
            zones=len(site.zones),
            passages=len(site.passages),
            updated_at=site.updated_at,
        ).model_dump(mode="json", by_alias=True)
        for site in (record.site for record in store.catalogue.all_sites(key.organization_id))
    ]
