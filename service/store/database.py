"""What the SQL of a store runs on, whichever engine it is: connections, and who may write when."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from sqlalchemy import Connection

from service.store.errors import StoreError

if TYPE_CHECKING:
    from service.store.prepared import Prepared


Result = TypeVar("Result")


class ImportLock(Protocol):
    """Something that is held until it is closed, or lost."""

    def check(self) -> None:
        """Raise StoreError where it was lost: another may hold it by now."""

    def close(self) -> None:
        """May be called again."""


@dataclass(frozen=True, slots=True)
class ReplicaState:
    """How a copy stands that is read in place of the database, for whoever watches the service."""

    where: str
    """Its address, without a password."""
    seconds_behind: float | None
    """At most; None: it is not read."""
    trouble: str | None


class Database(Protocol):
    """Many readers, and writers who do not meet. All raise StoreError, whatever the engine reports."""

    where: str
    """Its path or its address, without a password."""
    is_elsewhere: bool
    """Whether it is asked over a network, and may be silent for as long as that is."""

    def reading(self) -> AbstractContextManager[Connection]:
        """A connection that sees one state of the store for as long as it is held."""

    def reading_together(self) -> AbstractContextManager[None]:
        """Whatever this thread reads within the block is of one state, but for `reading_past` and `row`."""

    def reading_past(self, ask: Callable[[Connection], Result]) -> tuple[Result, float]:
        """What `ask` is answered of one state, which may be that of a copy; and of how many seconds ago, at
        most, that has all that was stored. It has all that this process has.
        """

    def writing(self) -> AbstractContextManager[Connection]:
        """A connection whose changes are durable when the block is left, or undone if it fails.

        Nobody else writes meanwhile, of any process: for what is decided by more than is written.
        """

    def storing(self) -> AbstractContextManager[Connection]:
        """The same beside others who store: of a site, one at a time, who has locked it (`lock_sites`)."""

    def row(self, statement: Prepared, **asked: str) -> Mapping[str, Any] | None:
        """The first row of a small query, as of the last commit of any process; it waits for no writer."""

    def data_version(self) -> object:
        """Another one, not equal, after any commit, of this process or of another."""

    def check(self) -> None:
        """Raise StoreMissingError where what was opened is no longer there; takes microseconds."""

    def trouble(self) -> StoreError | None:
        """What keeps it from being read or written, as far as is known; None when all is well."""

    def make_ready(self, minute: int) -> None:
        """Make ahead what rows of the weeks from that minute on are written into; takes long only once."""

    def give_back(self, before: int) -> None:
        """Free the room of minutes before that one where all are folded, as far as nobody has to wait."""

    def replica(self) -> ReplicaState | None:
        """The copy that is read, too; None: there is none."""

    def stop_waiting(self) -> None:
        """Have who waits for other writers fail now, as busy: this process ends. Who writes goes on."""

    def close(self) -> None:
        """May be called again."""

    def wait_for_changes(self, seconds: float, stop: threading.Event) -> None:
        """Return once a process may have committed something, after so many seconds, or soon after `stop`.

        For one thread alone.
        """

    def announce_by(self, announce: Callable[[], None] | None) -> None:
        """Call `announce` after each commit, in the thread of whoever committed, in place of what the engine
        has for that; None: as before. It neither waits nor raises.
        """

    def import_lock(self, patience: float) -> ImportLock:
        """Held by whoever stores an import, or folds minutes; it goes with the process, however that ends.

        Raises StoreBusyError where another holds it for longer than `patience` seconds.
        """
