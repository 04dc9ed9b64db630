"""What routes depend on, as named types."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Request, Security
from fastapi.security import APIKeyHeader

from contract import ErrorCode, ErrorEntry
from service.failures import RETRY_AFTER_SECONDS, ServiceError, entry, refusal
from service.store.protocol import KeyRecord, KeyScope, SiteRecord
from service.surroundings import Surroundings, surroundings_of

_api_key_header = APIKeyHeader(
    name="x-api-key",
    scheme_name="apiKey",
    description="A key of the organization, of scope `read` for /v3 and of scope `ingest` for /ingest.",
    auto_error=False,
)

CurrentSurroundings = Annotated[Surroundings, Depends(surroundings_of)]


def _verified_key(
    request: Request,
    surroundings: CurrentSurroundings,
    secret: Annotated[str | None, Security(_api_key_header)],
) -> KeyRecord:
    if not secret:
        raise refusal(ErrorCode.INVALID_API_KEY, _missing_key_message(request))
    key = surroundings.store.keys.verify(secret)
    if key is None:
        raise refusal(ErrorCode.INVALID_API_KEY, "The key in x-api-key is not one of this service.")
    if key.revoked_at is not None:
        raise refusal(ErrorCode.INVALID_API_KEY, f"The key {key.name!r} was revoked; ask for a new one.")
    return key


def _missing_key_message(request: Request) -> str:
    if request.headers.get("authorization", "").lower().startswith("bearer"):
        return "Bearer tokens were version 2's; send an API key in the header x-api-key."
    return "Send an API key in the header x-api-key."


def _scoped(key: KeyRecord, scope: KeyScope, surroundings: Surroundings) -> KeyRecord:
    if key.scope is not scope:
        message = (
            f"The key {key.name!r} has scope {key.scope.value}; this needs a key of scope {scope.value}."
        )
        raise refusal(ErrorCode.FORBIDDEN_ACCESS, message)
    if reason := surroundings.loading():
        refused = entry(ErrorCode.SERVICE_UNAVAILABLE, reason)
        raise ServiceError([refused], {"Retry-After": RETRY_AFTER_SECONDS})
    return key


async def _read_key(
    key: Annotated[KeyRecord, Depends(_verified_key)], surroundings: CurrentSurroundings
) -> KeyRecord:
    return _scoped(key, KeyScope.READ, surroundings)


async def _ingest_key(
    key: Annotated[KeyRecord, Depends(_verified_key)], surroundings: CurrentSurroundings
) -> KeyRecord:
    return _scoped(key, KeyScope.INGEST, surroundings)


CurrentKey = Annotated[KeyRecord, Depends(_read_key)]
"""The caller's key of scope read; the request is refused without one."""

CurrentIngestKey = Annotated[KeyRecord, Depends(_ingest_key)]
"""The caller's key of scope ingest; the request is refused without one."""


def readable_site(
    surroundings: Surroundings, key: KeyRecord, site_id: str
) -> tuple[SiteRecord | None, list[ErrorEntry]]:
    """The site, or why this key does not get it. Blocks. Archived sites are readable by id."""
    record = surroundings.store.catalogue.find(site_id)
    if record is None:
        return None, [entry(ErrorCode.SITE_NOT_FOUND, f"There is no site {site_id!r}.")]
    if record.site.organization_id != key.organization_id:
        message = f"The site {site_id!r} belongs to another organization than the key {key.name!r}."
        return None, [entry(ErrorCode.FORBIDDEN_ACCESS, message)]
    return record, []
