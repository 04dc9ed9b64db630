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
    assert ends == [("Outside", "Hall"), ("Hall", "Café &lt;script>")]
    assert list(sankey.link.value) == [100, 40]
    assert sankey.link.customdata[1] == "Arch &lt;b>, Hall – Café &lt;script>: 40"
    assert sankey.node.customdata[label.index("Hall")] == "Hall: 100", "who passes through, counted once"


def test_the_map_of_doors_has_the_hours_in_which_somebody_came_and_is_blank_where_nobody_did() -> None:
    came = {(NORTH, 8): 1, (SOUTH, 8): 3, (NORTH, 9): 0, (SOUTH, 9): 0, (NORTH, 10): 5, (SOUTH, 10): 0}
    found = DoorHours((NORTH, SOUTH), came, Completeness(3, 3))
    figure = door_map(found, theme="light", formats=Formats(), revision="a")
    (heat,) = figure.data
    assert [list(row) for row in heat.z] == [[25, None, 100], [75, None, 0]]
    assert list(figure.layout.xaxis.range) == [8, 11]
