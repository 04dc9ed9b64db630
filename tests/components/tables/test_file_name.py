from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from analysis.time_range import TimeRange
from components.tables.file_name import file_stem
from contract import Granularity
from tests.small_site import SITE

ZURICH = ZoneInfo("Europe/Zurich")


def stem(first: str, last: str, name: str = "Corner shop", site_id: str = "corner-shop") -> str:
    range_ = TimeRange(*(datetime.fromisoformat(one).replace(tzinfo=ZURICH) for one in (first, last)))
    site = SITE.model_copy(update={"name": name, "id": site_id})
    return file_stem(site, range_, Granularity.HOUR, ZURICH)


@pytest.mark.parametrize(
    ("first", "last", "named"),
    [
        ("2026-11-14", "2026-11-21", "corner-shop_2026-11-14_to_2026-11-20_by-hour"),
        ("2026-10-25", "2026-10-26", "corner-shop_2026-10-25_by-hour"),
        ("2026-11-20T19:38", "2026-11-21T19:38", "corner-shop_2026-11-20-1938_to_2026-11-21-1938_by-hour"),
        ("2026-11-21", "2026-11-21T09:05", "corner-shop_2026-11-21-0000_to_2026-11-21-0905_by-hour"),
    ],
)
def test_a_file_is_named_by_site_range_and_bucket(first: str, last: str, named: str) -> None:
    assert stem(first, last) == named


@pytest.mark.parametrize(
    ("name", "begins"),
    [
        ("Café Zürich & Straße", "cafe-zurich-strasse"),
        ("../../etc/passwd", "etc-passwd"),
        ("con.xlsx\x00\r\n=cmd|'/C calc'!A0", "con-xlsx-cmd-c-calc-a0"),
        ("\u202e东京", "corner-shop"),
        ("", "corner-shop"),
        ("N" * 10_000, "n" * 48),
    ],
)
def test_whatever_a_site_is_called_its_file_has_a_safe_name(name: str, begins: str) -> None:
    named = stem("2026-11-14", "2026-11-21", name)
    assert named == f"{begins}_2026-11-14_to_2026-11-20_by-hour"
    assert named.isascii()


def test_a_site_without_a_readable_name_or_id_still_has_one() -> None:
    assert stem("2026-11-14", "2026-11-21", "东京", "…").startswith("site_")
