"""Opening hours that somebody writes while the database that dashboards share gives no answer."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from runtime.kept_place import close_kept_place
from runtime.site_knowledge import read_kept_hours
from runtime.site_knowledge_store import SiteKnowledgeError
from tests.eventually import PATIENCE
from tests.pages.analysis import Counted
from tests.pages.test_opening_hours import SHOP, editor, kept_week, press, told, written
from tests.running_postgresql import postgresql_url, running_postgresql


def until_back() -> None:
    """Nobody asks for two seconds after a failure."""
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            read_kept_hours(SHOP)
        except SiteKnowledgeError:
            assert time.monotonic() < deadline
            time.sleep(0.05)
        else:
            return


def test_what_is_written_stands_while_the_database_is_away_and_is_kept_once_it_is_back(
    counted: Counted, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HEADROOM_SECRET", "a secret that all dashboards have alike")
    monkeypatch.setenv("HEADROOM_DASHBOARD_STORE", postgresql_url(tmp_path))
    mine, server = editor(counted), running_postgresql()
    server.stop()
    try:
        mine.text_input[0].set_value("9-18").run()
        press(mine, "Keep these hours")
        assert "so that nothing was changed; do it again when it does" in told(mine)
        mine.run()  # as the page does by itself
        assert written(mine)[0] == "9-18"
        assert "Here they are as they were read last." in told(mine)
    finally:
        server.start()
    until_back()
    press(mine, "Keep these hours")
    assert kept_week()[0] == ((540, 1080),)
    assert "read last" not in told(mine)
    close_kept_place()
