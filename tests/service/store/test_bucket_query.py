"""The formulas: that whatever aggregation is asked, a bucket can be made of the columns that are stored."""

from __future__ import annotations

import pytest

from contract import METRICS, MetricKey, MetricKind, MetricSpec
from service.store.bucket_query import FORMULAS
from service.store.schema import ZONE_MINUTES, ZONE_QUARTERS


def test_each_metric_has_a_formula() -> None:
    missing = set(METRICS) ^ set(FORMULAS)
    assert not missing, f"{missing} in FORMULAS of service/store/bucket_query.py"


@pytest.mark.parametrize("spec", METRICS.values(), ids=METRICS)
def test_only_means_are_divided_as_no_aggregation_but_theirs_is_taken_of_a_quotient(spec: MetricSpec) -> None:
    formula = FORMULAS[spec.key]
    assert (formula.per is not None) is (spec.kind is MetricKind.MEAN)
    assert formula.per or formula.factor == 1


@pytest.mark.parametrize("metric", MetricKey)
def test_a_formula_is_made_of_columns_that_minutes_and_quarters_have(metric: MetricKey) -> None:
    formula = FORMULAS[metric]
    names = [*formula.column.split("-"), *([formula.per] if formula.per else [])]
    assert all(name in ZONE_MINUTES.c and name in ZONE_QUARTERS.c for name in names)
    assert not (METRICS[metric].is_of_passages and "inside" in names), "passages have nobody inside"
