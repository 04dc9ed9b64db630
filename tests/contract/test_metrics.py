"""The table of metrics: what other rooms take from it must hold for each."""

from __future__ import annotations

import pytest

from contract import CROSSINGS, METRICS, Aggregation, MetricKey, MetricKind, MetricSpec, Unit

ALL = pytest.mark.parametrize("spec", METRICS.values(), ids=METRICS)


def test_each_metric_of_the_specification_is_in_the_table_under_its_key() -> None:
    assert set(METRICS) == set(MetricKey)
    assert all(key is spec.key for key, spec in METRICS.items())


@ALL
def test_the_default_aggregation_of_a_metric_means_something(spec: MetricSpec) -> None:
    assert spec.default_aggregation in spec.aggregations


@ALL
def test_flows_are_added_up_and_nothing_else_is(spec: MetricSpec) -> None:
    assert (Aggregation.SUM in spec.aggregations) is (spec.kind is MetricKind.FLOW)
    assert (spec.default_aggregation is Aggregation.SUM) is (spec.kind is MetricKind.FLOW)


def test_passages_have_flows_alone_and_both_crossings_are() -> None:
    of_passages = {key for key, spec in METRICS.items() if spec.is_of_passages}
    assert of_passages == {key for key, spec in METRICS.items() if spec.kind is MetricKind.FLOW}
    assert of_passages >= set(CROSSINGS)


def test_a_mean_has_no_other_aggregation() -> None:
    means = [spec for spec in METRICS.values() if spec.kind is MetricKind.MEAN]
    assert {aggregation for spec in means for aggregation in spec.aggregations} == {Aggregation.AVERAGE}


@ALL
def test_what_is_divided_by_what_is_said_of_means_alone(spec: MetricSpec) -> None:
    assert bool(spec.quotient) is (spec.kind is MetricKind.MEAN)


def test_time_is_in_seconds_and_whoever_is_counted_in_people() -> None:
    assert METRICS[MetricKey.TIME_SPENT].unit is Unit.SECONDS
    assert {METRICS[metric].unit for metric in (*CROSSINGS, MetricKey.VISITORS_INSIDE)} == {Unit.PEOPLE}


def test_each_metric_has_a_name_of_its_own() -> None:
    assert len({spec.label for spec in METRICS.values()}) == len(METRICS)
    assert all(spec.label and spec.counted for spec in METRICS.values())
