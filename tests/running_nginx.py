"""The real nginx with the configuration that is shipped, on free ports."""

from __future__ import annotations

import getpass
import grp
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.running_service import ROOT, free_port

DEADLINE = 60.0
AROUND = """
daemon off;
user {user} {group};
worker_processes 1;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{ worker_connections 512; }}
http {{
    log_format tests "$upstream_addr $status $request_uri";
    access_log {folder}/access.log tests;
    gzip on;  # as Debian's nginx.conf has it
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    include {folder}/headroom.conf;
}}
"""


@dataclass(frozen=True)
class Shipped:
    """A configuration of deploy/nginx, and the ports in it."""

    name: str
    port: int
    behind: tuple[int, int]


DASHBOARDS = Shipped("headroom.conf", 80, (8501, 8511))
SERVICES = Shipped("services.conf", 8500, (8502, 8512))


@dataclass(frozen=True)
class RunningNginx:
    base_url: str
    folder: Path
    process: subprocess.Popen[bytes]

    def upstreams(self, part: str) -> list[str]:
        """`host:port` of the dashboard behind each logged request whose path contains `part`."""
        lines = (line.split(" ", 2) for line in (self.folder / "access.log").read_text().splitlines())
        return [upstream for upstream, _, path in lines if part in path]

    def access_log(self) -> str:
        return (self.folder / "access.log").read_text()

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(DEADLINE)


@contextmanager
def running_nginx(
    folder: Path,
    behind: Sequence[str],
    *,
    shipped: Shipped = DASHBOARDS,
    replacing: dict[str, str] | None = None,
) -> Iterator[RunningNginx]:
    """nginx before `behind` (base URLs, one or two); `replacing` changes words of the configuration."""
    folder.mkdir(parents=True, exist_ok=True)
    port = free_port()
    (folder / "headroom.conf").write_text(_rendered(shipped, port, behind, replacing or {}))
    group = grp.getgrgid(os.getgid()).gr_name
    main = folder / "nginx.conf"
    main.write_text(AROUND.format(folder=folder, user=getpass.getuser(), group=group))
    nginx = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin:/usr/local/sbin")
    assert nginx, "nginx is not installed: scripts/nginx does it"
    with (folder / "start.log").open("ab") as log:
        process = subprocess.Popen([nginx, "-c", str(main), "-p", str(folder)], stdout=log, stderr=log)
    started = RunningNginx(f"http://127.0.0.1:{port}", folder, process)
    try:
        _wait_until_it_listens(started, port)
        yield started
    finally:
        started.stop()


def _rendered(shipped: Shipped, port: int, behind: Sequence[str], replacing: dict[str, str]) -> str:
    hosts = [url.removeprefix("http://") for url in behind]
    words = {f"listen {shipped.port};": f"listen 127.0.0.1:{port};"} | replacing
    for number, shipped_port in enumerate(shipped.behind):
        words[f"server 127.0.0.1:{shipped_port} "] = f"server {hosts[number % len(hosts)]} "
    text = (ROOT / "deploy" / "nginx" / shipped.name).read_text()
    for shipped_word, word in words.items():
        assert shipped_word in text, f"{shipped_word!r} is not in the configuration any more"
        text = text.replace(shipped_word, word)
    return text


def _wait_until_it_listens(nginx: RunningNginx, port: int) -> None:
    deadline = time.monotonic() + DEADLINE
    while time.monotonic() < deadline:
        assert nginx.process.poll() is None, (nginx.folder / "start.log").read_text()
        with socket.socket() as connection:
            if connection.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise RuntimeError("nginx did not listen in time")
