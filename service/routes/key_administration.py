"""`/admin/keys`: the organization's API keys: made, listed, revoked, rotated. Ours."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated, Any

from fastapi import APIRouter, Path, Request
from starlette.responses import Response

from contract import Envelope, ErrorCode, quoted
from contract.administration import LONGEST_OVERLAP, ListedKey, MadeKey
from service.application_state import application_state_of
from service.envelope import success
from service.exception_handlers import ServiceError, refusal
from service.key_bodies import KeyBody, RotationBody
from service.openapi import body_of, error_responses
from service.request_form import read_form, refuse_if_wrong, refused
from service.routes.access import CurrentAdminKey
from service.routes.authorship import ActingFor, author_of
from service.store.errors import KeyRotationError, KeyTermsError, LastAdminKeyError
from service.store.key_protocol import KeyRecord, KeyUse
from service.store.key_secret import key_id_in

router = APIRouter(prefix="/admin/keys", tags=["administration"])


@router.get(
    "",
    summary="List the organization's API keys",
    response_model=Envelope[tuple[ListedKey, ...]],
    response_description="Oldest first, revoked and expired ones included.",
    responses=error_responses(401, 403, 429, 503),
)
async def list_keys(request: Request, key: CurrentAdminKey) -> Response:
    state = application_state_of(request)
    keys = await state.reads.run(key.organization_id, state.store.keys.list_keys, key.organization_id)
    return success(request, [_shown(one, state.key_uses.newest(one)) for one in keys])


@router.post(
    "",
    summary="Make an API key",
    response_model=Envelope[MadeKey],
    response_description="The key and its secret, which is told this once.",
    responses=error_responses(400, 401, 403, 408, 413, 415, 429, 503, 507),
    openapi_extra=body_of(KeyBody.model_json_schema()),
)
async def make_key(request: Request, key: CurrentAdminKey, acting_for: ActingFor = None) -> Response:
    """Of scope `read` for /v3, `ingest` for /ingest, `admin` for /admin. An answer that got lost has made a
    key all the same, whose secret nobody knows: revoke it, and make another.
    """
    del acting_for
    state, author = application_state_of(request), author_of(request, key)
    async with state.bodies.read(request, state.settings.query_body_limit) as body:
        told, details = read_form(KeyBody, body)
    owner, terms, keys = key.organization_id, told.terms(), state.store.keys
    refuse_if_wrong(await state.reads.run(owner, keys.faults, owner, terms) | details)
    try:
        made, secret = await state.counts.run(
            lambda store: store.keys.create(
                owner,
                terms.name,
                terms.scope,
                expires_at=terms.expires_at,
                site_ids=terms.site_ids,
                author=author,
            )
        )
    except KeyTermsError as error:
        raise refused(ErrorCode.INVALID_BODY, error.faults) from error
    return _told_once(request, made, secret)


@router.delete(
    "/{keyId}",
    summary="Revoke an API key",
    response_model=Envelope[ListedKey],
    response_description="The key, revoked.",
    responses=error_responses(400, 401, 403, 404, 409, 429, 503, 507),
)
async def revoke_key(
    request: Request,
    key: CurrentAdminKey,
    key_id: Annotated[str, Path(alias="keyId")],
    acting_for: ActingFor = None,
) -> Response:
    """It is refused at the very next request; streams that it has open end within seconds. Revoking it again
    changes nothing. The last key of scope admin that still opens is not revoked (LAST_ADMIN_KEY).
    """
    del acting_for
    state, author = application_state_of(request), author_of(request, key)
    owner = key.organization_id
    try:
        revoked = await state.counts.run(
            lambda store: store.keys.revoke(key_id, organization_id=owner, author=author)
        )
    except LastAdminKeyError as error:
        raise refusal(ErrorCode.LAST_ADMIN_KEY, f"Nothing was changed: {error}.") from error
    if revoked is None:
        raise _no_such(key_id)
    state.broadcast.end_streams_of(key_id)
    return success(request, _shown(revoked, state.key_uses.newest(revoked)))


@router.post(
    "/{keyId}/rotation",
    summary="Replace an API key by a new one",
    response_model=Envelope[MadeKey],
    response_description="The new key and its secret, which is told this once.",
    responses=error_responses(400, 401, 403, 404, 408, 409, 413, 415, 429, 503, 507),
    openapi_extra=body_of(RotationBody.model_json_schema()),
)
async def rotate_key(
    request: Request,
    key: CurrentAdminKey,
    key_id: Annotated[str, Path(alias="keyId")],
    acting_for: ActingFor = None,
) -> Response:
    """The new one has the same name, scope and sites, and lasts as long as the old one was made for. The old
    one still opens for `overlapSeconds`, unless it expires before. A key is rotated once; whoever lost the
    new secret rotates the new key.
    """
    del acting_for
    state, author = application_state_of(request), author_of(request, key)
    async with state.bodies.read(request, state.settings.query_body_limit) as body:
        told, details = read_form(RotationBody, body)
    if told.overlap_seconds is None:
        missing = f"is missing: say for how many seconds, 0 to {LONGEST_OVERLAP}, the old key still opens"
        details = {"overlapSeconds": missing} | details
    refuse_if_wrong(details)
    overlap, owner = timedelta(seconds=told.overlap_seconds or 0), key.organization_id
    try:
        made = await state.counts.run(
            lambda store: store.keys.rotate(key_id, overlap, organization_id=owner, author=author)
        )
    except KeyRotationError as error:
        raise refusal(ErrorCode.KEY_NOT_ROTATABLE, f"Nothing was changed: {error}.") from error
    if made is None:
        raise _no_such(key_id)
    return _told_once(request, *made)


def _no_such(key_id: str) -> ServiceError:
    return refusal(ErrorCode.NOT_FOUND, f"The organization has no key {quoted(key_id_in(key_id) or key_id)}.")


def _told_once(request: Request, key: KeyRecord, secret: str) -> Response:
    response = success(request, _shown(key, None) | {"secret": secret})
    # No cache on the way may keep it.
    response.headers["Cache-Control"] = "no-store"
    return response


def _shown(key: KeyRecord, used: KeyUse | None) -> dict[str, Any]:
    return ListedKey(
        id=key.id,
        name=key.name,
        scope=key.scope,
        created_at=key.created_at,
        expires_at=key.expires_at,
        revoked_at=key.revoked_at,
        site_ids=None if key.site_ids is None else tuple(sorted(key.site_ids)),
        replaced_by=key.replaced_by,
        last_used_at=used.at if used else None,
        last_used_from=used.address if used else None,
    ).model_dump(mode="json", by_alias=True)
