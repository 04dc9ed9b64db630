from __future__ import annotations

from datetime import UTC, datetime

import pytest

from components.figures.plotly_locale import d3_pattern, locale_config, tick_formats
from components.number_format import formats_of
from tests.gauge.test_moments import LOCALES


@pytest.mark.parametrize(
    ("pattern", "written"),
    [
        ("h:mm a", "%-I:%M %p"),
        ("HH.mm", "%H.%M"),
        ("EEE, d. MMM", "%a, %-d. %b"),
        ("M月d日(EEE)", "%-m月%-d日(%a)"),
        ("EEE, d 'de' MMM", "%a, %-d de %b"),
        ("HH 'h' mm 'o''clock'", "%H h %M o'clock"),
        ("d''MMM", "%-d'%b"),
    ],
)
def test_a_pattern_of_the_locale_becomes_one_of_plotly(pattern: str, written: str) -> None:
    assert d3_pattern(pattern) == written


@pytest.mark.parametrize("locale", LOCALES)
def test_plotly_is_told_all_names_of_every_locale(locale: str) -> None:
    told = locale_config(formats_of(locale))["locales"]["viewer"]["format"]
    assert {name: len(words) for name, words in told.items()} == {
        "days": 7,
        "shortDays": 7,
        "months": 12,
        "shortMonths": 12,
        "periods": 2,
    }
    assert all(word for words in told.values() for word in words)


@pytest.mark.parametrize("locale", LOCALES)
def test_an_axis_writes_the_clock_and_the_day_as_the_page_does(locale: str) -> None:
    """Python's strftime reads the same patterns; with numbers only, since its names are English."""
    formats = formats_of(locale, datetime(2026, 11, 21, tzinfo=UTC))
    clock, day = tick_formats(formats)["tickformatstops"][0]["value"].split("\n")
    moment = datetime(2026, 11, 21, 17, 5, tzinfo=UTC)
    names = locale_config(formats)["locales"]["viewer"]["format"]
    for part, word in {
        "%p": names["periods"][1],
        "%a": names["shortDays"][6],
        "%b": names["shortMonths"][10],
        "%B": names["months"][10],
    }.items():
        clock, day = clock.replace(part, word), day.replace(part, word)
    assert "".join(moment.strftime(clock).split()) == "".join(formats.time(moment).split())
    assert moment.strftime(day).split() == formats.day(moment).split()
