"""Two processes that keep things in one data folder, one of them killed hard while it writes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from gauge.levels import Thresholds
from runtime.preference_store import PreferenceStore
from runtime.site_knowledge_store import SiteKnowledgeStore
from screens import ScreenStore
from screens.definition import Screen
from tests.running_service import ROOT

WRITER = """
import sys
from pathlib import Path
from gauge.levels import Thresholds
from runtime.preference_store import PreferenceStore
from runtime.site_knowledge_store import SiteKnowledgeStore
from screens import Composition, ScreenStore, View, ViewKind

folder, name = Path(sys.argv[1]), sys.argv[2]
known, kept, screens = SiteKnowledgeStore(folder), PreferenceStore(folder), ScreenStore(folder)
number = 0
while True:
    number += 1
    known.keep("service", name, "note", str(number), "x" * 20_000)
    kept.keep_thresholds("service", f"{name}-{number}", Thresholds(filling=50, full=90))
    view = View(kind=ViewKind.NUMBER, site_id=name)
    screens.create(Composition(name=f"{name} {number}", views=(view,)))
    print(number, flush=True)
"""
KILLS = 2
WRITES = 12


def begun(folder: Path, name: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", WRITER, str(folder), name]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE)


def test_nothing_that_was_kept_is_lost_when_one_of_two_is_killed_while_it_writes(tmp_path: Path) -> None:
    told: dict[str, int] = {}
    lasting = begun(tmp_path, "lasting")
    try:
        assert lasting.stdout
        for kill in range(KILLS):
            killed = begun(tmp_path, f"killed-{kill}")
            try:
                assert killed.stdout
                for _ in range(WRITES):
                    told[f"killed-{kill}"] = int(killed.stdout.readline())
            finally:
                killed.kill()
                killed.communicate()
            for _ in range(WRITES):
                told["lasting"] = int(lasting.stdout.readline())
    finally:
        lasting.kill()
        lasting.communicate()
    known, kept, screens = SiteKnowledgeStore(tmp_path), PreferenceStore(tmp_path), ScreenStore(tmp_path)
    names = {screen.composition.name for screen in screens.screens() if isinstance(screen, Screen)}
    thresholds = kept.of("service").thresholds
    for name, last in told.items():
        notes = known.of("service", name, "note")
        for number in range(1, last + 1):
            assert notes[str(number)] == "x" * 20_000
            assert thresholds[f"{name}-{number}"] == Thresholds(filling=50, full=90)
            assert f"{name} {number}" in names
