"""What a chart says of itself where it is saved."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from analysis.subject import whole_site, zone_subjects
from analysis.time_range import TimeRange
from components.number_format import Formats
from components.panels.fixed_chart import Whose, picture_of
from tests.small_site import SITE

ZURICH = ZoneInfo("Europe/Zurich")
WEEK = TimeRange(datetime(2026, 11, 15, 23, tzinfo=UTC), datetime(2026, 11, 22, 23, tzinfo=UTC))
NEW_YEAR = TimeRange(datetime(2025, 12, 24, 23, tzinfo=UTC), datetime(2025, 12, 31, 23, tzinfo=UTC))
FORMATS = Formats(now=datetime(2026, 11, 23, 12, tzinfo=UTC))


def of_week(whose: Whose, what: str = "People inside by hour") -> tuple[str, list[str], str]:
    title, words, file, _ = picture_of(
        whose, what, WEEK, ["", "All counted."], timezone=ZURICH, formats=FORMATS
    )
    return title, list(words), file


def test_a_picture_names_the_site_when_it_is_and_in_which_year_and_zone() -> None:
    title, words, file = of_week(Whose(SITE, whole_site(SITE)))
    assert title == "Corner shop: People inside by hour"
    assert words == ["Mon 16 Nov to Sun 22 Nov (2026), Zurich time.", "All counted."]
    assert file == "corner-shop_people-inside-by-hour_2026-11-16_to_2026-11-22"


def test_a_picture_of_a_zone_names_it_beside_its_site() -> None:
    title, _, file = of_week(Whose(SITE, zone_subjects(SITE, ["cafe"])[0]))
    assert title == "Corner shop, Café: People inside by hour"
    assert file == "corner-shop_cafe_people-inside-by-hour_2026-11-16_to_2026-11-22"


def test_a_year_that_is_told_already_is_not_told_again_nor_one_that_is_only_the_end() -> None:
    words = picture_of(Whose(SITE), "x", NEW_YEAR, [], timezone=ZURICH, formats=FORMATS).words
    assert words[0] == "Thu, 25 Dec 2025 to Wed, 31 Dec 2025, Zurich time."


@pytest.mark.parametrize(
    ("name", "stem"),
    [
        ("../../etc/passwd", "etc-passwd"),
        ("店", "corner-shop"),
        ("CON\u202e.png\n", "con-png"),
        ("ß" * 200, "s" * 48),
    ],
)
def test_a_name_of_any_kind_gives_a_file_that_every_system_takes(name: str, stem: str) -> None:
    _, _, file = of_week(Whose(SITE.model_copy(update={"name": name})))
    assert file == f"{stem}_people-inside-by-hour_2026-11-16_to_2026-11-22"
