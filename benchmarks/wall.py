"""How many wall screens one process serves, beside nginx with nchan and beside `st.fragment(run_every=1)`.

    python -m benchmarks.wall
    python -m benchmarks.wall --screens 1000 --seconds 10

nchan sends messages of the same size to as many screens, and is the limit: C, inside nginx, knowing nothing
of sites. 20,000 screens are served by two processes of either. The fragment is the same page as one would
build it with Streamlit alone. Latency is from the post (of a count to the service; of a message to nchan) to
the event at the screen, both seen by the generator's clock. Processor time and memory are of the serving
process: what it takes with no screen open is taken off.
nchan: `apt-get install nginx libnginx-mod-nchan`; without it that row is left out, with a message.
"""

from __future__ import annotations

import argparse
import heapq
import json
import math
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from subprocess import PIPE
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
from benchmarks.wall_viewers import SETTLING
from contract.minutes import minute_floor
from live import FeedKey, GrantedFeed, StreamGrant, StreamSigner
from tests.running_dashboard import start_dashboard
from tests.running_service import ROOT, free_port, start_service
from tests.small_site import SmallSite, create_small_site, store_counts

_SCREENS_A_PROCESS = 10_000
NCHAN = Path("/usr/lib/nginx/modules/ngx_nchan_module.so")
NEED_NCHAN = "no nchan here: apt-get install nginx libnginx-mod-nchan (as root) for its row"
NGINX = """
load_module {module};
worker_processes {workers};
daemon off;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
worker_rlimit_nofile {files};
events {{ worker_connections {files}; }}
http {{
  access_log off;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  server {{
    listen 127.0.0.1:{port} backlog=4096;
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
    parser.add_argument("--screens", type=int, nargs="+", default=[1000, 5000, 20_000])
    parser.add_argument("--fragments", type=int, default=8, help="0: leave the fragment out")
    parser.add_argument("--seconds", type=float, default=15)
    chosen = parser.parse_args()
    allow_files(min(max(chosen.screens), _SCREENS_A_PROCESS) + 1000)
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
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (needed, max(needed, most)))
    except ValueError as error:  # only root may have more
        raise SystemExit(f"{needed} open files are needed and {most} allowed: ulimit -Hn") from error


def shown(name: str, served: Served) -> Served:
    print(
        f"{name:<10}{served.screens:>8}{served.opened:>10.1f}{served.events_a_second:>10,.0f}{served.cores:>8.3f}"
        f"{served.microseconds:>10.1f}{served.kilobytes_a_screen:>9.1f}{served.p50 * 1000:>8.0f}"
        f"{served.p99 * 1000:>8.0f}{served.worst * 1000:>8.0f}{served.missed:>8}",
        flush=True,
    )
    return served


def measure_relay(folder: Path, screens: int, seconds: float) -> Served:
    with service_with_past(folder / "service") as (base_url, site), ExitStack() as ending:
        environment = {
            "HEADROOM_BASE_URL": base_url,
            "HEADROOM_API_KEY": site.read_key,
            "HEADROOM_SECRET": SECRET,
        }
        dashboards = []
        for number in range(processes(screens)):
            one = start_dashboard(folder / f"dashboard{number}", environment=environment, is_anew=True)
            ending.callback(one.kill)
            dashboards.append(one)
        grant = StreamGrant((GrantedFeed(FeedKey(site.site_id), TIMEZONE),))
        token = StreamSigner(SECRET).sign(grant)
        return measure(
            [one.process.pid for one in dashboards],
            [f"{one.base_url}/live/stream?token={token}" for one in dashboards],
            ["--post", f"{base_url}/ingest/counts", "--key", site.ingest_key],
            screens,
            seconds,
        )


def processes(screens: int) -> int:
    """How many share the screens: a process may have some 20,000 files open on many a machine."""
    return math.ceil(screens / _SCREENS_A_PROCESS)


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
        settings.write_text(
            NGINX.format(
                module=NCHAN,
                folder=folder,
                port=port,
                workers=processes(screens),
                files=min(screens, _SCREENS_A_PROCESS) * 19 // 10 + 500,  # they are not shared evenly,
            )
        )
        nginx = subprocess.Popen(["nginx", "-p", folder, "-c", str(settings)])
        try:
            wait_until(lambda: httpx.get(f"http://127.0.0.1:{port}/").status_code > 0)
            workers = [worker.pid for worker in psutil.Process(nginx.pid).children()]
            base_url = f"http://127.0.0.1:{port}"
            urls = [f"{base_url}/sub"] * len(workers)
            return measure(workers, urls, ["--post", f"{base_url}/pub"], screens, seconds)
        finally:
            nginx.terminate()
            nginx.wait()


def measure(
    process_ids: Sequence[int], urls: Sequence[str], posting: Sequence[str], screens: int, seconds: float
) -> Served:
    """Each process serves as many screens as the others, at its URL; `posting` tells the first to post."""
    servers = [psutil.Process(process_id) for process_id in process_ids]
    idle = cores_used(servers, 3)
    memory = [server.memory_info().rss for server in servers]
    with tempfile.NamedTemporaryFile() as times, ExitStack() as ending:
        viewers = []
        for number, url in enumerate(urls):
            command = [sys.executable, "-m", "benchmarks.wall_viewers", url, times.name]
            command += ["--screens", str(screens // len(urls)), "--seconds", str(seconds)]
            command += [] if number else posting
            viewers.append(
                ending.enter_context(subprocess.Popen(command, cwd=ROOT, text=True, stdin=PIPE, stdout=PIPE))
            )
            if "ready" not in heard(viewers[-1]):
                raise SystemExit("the screens could not connect")
        for one in viewers:
            assert one.stdin is not None, "it is piped"
            print(file=one.stdin, flush=True)
        time.sleep(SETTLING)
        used = cores_used(servers, seconds)
        grown = sum(server.memory_info().rss for server in servers) - sum(memory)
        return served([json.loads(heard(one)) for one in viewers], used - idle, grown)


def heard(viewers: subprocess.Popen[str]) -> str:
    assert viewers.stdout is not None, "it is piped"
    return viewers.stdout.readline()


def served(seen: Sequence[dict[str, Any]], cores: float, grown: float) -> Served:
    screens, posts = sum(one["screens"] for one in seen), sum(one["posts"] for one in seen)
    latencies = list(heapq.merge(*(one["latencies"] for one in seen)))
    return Served(
        screens=screens,
        events_a_second=sum(one["events"] / (one["seconds"] - 1) for one in seen),
        cores=cores,
        kilobytes_a_screen=grown / 1024 / screens,
        p50=quantile(latencies, 0.5),
        p99=quantile(latencies, 0.99),
        worst=quantile(latencies, 1.0),
        opened=sum(one["opened"] for one in seen),
        missed=max(posts * screens - len(latencies), 0) + sum(one["lost"] for one in seen),
    )


def quantile(ordered: Sequence[float], share: float) -> float:
    return ordered[min(int(len(ordered) * share), len(ordered) - 1)] if ordered else float("nan")


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
