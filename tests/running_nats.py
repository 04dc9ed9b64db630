"""The real nats-server on a free port."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from tests.running_service import free_port

DEADLINE: Final = 60.0
WHERE: Final = f"{os.environ['PATH']}:/usr/sbin:/usr/local/sbin"


@dataclass
class RunningNats:
    folder: Path
    port: int
    options: tuple[str, ...]
    process: subprocess.Popen[bytes] | None = field(default=None, init=False)

    @property
    def url(self) -> str:
        return f"nats://127.0.0.1:{self.port}"

    def start(self) -> None:
        """On the same port."""
        server = shutil.which("nats-server", path=WHERE)
        assert server, "nats-server is not installed: scripts/nats does it"
        command = [server, "--addr", "127.0.0.1", "--port", str(self.port), *self.options]
        with (self.folder / "nats.log").open("ab") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log, cwd=self.folder)
        deadline = time.monotonic() + DEADLINE
        while time.monotonic() < deadline:
            assert self.process.poll() is None, (self.folder / "nats.log").read_text()
            with socket.socket() as connection:
                if connection.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.02)
        raise RuntimeError("nats-server did not listen in time")

    def kill(self) -> None:
        """End it as a power cut would. May be called again."""
        if self.process:
            self.process.kill()
            self.process.wait(DEADLINE)

    def freeze(self) -> None:
        assert self.process
        self.process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        assert self.process
        self.process.send_signal(signal.SIGCONT)


@contextmanager
def running_nats(folder: Path, *options: str) -> Iterator[RunningNats]:
    """Anybody may connect, unless `options` of the command say otherwise."""
    folder.mkdir(parents=True, exist_ok=True)
    server = RunningNats(folder, free_port(), options)
    server.start()
    try:
        yield server
    finally:
        server.kill()
