"""Stores of every kind that there is, for tests that ask through the protocol alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Final

from service.open_store import open_store
from service.store.protocol import Store
from service.store.sqlite.store_file import sqlite_url
from tests.running_postgresql import postgresql_url

URL_IN: Final[Mapping[str, Callable[[Path], str]]] = {"sqlite": sqlite_url, "postgresql": postgresql_url}
"""Scheme -> the URL of a test's store, given a folder of its own."""

Opened = Callable[..., Store]
"""Opens a test's store, with the clocks of `open_store` if given; called again, as another process does."""


@contextmanager
def opener(kind: str, folder: Path) -> Iterator[Opened]:
    """All that it opened is closed with the block."""
    with ExitStack() as stores:
        yield lambda **clocks: stores.enter_context(closing(open_store(URL_IN[kind](folder), **clocks)))
