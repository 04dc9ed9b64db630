"""What is kept of a floor plan, and what of it a site has."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from analysis.floor_plan import FloorPlan, KeptPlan, PictureKind, Placed, PlanPicture, Spot
from tests.small_site import SITE

PICTURE = PlanPicture(name="0" * 32, kind=PictureKind.PNG, width=800, height=400)
MIDDLE = Spot(x=0.5, y=0.5)


@pytest.mark.parametrize(
    "spot",
    [
        {"x": -0.01, "y": 0},
        {"x": 0, "y": 1.01},
        {"x": "nan", "y": 0},
        {"x": 0},
        {"x": 0, "y": 0, "z": 0},
        None,
    ],
)
def test_a_place_is_on_the_picture(spot: Any) -> None:
    with pytest.raises(ValidationError):
        Placed.model_validate({"zones": {"hall": spot}})


@pytest.mark.parametrize("name", ["../../etc/passwd", "", "0" * 31, "G" * 32, "0" * 32 + "\n"])
def test_a_picture_has_a_name_of_ours(name: str) -> None:
    with pytest.raises(ValidationError):
        PlanPicture(name=name, kind=PictureKind.PNG, width=1, height=1)


def test_what_the_service_lists_no_longer_is_kept_but_not_of_the_site() -> None:
    before = Placed(
        zones={"hall": MIDDLE, "gone": MIDDLE}, passages={"entrance": MIDDLE, "walled-up": MIDDLE}
    )
    assert before.of(SITE) == Placed(zones={"hall": MIDDLE}, passages={"entrance": MIDDLE})
    moved = Spot(x=0.1, y=0.2)
    after = before.changed_to(Placed(zones={"cafe": moved}), SITE)
    assert after == Placed(zones={"gone": MIDDLE, "cafe": moved}, passages={"walled-up": MIDDLE})


def test_places_are_kept_to_a_ten_thousandth() -> None:
    assert Placed(zones={"a": Spot(x=1 / 3, y=2 / 3)}).rounded().zones["a"] == Spot(x=0.3333, y=0.6667)


def test_what_cannot_be_read_is_damaged_and_nothing_is_not() -> None:
    plan = FloorPlan(picture=PICTURE)
    states = [KeptPlan(), KeptPlan(None, "{"), KeptPlan(plan, plan.model_dump_json())]
    assert [one.is_damaged for one in states] == [False, True, False]
