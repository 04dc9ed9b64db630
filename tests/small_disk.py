"""A disk of a few megabytes that can be filled and emptied: a tmpfs of its own."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest


@dataclass(frozen=True)
class SmallDisk:
    folder: Path

    def fill(self, *, but: int = 0) -> None:
        """Leave no byte free, or about as many as `but`."""
        with (self.folder / "ballast").open("ab", buffering=0) as ballast:
            try:
                while ballast.write(bytes(4096)) == 4096:
                    pass
            except OSError:
                pass
        assert os.statvfs(self.folder).f_bavail == 0
        os.truncate(self.folder / "ballast", (self.folder / "ballast").stat().st_size - but)

    def make_room(self) -> None:
        (self.folder / "ballast").unlink()

    def make_read_only(self) -> None:
        """Also for root, whom the rights of a folder do not stop."""
        subprocess.run(["mount", "-o", "remount,ro", str(self.folder)], check=True)

    def make_writable(self) -> None:
        subprocess.run(["mount", "-o", "remount,rw", str(self.folder)], check=True)


@contextmanager
def small_disk(folder: Path, megabytes: int = 8) -> Iterator[SmallDisk]:
    """Mounted at `folder`, which is made. Only root may mount: the test is skipped for others."""
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", str(folder)]
    mounted = subprocess.run(command, capture_output=True, text=True, check=False)
    if mounted.returncode:
        pytest.skip(f"a small disk has to be mounted, which only root may: {mounted.stderr.strip()}")
    try:
        yield SmallDisk(folder)
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)
