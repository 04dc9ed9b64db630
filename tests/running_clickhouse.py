"""ClickHouse of today, in a process of its own, started when a test first asks for it; see `served_chdb`."""

from __future__ import annotations

import atexit
import shutil
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from functools import cache
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

    def url(self, database: str) -> str:
        return f"clickhouse://127.0.0.1:{self.port}/{database}"

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


@cache
def running_clickhouse() -> RunningClickHouse:
    """The one of this process, for tests; whoever kills it starts it again."""
    server = RunningClickHouse(Path(tempfile.mkdtemp(prefix="headroom-clickhouse-")), free_port())
    atexit.register(shutil.rmtree, server.folder, ignore_errors=True)
    atexit.register(server.kill)
    server.start()
    return server


def clickhouse_url(folder: Path) -> str:
    """Of the archive of a test: a database of its own, named by the test's folder."""
    return running_clickhouse().url(f"archive_{blake2b(str(folder).encode(), digest_size=8).hexdigest()}")
