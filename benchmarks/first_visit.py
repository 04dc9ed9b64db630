"""What a first visit weighs and how long it takes on a phone: each page with an empty cache.

    python -m benchmarks.first_visit
    python -m benchmarks.first_visit --rounds 3 --latency 165 --processor 1 --pages live history

Three ways to the same dashboard, in turn: as it comes; without compression (the browser is told to take
none); and behind deploy/nginx with TLS and HTTP/2. The network is Chromium's emulation: 9 Mbit/s down,
1.5 up, `--latency` milliseconds to each answer's head; the processor is slowed `--processor` times. Shown are
medians of the rounds: bytes and requests until the page rests, and seconds until

    files     the scripts that the page's HTML names are there
    socket    Streamlit's WebSocket is open
    drawn     what the page is for: a number, a sentence, a chart, a graph

On a busy machine the emulation at times withholds answers that were sent, until it is lifted: such a visit
is left out, and said.
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from playwright.sync_api import Browser, CDPSession, Page, sync_playwright
from playwright.sync_api import TimeoutError as NotDrawn

from benchmarks.live_pages import counted_service
from tests.installed_browser import launch_browser
from tests.running_dashboard import start_dashboard
from tests.running_nginx import running_nginx
from tests.running_service import free_port

DOWN, UP = 9e6 / 8, 1.5e6 / 8
"""Bytes a second."""
PATIENCE = 30_000
REST = 1.5
"""Seconds without an answer after which a page has all it wants."""
PLOT = ".js-plotly-plot .main-svg"
DRAWN: Mapping[str, Mapping[str, str]] = {
    "overview": {"number": ".card .number"},
    "live": {"number": ".hero .number"},
    "history": {"sentence": "text=/Fullest/", "chart": PLOT},
    "site": {"number": ".graph a.zone .number"},
}
"""Page -> what it is for -> where that appears."""


@dataclass
class Visit:
    began: float | None = None
    """Of the first request; monotonic, as all times here."""
    requests: int = 0
    bytes: int = 0
    named_until: float = 0
    """When the last of the files was there that the HTML names."""
    socket: float = 0
    last_answer: float = 0
    drawn: dict[str, float] = field(default_factory=dict)
    named: set[str] = field(default_factory=set)

    def watch(self, session: CDPSession) -> None:
        session.on("Network.requestWillBeSent", self._asked)
        session.on("Network.loadingFinished", self._answered)
        session.on("Network.webSocketHandshakeResponseReceived", self._opened)

    def _asked(self, event: dict[str, Any]) -> None:
        self.began = self.began or event["timestamp"]
        self.requests += 1
        if event["initiator"]["type"] == "parser" and "/js/" in event["request"]["url"]:
            self.named.add(event["requestId"])

    def _answered(self, event: dict[str, Any]) -> None:
        self.bytes += int(event["encodedDataLength"])
        self.last_answer = time.monotonic()
        if event["requestId"] in self.named:
            self.named_until = event["timestamp"]

    def _opened(self, event: dict[str, Any]) -> None:
        self.socket = event["timestamp"]

    def seconds(self) -> dict[str, float]:
        began = self.began or 0
        moments = {"files": self.named_until, "socket": self.socket} | self.drawn
        return {name: moment - began for name, moment in moments.items()}


@dataclass(frozen=True)
class Phone:
    browser: Browser
    latency: float
    processor: float

    def visit(self, address: str, drawn: Mapping[str, str], *, compressed: bool) -> Visit:
        context = self.browser.new_context(
            viewport={"width": 390, "height": 844}, locale="en-GB", ignore_https_errors=True
        )
        context.set_default_timeout(PATIENCE)
        try:
            page = context.new_page()
            visit = Visit()
            self._slow_down(context.new_cdp_session(page), visit, compressed=compressed)
            page.goto(address, wait_until="commit")
            for name, selector in drawn.items():
                page.locator(selector).first.wait_for(state="attached")
                visit.drawn[name] = time.monotonic()
            rest(page, visit)
            return visit
        finally:
            context.close()

    def _slow_down(self, session: CDPSession, visit: Visit, *, compressed: bool) -> None:
        visit.watch(session)
        session.send("Network.enable")
        if not compressed:
            session.send("Network.setExtraHTTPHeaders", {"headers": {"Accept-Encoding": "identity"}})
        network = {"latency": self.latency, "downloadThroughput": DOWN, "uploadThroughput": UP}
        session.send("Network.emulateNetworkConditions", {"offline": False} | network)
        session.send("Emulation.setCPUThrottlingRate", {"rate": self.processor})


def rest(page: Page, visit: Visit) -> None:
    while time.monotonic() - visit.last_answer < REST:
        page.wait_for_timeout(100)


@contextmanager
def secured(folder: Path, dashboard: str) -> Iterator[str]:
    """The shipped nginx before `dashboard`, with TLS and HTTP/2; its base URL."""
    port, certificate, key = free_port(), folder / "certificate.pem", folder / "key.pem"
    made = [
        "openssl",
        "req",
        "-x509",
        "-nodes",
        "-newkey",
        "rsa:2048",
        "-days",
        "2",
        "-subj",
        "/CN=localhost",
    ]
    command = [*made, "-keyout", str(key), "-out", str(certificate)]
    subprocess.run(command, check=True, capture_output=True)
    listen = f"listen 127.0.0.1:{port} ssl http2;"
    secure = f"{listen} ssl_certificate {certificate}; ssl_certificate_key {key}; server_name _;"
    with running_nginx(folder / "nginx", [dashboard], replacing={"server_name _;": secure}):
        yield f"https://127.0.0.1:{port}"


def report(name: str, page: str, visits: Sequence[Visit]) -> None:
    def middle(of: Callable[[Visit], float]) -> float:
        return median(map(of, visits))

    moments = "  ".join(
        f"{moment} {middle(lambda visit, moment=moment: visit.seconds()[moment]):5.2f}"  # type: ignore[misc]
        for moment in visits[0].seconds()
    )
    weight = f"{middle(lambda visit: visit.bytes) / 1e6:6.2f} MB {middle(lambda visit: visit.requests):4.0f}"
    print(f"{page:<9} {name:<24} {weight} requests   {moments}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--latency", type=float, default=60)
    parser.add_argument("--processor", type=float, default=4)
    parser.add_argument("--pages", nargs="+", choices=list(DRAWN), default=list(DRAWN))
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, counted_service(Path(folder)) as environment:
        dashboard = start_dashboard(Path(folder) / "dashboard", environment=environment, is_anew=True)
        try:
            with secured(Path(folder), dashboard.base_url) as secure, sync_playwright() as playwright:
                browser = launch_browser(playwright.chromium)
                phone = Phone(browser, chosen.latency, chosen.processor)
                ways = {
                    "as it comes": (dashboard.base_url, True),
                    "without compression": (dashboard.base_url, False),
                    "nginx, TLS, HTTP/2": (secure, True),
                }
                for page in chosen.pages:
                    path = "" if page == "overview" else page
                    visits: dict[str, list[Visit]] = {name: [] for name in ways}
                    for _ in range(chosen.rounds):
                        for name, (base_url, compressed) in ways.items():
                            try:
                                visit = phone.visit(f"{base_url}/{path}", DRAWN[page], compressed=compressed)
                                visits[name].append(visit)
                            except NotDrawn:
                                print(f"{page:<9} {name:<24} left out: not drawn in {PATIENCE / 1000:.0f} s")
                    for name, made in visits.items():
                        if made:
                            report(name, page, made)
        finally:
            dashboard.kill()


if __name__ == "__main__":
    main()
