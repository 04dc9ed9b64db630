"""The browser of tests and benchmarks: an installed Chromium or Chrome, else the one of Playwright."""

from __future__ import annotations

import shutil

from playwright.sync_api import Browser, BrowserType

# Without windows first: it is the same engine, and half the work beside it.
INSTALLED_BROWSERS = (
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
)
FEATURES_OFF = (
    # Of each window, a page that proposes addresses: costs more than most of the tests.
    *("WebUIOmniboxPopup", "WebUIOmniboxAimPopup", "WebUIOmniboxFullPopup"),
    "SpareRendererForSitePerProcess",  # beside each page, a process for one that never comes
    # What Playwright turns off: of several such lists, a browser reads the last.
    *("AvoidCorsURLLoaderRestartOnRedirect", "AvoidUnnecessaryBeforeUnloadCheckSync"),
    *("DestroyProfileOnBrowserClose", "HttpsFirstBalancedModeAutoEnable", "HttpsUpgrades", "LensOverlay"),
    *("MediaRouter", "NetworkTimeServiceQuerying", "OptimizationHints", "PaintHolding", "PreconnectToSearch"),
    "ThirdPartyStoragePartitioning",
)
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-software-rasterizer",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    f"--disable-features={','.join(FEATURES_OFF)}",
)
SPARING = ("--js-flags=--no-opt --no-maglev --no-flush-bytecode --single-threaded-gc",)
"""For tests, whose pages are open for seconds: nothing is compiled anew to run faster, which saves a seventh
of what a page costs. Not where the speed of a page is measured.
"""


def launch_browser(chromium: BrowserType, *flags: str) -> Browser:
    """A browser without a window, with `flags` beside those that all have."""
    installed = next(filter(None, map(shutil.which, INSTALLED_BROWSERS)), None)
    return chromium.launch(executable_path=installed, args=[*FLAGS, *flags])
