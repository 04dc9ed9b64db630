"""What a store raises, whatever it is made of.

StoreError                 the store cannot be used; a write that raised it stored nothing, but for
                           ImportUnfinishedError, and StoreUncertainError perhaps
    StoreBusyError         another process writes, or replaces the store
    StoreVersionError      a later version of the service made it
    StoreFullError         its disk has no space left
    StoreDamagedError      it is no store, or a damaged one
    StoreMissingError      what was opened is no longer there
    StoreAccessError       it cannot be opened, read or written: rights, or a disk that fails
        StoreAwayError     the server that has it is out of reach, or not ready: it may be back at once
    StoreUrlError          no store is opened by such a URL
    StoreUncertainError    it went away at the last instant of a write
    ImportUnfinishedError  a file is taken, and not all of it is stored yet
    BackupError            a copy cannot be made, or not be taken
    StoreMoveError         a store cannot be moved into another
    StoreUnfinishedError   a move into it is not finished: it has a part of what the other one has
    ArchiveAwayError       days of long ago cannot be read; all else can

Each message is for the operator: it names the store and says what to do. What is wrong with a query or with
what is to be written is a ValueError or a LookupError below; nothing was stored then.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime

from contract.minutes import minute_start


class StoreError(RuntimeError):
    """The store cannot be used; a write that raised this stored nothing."""


class StoreBusyError(StoreError):
    """Another process has been writing for longer than is waited for, or replaces the store."""


class StoreVersionError(StoreError):
    """The store was made by a later version of the service, which this one would not understand."""


class StoreFullError(StoreError):
    """The disk has no space left. It goes on by itself when there is some."""


class StoreDamagedError(StoreError):
    """It is no store, or a damaged one."""


class StoreMissingError(StoreError):
    """What was opened is no longer there: it was removed or replaced."""


class StoreAccessError(StoreError):
    """The store cannot be opened, read or written."""


class StoreAwayError(StoreAccessError):
    """The server that has the store is out of reach, or begins, or ends: it may be back in a second."""


class StoreUrlError(StoreError):
    """A URL that names no kind of store that there is; the message names those that exist."""


class StoreUncertainError(StoreError):
    """The store went away when all was to become durable: nobody knows whether it did."""


class ImportUnfinishedError(StoreError):
    """A file of counts is taken, and a part of it stored; the rest is as soon as the store can be written."""


class BackupError(StoreError):
    """The copy cannot be made, or not be taken; nothing was changed. The message says why."""


class StoreMoveError(StoreError):
    """A store cannot be moved into another; the first is as it was. The message says why."""


class StoreUnfinishedError(StoreError):
    """A move into it is not finished: what it has would look as if that were all."""


class ArchiveAwayError(StoreError):
    """What lies in the archive cannot be read, or not be brought there, for now."""

    def __init__(self, message: str, held_from: datetime | None = None) -> None:
        super().__init__(message)
        self.held_from = held_from
        """From when on all of the site that was asked for is here, UTC."""


class UnknownSiteError(LookupError):
    """A query names a site that the catalogue does not have."""


class QueryTooLargeError(ValueError):
    """A query would read more minutes one by one than one answer is worth; the message says what to ask."""


class UnknownPassageError(ValueError):
    """Counts name passages that no site has. `passage_ids` lists them."""

    def __init__(self, passage_ids: Collection[str]) -> None:
        super().__init__(f"no such passage: {', '.join(sorted(passage_ids))}")
        self.passage_ids = frozenset(passage_ids)


class UnknownLineError(LookupError):
    """A line of a counter that is there no more: somebody has dismissed it meanwhile."""


class FoldedCountsError(ValueError):
    """What is told (counts, levels, corrections) is of minutes that are folded to quarters."""

    def __init__(self, site_id: str, until: int, told: str = "counts") -> None:
        super().__init__(
            f"some {told} are of minutes that are kept as quarters of an hour by now, which nothing changes"
            f" any more; at {site_id} {told} are taken from {minute_start(until).isoformat()} on"
        )


class ArchivedMinutesError(FoldedCountsError):
    """What is told (levels, corrections) is of archived days, of which counts alone are taken."""

    def __init__(self, site_id: str, until: int, told: str) -> None:
        ValueError.__init__(
            self,
            f"some {told} are of days that lie in the archive by now, of which counts alone are taken; at"
            f" {site_id} {told} are taken from {minute_start(until).isoformat()} on",
        )


class UnknownZoneError(ValueError):
    """Something is told of zones that no site has. `zones` lists them, by site id and zone id."""

    def __init__(self, zones: Collection[tuple[str, str]]) -> None:
        super().__init__(f"no such zone: {', '.join(zone for _, zone in sorted(zones))}")
        self.zones = frozenset(zones)


class WaitingListFullError(RuntimeError):
    """A line of a counter that nobody has placed keeps as many reports as may wait."""

    def __init__(self, serial: str, most: int) -> None:
        super().__init__(f"{most} reports of the counter {serial} wait to be placed already; place it first")


class CountersFullError(WaitingListFullError):
    """As many lines of counters as may wait to be placed."""

    def __init__(self, most: int) -> None:
        RuntimeError.__init__(
            self,
            f"{most} lines of counters wait to be placed already; place those that are yours on the page"
            " Counters, and dismiss the others",
        )


class ReportsFullError(WaitingListFullError):
    """As many reports as may wait to be placed, of all lines together."""

    def __init__(self, most: int) -> None:
        RuntimeError.__init__(
            self,
            f"{most} reports of counters wait to be placed already; place those that are yours on the page"
            " Counters, and dismiss the others",
        )


class PassageTakenError(ValueError):
    """A site names passages that belong to another site, now or earlier. `passage_ids` lists them."""

    def __init__(self, passage_ids: Collection[str]) -> None:
        super().__init__(f"passages of another site: {', '.join(sorted(passage_ids))}")
        self.passage_ids = frozenset(passage_ids)


class TooManyMappingsError(ValueError):
    """An organization keeps as many mappings as it may."""


class IdempotencyConflictError(ValueError):
    """An idempotency key was used before for a different body."""


class UnknownOrganizationError(ValueError):
    """A key was asked for an organization that the catalogue does not have."""


class KeyTermsError(ValueError):
    """A key cannot be made with what was asked for. `faults` has what is wrong, by field of the API."""

    def __init__(self, faults: Mapping[str, str]) -> None:
        super().__init__("; ".join(faults.values()))
        self.faults = dict(faults)


class LastAdminKeyError(ValueError):
    """Nobody could administer the organization any more once this key is revoked."""


class KeyRotationError(ValueError):
    """A key that cannot be rotated; the message says why, and what to do."""
