"""Links to the fullest sites, by names of which no two are alike."""

from __future__ import annotations

from pathlib import Path

from streamlit.testing.v1 import AppTest

from analysis.names import LONGEST_NAME

SHARE = "**10\N{NO-BREAK SPACE}%**"
PANEL = """
from datetime import UTC, datetime

from analysis.names import distinct_labels
from components.number_format import Formats
from components.panels.site_list import fullest_sites
from components.tables.site_states import progress_of
from contract import SiteSummary

names = {names}
sites = [SiteSummary(id=id_, name=name) for id_, name in names.items()]
found = [(site, 10.0) for site in sites[:2]]
fullest_sites(found, distinct_labels(names), progress_of(sites, {{}}), Formats())
"""


def links_of(names: dict[str, str], folder: Path) -> list[str]:
    """Of the first two of them."""
    (folder / "pages").mkdir()
    (folder / "pages" / "live.py").touch()  # where the links lead
    (folder / "panel.py").write_text(PANEL.format(names=names))
    shown = AppTest.from_file(str(folder / "panel.py")).run(timeout=30)
    assert not shown.exception
    return [link.proto.label.replace("\\", "") for link in shown.get("page_link")]


def test_sites_of_one_name_are_told_apart_though_the_other_is_not_among_the_fullest(tmp_path: Path) -> None:
    names = {"a": "Kiosk", "b": "Hall", "c": "Kiosk"}
    assert links_of(names, tmp_path) == [f"Kiosk (a) {SHARE}", f"Hall {SHARE}"]


def test_names_that_are_cut_before_they_differ_are_told_apart(tmp_path: Path) -> None:
    long, cut = "x" * LONGEST_NAME, "x" * (LONGEST_NAME - len("… (a)")) + "…"
    names = {"a": f"{long} north", "b": f"{long} south"}
    assert links_of(names, tmp_path) == [f"{cut} (a) {SHARE}", f"{cut} (b) {SHARE}"]
