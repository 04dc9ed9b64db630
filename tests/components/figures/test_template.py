from __future__ import annotations

import plotly.io as pio
import pytest

from components.figures.template import palette_of, series_colours, template_name
from components.theme import DARK, LIGHT


def brightness(colour: str) -> float:
    """Relative luminance as WCAG defines it."""
    parts = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    light, dark = sorted((brightness(one), brightness(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("theme", ["light", "dark", None])
def test_each_theme_has_a_registered_template(theme: str | None) -> None:
    assert pio.templates[template_name(theme)].layout.colorway == series_colours(theme)


def test_light_is_what_an_unknown_theme_gets() -> None:
    assert palette_of(None) == LIGHT
    assert palette_of("dark") == DARK


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_first_line_stands_out_from_the_ground(theme: str) -> None:
    assert contrast(series_colours(theme)[0], palette_of(theme).surface) >= 3


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_no_two_lines_have_one_colour(theme: str) -> None:
    assert len(set(series_colours(theme))) == len(series_colours(theme))


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_what_zooms_a_chart_stands_out_from_its_bar(theme: str) -> None:
    bar = pio.templates[template_name(theme)].layout.modebar
    assert contrast(bar.color, bar.bgcolor) >= 4.5
    assert bar.bgcolor == palette_of(theme).surface
