from __future__ import annotations

import pytest

from analysis.whole_zone import open_whole_zone

HALL, GYM, WHOLE = ({"id": id_, "name": id_.title()} for id_ in ("hall", "gym", "whole"))
DOOR = {"id": "door", "fromZoneId": None, "toZoneId": "hall"}
ARCH = {"id": "arch", "fromZoneId": "hall", "toZoneId": "gym"}


@pytest.mark.parametrize(
    ("form", "choice"),
    [
        ({"zones": [HALL, GYM, WHOLE], "passages": [DOOR, ARCH]}, {}),
        ({"zones": [HALL], "passages": [DOOR]}, {}),
        ({"zones": [HALL, GYM, WHOLE], "passages": [DOOR]}, {"gym": "Gym", "whole": "Whole"}),
        ({"zones": [HALL, GYM, WHOLE], "passages": [DOOR], "topZoneId": "whole"}, {}),
        ({"zones": [HALL, GYM], "passages": [DOOR, ARCH]}, {"hall": "Hall", "gym": "Gym"}),
        ({"zones": [], "passages": []}, {}),
        ({"zones": [1, None, "a"], "passages": {"a": 1}}, {}),
        ({"zones": "hall"}, {}),
        ({}, {}),
    ],
)
def test_the_zone_that_is_the_whole_site_is_asked_for_where_it_does_not_follow(
    form: dict[str, object], choice: dict[str, str]
) -> None:
    assert open_whole_zone(form) == choice


def test_ids_that_are_no_text_are_no_zone_that_a_passage_could_touch() -> None:
    assert open_whole_zone({"zones": [{"id": 7}, {"id": []}], "passages": [{"toZoneId": "7"}]}) == {}
