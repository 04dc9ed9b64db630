"""Which door brings people, and the ways through the zones: parts of History, before a real service."""

from __future__ import annotations

from datetime import timedelta

from tests.pages.analysis import Counted, text_of, this_hour


def two_hours() -> dict[str, str]:
    """Counted in every minute: three come in by the entrance, two go on to the café and out."""
    end = this_hour()
    start = end - timedelta(hours=2)
    return {"from": f"{start:%Y-%m-%dT%H:%M}", "to": f"{end:%Y-%m-%dT%H:%M}", "timezone": "Etc/UTC"}


def test_doors_by_hour_name_the_door_that_brings_people_and_its_share(counted: Counted) -> None:
    test = counted.as_it_opens("history", ["folded-door_front"], site="corner-shop", **two_hours())
    said = text_of(test)
    assert "Most came in by Entrance: 100\N{NO-BREAK SPACE}% of 360 people." in said
    assert "Both doors have counts in all 2 hours." in said
    assert len(test.get("plotly_chart")) == 2


def test_the_ways_in_are_a_picture_and_a_table_of_who_crossed_each_passage(counted: Counted) -> None:
    test = counted.as_it_opens("history", ["folded-conversion_path"], site="corner-shop", **two_hours())
    said = text_of(test)
    assert "Most cross Entrance inwards, 360: from the outside to Hall." in said
    (table,) = [frame.value for frame in test.dataframe]
    assert table.values.tolist() == [["Entrance", "Outside", "Hall", 360], ["Archway", "Hall", "Café", 240]]


def test_the_ways_out_lead_back_to_the_outside(counted: Counted) -> None:
    test = counted.as_it_opens("history", ["folded-conversion_path"], site="corner-shop", **two_hours())
    test.segmented_control(key="ways-direction").set_value("out").run()
    assert "Most cross Terrace door outwards, 240: from Café to the outside." in text_of(test)


def test_the_ways_are_shown_hour_by_hour(counted: Counted) -> None:
    hours = two_hours()
    test = counted.as_it_opens("history", ["folded-conversion_path"], site="corner-shop", **hours)
    slider = test.select_slider(key="ways-hour")
    slider.set_value(int(hours["from"][11:13])).run()
    assert "Most cross Entrance inwards, 180: from the outside to Hall." in text_of(test)
    test.select_slider(key="ways-hour").set_value((int(hours["from"][11:13]) + 12) % 24).run()
    assert "Nobody crossed a passage inwards." not in text_of(test), "that hour is not in the range"
    assert "3 of 3 passages have no counts in this range" in text_of(test)
