"""Who may ask: the API key of a request, its scope, and the sites that it may read."""

from __future__ import annotations

from base64 import b64decode
from typing import Annotated

from fastapi import Depends, Request, Security
from fastapi.security import APIKeyHeader

from contract import ErrorCode, ErrorEntry, quoted
from service.application_state import ApplicationState, application_state_of
from service.exception_handlers import RETRY_AFTER_SECONDS, ServiceError, entry, refusal, will_store
from service.routes.key_limits import check_request_rate
from service.store.protocol import KeyRecord, KeyScope, SiteRecord

_api_key_header = APIKeyHeader(
    name="x-api-key",
    scheme_name="apiKey",
    description="A key of the organization: scope `read` for /v3 and /live, `ingest` for /ingest, `admin` for"
    " /admin.",
    auto_error=False,
)

_Secret = Annotated[str | None, Security(_api_key_header)]


# Few and flat: FastAPI takes as long for each dependency as for many of these lines.
async def _read_key(request: Request, secret: _Secret) -> KeyRecord:
    return await _scoped_key(request, secret, KeyScope.READ)


async def _ingest_key(request: Request, secret: _Secret) -> KeyRecord:
    will_store(request)
    return await _scoped_key(request, secret, KeyScope.INGEST)


async def _sensor_key(request: Request, secret: _Secret) -> KeyRecord:
    will_store(request)
    return await _scoped_key(request, secret or _authorized(request), KeyScope.INGEST)


async def _admin_key(request: Request, secret: _Secret) -> KeyRecord:
    if request.method not in {"GET", "HEAD"}:
        will_store(request)
    return await _scoped_key(request, secret, KeyScope.ADMIN)


CurrentKey = Annotated[KeyRecord, Depends(_read_key)]
"""The caller's key of scope read; the request is refused without one."""

CurrentIngestKey = Annotated[KeyRecord, Depends(_ingest_key)]
"""The caller's key of scope ingest; the request is refused without one."""

CurrentAdminKey = Annotated[KeyRecord, Depends(_admin_key)]
"""The caller's key of scope admin; the request is refused without one."""

CurrentSensorKey = Annotated[KeyRecord, Depends(_sensor_key)]
"""Likewise; many counters know no header of one's own, and send the key as a password or a token."""


async def readable_site(
    state: ApplicationState, key: KeyRecord, site_id: str
) -> tuple[SiteRecord | None, list[ErrorEntry]]:
    """The site, or why this key does not get it. Archived sites are readable by id."""
    catalogue = state.store.catalogue
    record = catalogue.find_at_once(site_id)
    if record is None:
        record = await state.reads.run(key.organization_id, catalogue.find, site_id)
    if record is None:
        return None, [entry(ErrorCode.SITE_NOT_FOUND, f"There is no site {quoted(site_id)}.")]
    if record.site.organization_id != key.organization_id:
        message = f"The site {quoted(site_id)} belongs to another organization than the key {key.name!r}."
        return None, [entry(ErrorCode.FORBIDDEN_ACCESS, message)]
    if not key.reads(site_id):
        message = f"The key {key.name!r} is for other sites than {quoted(site_id)}."
        return None, [entry(ErrorCode.FORBIDDEN_ACCESS, message)]
    return record, []


async def _scoped_key(request: Request, secret: str | None, scope: KeyScope) -> KeyRecord:
    state = application_state_of(request)
    # Memory answers on when the file is gone; what it holds is then no longer the store's.
    state.store.check()
    key = await _verified_key(request, secret, state)
    check_request_rate(state, key)
    if key.scope is not scope:
        message = (
            f"The key {key.name!r} has scope {key.scope.value}; this needs a key of scope {scope.value}."
        )
        raise refusal(ErrorCode.FORBIDDEN_ACCESS, message)
    if reason := state.unready():
        raise ServiceError([reason], {"Retry-After": RETRY_AFTER_SECONDS})
    return key


async def _verified_key(request: Request, secret: str | None, state: ApplicationState) -> KeyRecord:
    if not secret:
        raise refusal(ErrorCode.INVALID_API_KEY, _missing_key_message(request))
    keys, secret = state.store.keys, secret.strip(" \t")
    # Else in a thread: a database that does not answer must not keep `/readyz` and live streams waiting.
    key = keys.verify(secret) if keys.verifies_at_once else await state.keys.run("", keys.verify, secret)
    if key is None:
        raise refusal(ErrorCode.INVALID_API_KEY, "The key in x-api-key is not one of this service.")
    if key.revoked_at is not None:
        raise refusal(ErrorCode.INVALID_API_KEY, f"The key {key.name!r} was revoked; ask for a new one.")
    now = state.clock()
    if key.is_expired(now):
        raise refusal(ErrorCode.INVALID_API_KEY, f"The key {key.name!r} has expired; ask for a new one.")
    state.key_uses.note(key.id, now, request.client.host if request.client else "")
    return key


def _authorized(request: Request) -> str | None:
    """The token, or the password of any user, in the header Authorization; None where there is neither."""
    scheme, _, given = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        return given.strip() or None
    if scheme.lower() != "basic":
        return None
    try:
        _, _, password = b64decode(given.strip(), validate=True).decode().partition(":")
    except ValueError:
        return None
    return password or None


def _missing_key_message(request: Request) -> str:
    if request.headers.get("authorization", "").lower().startswith("bearer"):
        return "Bearer tokens were version 2's; send an API key in the header x-api-key."
    return "Send an API key in the header x-api-key."
