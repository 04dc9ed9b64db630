from __future__ import annotations

import pytest

from components.sentences import metric_words
from components.sentences.metric_words import (
    means_something,
    offered_aggregations,
    reduction,
    usual_label,
    why_not,
)
from contract import METRICS, Aggregation, Granularity, MetricKey, Unit

INSIDE, ENTRANCES, TIME = MetricKey.VISITORS_INSIDE, MetricKey.ENTRANCES, MetricKey.TIME_SPENT
SUM, AVERAGE, MAXIMUM, MINIMUM = (
    Aggregation.SUM,
    Aggregation.AVERAGE,
    Aggregation.MAXIMUM,
    Aggregation.MINIMUM,
)


@pytest.mark.parametrize(
    ("metrics", "offered"),
    [
        ([INSIDE], {MAXIMUM, MINIMUM}),
        ([ENTRANCES], {AVERAGE, MAXIMUM, MINIMUM}),
        ([INSIDE, ENTRANCES], {AVERAGE, MAXIMUM, MINIMUM}),
        ([TIME], set()),
        ([TIME, ENTRANCES], {AVERAGE}),
        ([TIME, INSIDE], set()),
    ],
)
def test_what_is_offered_means_something_and_is_not_the_usual(
    metrics: list[MetricKey], offered: set[Aggregation]
) -> None:
    assert set(offered_aggregations(metrics)) == offered
    assert all(means_something(one, metrics) for one in offered)


def test_people_inside_are_never_summed() -> None:
    assert not means_something(SUM, [ENTRANCES, INSIDE])
    assert "count whoever stays again each minute" in str(why_not(SUM, [ENTRANCES, INSIDE]))
    assert why_not(SUM, [ENTRANCES]) is None


def test_a_mean_has_no_highest_minute() -> None:
    assert why_not(MAXIMUM, [TIME, ENTRANCES]) == (
        "“Highest minute” cannot be told for time inside, which is a mean already. "
        "You see the usual values instead."
    )


def test_only_what_is_a_mean_is_called_one(monkeypatch: pytest.MonkeyPatch) -> None:
    no_lowest = METRICS[ENTRANCES]._replace(aggregations=frozenset(Aggregation) - {MINIMUM})
    monkeypatch.setattr(metric_words, "METRICS", {**METRICS, ENTRANCES: no_lowest})
    assert why_not(MINIMUM, [ENTRANCES]) == (
        "“Lowest minute” cannot be told for entrances. You see the usual values instead."
    )


def test_the_usual_is_named() -> None:
    assert usual_label([ENTRANCES]) == "Usual: total"
    assert usual_label([INSIDE, TIME]) == "Usual: average"
    assert usual_label([INSIDE, ENTRANCES]) == "Usual: total; inside: average"
    assert usual_label([ENTRANCES, TIME]) == "Usual: total; time inside: average"
    assert usual_label([INSIDE, ENTRANCES, TIME]) == "Usual: total; inside: average"


def test_only_a_mean_of_seconds_is_told_in_minutes(monkeypatch: pytest.MonkeyPatch) -> None:
    assert reduction(TIME, None, Granularity.HOUR) == "mean per hour, in minutes"
    of_people = METRICS[TIME]._replace(unit=Unit.PEOPLE)
    monkeypatch.setattr(metric_words, "METRICS", {**METRICS, TIME: of_people})
    assert reduction(TIME, None, Granularity.HOUR) == "mean per hour"
