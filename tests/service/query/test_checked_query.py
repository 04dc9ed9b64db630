from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from contract import METRICS, Aggregation, ErrorCode, ErrorEntry, Granularity, MetricKey, MetricKind
from service.query import checked_query
from service.query.checked_query import CheckedQuery, check_query
from service.query.metrics_body import read_metrics_body
from service.store.protocol import SiteRecord
from tests.small_site import SITE

NOW = datetime(2025, 6, 3, 10, 20, 30, tzinfo=UTC)
RECORD = SiteRecord(SITE, "shop")
HOUR = {"siteId": "corner-shop", "metrics": ["entrances"], "from": "1 hour ago", "to": "now"}


def check(document: object) -> tuple[CheckedQuery | None, list[ErrorEntry]]:
    body, problems = read_metrics_body(document)
    query, more = check_query(body, RECORD, now=NOW)
    return (None if problems else query), [*problems, *more]


def query_of(**fields: Any) -> CheckedQuery:
    query, problems = check(HOUR | fields)
    assert problems == []
    assert query is not None
    return query


def codes_of(document: object) -> list[str]:
    query, problems = check(document)
    assert query is None
    return [problem.code for problem in problems]


def details_of(**fields: Any) -> dict[str, str]:
    _, problems = check(HOUR | fields)
    return problems[0].details or {}


def test_what_was_left_out_is_inferred_and_told() -> None:
    assert query_of().inferred == {
        "granularity": "minute",
        "timezone": "Etc/UTC",
        "live": False,
        "filter": {"zoneIds": ["shop"]},
    }


def test_what_was_given_is_not_told_as_inferred() -> None:
    given = query_of(granularity="hour", timezone="Etc/UTC", live=False, filter={"zoneIds": ["hall"]})
    assert given.inferred == {}
    assert given.zone_ids == ("hall",)


def test_null_means_left_out() -> None:
    left_out = {"granularity": None, "timezone": None, "live": None, "filter": None, "aggregation": None}
    assert query_of(**left_out).inferred == query_of().inferred


def test_an_empty_filter_means_the_top_zone() -> None:
    assert query_of(filter={}).zone_ids == ("shop",)
    assert query_of(filter={}).inferred["filter"] == {"zoneIds": ["shop"]}


def test_passages_alone_infer_no_zone() -> None:
    query = query_of(filter={"passageIds": ["entrance"]})
    assert query.zone_ids == ()
    assert "filter" not in query.inferred


def test_the_newest_value_tells_its_moment_in_the_time_zone_asked_for() -> None:
    query = query_of(**{"from": "now", "timezone": "Europe/Zurich"})
    assert query.range is None
    assert query.inferred["from"] == query.inferred["to"] == "2025-06-03T12:20:30"


def test_metrics_and_zones_named_twice_count_once() -> None:
    query = query_of(metrics=["exits", "entrances", "exits"], filter={"zoneIds": ["hall", "hall"]})
    assert query.metrics == (MetricKey.EXITS, MetricKey.ENTRANCES)
    assert query.zone_ids == ("hall",)


def test_a_live_query_has_a_history_only_when_all_three_are_given() -> None:
    assert query_of(live=True, granularity="hour").range is not None
    assert query_of(live=True).range is None
    assert query_of(live=True, granularity="hour", to=None).range is None
    assert query_of(live=True, granularity="hour", to=None).granularity is Granularity.HOUR


def test_a_live_query_still_refuses_a_time_that_cannot_be_read() -> None:
    assert codes_of(HOUR | {"live": True, "to": "soon"}) == [ErrorCode.INVALID_TIME_FILTER]


def test_each_mean_with_another_aggregation_is_warned_about(monkeypatch: pytest.MonkeyPatch) -> None:
    ratio = METRICS[MetricKey.EXITS]._replace(kind=MetricKind.MEAN, quotient="exits per entrance")
    monkeypatch.setattr(checked_query, "METRICS", {**METRICS, MetricKey.EXITS: ratio})
    query = query_of(metrics=["timeSpent", "entrances", "exits"], aggregation="maximum")
    assert [warning["message"] for warning in query.warnings] == [
        "timeSpent is person-seconds inside per entrance of the bucket, whatever the aggregation.",
        "exits is exits per entrance, whatever the aggregation.",
    ]


def test_time_spent_with_another_aggregation_is_warned_about() -> None:
    summed = query_of(metrics=["timeSpent"], aggregation="sum")
    assert [warning["code"] for warning in summed.warnings] == ["AGGREGATION_IGNORED"]
    assert summed.aggregation is Aggregation.SUM
    assert query_of(metrics=["timeSpent"], aggregation="average").warnings == []
    assert query_of(metrics=["timeSpent"]).warnings == []
    assert query_of(aggregation="sum").warnings == []


def test_nothing_is_converted() -> None:
    assert "live" in details_of(live="true")
    assert "live" in details_of(live=1)
    assert "metrics" in details_of(metrics="entrances")
    assert "metrics[0]" in details_of(metrics=[1])
    assert "filter.zoneIds[0]" in details_of(filter={"zoneIds": [7]})
    assert "timezone" in details_of(timezone=2)
    assert "granularity" in details_of(granularity="DAY")
    assert "from" in details_of(**{"from": 1717400000})


def test_empty_arrays_are_refused() -> None:
    assert "metrics" in details_of(metrics=[])
    assert "filter.zoneIds" in details_of(filter={"zoneIds": []})
    assert "filter.passageIds" in details_of(filter={"passageIds": []})


def test_an_unknown_filter_is_told_which_filters_exist() -> None:
    assert details_of(filter={"age": "adult"}) == {
        "filter.age": "is not a filter: only zoneIds and passageIds exist"
    }


def test_a_body_that_is_no_object_is_refused() -> None:
    documents: list[object] = [[], "now", 3, None]
    for document in documents:
        assert ErrorCode.INVALID_BODY in codes_of(document)


def test_all_that_is_wrong_is_told_at_once() -> None:
    document = {
        "siteId": "corner-shop",
        "metrics": ["INSIDE", "visitorsInside"],
        "from": "tomorrow",
        "timezone": "../etc/passwd",
        "filter": {"zoneIds": ["attic"], "passageIds": ["entrance", "chimney"]},
        "size": 3,
    }
    assert sorted(codes_of(document)) == sorted(
        [
            ErrorCode.INVALID_BODY,
            ErrorCode.UNKNOWN_TIMEZONE,
            ErrorCode.INVALID_TIME_FILTER,
            ErrorCode.UNKNOWN_METRIC,
            ErrorCode.UNKNOWN_ZONE,
            ErrorCode.UNKNOWN_PASSAGE,
            ErrorCode.METRIC_NOT_BY_PASSAGE,
        ]
    )


@pytest.mark.parametrize(
    ("metrics", "said"),
    [
        (["visitorsInside"], "visitorsInside belongs to zones"),
        (["visitorsInside", "timeSpent"], "visitorsInside and timeSpent belong to zones"),
    ],
)
def test_what_belongs_to_zones_is_not_asked_for_by_passage(metrics: list[str], said: str) -> None:
    body, _ = read_metrics_body(HOUR | {"metrics": metrics, "filter": {"passageIds": ["entrance"]}})
    _, problems = check_query(body, None, now=NOW)
    assert [problem.code for problem in problems] == [ErrorCode.METRIC_NOT_BY_PASSAGE]
    assert problems[0].message == f"{said} and cannot be asked for by passage."


def test_without_a_site_the_rest_is_still_checked() -> None:
    body, _ = read_metrics_body(HOUR | {"metrics": ["DWELL"]})
    query, problems = check_query(body, None, now=NOW)
    assert query is None
    assert [problem.code for problem in problems] == [ErrorCode.UNKNOWN_METRIC]
    assert problems[0].details == {"metrics[0]": "'DWELL' is the version 2 name of 'timeSpent'"}


@pytest.mark.parametrize(
    "fields",
    [
        {"metrics": ["x" * 5000] * 90},
        {"metrics": [1] * 400_000},
        {"metrics": ["a"] * 250_000},
        {"filter": {"zoneIds": ["z" * 90] * 9_999}},
        {"filter": {"zoneIds": [f"zone {number}" for number in range(9_999)]}},
        {"filter": {"zoneIds": [{}] * 9_999}},
        {"filter": {"passageIds": [f"door {number}" for number in range(50_000)]}},
        {"filter": {f"filter {number}": 1 for number in range(20_000)}},
        {f"field {number}": 1 for number in range(20_000)},
        {"x" * 500_000: 1},
        {"timezone": "T" * 500_000},
        {"from": "f" * 500_000, "to": "\0" * 500_000},
        {"granularity": "g" * 500_000},
    ],
    ids=lambda fields: str(fields)[:40],
)
def test_answer_to_a_large_mistake_is_small(fields: dict[str, Any]) -> None:
    query, problems = check(HOUR | fields)
    assert query is None
    assert all(len(problem.details or {}) <= 100 for problem in problems)
    assert sum(len(problem.model_dump_json()) for problem in problems) < 50_000


def test_mistakes_beyond_the_first_hundred_are_counted() -> None:
    _, problems = check(HOUR | {f"field {number}": 1 for number in range(250)})
    assert problems[0].message.endswith("and 150 more.")
    _, problems = check(HOUR | {"filter": {"zoneIds": [f"zone {number}" for number in range(101)]}})
    assert "'zone 99' and 1 more" in problems[0].message


def test_known_fields_are_read_behind_any_number_of_unknown_ones() -> None:
    document = {f"field {number}": 1 for number in range(1000)} | HOUR
    body, _ = read_metrics_body(document)
    assert body.metrics == ["entrances"]


def test_longest_lists_that_are_taken() -> None:
    assert query_of(metrics=["exits"] * 100).metrics == (MetricKey.EXITS,)
    assert details_of(metrics=["exits"] * 101) == {"metrics": "has 101 elements; at most 100 are taken"}
    assert query_of(filter={"zoneIds": ["hall"] * 10_000}).zone_ids == ("hall",)
    assert "filter.zoneIds" in details_of(filter={"zoneIds": ["hall"] * 10_001})
    assert "filter.passageIds" in details_of(filter={"passageIds": ["entrance"] * 10_001})
