"""How many open live pages one core holds at one update a second: pushed, and drawn again by a fragment.

    python -m benchmarks.live_pages
    python -m benchmarks.live_pages --pushed 1000 --fragments 10 --seconds 20

One real service receives one count a second. Before it stand, one after the other, Headroom's dashboard with
pushed pages and Streamlit with the same page as `st.fragment(run_every=1)`, once as Streamlit comes and once
without the garbage collection after each run. The viewers are in a process of their own. Counted is the
processor time of the serving process in the measured window; what it takes with no page open is taken off.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

import httpx
import psutil  # type: ignore[import-untyped]  # its stubs are a package of their own

from contract.minutes import minute_floor
from live import FeedKey, GrantedFeed, StreamGrant, StreamSigner
from tests.running_dashboard import start_dashboard
from tests.running_service import ROOT, free_port, start_service
from tests.small_site import SmallSite, create_small_site, store_counts

SECRET = "benchmark"
TIMEZONE = "Europe/Zurich"


class Cost(NamedTuple):
    pages: int
    updates_a_second: float
    cores: float
    """Of the serving process, without its idle share."""

    @property
    def pages_a_core(self) -> float:
        return self.updates_a_second / self.cores


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--pushed", type=int, default=1000)
    parser.add_argument("--fragments", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=20)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, counted_service(Path(folder)) as environment:
        pushed = measure_pushed(Path(folder), environment, chosen.pushed, chosen.seconds)
        fragments = {
            setting: measure_fragment(environment, setting, chosen.fragments, chosen.seconds)
            for setting in ("true", "false")
        }
    print(f"{'':<46}{'pages':>7}{'updates/s':>11}{'cores':>8}{'pages a core':>14}{'ratio':>8}")
    names = {"true": "fragment, as Streamlit comes", "false": "fragment, postScriptGC off"}
    rows = {"pushed by Headroom": pushed} | {names[key]: cost for key, cost in fragments.items()}
    for name, cost in rows.items():
        ratio = pushed.pages_a_core / cost.pages_a_core
        print(
            f"{name:<46}{cost.pages:>7}{cost.updates_a_second:>11.1f}{cost.cores:>8.3f}"
            f"{cost.pages_a_core:>14,.0f}{ratio:>8.0f}"
        )


@contextmanager
def counted_service(folder: Path) -> Iterator[dict[str, str]]:
    """A service with two hours of history and one count a second; the environment that points to it."""
    site = create_small_site(folder / "service")
    now = minute_floor(datetime.now(UTC))
    past = [(now - timedelta(minutes=ago), "entrance", 2, 1) for ago in range(1, 121)]
    store_counts(site.data_dir, past)
    service = start_service(site.data_dir, is_anew=True)
    stop = threading.Event()
    counter = threading.Thread(target=count_each_second, args=(service.base_url, site, stop))
    counter.start()
    try:
        yield {
            "HEADROOM_BASE_URL": service.base_url,
            "HEADROOM_API_KEY": site.read_key,
            "HEADROOM_SECRET": SECRET,
            "BENCHMARK_SITE": site.site_id,
        }
    finally:
        stop.set()
        counter.join()
        service.kill()


def count_each_second(base_url: str, site: SmallSite, stop: threading.Event) -> None:
    with httpx.Client(base_url=base_url, headers=site.ingest_headers, timeout=10) as client:
        for number in range(1_000_000):
            if stop.wait(1):
                return
            count = {"passageId": "entrance", "forward": 1 + number % 2, "backward": 2 - number % 2}
            body = [{"timestamp": datetime.now(UTC).isoformat(timespec="seconds"), **count}]
            client.post("/ingest/counts", json=body).raise_for_status()


def measure_pushed(folder: Path, environment: dict[str, str], pages: int, seconds: float) -> Cost:
    dashboard = start_dashboard(folder / "dashboard", environment=environment, is_anew=True)
    try:
        grant = StreamGrant((GrantedFeed(FeedKey(environment["BENCHMARK_SITE"]), TIMEZONE),))
        url = f"{dashboard.base_url}/live/stream?token={StreamSigner(SECRET).sign(grant)}"
        return measure(dashboard.process.pid, "relay", url, pages, seconds)
    finally:
        dashboard.kill()


def measure_fragment(environment: dict[str, str], collects: str, pages: int, seconds: float) -> Cost:
    port = free_port()
    command = [sys.executable, "-m", "streamlit", "run", "benchmarks/fragment_page.py"]
    command += [
        "--server.port",
        str(port),
        "--server.address",
        "127.0.0.1",
        "--runner.postScriptGC",
        collects,
    ]
    process = subprocess.Popen(
        command,
        cwd=ROOT,
        env=os.environ | environment | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_until(lambda: httpx.get(f"http://127.0.0.1:{port}/_stcore/health").is_success)
        return measure(process.pid, "fragment", f"ws://127.0.0.1:{port}/_stcore/stream", pages, seconds)
    finally:
        process.kill()
        process.wait()


def measure(process_id: int, kind: str, url: str, pages: int, seconds: float) -> Cost:
    server = psutil.Process(process_id)
    idle = cores_used([server], min(seconds, 5))
    command = [sys.executable, "-m", "benchmarks.viewers", kind, url]
    command += ["--viewers", str(pages), "--seconds", str(seconds)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as viewers:
        assert viewers.stdout is not None, "it is piped"
        if "ready" not in viewers.stdout.readline():
            raise SystemExit(f"the {kind} viewers could not connect")
        used = cores_used([server], seconds * 0.9)
        seen = json.loads(viewers.stdout.readline())
    return Cost(pages, seen["updates"] / seen["seconds"], used - idle)


def cores_used(processes: Sequence[psutil.Process], seconds: float) -> float:
    before, began = processor_time(processes), time.monotonic()
    time.sleep(seconds)
    return (processor_time(processes) - before) / (time.monotonic() - began)


def processor_time(processes: Sequence[psutil.Process]) -> float:
    """Seconds, of all together."""
    times = [process.cpu_times() for process in processes]
    return float(sum(one.user + one.system for one in times))


def wait_until(is_true: Callable[[], bool], deadline: float = 60) -> None:
    began = time.monotonic()
    while time.monotonic() - began < deadline:
        try:
            if is_true():
                return
        except httpx.TransportError:
            pass
        time.sleep(0.2)
    raise SystemExit("the server did not come up")


if __name__ == "__main__":
    main()
