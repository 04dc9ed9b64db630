"""Places in which a dashboard keeps things, of every kind that there is: a folder, and a database."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

from keeping import Place, SharedDatabase
from tests.eventually import PATIENCE
from tests.running_postgresql import postgresql_url

KINDS: Final = ("folder", "postgresql")


@contextmanager
def kept_at(kind: str, folder: Path) -> Iterator[Place]:
    """A test's own, given a folder of its own; called again, as another dashboard has it."""
    if kind == "folder":
        yield folder
        return
    # On a busy machine whoever comes when all connections are taken waits long for one.
    with closing(SharedDatabase(postgresql_url(folder), patience=PATIENCE)) as database:
        yield database
