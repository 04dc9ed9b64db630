"""A connection that waits for no reading for ever: a server that is frozen takes what it is sent, and answers
nothing, while its machine goes on acknowledging.
"""

from __future__ import annotations

import time
from typing import Any, Final

import psycopg
from psycopg.abc import RV, PQGen
from psycopg.waiting import Ready

SILENT_SECONDS: Final = 5
"""How long nobody wonders about a server that says nothing."""
_TURN_SECONDS: Final = 0.1


class ReadingConnection(psycopg.Connection[Any]):
    """While it may only read, and nothing has come for a while, it asks whether the server takes another
    connection: one that is at work does, so that a long statement is not cut.
    """

    def wait(self, gen: PQGen[RV], interval: float = _TURN_SECONDS, timeout: float | None = None) -> RV:
        """Raises OperationalError, with the connection closed, where the server does not answer."""
        return super().wait(self._watched(gen) if self.read_only else gen, interval, timeout)

    def rollback(self) -> None:
        """Of a connection that is no more the server does it: what is to be told is why."""
        if not self.closed:
            super().rollback()

    def _watched(self, gen: PQGen[RV]) -> PQGen[RV]:
        heard = time.monotonic()
        try:
            wanted = next(gen)
            while True:
                ready = yield wanted
                if ready != Ready.NONE:
                    heard = time.monotonic()
                elif time.monotonic() - heard > SILENT_SECONDS:
                    self._ask()
                    heard = time.monotonic()
                wanted = gen.send(ready)
        except StopIteration as ended:
            found: RV = ended.value
            return found

    def _ask(self) -> None:
        told = self.info
        try:
            psycopg.connect(told.dsn, password=told.password, connect_timeout=SILENT_SECONDS).close()
        except psycopg.errors.ConnectionTimeout as error:
            # What it was asked may still be answered, to nobody.
            self.close()
            raise psycopg.OperationalError("it has ceased to answer") from error
        except psycopg.Error:
            return  # also who refuses has answered
