"""What one thread reads by several questions, of one state of a store: by one connection."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

from sqlalchemy import Connection


class ReadingTogether:
    """`read` gives a connection that sees one state for as long as it is held."""

    def __init__(self, read: Callable[[], AbstractContextManager[Connection]]) -> None:
        self._read = read
        self._held = threading.local()

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """The connection that this thread holds, or one for this alone."""
        held: Connection | None = getattr(self._held, "connection", None)
        if held is not None:
            yield held
            return
        with self._read() as connection:
            yield connection

    @contextmanager
    def together(self) -> Iterator[None]:
        """Whatever this thread reads within the block is of one state."""
        with self.reading() as connection:
            before = getattr(self._held, "connection", None)
            self._held.connection = connection
            try:
                yield
            finally:
                self._held.connection = before
