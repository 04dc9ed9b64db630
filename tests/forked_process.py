"""`python -m ...` in a process of its own, forked from one that has imported the project already.

It is what a newly started interpreter would be, a second of work earlier. Tests of the command itself start
the interpreter.
"""

from __future__ import annotations

import multiprocessing
import os
import runpy
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from multiprocessing.connection import Connection, wait
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType

from tests.told_secrets import look_through, read_logs

forking = multiprocessing.get_context("forkserver")
forking.set_forkserver_preload(["tests.preloaded"])
"""Where processes are forked from one that has imported the project; the others start an interpreter anew."""


Streams = Mapping[int, Path | Connection]
"""Descriptor -> the file to which it is added, or the end of a pipe."""


class ForkedProcess:
    """As much of `subprocess.Popen` as tests need."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        folder: Path,
        environment: Mapping[str, str],
        log: Path,
        errors: Path | None = None,
        is_ours: bool = True,
    ) -> None:
        """Run `python -m *command` in `folder` with this `environment` alone.

        What it prints is added to `log`; what it prints as errors, too, unless `errors` is given. No secret
        may be in that if the program `is_ours`.
        """
        if is_ours:
            look_through(errors or log, environment)
        self._begin(command, folder, environment, {1: log, 2: errors or log})

    def _begin(
        self, command: Sequence[str], folder: Path, environment: Mapping[str, str], streams: Streams
    ) -> None:
        self.args = ["python", "-m", *command]
        self._ended = threading.Lock()
        arguments = (command, folder, dict(environment), streams)
        self._process = forking.Process(target=_run, args=arguments)
        with _no_program():
            self._process.start()
        assert self._process.pid
        self.pid = self._process.pid

    def poll(self) -> int | None:
        # Its exit code can be read once, and several threads may wait for it.
        with self._ended:
            return self._process.exitcode

    def wait(self, timeout: float | None = None) -> int:
        """The exit code, negative for a signal; raises `subprocess.TimeoutExpired`."""
        wait([self._process.sentinel], timeout)
        code = self.poll()
        if code is None:
            raise subprocess.TimeoutExpired(self.args, timeout or 0.0)
        return code

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


class ForkedChild(ForkedProcess):
    """A child with pipes, as the dashboard starts its service; the arguments are those of `Popen`."""

    def __init__(self, command: Sequence[str], *, cwd: Path, **_: object) -> None:
        given, stdin = os.pipe()
        stderr, said = os.pipe()
        self.stdin, self.stderr = os.fdopen(stdin, "wb"), os.fdopen(stderr, "rb")
        with Connection(given, writable=False) as input_end, Connection(said, readable=False) as error_end:
            streams: Streams = {0: input_end, 1: Path(os.devnull), 2: error_end}
            self._begin(command[2:], cwd, os.environ, streams)


@contextmanager
def _no_program() -> Iterator[None]:
    """The forked process would first run this one's program anew: after the test of a page, the dashboard."""
    program = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = program


def start_anew(
    command: Sequence[str], *, folder: Path, environment: Mapping[str, str], log: Path
) -> subprocess.Popen[bytes]:
    """`python -m *command` by an interpreter that is started for it, as people do; arguments as above."""
    look_through(log, environment)
    with log.open("ab") as printed:
        return subprocess.Popen(
            [sys.executable, "-m", *command],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=printed,
            stderr=printed,
        )


def run_forked(
    command: Sequence[str], *, folder: Path, output: Path | None = None, patience: float = 120.0
) -> subprocess.CompletedProcess[str]:
    """Run `python -m *command` to its end, within `patience` seconds; output to `output`, if given."""
    with TemporaryDirectory() as written:
        printed, errors = Path(written) / "printed", Path(written) / "errors"
        printed.touch()
        errors.touch()
        process = ForkedProcess(
            command, folder=folder, environment=os.environ, log=output or printed, errors=errors
        )
        try:
            code = process.wait(patience)
        finally:
            process.kill()
        read_logs()  # they are gone with the folder
        return subprocess.CompletedProcess(process.args, code, printed.read_text(), errors.read_text())


def _run(command: Sequence[str], folder: Path, environment: dict[str, str], streams: Streams) -> None:
    for descriptor, end in streams.items():
        with end.open("ab") if isinstance(end, Path) else end as opened:
            os.dup2(opened.fileno(), descriptor)
    if 0 in streams:
        sys.stdin = open(0, closefd=False)  # noqa: SIM115 - for as long as it runs
    os.chdir(folder)
    sys.path.insert(0, str(folder))
    os.environ.clear()
    os.environ.update(environment)
    time.tzset()
    sys.argv[:] = command
    runpy.run_module(command[0], run_name="__main__", alter_sys=True)
