"""How many wall screens one process serves, beside nginx with nchan and beside `st.fragment(run_every=1)`.

    python -m benchmarks.wall
    python -m benchmarks.wall --screens 1000 --seconds 10

nchan sends messages of the same size to as many screens, and is the limit: C, inside nginx, knowing nothing
of sites. The fragment is the same page as one would build it with Streamlit alone. Latency is from the post
(of a count to the service; of a message to nchan) to the event at the screen, both seen by the generator's
clock. Processor time and memory are of the serving process: what it takes with no screen open is taken off.
nchan: `apt-get install nginx libnginx-mod-nchan`; without it that row is left out, with a message.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import psutil  # type: ignore[import-untyped]  # its stubs are a package of their own

from benchmarks.live_pages import (
    SECRET,
    TIMEZONE,
    cores_used,
    counted_service,
    measure_fragment,
    wait_until,
)
from contract.minutes import minute_floor
from live import FeedKey, GrantedFeed, StreamGrant, StreamSigner
from tests.running_dashboard import start_dashboard
from tests.running_service import ROOT, free_port, start_service
from tests.small_site import SmallSite, create_small_site, store_counts

NCHAN = Path("/usr/lib/nginx/modules/ngx_nchan_module.so")
NEED_NCHAN = "no nchan here: apt-get install nginx libnginx-mod-nchan (as root) for its row"
NGINX = """
load_module {module};
worker_processes 1;
daemon off;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
worker_rlimit_nofile 65536;
events {{ worker_connections 20000; }}
http {{
  access_log off;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  server {{
    listen 127.0.0.1:{port};
    location /pub {{ nchan_publisher; nchan_channel_id wall; nchan_message_buffer_length 1; }}
    location /sub {{ nchan_subscriber eventsource; nchan_channel_id wall; }}
  }}
}}
"""


class Served(NamedTuple):
    screens: int
    events_a_second: float
    cores: float
    kilobytes_a_screen: float
    p50: float
    p99: float
    worst: float
    """Latencies in seconds."""
    opened: float
    """Seconds until all screens were connected, who all came at once."""
    missed: int
    """Events that should have come within the window and did not, and screens that were lost."""

    @property
    def microseconds(self) -> float:
        """Processor time for each delivered event."""
        return self.cores / self.events_a_second * 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--screens", type=int, nargs="+", default=[1000, 5000])
    parser.add_argument("--fragments", type=int, default=8, help="0: leave the fragment out")
    parser.add_argument("--seconds", type=float, default=15)
    chosen = parser.parse_args()
    allow_files(2 * max(chosen.screens) + 200)
    print(
        f"{'':<10}{'screens':>8}{'opened s':>10}{'events/s':>10}{'cores':>8}{'us/event':>10}{'KB each':>9}"
        f"{'p50 ms':>8}{'p99 ms':>8}{'max ms':>8}{'missed':>8}"
    )
    with tempfile.TemporaryDirectory() as folder:
        headroom = [
            shown("Headroom", measure_relay(Path(folder) / str(screens), screens, chosen.seconds))
            for screens in chosen.screens
        ]
        nchan = [shown("nchan", measure_nchan(screens, chosen.seconds)) for screens in nchan_sizes(chosen)]
        for ours, limit in zip(headroom, nchan, strict=False):
            print(f"{ours.screens} screens: {ours.microseconds / limit.microseconds:.1f} times nchan")
        if chosen.fragments:
            compare_fragment(Path(folder), headroom[-1], chosen.fragments, chosen.seconds)


def allow_files(needed: int) -> None:
    """For this process and those it starts: a screen is an open file on either side."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    if most < needed:
        raise SystemExit(f"{needed} open files are needed and {most} allowed: ulimit -Hn")
    resource.setrlimit(resource.RLIMIT_NOFILE, (needed, most))


def shown(name: str, served: Served) -> Served:
    print(
        f"{name:<10}{served.screens:>8}{served.opened:>10.1f}{served.events_a_second:>10,.0f}{served.cores:>8.3f}"
        f"{served.microseconds:>10.1f}{served.kilobytes_a_screen:>9.1f}{served.p50 * 1000:>8.0f}"
        f"{served.p99 * 1000:>8.0f}{served.worst * 1000:>8.0f}{served.missed:>8}",
        flush=True,
    )
    return served


def measure_relay(folder: Path, screens: int, seconds: float) -> Served:
    with service_with_past(folder / "service") as (base_url, site):
        environment = {
            "HEADROOM_BASE_URL": base_url,
            "HEADROOM_API_KEY": site.read_key,
            "HEADROOM_SECRET": SECRET,
        }
        dashboard = start_dashboard(folder / "dashboard", environment=environment, is_anew=True)
        try:
            grant = StreamGrant((GrantedFeed(FeedKey(site.site_id), TIMEZONE),))
            url = f"{dashboard.base_url}/live/stream?token={StreamSigner(SECRET).sign(grant)}"
            return measure(
                dashboard.process.pid,
                [url, f"{base_url}/ingest/counts", "--key", site.ingest_key],
                screens,
                seconds,
            )
        finally:
            dashboard.kill()


@contextmanager
def service_with_past(folder: Path) -> Iterator[tuple[str, SmallSite]]:
    """A service with two hours of history."""
    site = create_small_site(folder)
    now = minute_floor(datetime.now(UTC))
    store_counts(site.data_dir, [(now - timedelta(minutes=ago), "entrance", 2, 1) for ago in range(1, 121)])
    service = start_service(site.data_dir, is_anew=True)
    try:
        yield service.base_url, site
    finally:
        service.kill()


def nchan_sizes(chosen: argparse.Namespace) -> list[int]:
    if NCHAN.exists():
        return list(chosen.screens)
    print(NEED_NCHAN)
    return []


def measure_nchan(screens: int, seconds: float) -> Served:
    port = free_port()
    with tempfile.TemporaryDirectory() as folder:
        settings = Path(folder) / "nginx.conf"
        settings.write_text(NGINX.format(module=NCHAN, folder=folder, port=port))
        nginx = subprocess.Popen(["nginx", "-p", folder, "-c", str(settings)])
        try:
            wait_until(lambda: httpx.get(f"http://127.0.0.1:{port}/").status_code > 0)
            (worker,) = psutil.Process(nginx.pid).children()
            base_url = f"http://127.0.0.1:{port}"
            return measure(worker.pid, [f"{base_url}/sub", f"{base_url}/pub"], screens, seconds)
        finally:
            nginx.terminate()
            nginx.wait()


def measure(process_id: int, arguments: list[str], screens: int, seconds: float) -> Served:
    server = psutil.Process(process_id)
    idle = cores_used(server, 3)
    memory = server.memory_info().rss
    command = [sys.executable, "-m", "benchmarks.wall_viewers", *arguments]
    command += ["--screens", str(screens), "--seconds", str(seconds)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as viewers:
        assert viewers.stdout is not None, "it is piped"
        if "ready" not in viewers.stdout.readline():
            raise SystemExit("the screens could not connect")
        used = cores_used(server, seconds)
        grown = server.memory_info().rss - memory
        return served(json.loads(viewers.stdout.readline()), used - idle, grown)


def served(seen: dict[str, Any], cores: float, grown: float) -> Served:
    return Served(
        screens=seen["screens"],
        events_a_second=seen["events"] / (seen["seconds"] - 1),
        cores=cores,
        kilobytes_a_screen=grown / 1024 / seen["screens"],
        p50=seen["p50"],
        p99=seen["p99"],
        worst=seen["max"],
        opened=seen["opened"],
        missed=max(seen["posts"] * seen["screens"] - seen["timed"], 0) + seen["lost"],
    )


def compare_fragment(folder: Path, ours: Served, pages: int, seconds: float) -> None:
    with counted_service(folder / "fragment") as environment:
        fragment = measure_fragment(environment, "true", pages, seconds)
    print(
        f"fragment: {fragment.pages} pages, {fragment.updates_a_second:.1f} updates/s, "
        f"{fragment.cores:.3f} cores, {fragment.pages_a_core:,.1f} pages a core"
    )
    ratio = ours.events_a_second / ours.cores / fragment.pages_a_core
    print(f"Headroom serves {ratio:,.0f} times the screens that the fragment serves with one core")


if __name__ == "__main__":
    main()
