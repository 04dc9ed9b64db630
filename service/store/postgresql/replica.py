"""A standby of the database, read in its place where a moment does not matter, and how far it is behind.

What the first has written is in its log up to a place (LSN), and in a standby once it has replayed up to it.
A thread asks the first every second for its place, and the standby for what it has replayed. It has all that
was stored when the first was last at a place that is replayed: so a first that is idle makes no standby old,
as the time of its last transaction (`pg_last_xact_replay_timestamp`) would.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Final, NamedTuple, TypeVar

import structlog
from sqlalchemy import URL, Connection, Engine, text

from service.store.database import ReplicaState
from service.store.errors import ArchiveAwayError, StoreAccessError, StoreBusyError, StoreError
from service.store.postgresql.address import engine_of, told_address
from service.store.postgresql.errors import explained

Result = TypeVar("Result")

MOST_SECONDS: Final = 60.0
"""A standby that is farther behind is not read."""
_LOOK_SECONDS: Final = 1.0
_IMPATIENT: Final = {"connect_timeout": 3, "tcp_user_timeout": 5_000}
"""There is another who answers."""

_SYSTEM: Final = "(SELECT system_identifier FROM pg_control_system())"
_PLACE: Final = text(f"SELECT pg_wal_lsn_diff(pg_current_wal_flush_lsn(), '0/0'), {_SYSTEM}")
_REPLAYED: Final = text(
    f"SELECT pg_is_in_recovery(), pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0'), {_SYSTEM}"
)


class _Sample(NamedTuple):
    place: int
    """At which the first was, in bytes of its log."""
    at: float
    """Before it was asked, by the clock that only passes."""


class Replica:
    """Reads of a standby of `first`, an engine whose connections begin no transaction, and may only read."""

    def __init__(self, address: URL, first: Engine) -> None:
        self.where = told_address(address)
        self._first, self._first_where = first, told_address(first.url)
        self._engine = engine_of(address, _IMPATIENT)
        self._reading = self._engine.execution_options(
            isolation_level="REPEATABLE READ", postgresql_readonly=True
        )
        self._changing = threading.Lock()
        self._samples: deque[_Sample] = deque(maxlen=round(2 * MOST_SECONDS / _LOOK_SECONDS))
        self._system: int | None = None
        self._replayed = -1  # as of the last look
        self._commits = self._covered = 0
        """Of this process: all, and those that `_needed` covers."""
        self._needed = 0
        self._trouble: StoreError | None = None
        self._is_known = False
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="replica", daemon=True)
        self._thread.start()

    def committed(self) -> None:
        """This process has stored something, which every reading has from now on."""
        with self._changing:
            self._commits += 1

    def read(self, ask: Callable[[Connection], Result]) -> tuple[Result, float] | None:
        """What it answers; and of how many seconds ago, at most, it has all that was stored.

        None where the standby is away, has not all that this process has stored, or is far behind.
        """
        if not self._is_known or self._trouble is not None:
            return None
        try:
            needed = self._needed_place()
            with explained(self.where), self._reading.connect() as connection:
                # Before what is asked sees its state, and of the same server: another may have gone back.
                with connection.begin():
                    replayed = self._replayed_at(connection)
                behind = self._age(replayed)
                if replayed < needed or behind is None:
                    return None
                with connection.begin():
                    return ask(connection), behind
        except StoreBusyError:
            # What it replays went before, as it does now and then.
            pass
        except ArchiveAwayError:
            raise  # of the standby it says nothing
        except StoreError as error:
            self._failed(error)
        except LookupError:
            # Of a site that it may not have yet.
            pass
        return None

    def state(self) -> ReplicaState:
        """How it stands."""
        trouble, behind = self._trouble, self._age(self._replayed)
        return ReplicaState(self.where, None if trouble else behind, str(trouble) if trouble else None)

    def close(self) -> None:
        """May be called again."""
        self._stop.set()
        self._thread.join()
        self._engine.dispose()

    def _needed_place(self) -> int:
        """Up to which all is that this process has stored. Asks the first where that is not known."""
        with self._changing:
            commits = self._commits
            if commits == self._covered:
                return self._needed
        place = self._place()
        with self._changing:
            self._covered, self._needed = max(commits, self._covered), max(place, self._needed)
            return self._needed

    def _age(self, replayed: int) -> float | None:
        """Seconds since the first was last at a place that is replayed; None: more than `MOST_SECONDS`."""
        with self._changing:
            has = (sample.at for sample in reversed(self._samples) if sample.place <= replayed)
            found = next(has, None)
        age = None if found is None else time.monotonic() - found
        return age if age is not None and age <= MOST_SECONDS else None

    def _place(self) -> int:
        """At which the first is."""
        with explained(self._first_where), self._first.connect() as connection:
            place, self._system = connection.execute(_PLACE).one()
        return int(place)

    def _replayed_at(self, connection: Connection) -> int:
        """Raises StoreAccessError where it is no standby of the first."""
        is_standby, replayed, system = connection.execute(_REPLAYED).one()
        if not is_standby or replayed is None or system != self._system:
            raise StoreAccessError(f"{self.where} is no replica of {self._first_where}: name one that is.")
        return int(replayed)

    def _watch(self) -> None:
        while True:
            at = time.monotonic()
            try:
                sample = _Sample(self._place(), at)
                with self._changing:
                    self._samples.append(sample)
                with explained(self.where), self._reading.connect() as connection, connection.begin():
                    self._replayed = self._replayed_at(connection)
                if self._age(self._replayed) is None:
                    raise StoreAccessError(f"{self.where} is more than {MOST_SECONDS:g} s behind.")  # noqa: TRY301
            except StoreError as error:
                self._failed(error)
            except Exception as error:  # noqa: BLE001 -- the thread's edge: it must look again
                self._failed(StoreAccessError(f"{self.where} is not understood: {error}"))
            else:
                self._went_well()
            if self._stop.wait(_LOOK_SECONDS):
                return

    def _failed(self, error: StoreError) -> None:
        if self._trouble is None:
            log = structlog.get_logger()
            log.warning("replica cannot be read, the first is read in its place", reason=str(error))
        self._trouble = error

    def _went_well(self) -> None:
        if self._trouble is not None:
            structlog.get_logger().info("replica can be read again")
        self._trouble, self._is_known = None, True
