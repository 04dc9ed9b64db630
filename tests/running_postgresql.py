"""A real PostgreSQL server of this process's own, started when a test first asks for it."""

from __future__ import annotations

import atexit
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final

import psycopg

from tests.running_service import free_port

_PROGRAMS: Final = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
"""Debian keeps them where no shell looks."""
_ALWAYS: Final = {"listen_addresses": "127.0.0.1", "unix_socket_directories": "", "max_connections": "200"}
_OF_TESTS: Final = {
    # What is acknowledged survives the end of the server; the machine's would end the test, too.
    "fsync": "off",
    "full_page_writes": "off",
    "shared_buffers": "64MB",
    "jit": "off",
}


def program(name: str) -> str:
    found = shutil.which(name, path=os.pathsep.join([*map(str, _PROGRAMS), os.environ.get("PATH", "")]))
    assert found, f"`scripts/postgresql` installs {name}"
    return found


def _as_server() -> dict[str, Any]:
    """It refuses to run as root."""
    if os.geteuid() != 0:
        return {}
    return {"user": "postgres", "group": "postgres", "extra_groups": []}


@dataclass(frozen=True)
class RunningPostgresql:
    folder: Path
    port: int
    settings: Mapping[str, str]

    def url(self, schema: str) -> str:
        """Of a store of its own."""
        return f"postgresql://headroom@127.0.0.1:{self.port}/headroom?options=-csearch_path%3D{schema}"

    def run(self, statement: str) -> None:
        with psycopg.connect(self.address, autocommit=True) as connection:
            connection.execute(statement.encode())

    @property
    def address(self) -> str:
        return f"postgresql://headroom@127.0.0.1:{self.port}/headroom"

    def stop(self) -> None:
        self._control("stop", "-m", "immediate")

    def start(self) -> None:
        settings = " ".join(f"-c {name}={value!r}" for name, value in (_ALWAYS | dict(self.settings)).items())
        log = str(self.folder / "server.log")
        self._control("start", "--log", log, "--options", f"-p {self.port} {settings}")

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """It takes what it is sent, and answers nothing."""
        first = int((self.folder / "data" / "postmaster.pid").read_text().split()[0])
        told = subprocess.run(["pgrep", "--parent", str(first)], capture_output=True, text=True, check=True)
        processes = [first, *map(int, told.stdout.split())]
        for process in processes:
            os.kill(process, signal.SIGSTOP)
        try:
            yield
        finally:
            for process in reversed(processes):
                os.kill(process, signal.SIGCONT)

    def _control(self, *asked: str) -> None:
        command = [program("pg_ctl"), *asked, "-w", "-D", str(self.folder / "data")]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, **_as_server())


@cache
def running_postgresql() -> RunningPostgresql:
    """The one of this process, for tests."""
    server = begin_postgresql(_OF_TESTS)
    atexit.register(end_postgresql, server)
    return server


def begin_postgresql(settings: Mapping[str, str]) -> RunningPostgresql:
    """A new one, with an empty database; `settings` of its own."""
    folder = _new_folder()
    command = [program("initdb"), "-D", str(folder / "data"), "--auth=trust", "--username=headroom"]
    command += ["--encoding=UTF8", "--no-locale", "--no-sync"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, **_as_server())
    server = RunningPostgresql(folder, free_port(), settings)
    server.start()
    with psycopg.connect(server.address.removesuffix("headroom") + "postgres", autocommit=True) as connection:
        connection.execute("CREATE DATABASE headroom")
    return server


def begin_standby(first: RunningPostgresql, settings: Mapping[str, str] = _OF_TESTS) -> RunningPostgresql:
    """A copy of the server as it is now, that follows it and can be read."""
    folder = _new_folder()
    command = [program("pg_basebackup"), "-d", first.address, "-D", str(folder / "data"), "-R", "--no-sync"]
    subprocess.run([*command, "--checkpoint=fast", "--wal-method=stream"], check=True, **_as_server())
    standby = RunningPostgresql(folder, free_port(), settings)
    standby.start()
    return standby


def _new_folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="headroom-postgresql-"))
    if os.geteuid() == 0:
        shutil.chown(folder, "postgres", "postgres")
    return folder


def end_postgresql(server: RunningPostgresql) -> None:
    server.stop()
    shutil.rmtree(server.folder, ignore_errors=True)


def postgresql_url(folder: Path) -> str:
    """Of the store of a test, made if it is not there: a schema of its own, named by the test's folder."""
    schema = f"store_{blake2b(str(folder).encode(), digest_size=8).hexdigest()}"
    server = running_postgresql()
    server.run(f"CREATE SCHEMA IF NOT EXISTS {schema}")
    return server.url(schema)


def schema_of(url: str) -> str:
    """The one that `postgresql_url` gave a URL of."""
    return url.rpartition("%3D")[2]
