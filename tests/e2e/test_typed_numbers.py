"""What is typed into a field for a number becomes that number, whatever its signs, or is refused."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.administered import Administered
from tests.e2e.conftest import Stage
from tests.e2e.test_pressed_twice import capacities
from tests.e2e.whole_pages import rest

TWO_NUMBERS = "This may mean two numbers"
WHOLE = "Write a whole number"
DIGITS_ALONE = "Write digits alone"


@pytest.fixture
def setup(page: Page, staged: tuple[Stage, Administered]) -> Page:
    stage, _ = staged
    page.goto(stage.url("/setup?set_up=corner-shop"))
    rest(page)
    return page


def type_into(page: Page, label: str, text: str) -> Locator:
    """Letter by letter, as by a keyboard that has them."""
    field = page.get_by_label(label, exact=True).first
    field.fill("")
    for letter in text:
        page.keyboard.insert_text(letter)
    return field


@pytest.mark.parametrize(
    ("label", "typed"),
    [
        ("Area (m²)", {"1,5": "1.5", "1'250.5": "1250.5", "1 250,5": "1250.5", "١٢٫٥": "12.5"}),
        pytest.param(
            "Capacity (people)",
            {"1'000": "1000", "1\N{NARROW NO-BREAK SPACE}000": "1000", "۴۲": "42", "４２": "42"},
            marks=pytest.mark.soak,
        ),
    ],
)
def test_it_becomes_that_number(setup: Page, label: str, typed: dict[str, str]) -> None:
    for text, number in typed.items():
        field = type_into(setup, label, text)
        field.press("Tab")
        rest(setup)
        expect(field).to_have_value(number)


@pytest.mark.parametrize(
    ("label", "typed"),
    [
        ("Area (m²)", {"1,000": TWO_NUMBERS, "1.000.000": TWO_NUMBERS, "1e3": DIGITS_ALONE}),
        pytest.param(
            "Capacity (people)",
            {"1.000": TWO_NUMBERS, "1,5": WHOLE, "1e12": DIGITS_ALONE, "12abc": DIGITS_ALONE},
            marks=pytest.mark.soak,
        ),
    ],
)
def test_what_may_be_another_number_is_refused_and_leaves_none(
    setup: Page, label: str, typed: dict[str, str]
) -> None:
    for text, words in typed.items():
        field = type_into(setup, label, text)
        field.press("Tab")
        rest(setup)
        expect(field).to_have_value("")
        assert words in str(field.evaluate("field => field.validationMessage"))
        expect(field).to_be_focused()


def test_a_press_that_leaves_what_is_refused_stores_nothing(
    setup: Page, staged: tuple[Stage, Administered]
) -> None:
    _, managed = staged
    before = capacities(managed)
    category = setup.get_by_label("Category of the site")
    category.fill("Bakery")
    category.press("Tab")
    rest(setup)
    type_into(setup, "Capacity (people)", "1.000")
    setup.get_by_role("button", name="Store this site").click()
    rest(setup)
    assert capacities(managed) == before
    expect(setup.get_by_label("Capacity (people)")).to_have_value("")
