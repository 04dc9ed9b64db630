from __future__ import annotations

from analysis.bucket_table import Completeness
from analysis.door_blame import Way
from analysis.door_hours import DoorHours
from analysis.entrances import Place
from analysis.zone_ways import Direction, Stream
from components.number_format import Formats
from components.sentences.door_words import (
    counted_by_all,
    door_hours_words,
    shade_words,
    share_words,
    ways_words,
)

NORTH, SOUTH = Place("North", "hall", "north"), Place("South", "hall", "south")
READ = Formats()
ALL_HOURS = Completeness(4, 4)


def found(came: dict[tuple[Place, int], int], hours: Completeness = ALL_HOURS) -> DoorHours:
    return DoorHours((NORTH, SOUTH), came, hours)


def test_the_first_door_is_named_with_its_share_and_when_another_leads() -> None:
    came = {(NORTH, 8): 10, (SOUTH, 8): 30, (NORTH, 9): 50, (SOUTH, 9): 10}
    assert door_hours_words(found(came), READ) == (
        "Most came in by North: 60\N{NO-BREAK SPACE}% of 100 people."
        " South brings more than any other from 08:00 to 09:00."
    )


def test_a_door_that_leads_twice_is_named_once() -> None:
    came = {
        (door, hour): count
        for hour, counts in {7: (0, 9), 8: (90, 10), 9: (4, 8), 10: (3, 6)}.items()
        for door, count in zip((NORTH, SOUTH), counts, strict=True)
    }
    assert door_hours_words(found(came), READ).endswith(
        "South brings more than any other from 07:00 to 08:00 and from 09:00 to 11:00."
    )


def test_nobody_is_said_to_be_nobody_and_no_door_is_first() -> None:
    assert door_hours_words(found({(NORTH, 8): 0, (SOUTH, 8): 0}), READ) == (
        "Nobody came in by any of these doors."
    )


def test_a_cell_says_its_share_that_nobody_came_or_that_nothing_is_counted() -> None:
    came = {(NORTH, 8): 1, (SOUTH, 8): 3, (NORTH, 9): 0, (SOUTH, 9): 0}
    said = [share_words(found(came), 0, hour, READ) for hour in (8, 9, 10)]
    assert said == [
        "North, 08:00 to 09:00: 25\N{NO-BREAK SPACE}% of 4 who came in",
        "North, 09:00 to 10:00: nobody came in",
        "North, 10:00 to 11:00: no counts",
    ]


def test_what_the_colours_tell_is_said_for_paper_and_pictures() -> None:
    came = {(NORTH, 8): 1, (SOUTH, 8): 3, (NORTH, 9): 2, (SOUTH, 9): 2}
    assert shade_words(found(came), READ) == (
        "Share of all who came in at that time of the day; the strongest colour is 75\N{NO-BREAK SPACE}%."
    )
    assert found({}).largest_share == 0


def test_hours_that_are_left_out_are_told() -> None:
    assert counted_by_all(found({}), READ) == "Both doors have counts in all 4 hours."
    assert counted_by_all(found({}, Completeness(3, 4)), READ) == (
        "Both doors have counts in 3 of 4 hours; the others are left out, since a door has no or fewer counts"
        " in them."
    )


def test_the_widest_way_is_named_with_both_of_its_ends() -> None:
    way = Way("door", "Door", "hall", None)
    names = {"hall": "Hall"}
    assert ways_words([Stream(way, None, "hall", 1200)], Direction.IN, names, READ, are_all=True) == (
        "Most cross Door inwards, 1,200: from the outside to Hall."
    )
    assert ways_words([], Direction.OUT, names, READ, are_all=True) == "Nobody crossed a passage outwards."


def test_where_some_passages_have_no_counts_the_widest_is_that_of_the_others() -> None:
    stream = Stream(Way("door", "Door", "hall", None), None, "hall", 12)
    assert ways_words([stream], Direction.IN, {"hall": "Hall"}, READ, are_all=False) == (
        "Of the passages with counts, most cross Door inwards, 12: from the outside to Hall."
    )
    assert ways_words([], Direction.IN, {}, READ, are_all=False) == (
        "Of the passages with counts, nobody crossed one inwards."
    )
