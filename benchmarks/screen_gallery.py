"""What the gallery of the Screens page costs: the page with its pictures beside the page with it folded.

    python -m benchmarks.screen_gallery
    python -m benchmarks.screen_gallery --seconds 120

One service receives one count a second; one browser without a graphics card looks at the page. Counted is the
processor time of the dashboard and of the browser with all its processes: while the pictures come for the
first time, and afterwards in a window in which each is taken anew every minute.
"""

from __future__ import annotations

import argparse
import re
import tempfile
from pathlib import Path
from typing import NamedTuple

import psutil  # type: ignore[import-untyped]  # its stubs are a package of their own
from playwright.sync_api import Error as PlaywrightError
from playwright.sync_api import Frame, Page, sync_playwright

from benchmarks.live_pages import counted_service
from screens import Composition, ScreenStore, View, ViewKind
from screens.definition import Scope
from tests.installed_browser import launch_browser
from tests.running_dashboard import start_dashboard

FOLD = re.compile("^Begin with one of ")
STILLS = sum(kind.facts.scope is not Scope.ZONES for kind in ViewKind)
"""That must have come: a site without zones has no picture of them."""
PATIENCE = 120_000


class Spent(NamedTuple):
    """Seconds of processor time."""

    dashboard: float
    browser: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, counted_service(Path(folder)) as environment:
        own = Path(folder) / "dashboard"
        save_a_screen(own, environment["BENCHMARK_SITE"])
        dashboard = start_dashboard(own, environment=environment, is_anew=True)
        try:
            measure(dashboard.base_url, psutil.Process(dashboard.process.pid), chosen.seconds)
        finally:
            dashboard.kill()


def save_a_screen(folder: Path, site_id: str) -> None:
    """Then the page comes with its gallery folded."""
    folder.mkdir()
    store = ScreenStore(folder)
    store.create(Composition(name="Door", views=(View(kind=ViewKind.NUMBER, site_id=site_id),)))
    store.close()


def measure(base_url: str, dashboard: psutil.Process, seconds: float) -> None:
    with sync_playwright() as playwright:
        browser = launch_browser(playwright.chromium)
        page = browser.new_page(viewport={"width": 1280, "height": 1400})
        page.set_default_timeout(PATIENCE)
        page.goto(f"{base_url}/screens")
        page.get_by_text(FOLD).wait_for()
        folded = within(page, dashboard, seconds)
        before = spent(dashboard)
        page.get_by_text(FOLD).click()
        while sum(map(is_still, page.frames)) < STILLS:
            page.wait_for_timeout(200)
        opened = difference(before, spent(dashboard))
        shown = within(page, dashboard, seconds)
        browser.close()
    print(f"{'seconds of processor':<42}{'dashboard':>11}{'browser':>9}")
    print_row("the pictures come for the first time", opened)
    print_row(f"{seconds:.0f} s with the gallery", shown)
    print_row(f"{seconds:.0f} s with it folded", folded)
    print_row("ratio", Spent(shown.dashboard / folded.dashboard, shown.browser / folded.browser))


def is_still(frame: Frame) -> bool:
    """Whether it is a picture that stands; one that is just being replaced is none."""
    try:
        return bool(frame.evaluate("document.documentElement.dataset.still"))
    except PlaywrightError:
        return False


def print_row(name: str, cost: Spent) -> None:
    print(f"{name:<42}{cost.dashboard:>11.2f}{cost.browser:>9.2f}")


def within(page: Page, dashboard: psutil.Process, seconds: float) -> Spent:
    page.wait_for_timeout(5000)
    before = spent(dashboard)
    page.wait_for_timeout(seconds * 1000)
    return difference(before, spent(dashboard))


def spent(dashboard: psutil.Process) -> Spent:
    browser = [one for one in psutil.Process().children(recursive=True) if "chrom" in one.name()]
    return Spent(processor_time(dashboard), sum(map(processor_time, browser)))


def processor_time(process: psutil.Process) -> float:
    times = process.cpu_times()
    return float(times.user + times.system)


def difference(before: Spent, after: Spent) -> Spent:
    return Spent(after.dashboard - before.dashboard, after.browser - before.browser)


if __name__ == "__main__":
    main()
