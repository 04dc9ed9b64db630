from __future__ import annotations

import re

import pytest

from gauge import FOLDER, PLACE_SCRIPTS, PLACE_STYLES, SCRIPTS, STYLES

ALL_SCRIPTS = (*SCRIPTS, *PLACE_SCRIPTS)

TOO_NEW_FOR_2020 = {
    "css": ("color-mix(", ":has(", "@container", "aspect-ratio", "@layer", "inset:", ":is(", ":where(", "&:"),
    "js": (
        "?.",
        "??",
        "||=",
        "&&=",
        ".at(",
        "structuredClone",
        "Object.hasOwn",
        "#!",
        "import(",
        ".replaceAll(",
    ),
}


@pytest.mark.parametrize("name", [*ALL_SCRIPTS, *STYLES, PLACE_STYLES])
def test_a_browser_of_2020_understands_the_gauge(name: str) -> None:
    source = (FOLDER / name).read_text()
    assert [word for word in TOO_NEW_FOR_2020[name.rpartition(".")[2]] if word in source] == []


@pytest.mark.parametrize("name", ALL_SCRIPTS)
def test_the_gauge_does_not_know_streamlit(name: str) -> None:
    assert "streamlit" not in (FOLDER / name).read_text().lower()


@pytest.mark.parametrize("name", ALL_SCRIPTS)
def test_a_script_is_no_longer_than_one_can_hold_in_mind(name: str) -> None:
    assert len((FOLDER / name).read_text().splitlines()) <= 300


@pytest.mark.parametrize("name", ALL_SCRIPTS)
def test_ages_are_never_taken_from_the_wall_clock(name: str) -> None:
    """Date.now() appears only where a machine's sleep is noticed."""
    source = (FOLDER / name).read_text()
    allowed = {"relay_link.js": 2}
    assert len(re.findall(r"Date\.now\(\)|new Date\(\)", source)) == allowed.get(name, 0)


def test_what_a_service_says_is_text_and_never_markup() -> None:
    for name in ALL_SCRIPTS:
        assert not re.search(
            r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(", (FOLDER / name).read_text()
        )


def test_every_script_of_the_gauge_is_loaded() -> None:
    assert {path.relative_to(FOLDER).as_posix() for path in FOLDER.rglob("*.js")} == set(ALL_SCRIPTS)
