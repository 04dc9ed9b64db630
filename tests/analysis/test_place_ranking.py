from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from analysis.doors import doors_of
from analysis.history_request import HistoryRequest
from analysis.place_ranking import (
    Place,
    doors_to_rank,
    ranking_queries,
    ranking_table,
    zones_to_rank,
)
from analysis.subject import whole_site
from analysis.time_range import TimeRange
from contract import Aggregation, Granularity, MetricKey, MetricPoint
from tests.small_site import SITE

START = datetime(2026, 6, 1, 6, tzinfo=UTC)
DAY = TimeRange(START, START.replace(day=2))
HALL, CAFE = Place("Hall", "hall"), Place("Café", "cafe")


def entered(*values: int) -> list[MetricPoint]:
    return [
        MetricPoint(timestamp=START.replace(hour=hour), metrics={"entrances": value})
        for hour, value in enumerate(values)
    ]


def test_a_door_leads_outside_and_is_entered_into_the_zone_behind_it() -> None:
    assert [(door.passage_id, door.zone_id) for door in doors_of(SITE)] == [
        ("entrance", "hall"),
        ("terrace", "cafe"),
    ]


def test_the_zone_that_stands_for_the_whole_site_is_not_ranked() -> None:
    assert zones_to_rank(SITE, ["shop"]) == [HALL, CAFE]


def test_each_place_is_asked_for_its_entrances_alone() -> None:
    request = HistoryRequest(
        "corner-shop",
        (whole_site(SITE),),
        (MetricKey.VISITORS_INSIDE,),
        DAY,
        ZoneInfo("Europe/Zurich"),
        DAY.end,
        Granularity.MINUTE,
        Aggregation.MAXIMUM,
    )
    _, terrace = doors_to_rank(SITE)
    query = ranking_queries(SITE, request, [terrace])[terrace]
    assert query.metrics == (MetricKey.ENTRANCES,)
    assert (query.granularity, query.aggregation) == (Granularity.MONTH, None)
    assert query.filter is not None
    assert (query.filter.zone_ids, query.filter.passage_ids) == (("cafe",), ("terrace",))
    assert (query.from_, query.to) == ("2026-06-01T08:00:00", "2026-06-02T08:00:00")


def test_the_most_entered_comes_first_with_its_share() -> None:
    table = ranking_table([HALL, CAFE], {HALL: entered(10), CAFE: entered(20, 10)}, "Zone")
    assert table.to_dict("list") == {"Zone": ["Café", "Hall"], "Entrances": [30, 10], "Share": [75, 25]}


def test_what_is_not_known_is_last_and_takes_the_shares_with_it() -> None:
    for answers in ({CAFE: entered(20)}, {CAFE: entered(20), HALL: []}):
        table = ranking_table([HALL, CAFE], answers, "Zone")
        assert table["Zone"].tolist() == ["Café", "Hall"]
        assert table["Entrances"].isna().tolist() == [False, True]
        assert table["Share"].isna().all()


def test_where_nobody_entered_nothing_has_a_share() -> None:
    table = ranking_table([HALL, CAFE], {HALL: entered(0), CAFE: entered(0)}, "Zone")
    assert table["Entrances"].tolist() == [0, 0]
    assert table["Share"].isna().all()
