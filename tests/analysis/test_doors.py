from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from analysis.doors import counts, doors_of, entrances_today
from contract import Granularity, MetricPoint, Passage
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
    assert counts({"busy": hours, "shut": shut, "silent": silent, "none": []}) == {"busy": 7, "shut": 0}
