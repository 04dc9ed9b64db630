"""Stores of every kind that there is, for tests that ask through the protocol alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, nullcontext
from pathlib import Path
from shutil import copyfile
from typing import Final

from service.open_store import open_store
from service.store.protocol import Store
from service.store.sqlite.store_file import file_of, sqlite_url
from tests.lent_schema import copy_schema, lent_schema
from tests.running_postgresql import postgresql_url

URL_IN: Final[Mapping[str, Callable[[Path], str]]] = {"sqlite": sqlite_url, "postgresql": postgresql_url}
"""Scheme -> the URL of a test's store, given a folder of its own."""

LENT: Final[Mapping[str, Callable[[Path], AbstractContextManager[str]]]] = {
    "sqlite": lambda folder: nullcontext(sqlite_url(folder)),
    "postgresql": lent_schema,
}
"""The same for a test that shares it with nobody, for as long as the block lasts."""
_COPY: Final[Mapping[str, Callable[[str, str], object]]] = {
    "sqlite": lambda original, url: copyfile(file_of(original), file_of(url)),
    "postgresql": copy_schema,
}

Opened = Callable[..., Store]
"""Opens a test's store, with the clocks of `open_store` if given; called again, as another process does."""


@contextmanager
def opener(kind: str, folder: Path, original: str | None = None) -> Iterator[Opened]:
    """All that it opened is closed with the block. There is at first what is in the store that has the URL
    `original`, and is not open: quicker than to fill it anew.
    """
    with LENT[kind](folder) as url, ExitStack() as stores:
        if original:
            _COPY[kind](original, url)
        yield lambda **clocks: stores.enter_context(closing(open_store(url, **clocks)))
