"""The audit log: who changed what, when, and what it was before. Written with the change, never rewritten."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Final, NamedTuple, Protocol


class Author(NamedTuple):
    """Who makes a change."""

    name: str
    """Of the key, as it was called then, or which part of the service it was."""
    key_id: str | None = None
    """None: it was made without a key."""
    acting_for: str | None = None
    """The person for whom the key acted, by its own word."""


COMMAND_LINE: Final = Author("command line")
SERVICE_ITSELF: Final = Author("the service itself")
"""Such as the demo, which stores its sites and makes keys for the dashboard beside it."""


class AuditAction(StrEnum):
    ORGANIZATION_CREATED = "organization.created"
    ORGANIZATION_CHANGED = "organization.changed"
    SITE_CREATED = "site.created"
    SITE_CHANGED = "site.changed"
    """Also when it is archived or brought back."""
    KEY_CREATED = "key.created"
    KEY_REVOKED = "key.revoked"
    KEY_ROTATED = "key.rotated"
    """Of the old one; the new one has an entry of its own."""
    SENSOR_PLACED = "sensor.placed"
    """Also when it is taken down."""
    SENSOR_DISMISSED = "sensor.dismissed"
    """One that nobody has placed, until it reports again."""
    SENSOR_IGNORED = "sensor.ignored"
    MAPPING_KEPT = "mapping.kept"
    """How a counter is read that no adapter knows."""
    MAPPING_REMOVED = "mapping.removed"
    LEVEL_SET = "level.set"
    """How many are inside a zone, by hand."""
    LEVEL_WITHDRAWN = "level.withdrawn"


class Change(NamedTuple):
    organization_id: str
    action: AuditAction
    target: str
    """Id of the site, key or organization; of a counter, maker, serial and line; of a mapping, its
    name."""
    before: Mapping[str, Any] | None
    """What was changed, as it was; of what was created, None. JSON, in the field names of the API."""
    after: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class AuditEntry:
    number: int
    """Grows from entry to entry, over all organizations."""
    at: datetime
    author: Author
    change: Change


class AuditFilter(NamedTuple):
    """Which entries are asked for; what is empty leaves none out."""

    site_id: str = ""
    """Changes of the site, of what was set by hand there, and of counters placed at its passages."""
    kind: str = ""
    """What was changed: what stands before the dot of an action."""
    person: str = ""
    """A part of the name of the person or of the key, whatever its case."""


EVERYTHING: Final = AuditFilter()


class AuditLog(Protocol):
    def entries(
        self,
        organization_id: str,
        *,
        limit: int,
        before: int | None = None,
        only: AuditFilter = EVERYTHING,
    ) -> list[AuditEntry]:
        """The newest first, at most `limit`; of those with a lower number than `before`, if that is given.

        Fewer where they are large, but one at least while there is one.
        """
