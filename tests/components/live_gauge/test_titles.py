"""Where a title that begins like another one is cut."""

from __future__ import annotations

import pytest

from tests.gauge_scripts import evaluated


@pytest.mark.parametrize(
    ("titles", "own"),
    [
        (["Department store, north", "Department store, south"], ["north", "south"]),
        (["Department store 1", "Department store 12"], ["1", "12"]),
        (["Departmentstore1", "Departmentstore2"], ["1", "2"]),
        (["Hall east", "Hall west"], ["Hall east", "Hall west"]),
        (
            ["Restaurant\N{HOUSE BUILDING}", "Restaurant\N{OFFICE BUILDING}"],
            ["\N{HOUSE BUILDING}", "\N{OFFICE BUILDING}"],
        ),
        (["Department store", "Department store"], ["Department store"] * 2),
        (["Department store"], ["Department store"]),
    ],
    ids=["a word", "a number", "one word", "signs of two letters", "short", "equal", "alone"],
)
def test_what_tells_a_title_apart_is_its_own_part(titles: list[str], own: list[str]) -> None:
    found = """given[0].map(function (title, place) {
      return title.slice(ownStart(title, sharedLetters(given[0], place)));
    })"""
    assert evaluated(found, titles) == own
