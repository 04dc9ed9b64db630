"""Fault 24, the browsers' half: pages that were dropped together draw the time of their return by lot."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from playwright.sync_api import Page

from tests.running_service import ROOT

LINK = ROOT / "gauge" / "relay_link.js"
PAGES = 2000
DROP_TOGETHER = """(pages) => {
  const sources = [];
  window.EventSource = function () {
    this.addEventListener = (kind, listener) => { if (kind === "state") { this.told = listener; } };
    this.close = () => {};
    sources.push(this);
  };
  window.fetch = () => new Promise(() => {});
  window.setTimeout = () => 0;
  const links = Array.from({ length: pages }, () => openRelayLink("stream", null, { changed() {} }));
  const drop = () => { sources.splice(0).forEach((source) => source.onerror()); };
  sources.forEach((source) => source.told({ type: "state", data: '{"now": 0, "feeds": {}}' }));
  drop();
  const first = links.map((link) => link.retryIn());
  for (let attempt = 0; attempt < 3; attempt += 1) {
    links.forEach((link) => link.reconnectNow());
    drop();
  }
  return [first, links.map((link) => link.retryIn())];
}"""


def test_fault_24_two_thousand_pages_that_are_dropped_together_return_spread(page: Page) -> None:
    page.add_script_tag(content=Path(LINK).read_text(encoding="utf-8"))
    first, later = page.evaluate(DROP_TOGETHER, PAGES)
    for waits in (first, later):
        shortest, longest = min(waits), max(waits)
        assert longest > 1.8 * shortest
        tenths = Counter(int((wait - shortest) / (longest - shortest) * 9.99) for wait in waits)
        assert len(tenths) == 10
        assert max(tenths.values()) < PAGES / 5
    assert min(later) > 3 * max(first)
