"""A folder into which others drop files: which are whole, what stands in them, and where they go then.

A file is claimed by being moved to `taking/`, where nobody replaces it, and goes to `done/` or `refused/`
when it was taken or can never be. Until then it stays, whatever happens: it is read again. All of it blocks
and raises OSError.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from enum import StrEnum
from pathlib import Path
from typing import Final, NamedTuple

TAKING: Final = "taking"
_UNFINISHED: Final = (".part", ".partial", ".filepart", ".tmp", ".crdownload")
"""How programs call what they have not written whole."""


class End(StrEnum):
    DONE = "done"
    REFUSED = "refused"


class Dropped(NamedTuple):
    """A file as it was in one look; a file that is still written is another one in the next."""

    modified: int
    """Nanoseconds."""
    name: str
    size: int
    inode: int

    @property
    def mark(self) -> tuple[int, int, int]:
        """The same wherever it is moved."""
        return self.inode, self.size, self.modified


class FileTooLargeError(Exception):
    pass


class StillWrittenError(Exception):
    """It changed while it was read."""


class DropFolder:
    """Belongs to one thread at a time."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._before: frozenset[tuple[int, int, int]] = frozenset()
        self.unclaimed: dict[str, str] = {}
        """Name of a file that rests -> why it could not be claimed in the last look."""

    def look(self) -> list[Dropped]:
        """Files that were claimed and rest, the oldest first; those that rest are claimed before."""
        (self._folder / TAKING).mkdir(exist_ok=True)
        dropped, claimed = list(_files(self._folder)), list(_files(self._folder / TAKING))
        seen, self._before = self._before, frozenset(one.mark for one in (*dropped, *claimed))
        names = {one.name for one in claimed}
        self.unclaimed = {}
        for one in sorted(dropped):
            # One of the same name that is not done yet comes first.
            if one.mark in seen and one.name not in names:
                try:
                    (self._folder / one.name).rename(self._folder / TAKING / one.name)
                except FileNotFoundError:
                    continue  # whoever dropped it took it back
                except OSError as error:
                    self.unclaimed[one.name] = error.strerror or type(error).__name__
                else:
                    claimed.append(one)
        return sorted(one for one in claimed if one.mark in seen)

    def read(self, file: Dropped, largest: int) -> bytes:
        """All of it. Raises FileTooLargeError, StillWrittenError."""
        if file.size > largest:
            raise FileTooLargeError
        descriptor = os.open(self._claimed(file), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb") as opened:
            content = opened.read(largest + 1)
            found = os.fstat(descriptor)
        if (found.st_ino, found.st_size, found.st_mtime_ns) != file.mark or len(content) != file.size:
            raise StillWrittenError
        return content

    def end(self, file: Dropped, end: End, why: str = "") -> Path:
        """Move it to where it stays, under a name of its own; where that is. `why` is written beside it."""
        target = self._folder / end
        target.mkdir(exist_ok=True)
        name = _free_name(target, file.name)
        if why:
            with suppress(OSError):  # a full disk: the log has it
                (target / f"{name}.why.txt").write_text(f"{why}\n", encoding="utf-8")
        self._claimed(file).rename(target / name)
        return target / name

    def _claimed(self, file: Dropped) -> Path:
        return self._folder / TAKING / file.name


def _files(folder: Path) -> Iterator[Dropped]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith(".") or entry.name.lower().endswith(_UNFINISHED):
                continue
            with suppress(FileNotFoundError):
                found = entry.stat(follow_symlinks=False)
                if stat.S_ISREG(found.st_mode):
                    yield Dropped(found.st_mtime_ns, entry.name, found.st_size, found.st_ino)


def _free_name(folder: Path, name: str) -> str:
    stem, suffix = Path(name).stem, Path(name).suffix
    free, number = name, 1
    while os.path.lexists(folder / free):
        number += 1
        free = f"{stem}-{number}{suffix}"
    return free
