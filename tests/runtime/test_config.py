from __future__ import annotations

import tomllib
from typing import Any

import pytest

from components.theme import ACCENT, ACCENT_ON_DARK, BUTTON_ON_DARK, DARK, LIGHT, Palette
from tests.running_service import ROOT

CONFIG: dict[str, Any] = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text())


AA_TEXT = 4.5
AA_GRAPHICS = 3.0


def luminance(colour: str) -> float:
    """Relative luminance (WCAG 2.1)."""
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize(("name", "palette"), [("light", LIGHT), ("dark", DARK)])
def test_streamlit_is_given_the_colours_of_the_theme(name: str, palette: Palette) -> None:
    colours = CONFIG["theme"][name]
    assert colours["backgroundColor"] == palette.surface
    assert colours["secondaryBackgroundColor"] == palette.raised
    assert colours["textColor"] == palette.text
    assert colours["borderColor"] == palette.line
    assert colours["grayTextColor"] == palette.quiet_text
    assert colours["primaryColor"] == (ACCENT if palette is LIGHT else BUTTON_ON_DARK)
    assert colours["linkColor"] == (ACCENT if palette is LIGHT else ACCENT_ON_DARK)


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
def test_what_is_read_stands_out_by_aa(palette: Palette) -> None:
    link, button = (ACCENT, ACCENT) if palette is LIGHT else (ACCENT_ON_DARK, BUTTON_ON_DARK)
    for colour in (palette.text, palette.quiet_text, link):
        assert contrast(colour, palette.surface) >= AA_TEXT
        assert contrast(colour, palette.raised) >= AA_TEXT
    assert contrast("#FFFFFF", button) >= AA_TEXT
    assert contrast(button, palette.surface) >= AA_GRAPHICS


def test_an_edit_does_not_start_a_second_hub_and_a_rerun_collects_no_garbage() -> None:
    assert CONFIG["server"]["fileWatcherType"] == "none"
    assert CONFIG["runner"]["postScriptGC"] is False


def test_nothing_is_told_to_others_about_who_uses_it() -> None:
    assert CONFIG["browser"]["gatherUsageStats"] is False
