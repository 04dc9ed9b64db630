"""Python and JavaScript write the same clock and the same day, asked in the Node that Playwright brings."""

from __future__ import annotations

import json
import subprocess
from datetime import UTC, datetime, timedelta
from itertools import product
from zoneinfo import ZoneInfo

import pytest

from components.number_format import formats_of
from gauge import FOLDER
from tests.screens.test_wall_sources import NODE

LOCALES = (
    *("en-US", "en-GB", "en-IN", "en-CA", "de-DE", "de-CH", "de-AT", "fr-FR", "fr-CA", "it-IT", "it-CH"),
    *("es-ES", "es-MX", "pt-BR", "nl-NL", "sv-SE", "nb-NO", "da-DK", "fi-FI", "pl-PL", "cs-CZ", "tr-TR"),
    *("ja-JP", "zh-CN", "ar", "ar-EG", "fa-IR", "he-IL", "hi-IN", "id-ID", "de-US"),
    *("ko-KR", "th-TH", "vi-VN", "zh-TW"),
)
ZONES = ("Europe/Zurich", "America/New_York", "Asia/Kathmandu")
ENDS_OF_SUMMER = (datetime(2026, 10, 25, 1, tzinfo=UTC), datetime(2026, 11, 1, 6, tzinfo=UTC))
"""In Zurich and in New York: the clocks show the hours before and after alike."""
NOW = datetime(2026, 11, 21, 12, 34, tzinfo=UTC)
MOMENTS = (
    NOW,
    datetime(2026, 11, 21, 0, 5, tzinfo=UTC),
    datetime(2026, 11, 20, 23, 59, tzinfo=UTC),
    datetime(2026, 5, 3, 8, 0, tzinfo=UTC),
    datetime(2026, 1, 1, 0, 30, tzinfo=UTC),
    datetime(2024, 2, 29, 17, 15, tzinfo=UTC),
    *(end + timedelta(minutes=late) for end in ENDS_OF_SUMMER for late in (-61, -60, -1, 0, 59, 60)),
)
WRITE = """
const { locales, zones, moments, now } = JSON.parse(require("fs").readFileSync(0, "utf8"));
const written = locales.flatMap((locale) => zones.map((zone) => {
  const of = momentsOf(locale, zone);
  return moments.map((epoch) => [of.time(epoch), of.moment(epoch, now), of.clock(17 * 60 + 5)]);
}));
process.stdout.write(JSON.stringify(written));
"""


def written_by_javascript() -> list[list[list[str]]]:
    asked = {
        "locales": LOCALES,
        "zones": ZONES,
        "moments": [moment.timestamp() for moment in MOMENTS],
        "now": NOW.timestamp(),
    }
    script = (FOLDER / "moments.js").read_text() + WRITE
    answer = subprocess.run(
        [str(NODE), "-e", script], input=json.dumps(asked).encode(), capture_output=True, check=False
    )
    assert answer.returncode == 0, answer.stderr.decode()
    found: list[list[list[str]]] = json.loads(answer.stdout)
    return found


@pytest.fixture(scope="module")
def javascript() -> dict[tuple[str, str], list[list[str]]]:
    return dict(zip(product(LOCALES, ZONES), written_by_javascript(), strict=True))


@pytest.mark.parametrize("locale", LOCALES)
def test_a_page_and_a_gauge_write_the_same(
    javascript: dict[tuple[str, str], list[list[str]]], locale: str
) -> None:
    formats = formats_of(locale, NOW)
    five_past_five = formats.time(datetime(2026, 1, 1, 17, 5, tzinfo=UTC))
    for zone in ZONES:
        local = [moment.astimezone(ZoneInfo(zone)) for moment in MOMENTS]
        expected = [[formats.time(moment), formats.moment(moment), five_past_five] for moment in local]
        assert javascript[locale, zone] == expected
