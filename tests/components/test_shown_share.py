"""The percentage that is shown never contradicts the level beside it, in Python and in the browser."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from components.number_format import Formats
from gauge.levels import Occupancy, Thresholds, occupancy, share_of
from tests.gauge_scripts import evaluated

THRESHOLDS = (
    Thresholds(),
    *(Thresholds(filling=filling, full=full) for filling, full in ((1, 2), (89, 90), (5, 100), (99, 100))),
)
CAPACITIES = (1, 3, 7, 32, 50, 99.5, 220, 232, 1000, 12_345)

IN_BROWSER = """given[0].map(function (one) {
  var share = shareOf(one.inside, one.capacity);
  var view = {
    inside: one.inside, share: share, freshness: { isTrusted: true }, format: { number: String }
  };
  return {
    level: levelOf(share, one.thresholds, true), share: shareWords(one, view), places: placesWords(one, view)
  };
})"""


def shown(inside: float, capacity: float) -> int:
    """The percentage as a person reads it."""
    text = Formats().percent(share_of(inside, capacity)).removesuffix("\N{NO-BREAK SPACE}%")
    assert (text == "under 1") == (0 < (share_of(inside, capacity) or 0) < 1)
    return 0 if text == "under 1" else int(text.replace(",", ""))


def cases() -> list[tuple[float, float, Thresholds]]:
    """Each share near which a level begins or the place is full, and some that are none."""
    return [
        (inside, capacity, thresholds)
        for capacity in CAPACITIES
        for thresholds in THRESHOLDS
        for percent in (0, 1, 2, 5, 50, 70, 89, 90, 99, 100, 101, 250)
        for inside in {max(0, int(capacity * percent / 100) + step) for step in (-1, 0, 1)}
    ]


@given(
    inside=st.integers(0, 100_000) | st.floats(0, 100_000),
    capacity=st.integers(1, 100_000) | st.floats(1, 100_000),
    limits=st.tuples(st.integers(1, 100), st.integers(1, 100)).filter(lambda pair: pair[0] < pair[1]),
)
def test_shown_percentage_and_level_agree(inside: float, capacity: float, limits: tuple[int, int]) -> None:
    thresholds = Thresholds(filling=limits[0], full=limits[1])
    assert occupancy(shown(inside, capacity), thresholds) is occupancy(share_of(inside, capacity), thresholds)


@given(inside=st.integers(0, 1_000_000), capacity=st.integers(1, 1_000_000))
def test_100_percent_is_shown_only_of_what_is_full(inside: int, capacity: int) -> None:
    assert (shown(inside, capacity) >= 100) == (inside >= capacity)


def test_197_of_220_is_not_shown_as_the_90_percent_at_which_full_begins() -> None:
    assert shown(197, 220) == 89
    assert shown(198, 220) == 90


def test_browser_shows_the_same_percentage_and_level_as_python() -> None:
    told = evaluated(
        IN_BROWSER,
        [
            {
                "inside": inside,
                "capacity": capacity,
                "thresholds": {"filling": thresholds.filling, "full": thresholds.full},
            }
            for inside, capacity, thresholds in cases()
        ],
    )
    for (inside, capacity, thresholds), words in zip(cases(), told, strict=True):
        assert words["share"].replace("under 1", "0").startswith(f"{shown(inside, capacity)} % of ")
        assert words["level"] == occupancy(share_of(inside, capacity), thresholds).name.lower()


def test_browser_never_promises_a_place_that_is_not_there() -> None:
    asked = [
        {"inside": inside, "capacity": 99.5, "thresholds": {"filling": 70, "full": 90}} for inside in (98, 99)
    ]
    assert [words["places"] for words in evaluated(IN_BROWSER, asked)] == ["1 place left", "0 places left"]


@pytest.mark.parametrize(("inside", "level"), [(197, Occupancy.FILLING), (198, Occupancy.FULL)])
def test_graph_of_zones_shows_the_same_percentage(inside: int, level: Occupancy) -> None:
    words = evaluated(
        """zoneWords(
          {
            level: given[1], share: shareOf(given[0], 220),
            freshness: { isTrusted: true }, format: { number: String }
          },
          { levels: { filling: { word: "Filling" }, full: { word: "Full" } } }
        )""",
        inside,
        level.name.lower(),
    )
    assert words == f"{level.value.word}, {shown(inside, 220)}\N{NO-BREAK SPACE}%"


def test_zones_of_the_same_shown_percentage_stay_fullest_first() -> None:
    order = evaluated(
        """fullestFirst(given[0].map(function (share, place) {
          return { place: place, share: share };
        }), function (row) { return row.share; }, 0).map(function (row) { return row.place; })""",
        [89.1, 89.9, -1, 89.1],
    )
    assert order == [1, 0, 3, 2]
