from __future__ import annotations

import tomllib
from typing import Any

import pytest

from components.theme import ACCENT, DARK, LIGHT, SERIES, Palette
from tests.running_service import ROOT

CONFIG: dict[str, Any] = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text())


@pytest.mark.parametrize(("name", "palette"), [("light", LIGHT), ("dark", DARK)])
def test_streamlit_is_given_the_colours_of_the_theme(name: str, palette: Palette) -> None:
    colours = CONFIG["theme"][name]
    assert colours["backgroundColor"] == palette.surface
    assert colours["secondaryBackgroundColor"] == palette.raised
    assert colours["textColor"] == palette.text
    assert colours["borderColor"] == palette.line
    assert colours["grayTextColor"] == palette.quiet_text
    assert colours["primaryColor"] in (ACCENT, *SERIES)


def test_an_edit_does_not_start_a_second_hub_and_a_rerun_collects_no_garbage() -> None:
    assert CONFIG["server"]["fileWatcherType"] == "none"
    assert CONFIG["runner"]["postScriptGC"] is False


def test_nothing_is_told_to_others_about_who_uses_it() -> None:
    assert CONFIG["browser"]["gatherUsageStats"] is False
