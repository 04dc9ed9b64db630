"""ClickHouse of today, in a process of its own; see `served_chdb`."""

from __future__ import annotations

import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Final

from tests.running_service import free_port

_ROOT: Final = Path(__file__).parent.parent


@dataclass
class RunningClickHouse:
    folder: Path
    port: int
    _process: subprocess.Popen[bytes] | None = field(default=None, repr=False)

    @property
    def process_id(self) -> int | None:
        return self._process.pid if self._process else None

    def url(self, folder: Path) -> str:
        """Of the archive of a test: a database of its own, named by the test's folder."""
        name = blake2b(str(folder).encode(), digest_size=8).hexdigest()
        return f"clickhouse://127.0.0.1:{self.port}/archive_{name}"

    def start(self) -> None:
        """Returns once it answers."""
        command = [sys.executable, "-m", "tests.served_chdb", str(self.port), str(self.folder / "data")]
        # It ends when its standard input does: also where this process is killed.
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, cwd=_ROOT, stdin=pipe, stdout=pipe)
        assert self._process.stdout
        assert self._process.stdout.readline(), "ClickHouse did not start"

    def kill(self) -> None:
        if self._process:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def pause(self) -> None:
        """It answers nobody, and does not say so."""
        self._signal(signal.SIGSTOP)

    def resume(self) -> None:
        self._signal(signal.SIGCONT)

    def _signal(self, number: signal.Signals) -> None:
        assert self._process
        self._process.send_signal(number)


@contextmanager
def running_clickhouse() -> Iterator[RunningClickHouse]:
    """One that ends with the block."""
    with tempfile.TemporaryDirectory(prefix="headroom-clickhouse-", ignore_cleanup_errors=True) as folder:
        server = RunningClickHouse(Path(folder), free_port())
        server.start()
        try:
            yield server
        finally:
            server.kill()
