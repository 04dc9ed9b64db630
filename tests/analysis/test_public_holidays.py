from __future__ import annotations

from datetime import date

import pytest

from analysis.public_holidays import countries, country_of, parts_of, public_holidays


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("Switzerland", "CH"), ("Schweiz", "CH"), ("suisse", "CH"), (" ch ", "CH"), ("CHE", "CH"),
        ("Danmark", "DK"), ("Deutschland", "DE"), ("United States", "US"), ("USA", "US"), ("日本", "JP"),
        ("", None), ("Nowhere", None), ("<b>CH</b>", None),
    ],
)  # fmt: skip
def test_a_country_is_known_by_its_code_and_by_its_name_in_many_languages(
    name: str, code: str | None
) -> None:
    assert country_of(name) == code


def test_countries_are_listed_by_name() -> None:
    names = list(countries().values())
    assert names == sorted(names)
    assert countries()["CH"] == "Switzerland"


def test_a_part_of_a_country_has_holidays_of_its_own() -> None:
    """Zurich keeps the first of May, by law of the canton; the whole country does not."""
    may = date(2026, 5, 1)
    assert parts_of("CH")["ZH"] == "Zürich"
    assert public_holidays("CH", "ZH", [2026])[may] == "Labor Day"
    assert may not in public_holidays("CH", "", [2026])


def test_known_days_are_there_each_year_that_is_asked_for() -> None:
    found = public_holidays("DK", "", [2025, 2026])
    assert {date(2025, 12, 25), date(2026, 1, 1), date(2026, 4, 3)} <= found.keys()
    assert {day.year for day in found} == {2025, 2026}


def test_what_is_not_known_has_no_holidays() -> None:
    assert public_holidays("XX", "", [2026]) == {}
    assert public_holidays("", "", [2026]) == {}
    assert public_holidays("CH", "nope", [2026]) == public_holidays("CH", "", [2026])
    assert parts_of("XX") == {}
