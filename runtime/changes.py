"""The service's record of changes, for whoever may administer."""

from __future__ import annotations

from typing import Final, NamedTuple

from contract.administration import AuditShown
from runtime.administration import read_administered

PAGE_LENGTH: Final = 50
MOST_IN_FILE: Final = 10_000
_LONGEST_PAGE: Final = 100


class ChangesPage(NamedTuple):
    changes: list[AuditShown]
    """The newest first."""
    is_last: bool
    """Whether no older change is kept of what was asked for."""


class ChangesAsked(NamedTuple):
    """Which changes; what is empty leaves none out."""

    site_id: str = ""
    kind: str = ""
    """`site`, `key`, ...: what stands before the dot of an action."""
    person: str = ""
    """A part of a name."""


def read_page(asked: ChangesAsked, before: int | None) -> ChangesPage:
    """A page, and whether it is the last: how long it is does not tell. Raises what `read_changes` does."""
    changes = read_changes(asked, before)
    return ChangesPage(changes, not changes or not read_changes(asked, changes[-1].number, 1))


def read_changes(asked: ChangesAsked, before: int | None, limit: int = PAGE_LENGTH) -> list[AuditShown]:
    """A page, the newest first, of those with a lower number than `before`. One of large changes is shorter.

    Raises ApiClientError, NotAdministrableError.
    """
    site_id, kind, person = asked
    return read_administered(
        lambda client: client.changes(limit=limit, before=before, site_id=site_id, kind=kind, person=person),
        "what was changed",
    )


def read_all_changes(asked: ChangesAsked) -> list[AuditShown]:
    """For a file: the newest ten thousand. Raises likewise."""
    found: list[AuditShown] = []
    while len(found) < MOST_IN_FILE:
        page = read_changes(asked, found[-1].number if found else None, _LONGEST_PAGE)
        if not page:
            break
        found += page
    return found[:MOST_IN_FILE]
