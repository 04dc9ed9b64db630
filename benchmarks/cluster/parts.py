"""The parts of a cluster, each a real server in a folder of its own; any may be killed, and comes back."""

from __future__ import annotations

import os
import secrets
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Final, Protocol

import httpx
import psutil  # type: ignore[import-untyped]  # its stubs are a package of their own

from benchmarks.cluster.chain import Chain, load_chain
from tests.running_dashboard import RunningDashboard, start_dashboard
from tests.running_nats import RunningNats, running_nats
from tests.running_nginx import DASHBOARDS, SERVICES, RunningNginx, Shipped, running_nginx
from tests.running_postgresql import RunningPostgresql, begin_postgresql, end_postgresql
from tests.running_service import RunningService, start_service
from tests.served_clickhouse_18 import TwoShards, two_shards

PATIENCE: Final = 60.0
_HOW_MANY: Final = 2
"""Services, and dashboards."""
# Not what tests have: here it matters that what is acknowledged is on the disk.
_POSTGRESQL: Final = {"shared_buffers": "256MB", "max_connections": "200", "jit": "off"}


class Part(Protocol):
    """Something that may be gone."""

    @property
    def name(self) -> str: ...

    def kill(self) -> None:
        """As a power cut would."""

    def start(self) -> None:
        """Again, where it was; returns once it serves."""


@dataclass
class Killed:
    """A part of two functions."""

    name: str
    kill: Callable[[], None]
    start: Callable[[], None]


@dataclass
class ServerPart:
    """A service, or a dashboard."""

    name: str
    begin: Callable[[int | None], RunningService | RunningDashboard]
    """Starts it at a port, or at any."""
    running: RunningService | RunningDashboard | None = None

    @property
    def base_url(self) -> str:
        assert self.running
        return self.running.base_url

    def kill(self) -> None:
        if self.running:
            self.running.kill()

    def start(self) -> None:
        port = int(self.base_url.rsplit(":", 1)[1]) if self.running else None
        self.running = self.begin(port)


@dataclass
class NginxPart:
    """One nginx before services, or before dashboards."""

    name: str
    running: RunningNginx
    _process: subprocess.Popen[bytes] | None = None

    def kill(self) -> None:
        """With its workers, which would go on without it."""
        process = self._process or self.running.process
        if process.poll() is None:
            workers = psutil.Process(process.pid).children(recursive=True)
            for one in (*workers, process):
                one.kill()
            process.wait(PATIENCE)

    def start(self) -> None:
        command = self.running.process.args
        assert isinstance(command, list)
        with (self.running.folder / "start.log").open("ab") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=log)
        wait_for(f"{self.running.base_url}/healthz", self.name)


@dataclass(frozen=True)
class Cluster:
    chain: Chain
    dashboards_url: str
    services_url: str
    secret: str
    """By which dashboards sign streams."""
    parts: tuple[Part, ...]
    services: tuple[ServerPart, ...]
    folder: Path = field(repr=False)


def wait_for(url: str, name: str) -> None:
    """Until it answers with anything at all."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        try:
            httpx.get(url, timeout=5.0)
        except httpx.TransportError:
            time.sleep(0.05)
        else:
            return
    raise RuntimeError(f"{name} did not answer in time")


@contextmanager
def running_cluster(folder: Path, *, sites: int, tell: Callable[[str], None]) -> Iterator[Cluster]:
    """All of it, ended together with the block; `tell` hears what is started."""
    with ExitStack() as stack:
        tell("PostgreSQL, NATS, ClickHouse")
        postgresql = begin_postgresql(_POSTGRESQL)
        stack.callback(end_postgresql, postgresql)
        nats = stack.enter_context(running_nats(folder / "nats"))
        (folder / "clickhouse").mkdir()
        clickhouse = stack.enter_context(two_shards(folder / "clickhouse"))
        for schema in ("service", "dashboards"):
            postgresql.run(f"CREATE SCHEMA {schema}")
        tell(f"{sites} sites, and three days of a hundred days ago")
        chain = load_chain(postgresql.url("service"), sites)
        services = _services(folder, postgresql, nats, clickhouse)
        for service in services:
            tell(service.name)
            stack.callback(service.kill)
            service.start()
        before_services = _before(stack, folder, "nginx before the services", SERVICES, services)
        environment = _environment_of_dashboards(postgresql, chain, before_services.running.base_url)
        dashboards = tuple(
            ServerPart(
                f"dashboard {number}",
                partial(_dashboard, folder / f"dashboard-{number}", environment),
            )
            for number in range(1, _HOW_MANY + 1)
        )
        for dashboard in dashboards:
            tell(dashboard.name)
            stack.callback(dashboard.kill)
            dashboard.start()
        before_dashboards = _before(stack, folder, "nginx before the dashboards", DASHBOARDS, dashboards)
        yield Cluster(
            chain,
            before_dashboards.running.base_url,
            before_services.running.base_url,
            environment["HEADROOM_SECRET"],
            (
                *services,
                *dashboards,
                Killed("PostgreSQL", postgresql.stop, postgresql.start),
                Killed("NATS", nats.kill, nats.start),
                *(
                    Killed(f"ClickHouse shard {number}", shard.kill, shard.start)
                    for number, shard in enumerate(clickhouse.shards, 1)
                ),
                before_services,
                before_dashboards,
            ),
            services,
            folder,
        )


def _services(
    folder: Path, postgresql: RunningPostgresql, nats: RunningNats, archive: TwoShards
) -> tuple[ServerPart, ...]:
    environment = {
        "HEADROOM_SERVICE_STORE": postgresql.url("service"),
        "HEADROOM_SERVICE_NATS_URL": nats.url,
        "HEADROOM_SERVICE_ARCHIVE": archive.url("headroom"),
        "HEADROOM_SERVICE_ARCHIVE_DAYS": "62",
    }
    numbers = range(1, _HOW_MANY + 1)
    return tuple(
        ServerPart(f"service {number}", partial(_service, folder / f"service-{number}", environment))
        for number in numbers
    )


def _service(folder: Path, environment: dict[str, str], port: int | None) -> RunningService:
    return start_service(folder, port=port, environment=environment, is_anew=True)


def _dashboard(folder: Path, environment: dict[str, str], port: int | None) -> RunningDashboard:
    return start_dashboard(folder, port=port, environment=environment, is_anew=True)


def _environment_of_dashboards(postgresql: RunningPostgresql, chain: Chain, base_url: str) -> dict[str, str]:
    secret = secrets.token_hex(16)
    return {
        "HEADROOM_BASE_URL": base_url,
        "HEADROOM_API_KEY": chain.read_key,
        "HEADROOM_DASHBOARD_STORE": postgresql.url("dashboards"),
        "HEADROOM_SECRET": secret,
        "STREAMLIT_SERVER_COOKIE_SECRET": secret,
        "STREAMLIT_SERVER_HEADLESS": "true",
        "PATH": os.environ["PATH"],
    }


def _before(
    stack: ExitStack,
    folder: Path,
    name: str,
    shipped: Shipped,
    behind: Sequence[ServerPart],
) -> NginxPart:
    urls = [one.base_url for one in behind]
    running = stack.enter_context(running_nginx(folder / name.replace(" ", "-"), urls, shipped=shipped))
    part = NginxPart(name, running)
    stack.callback(part.kill)
    return part
