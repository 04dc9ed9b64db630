"""What one choice on the History page costs the server, with and without a full collection after it.

    python -m benchmarks.history_rerun                  20 choices of each
    python -m benchmarks.history_rerun --choices 50

Two real dashboards before one real service with a week of minutes, each with one Chromium: every choice
switches the range between the last 24 hours and the last 7 days. Counted is the processor time that the
dashboard's process spends from the choice to the finished page; answers are remembered for 20 s, as always.
The setting is Streamlit's `runner.postScriptGC`.
"""

from __future__ import annotations

import argparse
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

import psutil  # type: ignore[import-untyped]  # its stubs are a package of their own
from playwright.sync_api import Page, sync_playwright

from contract.minutes import minute_floor
from tests.e2e.conftest import PATIENCE
from tests.installed_browser import launch_browser
from tests.running_dashboard import start_dashboard
from tests.running_service import start_service
from tests.small_site import create_small_site, store_counts

MINUTES = 7 * 24 * 60
LABELS = ("Last 24 hours", "Last 7 days")
WARM_UP = 4
IDLE = "[data-testid=stApp][data-test-script-state=notRunning]"


def processor_seconds(process: psutil.Process) -> float:
    times = process.cpu_times()
    return float(times.user + times.system)


def choose(page: Page, number: int) -> None:
    label = LABELS[number % len(LABELS)]
    page.get_by_label("Range").click()
    page.get_by_role("option", name=label).click()
    page.wait_for_function(
        "wanted => new URL(location.href).searchParams.get('range') === wanted",
        arg={"Last 24 hours": "24h", "Last 7 days": "7d"}[label],
    )
    page.wait_for_timeout(300)
    page.wait_for_selector(IDLE)


def measure(page: Page, base_url: str, process_id: int, choices: int) -> float:
    """Milliseconds of processor time for a choice."""
    page.goto(f"{base_url}/history?range=7d")
    page.wait_for_selector(".js-plotly-plot")
    for number in range(WARM_UP):
        choose(page, number)
    process = psutil.Process(process_id)
    before = processor_seconds(process)
    for number in range(choices):
        choose(page, number)
    return 1000 * (processor_seconds(process) - before) / choices


def compare(folder: Path, choices: int) -> dict[str, float]:
    site = create_small_site(folder / "service")
    now = minute_floor(datetime.now(UTC))
    store_counts(site.data_dir, [(now - timedelta(minutes=ago), "entrance", 2, 1) for ago in range(MINUTES)])
    service = start_service(site.data_dir, is_anew=True)
    reader = {"HEADROOM_BASE_URL": service.base_url, "HEADROOM_API_KEY": site.read_key}
    taken: dict[str, float] = {}
    try:
        with sync_playwright() as playwright:
            browser = launch_browser(playwright.chromium)
            for setting in ("true", "false"):
                environment = reader | {"STREAMLIT_RUNNER_POST_SCRIPT_GC": setting}
                dashboard = start_dashboard(folder / setting, environment=environment, is_anew=True)
                page = browser.new_page()
                page.set_default_timeout(PATIENCE)
                taken[setting] = measure(page, dashboard.base_url, dashboard.process.pid, choices)
                page.close()
                dashboard.kill()
            browser.close()
    finally:
        service.kill()
    return taken


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--choices", type=int, default=20)
    choices = parser.parse_args().choices
    with tempfile.TemporaryDirectory() as folder:
        taken = compare(Path(folder), choices)
    print(f"Processor time of a choice on History, mean of {choices}:")
    print(f"  with a full collection after each run   {taken['true']:7.1f} ms")
    print(f"  without (as Headroom runs)              {taken['false']:7.1f} ms")
    print(f"  ratio                                   {taken['true'] / taken['false']:7.2f}")


if __name__ == "__main__":
    main()
