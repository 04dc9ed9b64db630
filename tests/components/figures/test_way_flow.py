from __future__ import annotations

import pytest

from analysis.bucket_table import Completeness
from analysis.door_blame import Way
from analysis.door_hours import DoorHours
from analysis.entrances import Place
from analysis.zone_ways import Direction, Stream
from components.figures.door_map import door_map
from components.figures.way_flow import way_flow
from components.number_format import Formats

DOOR, ARCH = Way("door", "Door", "hall", None), Way("arch", "Arch <b>", "cafe", "hall")
STREAMS = [Stream(DOOR, None, "hall", 100), Stream(ARCH, "hall", "cafe", 40)]
NAMES = {"hall": "Hall", "cafe": "Café <script>"}
NORTH, SOUTH = Place("North", "hall", "north"), Place("South", "hall", "south")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_each_passage_is_a_band_as_wide_as_people_crossed_it(theme: str) -> None:
    (sankey,) = way_flow(STREAMS, NAMES, Direction.IN, theme=theme, formats=Formats(), revision="a").data
    label = list(sankey.node.label)
    ends = [
        (label[start], label[end]) for start, end in zip(sankey.link.source, sankey.link.target, strict=True)
    ]
    assert ends == [("Outside", "Hall"), ("Hall", "Café &lt;script>"), ("Café &lt;script>", "")]
    assert list(sankey.link.value) == [100, 40, pytest.approx(0, abs=1e-6)]
    assert (sankey.link.color[-1], sankey.node.color[-1]) == ("rgba(0,0,0,0)",) * 2, "the last is not seen"
    assert sankey.link.customdata[1] == "Arch &lt;b>, Hall – Café &lt;script>: 40"
    assert sankey.node.customdata[label.index("Hall")] == "Hall: 100", "who passes through, counted once"


def test_names_are_shorter_where_a_longer_way_leaves_less_room_and_use_two_lines() -> None:
    names = {"hall": "Entrance hall of the shop", "cafe": "Café"}
    one, two = (
        way_flow(of, names, Direction.IN, theme="light", formats=Formats(), revision="a").data[0]
        for of in (STREAMS[:1], STREAMS)
    )
    assert list(one.node.label) == ["Outside", "Entrance hall of<br>the shop"]
    assert list(two.node.label) == ["Outside", "Entrance hall<br>of the shop", "Café", ""]


def test_the_map_of_doors_has_the_hours_in_which_somebody_came_and_is_blank_where_nobody_did() -> None:
    came = {(NORTH, 8): 1, (SOUTH, 8): 3, (NORTH, 9): 0, (SOUTH, 9): 0, (NORTH, 10): 5, (SOUTH, 10): 0}
    found = DoorHours((NORTH, SOUTH), came, Completeness(3, 3))
    figure = door_map(found, theme="light", formats=Formats(), revision="a")
    (heat,) = figure.data
    assert [list(row) for row in heat.z] == [[25, None, 100], [75, None, 0]]
    assert list(figure.layout.xaxis.range) == [8, 11]


def test_a_long_name_of_a_door_has_two_lines_of_a_higher_row_and_is_whole_in_a_picture() -> None:
    long = Place("Revolving door of the department store, south", "hall", "long")
    low, high = (
        door_map(
            DoorHours(doors, {(door, 8): 1 for door in doors}, Completeness(3, 3)),
            theme="light", formats=Formats(), revision="a",
        )
        for doors in ((NORTH, SOUTH), (NORTH, long))
    )  # fmt: skip
    assert list(high.layout.yaxis.ticktext) == ["North", "Revolving door<br>of the…"]
    assert high.layout.meta["ticktextOfPicture"] == ["North", long.label]
    assert high.layout.height > low.layout.height
