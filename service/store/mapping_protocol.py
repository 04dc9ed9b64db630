"""What may be asked of a store about mappings: how bodies of counters are read that no adapter knows.

What stands in a mapping is not its business: it keeps JSON objects by their names.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, Final, NamedTuple, Protocol

from service.store.audit_protocol import Author

MOST_MAPPINGS: Final = 100
"""Of an organization."""


class StoredMapping(NamedTuple):
    name: str
    """Unique within its organization."""
    written: Mapping[str, Any]
    changed_at: datetime


Check = Callable[[StoredMapping | None], None]
"""Raises where a change does not rest on what is stored; None: nothing is."""


class MappingStore(Protocol):
    def of_organization(self, organization_id: str) -> list[StoredMapping]:
        """By name. Raises StoreError."""

    def written(self, organization_id: str, name: str) -> str | None:
        """The JSON of one, as it was kept; None where there is none.

        Takes microseconds: an event loop may call it. Raises StoreError.
        """

    def keep(
        self, organization_id: str, name: str, written: Mapping[str, Any], check: Check, author: Author
    ) -> StoredMapping:
        """Store it in the place of what `check` lets it replace. The same again is no change.

        Raises TooManyMappingsError, and what `check` raises; nothing is stored then.
        """

    def remove(self, organization_id: str, name: str, check: Check, author: Author) -> StoredMapping | None:
        """What was removed; None where there was none. Raises what `check` raises."""
