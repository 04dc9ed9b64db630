"""An advisory lock that goes with its connection."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection

from service.store.postgresql.errors import explained


class HeldLock:
    """`ImportLock`: held, or to be, on a connection of its own."""

    def __init__(self, connection: Connection, where: str) -> None:
        self._connection = connection
        # One that is lost is not to be made anew without a word.
        self._driver: Any = connection.connection.driver_connection
        self._where = where

    def check(self) -> None:
        """See `ImportLock`: it is there for as long as the connection is."""
        with explained(self._where):
            self._driver.execute("SELECT 1")

    def close(self) -> None:
        """May be called again."""
        if not self._connection.closed:
            # Not back into the pool: the lock is the connection's.
            self._connection.invalidate()
            self._connection.close()
