from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from analysis.door_blame import Way
from analysis.trust_request import (
    MOST_PASSAGES,
    MOST_ZONES,
    chosen_ways,
    chosen_zones,
    trust_request,
    way_queries,
    ways_of,
)
from contract import Granularity, MetricKey, Passage, Site, Zone
from tests.small_site import SITE

ZURICH = ZoneInfo("Europe/Zurich")
NOW = datetime(2026, 6, 30, 14, 30, tzinfo=UTC)


def large_site(zones: int, doors: int) -> Site:
    return SITE.model_copy(
        update={
            "zones": (
                Zone(id="whole", name="Whole"),
                *(Zone(id=f"zone-{one}", name=f"Zone {one}") for one in range(zones)),
            ),
            "passages": tuple(
                Passage(id=f"door-{one}", name=f"Door {one}", to_zone_id=f"zone-{one % zones}")
                for one in range(doors)
            ),
        }
    )


def test_the_site_comes_first_and_the_zone_that_alone_stands_for_it_is_not_asked_twice() -> None:
    chosen = chosen_zones(SITE, ["shop"])
    assert [one.label for one in chosen.subjects] == ["Corner shop", "Hall", "Café"]
    assert chosen.by_id["shop"] is chosen.subjects[0]
    assert chosen.left_out == 0


def test_of_a_site_with_sixty_zones_those_with_doors_are_asked_and_the_rest_counted() -> None:
    site = large_site(60, 100)
    site = site.model_copy(update={"passages": site.passages[50:60]})
    chosen = chosen_zones(site, ["whole"])
    assert [one.id for one in chosen.subjects[1:]] == [f"zone-{one}" for one in range(50, 60)]
    assert chosen.left_out == 60 - MOST_ZONES


def test_of_many_zones_those_that_are_asked_for_are_looked_at_and_ten_at_most() -> None:
    site = large_site(60, 100)
    chosen = chosen_zones(site, ["whole"], ["zone-44", "zone-3", "whole", "gone"])
    assert [one.id for one in chosen.subjects[1:]] == ["zone-44", "zone-3"]
    assert (chosen.left_out, set(chosen.by_id)) == (58, {"whole", "zone-44", "zone-3"})
    many = chosen_zones(site, ["whole"], [f"zone-{one}" for one in range(20, 40)])
    assert [one.id for one in many.subjects[1:]] == [f"zone-{one}" for one in range(20, 20 + MOST_ZONES)]
    assert chosen_zones(site, ["whole"], ["gone"]) == chosen_zones(site, ["whole"])


def test_passages_are_seen_from_the_zone_that_they_lead_into() -> None:
    assert ways_of(SITE) == [
        Way("entrance", "Entrance", "hall", None),
        Way("archway", "Archway", "cafe", "hall"),
        Way("terrace", "Terrace door", "cafe", None),
    ]


def test_a_passage_from_a_zone_into_itself_or_between_two_unlisted_ones_is_none() -> None:
    odd = (
        Passage(id="loop", name="Loop", from_zone_id="hall", to_zone_id="hall"),
        Passage(id="far", name="Far", from_zone_id="nowhere", to_zone_id=None),
        Passage(id="half", name="Half", from_zone_id="nowhere", to_zone_id="hall"),
    )
    ways = ways_of(SITE.model_copy(update={"passages": odd}))
    assert [(way.passage_id, way.ends) for way in ways] == [("half", ("hall",))]


def test_all_passages_of_a_zone_are_asked_or_none() -> None:
    ways = ways_of(large_site(3, 3 * 8))
    chosen = chosen_ways(ways, ["zone-2", "zone-0", "zone-1"])
    assert [way.zone_id for way in chosen] == ["zone-2"] * 8 + ["zone-0"] * 8
    assert len(chosen) <= MOST_PASSAGES


def test_no_page_asks_for_more_than_a_few_dozen() -> None:
    site = large_site(60, 100)
    zones = chosen_zones(site, ["whole"])
    ways = chosen_ways(ways_of(site), list(zones.by_id))
    assert 2 * len(zones.subjects) + len(ways) <= 48


def test_the_hours_asked_for_hold_four_weeks_of_whole_days_and_end_with_a_whole_hour() -> None:
    chosen = chosen_zones(SITE, ["shop"])
    request = trust_request(SITE.id, chosen.subjects, timezone=ZURICH, now=NOW)
    assert request.range.end == datetime(2026, 6, 30, 14, tzinfo=UTC)
    assert request.range.end - request.range.start > timedelta(days=29)
    assert request.granularity is Granularity.HOUR
    query = request.query(chosen.subjects[1])
    assert set(query.metrics) == set(MetricKey)


def test_a_door_is_asked_for_with_the_zone_behind_it() -> None:
    chosen = chosen_zones(SITE, ["shop"])
    request = trust_request(SITE.id, chosen.subjects, timezone=ZURICH, now=NOW)
    queries = way_queries(request, ways_of(SITE))
    terrace = next(query for way, query in queries.items() if way.passage_id == "terrace")
    assert terrace.filter is not None
    assert (terrace.filter.zone_ids, terrace.filter.passage_ids) == (("cafe",), ("terrace",))
    assert terrace.metrics == (MetricKey.ENTRANCES, MetricKey.EXITS)
