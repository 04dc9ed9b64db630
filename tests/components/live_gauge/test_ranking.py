"""Who comes first, what share is said, and where a title that begins like another one is cut; run by Node."""

from __future__ import annotations

from typing import Any

import pytest

from components.number_format import Formats
from tests.gauge_scripts import evaluated


def ranked(*counts: float | None) -> list[tuple[str, float | None, float]]:
    rows = [{"title": str(place), "count": count} for place, count in enumerate(counts)]
    found: list[dict[str, Any]] = evaluated("ranking(given[0])", rows)
    return [(row["title"], row["share"], row["part"]) for row in found]


def test_most_comes_first_with_its_share_of_all() -> None:
    assert ranked(10, 30, 60) == [("2", 60, 1), ("1", 30, 0.5), ("0", 10, 10 / 60)]


def test_unknown_comes_last_is_not_0_and_takes_the_shares_away() -> None:
    assert ranked(None, 0, 30) == [("2", None, 1), ("1", None, 0), ("0", None, 0)]


def test_equal_counts_keep_their_order() -> None:
    assert [title for title, _, _ in ranked(5, 7, 5, 5)] == ["1", "0", "2", "3"]


def test_a_day_without_entrances_has_no_shares() -> None:
    assert ranked(0, 0) == [("0", None, 0), ("1", None, 0)]


FORMAT = "{ moment: function (epoch) { return 't' + epoch; }, number: String }"


def zone_row(
    feed: dict[str, Any] | None, since: float, *, is_current: bool = True, is_spoilt: bool = False
) -> dict[str, Any]:
    trust = {"isCurrent": is_current, "isSpoilt": is_spoilt, "isTrusted": is_current and not is_spoilt}
    view = {"feed": feed, "freshness": trust | {"word": "Offline"}}
    found: dict[str, Any] = evaluated(
        f"zoneRow({{ title: 'Hall' }}, Object.assign(given[0], {{ format: {FORMAT} }}), given[1])",
        view,
        since,
    )
    return found


def test_a_zone_that_is_counted_since_later_than_others_says_so() -> None:
    assert zone_row({"entrances_today": 3, "today_since": 0}, 0)["note"] == ""
    assert zone_row({"entrances_today": 3, "today_since": 7_200}, 0)["note"] == "since t7200"


def test_a_zone_of_which_minutes_are_missing_says_how_many_are_counted() -> None:
    feed = {"entrances_today": 3, "today_since": 0, "counted_today": [810, 1050]}
    assert zone_row(feed, 0)["note"] == "counted in 810 of 1050 minutes"
    assert zone_row(feed | {"counted_today": [1050, 1050]}, 0)["note"] == ""
    assert zone_row(feed | {"counted_today": None}, 0)["note"] == ""


def test_a_zone_whose_feed_is_cut_names_its_state() -> None:
    row = zone_row({"entrances_today": 3, "today_since": 0}, 0, is_current=False)
    assert (row["count"], row["isTrusted"], row["note"]) == (3, False, "Offline")


def test_drift_spoils_the_number_inside_and_not_who_entered() -> None:
    row = zone_row({"entrances_today": 3, "today_since": 0}, 0, is_spoilt=True)
    assert (row["count"], row["isTrusted"], row["note"]) == (3, True, "")
    row = zone_row({"entrances_today": 3, "today_since": 0}, 0, is_current=False, is_spoilt=True)
    assert (row["count"], row["isTrusted"], row["note"]) == (3, False, "Offline")


def test_a_zone_without_a_count_is_not_0() -> None:
    assert zone_row({"entrances_today": None, "today_since": None}, 0)["count"] is None
    assert zone_row(None, 0)["count"] is None


def test_beside_a_figure_no_counts_says_since_when() -> None:
    view = {
        "feed": {"entrances_today": 3, "today_since": 0, "measured_at": 9_000},
        "freshness": {"isTrusted": False, "word": "No counts", "icon": "silent"},
    }
    call = f"zoneRow({{ title: 'Hall' }}, Object.assign(given[0], {{ format: {FORMAT} }}), 0)"
    assert evaluated(call, view)["note"] == "No counts since t9000"


def test_shares_of_a_whole_are_rounded_half_up() -> None:
    shares = evaluated("given.map(function (one) { return partWords(one, { number: String }); })", *PARTS)
    assert shares == ["0\xa0%", "under 1\xa0%", "1\xa0%", "3\xa0%", "17\xa0%", "100\xa0%"]
    assert [Formats().part(share) for share in PARTS] == shares


PARTS = (0, 0.99, 1.4, 2.5, 16.7, 99.87)


def test_a_share_is_never_rounded_up_and_somebody_is_not_0_percent() -> None:
    shares = evaluated("given.map(function (one) { return percentWords(one, { number: String }); })", *SHARES)
    assert shares == ["0\xa0%", "under 1\xa0%", "under 1\xa0%", "1\xa0%", "99\xa0%", "100\xa0%"]
    assert [Formats().percent(share) for share in SHARES] == shares


SHARES = (0, 0.13, 0.99, 1, 99.87, 100)


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
