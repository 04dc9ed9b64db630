"""The pages Site, History and Connection before a real service that has counted for two days."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import sleep
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from analysis.notes import Note
from runtime.site_knowledge import forget_note, keep_note, read_notes
from tests.running_service import ROOT, RunningService, start_service
from tests.small_site import SmallSite, create_small_site, half_a_day_away, store_counts

PATIENCE = 60.0
"""Seconds that a page may take on a busy machine."""
UNFOLDED = ("folded-link", "folded-table", "folded-code")
"""What the History page draws when it is opened."""
COUNTED = timedelta(hours=48)
SILENT = (timedelta(hours=5), timedelta(hours=4))
"""From so long ago to so long ago nothing was counted."""


@dataclass(frozen=True)
class Counted:
    site: SmallSite
    service: RunningService

    def page(self, name: str, **parameters: str | list[str]) -> AppTest:
        """The page after its first run, opened by a link with these parameters; what it folds is open."""
        return self.as_it_opens(name, UNFOLDED, **parameters)

    def as_it_opens(self, name: str, unfolded: Sequence[str] = (), **parameters: str | list[str]) -> AppTest:
        test = AppTest.from_file(str(ROOT / "dashboard.py"), default_timeout=PATIENCE)
        for key in unfolded:
            test.session_state[key] = True
        for parameter, value in parameters.items():
            test.query_params[parameter] = value
        test.switch_page(f"pages/{name}.py").run()
        assert not test.exception
        return test


class CountedLately:
    """Services that have counted for two days, one for each hour in which tests began.

    A run of all tests often goes over a full hour: what a test calls four hours ago would then be a place
    in which an earlier service was silent, or not. One that is followed stays, for who still reads it.
    """

    NEAR = timedelta(seconds=5)
    """Before a full hour a test waits for it: it would begin in one hour and end in the next."""
    TOLD = timedelta(seconds=65)
    """After it a test waits, too: the last minute of an hour is told once the one after it is over."""

    def __init__(self, directories: pytest.TempPathFactory, lasting: set[int]) -> None:
        self._directories = directories
        self._lasting = lasting
        self._counted: dict[datetime, Counted] = {}
        self._services = ExitStack()

    def until_this_hour(self) -> Counted:
        into = datetime.now(UTC) - this_hour()
        if timedelta(hours=1) - into <= self.NEAR:
            into -= timedelta(hours=1)
        sleep(max(0.0, (self.TOLD - into).total_seconds()))
        hour = this_hour()
        if hour not in self._counted:
            data_dir = self._directories.mktemp("counted")
            counted = self._services.enter_context(contextmanager(counted_site)(data_dir))
            self._lasting.add(counted.service.process.pid)
            self._counted[hour] = counted
        return self._counted[hour]

    def close(self) -> None:
        self._services.close()


def this_hour() -> datetime:
    """The beginning of the hour that runs now, in UTC: until then everything is counted."""
    return datetime.now(UTC).replace(minute=0, second=0, microsecond=0)


def counted_site(data_dir: Path) -> Iterator[Counted]:
    """Every minute of the last two days three come in and two of them go on into the café and out."""
    site = create_small_site(data_dir, reset_hour=half_a_day_away())  # of which both sides are counted
    end = this_hour()
    silent = range(int(SILENT[1] / timedelta(minutes=1)), int(SILENT[0] / timedelta(minutes=1)))
    counts = []
    for ago in range(int(COUNTED / timedelta(minutes=1))):
        minute = end - timedelta(minutes=1 + ago)
        if 1 + ago in range(silent.start + 1, silent.stop + 1):
            continue
        counts += [(minute, "entrance", 3, 0), (minute, "archway", 2, 0), (minute, "terrace", 2, 0)]
    store_counts(data_dir, counts)
    service = start_service(data_dir)
    yield Counted(site, service)
    service.kill()


def picture_words(test: AppTest, chart: str) -> str:
    """What a saved picture of the chart with this key says below its title."""
    protos: list[Any] = [getattr(element, "proto", None) for element in test.main]
    told = [
        json.loads(proto.json)
        for proto in protos
        if getattr(proto, "component_name", "") == "headroom_chart_picture"
    ]
    (words,) = [one["words"] for one in told if one["chart"] == chart]
    return " ".join(words)


def configure(counted: Counted, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADROOM_BASE_URL", counted.service.base_url)
    monkeypatch.setenv("HEADROOM_API_KEY", counted.site.read_key)


def text_of(test: AppTest) -> str:
    """All that the page says, without widgets."""
    said = [
        getattr(element, "value", "")
        for kind in ("title", "header", "subheader", "markdown", "caption", "info", "warning", "success")
        for element in test.get(kind)
    ]
    return "\n".join(str(value).replace("\\", "") for value in said)


def with_a_note(weeks: Counted, name: str, at: datetime, *, earlier: timedelta) -> AppTest:
    """The page `name` of the shop with a note of `at` on it, where another was kept of so long before.

    Both are forgotten then, and the page says nothing of notes.
    """
    keep_note("corner-shop", Note(at=at, text="sale *begins*"))
    keep_note("corner-shop", Note(at=at - earlier, text="long ago"))
    test = weeks.page(name, site="corner-shop")
    for kept in list(read_notes("corner-shop")):
        forget_note("corner-shop", kept)
    said = text_of(test)
    assert "Notes, as numbered on the chart:" in said
    assert "sale *begins*" in said
    assert "long ago" not in said
    assert "Notes" not in text_of(weeks.page(name, site="corner-shop"))
    return test
