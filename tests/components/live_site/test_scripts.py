from __future__ import annotations

import re
from pathlib import Path

import pytest

from components.live_gauge import PAGE_SCRIPTS
from components.live_gauge import SCRIPTS as GAUGE_SCRIPTS
from components.live_site import SCRIPTS
from tests.running_service import ROOT

GAUGE, SITE = ROOT / "components" / "live_gauge", ROOT / "components" / "live_site"
SOURCES = [
    *(GAUGE / name for name in PAGE_SCRIPTS if name not in GAUGE_SCRIPTS),
    *(SITE / name for name in (*SCRIPTS, "door_ranking.js")),
]


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.name)
def test_a_script_of_a_page_is_short_writes_text_alone_and_asks_no_wall_clock(source: Path) -> None:
    text = source.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 300
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(", text)
    assert not re.search(r"Date\.now\(\)|new Date\(\)", text)


def test_every_script_of_the_site_page_is_loaded() -> None:
    assert {path.name for path in SITE.glob("*.js")} == {*SCRIPTS, "door_ranking.js"}
