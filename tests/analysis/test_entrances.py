from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from analysis.entrances import (
    Place,
    counted_hours,
    doors_of,
    doors_to_rank,
    entrances_by_door,
    entrances_today,
    ranking_queries,
    ranking_table,
    zones_to_rank,
)
from analysis.history_request import HistoryRequest
from analysis.subject import whole_site
from analysis.time_range import TimeRange
from contract import Aggregation, Granularity, MetricKey, MetricPoint, Passage
from tests.small_site import SITE

ZURICH = ZoneInfo("Europe/Zurich")
NOON = datetime(2026, 6, 1, 10, tzinfo=UTC)


def test_doors_are_passages_with_one_side_outside() -> None:
    odd = (
        Passage(id="air", name="Air"),
        Passage(id="lost", name="Lost", to_zone_id="gone"),
        Passage(id="nameless", name="", to_zone_id="hall"),
    )
    doors = doors_of(SITE.model_copy(update={"passages": (*SITE.passages, *odd)}))
    assert [(door.label, door.zone_id) for door in doors] == [
        ("Entrance", "hall"),
        ("Terrace door", "cafe"),
        ("nameless", "hall"),
    ]


def test_each_door_is_asked_for_crossings_into_the_zone_behind_it_since_local_midnight() -> None:
    queries = entrances_today(SITE.id, doors_of(SITE), NOON, ZURICH)
    assert set(queries) == {"entrance", "terrace"}
    terrace = queries["terrace"]
    assert (terrace.from_, terrace.to, terrace.timezone) == ("2026-06-01T00:00:00", "now", "Europe/Zurich")
    assert terrace.granularity is Granularity.HOUR
    assert terrace.filter is not None
    assert (terrace.filter.zone_ids, terrace.filter.passage_ids) == (("cafe",), ("terrace",))


def test_the_question_stays_the_same_all_day_so_that_its_answer_can_be_shared() -> None:
    later = datetime(2026, 6, 1, 20, tzinfo=UTC)
    doors = doors_of(SITE)
    assert entrances_today(SITE.id, doors, NOON, ZURICH) == entrances_today(SITE.id, doors, later, ZURICH)


def test_hours_are_summed_and_missing_is_not_0() -> None:
    hours = [MetricPoint(timestamp=NOON, metrics={"entrances": count}) for count in (3, 4)]
    silent = [MetricPoint(timestamp=NOON, metrics={})]
    shut = [MetricPoint(timestamp=NOON, metrics={"entrances": 0})]
    assert entrances_by_door({"busy": hours, "shut": shut, "silent": silent, "none": []}) == {
        "busy": 7,
        "shut": 0,
    }


START = datetime(2026, 6, 1, 6, tzinfo=UTC)
DAY = TimeRange(START, START.replace(day=2))
HALL, CAFE = Place("Hall", "hall"), Place("Café", "cafe")


def test_a_door_lacks_the_hours_between_its_first_and_its_last_that_have_no_counts() -> None:
    def at(hour: int, **metrics: float) -> MetricPoint:
        return MetricPoint(timestamp=datetime(2026, 11, 20, hour, tzinfo=UTC), metrics=metrics)

    points = [at(8, entrances=3), at(9, entrances=0), at(10), at(12, entrances=1)]
    assert counted_hours(points) == (3, 5)
    assert counted_hours([]).is_complete


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
