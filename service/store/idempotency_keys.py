"""Idempotency keys: which requests were stored already.

A key's age is running time, not the time of day: a clock that is set forward by a week would forget every
key at once, and a batch that is sent again would count twice. Running time is what the monotonic clocks of
the processes have measured, so it never passes faster than true time; it stands still while no service runs,
which only keeps keys for longer.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from sqlalchemy import Connection, delete, func, select

from service.store.database import Database
from service.store.errors import IdempotencyConflictError
from service.store.schema import IDEMPOTENCY_KEYS
from service.store.upsert import insert

IDEMPOTENCY_DAYS: Final = 7
"""How long an idempotency key is remembered at least; older ones are forgotten when a new one comes."""

_NEWEST: Final = select(func.max(IDEMPOTENCY_KEYS.c.stored_at))


class IdempotencyKeys:
    """`monotonic` gives seconds that only pass, never jump: `time.monotonic`."""

    def __init__(self, database: Database, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        with database.reading() as connection:
            self._offset = _newest(connection) - monotonic()

    def remember(self, connection: Connection, key: str, digest: str) -> bool:
        """Whether the key is new; it is known from now on, for `IDEMPOTENCY_DAYS`.

        Raises IdempotencyConflictError when it is known for another digest.
        """
        table = IDEMPOTENCY_KEYS
        now = self._running_time(connection)
        old = table.c.stored_at < now - IDEMPOTENCY_DAYS * 86_400
        connection.execute(delete(table).where(old, table.c.key != key))
        made = insert(table).values(key=key, digest=digest, stored_at=now)
        # It waits for another process that has just the same key in a transaction, and then knows of it.
        if connection.execute(made.on_conflict_do_nothing().returning(table.c.key)).first():
            return True
        stored = connection.execute(select(table.c.digest).where(table.c.key == key)).scalar()
        if stored != digest:
            raise IdempotencyConflictError(f"the idempotency key {key!r} was used for other counts before")
        return False

    def _running_time(self, connection: Connection) -> int:
        """Seconds. Other processes may have measured more of it: it never goes back."""
        return max(int(self._offset + self._monotonic()), _newest(connection))


def _newest(connection: Connection) -> int:
    return connection.execute(_NEWEST).scalar() or 0
