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
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType

_forking = multiprocessing.get_context("forkserver")
_forking.set_forkserver_preload(["tests.preloaded"])


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
    ) -> None:
        """Run `python -m *command` in `folder` with this `environment` alone.

        What it prints is added to `log`; what it prints as errors, too, unless `errors` is given.
        """
        self.args = ["python", "-m", *command]
        arguments = (command, folder, dict(environment), log, errors or log)
        self._process = _forking.Process(target=_run, args=arguments)
        with _no_program():
            self._process.start()
        assert self._process.pid
        self.pid = self._process.pid

    def poll(self) -> int | None:
        return self._process.exitcode

    def wait(self, timeout: float) -> int:
        """The exit code, negative for a signal; raises `subprocess.TimeoutExpired`."""
        self._process.join(timeout)
        code = self._process.exitcode
        if code is None:
            raise subprocess.TimeoutExpired(self.args, timeout)
        return code

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


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
        return subprocess.CompletedProcess(process.args, code, printed.read_text(), errors.read_text())


def _run(command: Sequence[str], folder: Path, environment: dict[str, str], log: Path, errors: Path) -> None:
    for descriptor, path in ((1, log), (2, errors)):
        with path.open("ab") as written:
            os.dup2(written.fileno(), descriptor)
    os.chdir(folder)
    sys.path.insert(0, str(folder))
    os.environ.clear()
    os.environ.update(environment)
    time.tzset()
    sys.argv[:] = command
    runpy.run_module(command[0], run_name="__main__", alter_sys=True)
