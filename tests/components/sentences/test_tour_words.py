from __future__ import annotations

from datetime import date
from zoneinfo import ZoneInfo

import pytest

from analysis.tour import BusiestSaturday, DoubtfulDoors, Tour, TourSite
from components.number_format import Formats
from components.sentences.tour_words import STOPS, stops_of
from page_list import PAGES

SHOP = TourSite("shop", "Linden", ZoneInfo("Europe/Zurich"), (), (), 40)
STOP = SHOP._replace(id="stop", name="Stop *7*\n")
WHOLE = Tour(
    2, SHOP, BusiestSaturday(SHOP, date(2026, 10, 24), 2549, 13), SHOP, DoubtfulDoors(STOP, 1000, 1025), STOP
)
EMPTY = Tour(3, SHOP, None, None, None, None)


@pytest.mark.parametrize("tour", [WHOLE, EMPTY])
@pytest.mark.parametrize("screen", ["", "abc"])
def test_six_stops_of_one_sentence_lead_to_pages_that_are_there(tour: Tour, screen: str) -> None:
    stops = stops_of(tour, screen, Formats())
    assert len(stops) == STOPS
    assert {stop.page for stop in stops} <= {page.address for page in PAGES}
    for stop in stops:
        assert stop.sentence.endswith(".")
        assert stop.sentence.count(". ") == 0
        assert "\n" not in stop.sentence


def test_the_first_stop_is_the_busiest_saturday_at_sixty_times_its_speed() -> None:
    first = stops_of(WHOLE, "", Formats())[0]
    assert (first.page, first.link) == ("replay", {"site": "shop", "day": "2026-10-24", "speed": "60"})
    assert "Saturday 24 October 2026, the busiest of 13 Saturdays at Linden, on which 2,549 came in" in (
        first.sentence
    )


def test_what_is_said_is_what_was_counted() -> None:
    _, live, _, trust, ahead, wall = stops_of(WHOLE, "abc", Formats())
    assert (live.page, live.link) == ("live", {"site": "shop"})
    assert "in 13 weeks 1,000 people were counted into Stop *7* and 1,025 out of it" in trust.sentence
    assert trust.link == {"site": "stop"}
    assert ahead.link["site"] == "stop"
    assert wall.link == {"screen": "abc"}


def test_an_empty_hour_leads_to_a_time_that_is_not() -> None:
    assert [stop.page for stop in stops_of(EMPTY, "", Formats())] == [
        "replay", "history", "rhythm", "trust", "rhythm", "screens",
    ]  # fmt: skip
    history = stops_of(EMPTY, "", Formats())[1]
    assert "nowhere are 3 people or more inside now, as far as can be told, so here" in history.sentence
