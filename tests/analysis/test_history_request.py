from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from analysis.history_request import HistoryRequest
from analysis.subject import SubjectKind, subjects_of
from analysis.time_range import TimeRange
from contract import Aggregation, Granularity, MetricKey, Passage, Zone
from tests.small_site import SITE

RANGE = TimeRange(datetime(2026, 6, 1, 8, tzinfo=UTC), datetime(2026, 6, 1, 12, tzinfo=UTC))


def request(zones: list[str], passages: list[str], *metrics: MetricKey) -> HistoryRequest:
    return HistoryRequest(
        site_id=SITE.id,
        subjects=tuple(subjects_of(SITE, zones, passages)),
        metrics=metrics or (MetricKey.VISITORS_INSIDE, MetricKey.ENTRANCES),
        range=RANGE,
        timezone=ZoneInfo("Europe/Zurich"),
        asked_at=datetime(2026, 6, 1, 13, tzinfo=UTC),
    )


def test_each_zone_is_a_query_of_its_own() -> None:
    queries = request(["hall", "cafe"], []).queries()
    assert [query.filter and query.filter.zone_ids for query in queries.values()] == [("hall",), ("cafe",)]


def test_the_time_zone_is_always_sent() -> None:
    (query,) = request([], []).queries().values()
    assert query.body() == {
        "metrics": ["visitorsInside", "entrances"],
        "siteId": "corner-shop",
        "from": "2026-06-01T10:00:00",
        "to": "2026-06-01T14:00:00",
        "timezone": "Europe/Zurich",
    }


def test_a_passage_is_asked_for_flows_alone() -> None:
    (query,) = request([], ["entrance"]).queries().values()
    assert query.metrics == (MetricKey.ENTRANCES,)
    assert query.filter is not None
    assert query.filter.passage_ids == ("entrance",)


def test_a_passage_is_not_asked_for_what_it_does_not_have() -> None:
    asked = request(["hall"], ["entrance"], MetricKey.TIME_SPENT)
    assert [subject.id for subject in asked.queries()] == ["hall"]


def test_the_peak_is_asked_as_the_highest_minute() -> None:
    asked = request(["hall"], [])
    query = asked.peak(asked.subjects[0], RANGE, Granularity.HOUR)
    assert (query.metrics, query.aggregation) == ((MetricKey.VISITORS_INSIDE,), Aggregation.MAXIMUM)


def test_unknown_ids_of_an_old_link_are_left_out() -> None:
    assert [subject.kind for subject in subjects_of(SITE, ["gone"], ["gone"])] == [SubjectKind.SITE]


def test_subjects_that_share_a_name_can_be_told_apart() -> None:
    site = SITE.model_copy(
        update={
            "zones": (Zone(id="a", name="Door"), Zone(id="b", name="Hall"), Zone(id="c", name="Hall")),
            "passages": (Passage(id="p", name="Door"),),
        }
    )
    labels = [subject.label for subject in subjects_of(site, ["a", "b", "c"], ["p"])]
    assert labels == ["Door (zone)", "Hall (b)", "Hall (c)", "Door (passage)"]


def test_a_zone_without_a_capacity_has_none() -> None:
    site = SITE.model_copy(update={"zones": (Zone(id="a", name="A", capacity=0),)})
    assert subjects_of(site, ["a"], [])[0].capacity is None
