"""Numbers as the browser writes them."""

from __future__ import annotations

import pytest

from tests.gauge_scripts import evaluated


@pytest.mark.parametrize(
    ("value", "written"), [(19.5, "20"), (19.4, "19"), (-0.4, "0"), (1234, "1,234"), (1e13, "1E13")]
)
def test_people_are_whole_also_where_a_service_tells_an_average(value: float, written: str) -> None:
    assert evaluated("formatFor('en-GB', 'UTC', null).number(given[0])", value) == written


def test_places_left_and_people_inside_add_up_to_the_capacity() -> None:
    view = {"inside": 19.4, "share": 97.0, "freshness": {"isTrusted": True}}
    call = "placesWords({ capacity: 20 }, Object.assign(given[0], { format: { number: String } }))"
    assert evaluated(call, view) == "1 place left"
