"""API keys as a store keeps them, and what may be asked of it about them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import NamedTuple, Protocol

from service.store.audit_protocol import SERVICE_ITSELF, Author


class KeyScope(StrEnum):
    READ = "read"
    """The v3 API: all sites of the organization, or those that the key names."""
    INGEST = "ingest"
    """`POST /ingest/counts` and reports of counters, passages of the organization's sites."""
    ADMIN = "admin"
    """What an administrator sets up of the organization, below /admin."""


@dataclass(frozen=True, slots=True)
class KeyTerms:
    """With what a key is to be made."""

    name: str
    scope: KeyScope | None
    """None: it was not said, which is a fault."""
    expires_at: datetime | None = None
    site_ids: frozenset[str] | None = None


class KeyUse(NamedTuple):
    """When a key was used last, and from where."""

    at: datetime
    address: str
    """The client's IP address; behind a proxy on this machine, the one that the proxy names."""


@dataclass(frozen=True, slots=True)
class KeyRecord:
    """An API key without its secret."""

    id: str
    organization_id: str
    name: str
    scope: KeyScope
    created_at: datetime
    revoked_at: datetime | None
    expires_at: datetime | None = None
    """From this instant on it is refused; None: never."""
    site_ids: frozenset[str] | None = None
    """The only sites that it reads; None: all of the organization, those to come, too."""
    replaced_by: str | None = None
    """Id of the key that rotation made in its place."""
    last_used: KeyUse | None = None
    """As far as it is stored: up to a minute late."""

    def is_expired(self, now: datetime) -> bool:
        return self.expires_at is not None and now >= self.expires_at

    def opens(self, now: datetime) -> bool:
        """Whether it is neither revoked nor expired."""
        return self.revoked_at is None and not self.is_expired(now)

    def reads(self, site_id: str) -> bool:
        """Whether it may read this site of its organization."""
        return self.site_ids is None or site_id in self.site_ids


class KeyRing(Protocol):
    def create(
        self,
        organization_id: str,
        name: str,
        scope: KeyScope | None,
        *,
        expires_at: datetime | None = None,
        site_ids: Collection[str] | None = None,
        author: Author = SERVICE_ITSELF,
    ) -> tuple[KeyRecord, str]:
        """A new key and its secret, which is shown this once and stored only as a salted hash.

        `expires_at` is kept in whole seconds. Raises UnknownOrganizationError, and KeyTermsError for what
        else such a key cannot be made with.
        """

    def faults(self, organization_id: str, terms: KeyTerms) -> dict[str, str]:
        """What `create` would refuse, by field as the API names it; nothing where it would not."""

    def verify(self, secret: str) -> KeyRecord | None:
        """The key that the secret belongs to, revoked and expired ones included; None for any other text.

        A key that any process revoked shows so at once.
        """

    @property
    def verifies_at_once(self) -> bool:
        """Whether that takes microseconds, so that an event loop may call it; else it takes as long as a
        database that is elsewhere.
        """

    def find(self, key_id: str) -> KeyRecord | None: ...

    def list_keys(self, organization_id: str | None = None) -> list[KeyRecord]:
        """All keys, or those of an organization, revoked and expired ones included, oldest first."""

    def revoke(
        self, key_id: str, *, organization_id: str | None = None, author: Author = SERVICE_ITSELF
    ) -> KeyRecord | None:
        """The key as it is then; None when there is no such key. Revoking twice keeps the first time.

        With `organization_id`, only a key of that organization, and only while another key of scope admin
        opens it: raises LastAdminKeyError.
        """

    def rotate(
        self,
        key_id: str,
        overlap: timedelta,
        *,
        organization_id: str | None = None,
        author: Author = SERVICE_ITSELF,
    ) -> tuple[KeyRecord, str] | None:
        """A new key like this one, and its secret; this one expires after the overlap, or when it would have.

        The new one lasts as long as this one was made for, from now on. None when there is no such key, or
        none of that organization. Raises KeyRotationError for a key that opens nothing any more, and for one
        that has been replaced already.
        """

    def note_uses(self, uses: Mapping[str, KeyUse]) -> None:
        """Keep when these keys were used last, by their ids; an earlier use than is stored is passed over."""
