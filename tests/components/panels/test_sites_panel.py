from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

PANEL = """
from datetime import UTC, datetime

from components.number_format import Formats
from components.panels.connection import sites_panel
from components.tables.site_states import Progress, SiteState
from components.tables.site_troubles import SiteTrouble

now = datetime.now(UTC)
troubles = [SiteTrouble(f"Shop {{one}}", SiteState.SILENT, "", None) for one in range({bad})]
sites_panel(troubles, Progress({read}, 500, now, {judged}), Formats(now=now), late={late})
"""


@pytest.mark.parametrize(
    ("asked", "kind", "told"),
    [
        ((500, 500, 0, False), "success", "500 of 500 sites work as they should."),
        (
            (500, 500, 70, False),
            "warning",
            "430 of 500 sites work as they should, 70 do not (no counts: 70).",
        ),
        (
            *((500, 222, 70, False), "warning"),
            "430 of 500 sites show nothing wrong so far, 70 do not work (no counts: 70).",
        ),
        ((500, 222, 0, False), "info", "500 of 500 sites show nothing wrong so far."),
        ((500, 500, 0, True), "info", "500 of 500 sites show nothing wrong."),
        (
            *((40, 0, 1, False), "warning"),
            "40 of 500 sites read so far: of these 39 show nothing wrong, 1 does not work (no counts: 1).",
        ),
    ],
)
def test_sites_work_as_they_should_only_once_all_are_looked_at_and_counts_come(
    asked: tuple[int, int, int, bool], kind: str, told: str, tmp_path: Path
) -> None:
    """`asked`: how many of 500 are read, how many are looked at, how many do not work; whether counts lag."""
    read, judged, bad, late = asked
    script = PANEL.format(read=read, judged=judged, bad=bad, late=late)
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "live.py").touch()  # where the links lead
    (tmp_path / "panel.py").write_text(script)
    test = AppTest.from_file(str(tmp_path / "panel.py")).run(timeout=30)
    assert not test.exception
    assert [one.value.replace("\\", "") for one in getattr(test, kind)] == [told]
    links = test.get("page_link")
    assert [link.proto.label for link in links] == [f"**Shop {one}**" for one in range(min(bad, 24))]
    assert [len(table.value) for table in test.dataframe] == ([bad - 24] if bad > 24 else [])
