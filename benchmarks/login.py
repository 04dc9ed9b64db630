"""What a login costs whoever is logged in: a run of the Live page, and the opening of its live stream.

    python -m benchmarks.login               40 runs and 300 streams of each
    python -m benchmarks.login --runs 100

Two real dashboards before one real service, one with the administrator's password and one without any login,
each with one Chromium. Each run chooses another zone; counted is the processor time that the dashboard's
process spends until the page is finished. A stream is timed from the request to its first event.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import httpx
import psutil  # type: ignore[import-untyped]  # its stubs are a package of their own
from playwright.sync_api import Page, sync_playwright

from live import FeedKey, GrantedFeed, StreamGrant, StreamSigner
from runtime.password import keep_password
from tests.e2e.conftest import PATIENCE
from tests.installed_browser import launch_browser
from tests.running_dashboard import start_dashboard
from tests.running_service import start_service
from tests.small_site import SITE, create_small_site

PASSWORD = "a quiet word for the door"
SECRET = "a secret that signs what browsers open"
ZONES = ("Hall", "Café")
WARM_UP = 6
IDLE = "[data-testid=stApp][data-test-script-state=notRunning]"


class Cost(NamedTuple):
    run: float
    """Milliseconds of processor time."""
    connect: float
    """Milliseconds; the median."""


def choose(page: Page, number: int) -> None:
    page.get_by_role("combobox", name="Zone").click()
    page.get_by_role("option", name=ZONES[number % len(ZONES)]).click()
    wanted = ("hall", "cafe")[number % len(ZONES)]
    page.wait_for_function("wanted => new URL(location.href).searchParams.get('zone') === wanted", arg=wanted)
    page.wait_for_timeout(300)
    page.wait_for_selector(IDLE)


def run_cost(page: Page, process_id: int, runs: int) -> float:
    process = psutil.Process(process_id)
    for number in range(WARM_UP):
        choose(page, number)
    before = sum(process.cpu_times()[:2])
    for number in range(runs):
        choose(page, number)
    return float(1000 * (sum(process.cpu_times()[:2]) - before) / runs)


def connect_cost(base_url: str, cookies: dict[str, str], streams: int) -> float:
    grant = StreamGrant((GrantedFeed(FeedKey(SITE.id), "Europe/Zurich"),))
    address = f"{base_url}/live/stream?token={StreamSigner(SECRET).sign(grant)}"
    taken = []
    with httpx.Client(cookies=cookies, timeout=60) as client:
        for _ in range(streams):
            begun = time.perf_counter()
            with client.stream("GET", address) as stream:
                stream.raise_for_status()
                next(stream.iter_bytes())
                taken.append(time.perf_counter() - begun)
    return 1000 * statistics.median(taken)


def compare(folder: Path, runs: int, streams: int) -> dict[str, Cost]:
    site = create_small_site(folder / "service")
    service = start_service(site.data_dir, is_anew=True)
    environment = {
        "HEADROOM_BASE_URL": service.base_url,
        "HEADROOM_API_KEY": site.read_key,
        "HEADROOM_SECRET": SECRET,
    }
    costs = {}
    try:
        with sync_playwright() as playwright:
            browser = launch_browser(playwright.chromium)
            for name in ("without", "with"):
                data_dir = folder / name
                if name == "with":
                    keep_password(data_dir, PASSWORD)
                dashboard = start_dashboard(data_dir, environment=environment, is_anew=True)
                page = browser.new_page()
                page.set_default_timeout(PATIENCE)
                page.goto(f"{dashboard.base_url}/live?zone=cafe")
                if name == "with":
                    page.get_by_label("Password").fill(PASSWORD)
                    page.get_by_role("button", name="Log in").click()
                page.get_by_role("combobox", name="Zone").wait_for()
                cookies = {one["name"]: one["value"] for one in page.context.cookies(dashboard.base_url)}
                run = run_cost(page, dashboard.process.pid, runs)
                page.close()
                costs[name] = Cost(run, connect_cost(dashboard.base_url, cookies, streams))
                dashboard.kill()
            browser.close()
    finally:
        service.kill()
    return costs


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--runs", type=int, default=40)
    parser.add_argument("--streams", type=int, default=300)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        costs = compare(Path(folder), asked.runs, asked.streams)
    plain, guarded = costs["without"], costs["with"]
    print("                                              without      with a login   ratio")
    print(
        f"  a run of Live, processor time        {plain.run:8.1f} ms {guarded.run:14.1f} ms "
        f"{guarded.run / plain.run:7.2f}"
    )
    print(
        f"  /live/stream, until its first event  {plain.connect:8.2f} ms {guarded.connect:14.2f} ms "
        f"{guarded.connect / plain.connect:7.2f}"
    )


if __name__ == "__main__":
    main()
