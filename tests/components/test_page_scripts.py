from __future__ import annotations

import re
from pathlib import Path

import pytest

from components.chart_picture import FOLDER as PICTURES
from components.chart_picture import OF_CHARTS, OF_DRAWINGS, SHARED
from components.door_taps import FOLDER as DOORS
from components.door_taps import SCRIPTS as DOOR_SCRIPTS
from components.live_gauge import FOLDER as PAGES
from components.live_gauge import MOUNT, PAGE_SCRIPTS
from components.live_replay import FOLDER as REPLAY
from components.live_replay import MOUNT as REPLAY_MOUNT
from components.live_replay import SCRIPTS as REPLAY_SCRIPTS
from components.live_site import FOLDER as SITE
from components.live_site import SCRIPTS
from components.plan_editor import FOLDER as EDITOR
from components.plan_editor import SCRIPTS as EDITOR_SCRIPTS
from gauge import FOLDER as GAUGE

FOLDERS = (PAGES, SITE, REPLAY, DOORS, EDITOR, PICTURES)
SOURCES = [source for folder in FOLDERS for source in folder.glob("*.js")]
BY_THE_WALL_CLOCK = {"kept_count.js": 1}
"""Taps at a door are timed by a clock that goes on over a reload and while the phone is locked."""


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.name)
def test_a_script_of_a_page_is_short_writes_text_alone_and_asks_no_wall_clock(source: Path) -> None:
    text = source.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 300
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(", text)
    asked = len(re.findall(r"Date\.now\(\)|new Date\(\)", text))
    assert asked == BY_THE_WALL_CLOCK.get(source.name, 0)


def test_every_script_of_a_page_is_loaded() -> None:
    assert {path.name for path in PAGES.glob("*.js")} == {*PAGE_SCRIPTS, "live_page.js", MOUNT}
    assert {path.name for path in SITE.glob("*.js")} == {*SCRIPTS, "door_ranking.js"}
    assert {path.name for path in REPLAY.glob("*.js")} == {*REPLAY_SCRIPTS, REPLAY_MOUNT}
    assert {path.name for path in DOORS.glob("*.js")} == set(DOOR_SCRIPTS)
    assert {path.name for path in PICTURES.glob("*.js")} == {*SHARED, *OF_CHARTS, *OF_DRAWINGS}
    assert {path.name for path in EDITOR.glob("*.js")} == set(EDITOR_SCRIPTS)


def test_two_scripts_alone_ask_the_browser_to_keep_something() -> None:
    """It may refuse, which must stop no page: what was filtered, and what somebody at a door tapped."""
    paths = [*GAUGE.glob("*.js"), *SOURCES]
    asking = {path.name for path in paths if re.search("(session|local)Storage", path.read_text())}
    assert asking == {"live_view.js", "kept_count.js"}
