"""The formulas: that whatever aggregation is asked, a bucket can be made of the columns that are stored."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from sqlalchemy import Column, Integer, MetaData, Table

from contract import METRICS, Aggregation, Granularity, MetricKey, MetricKind, MetricSpec
from contract.minutes import minute_number
from service.store import bucket_rows
from service.store.bucket_keys import minute_range
from service.store.bucket_query import FORMULAS, Formula, Reduction, extreme_of, without_extreme
from service.store.buckets import statement_of_shape, zone_statement
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


@pytest.mark.parametrize("stored", ["entrances", "entrances-exits", "staff_in", "staff_in-staff_out"])
def test_the_name_of_an_extreme_is_told_from_its_end(stored: str) -> None:
    for extreme in (Aggregation.MINIMUM, Aggregation.MAXIMUM):
        assert extreme_of(f"{stored}_{extreme}") is extreme
        assert without_extreme(f"{stored}_{extreme}") == stored
    assert extreme_of(stored) is None
    assert without_extreme(stored) == stored


@pytest.mark.parametrize(
    ("aggregation", "value"), [("sum", 12), ("average", 4), ("minimum", 1), ("maximum", 9)]
)
def test_a_stored_column_may_be_of_several_words(
    aggregation: str, value: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    start = minute_number(datetime(2025, 6, 2, 10, tzinfo=UTC))
    names = ("number", "minute", "staff_in", "uncounted")
    table = Table("zone_minutes", MetaData(), *(Column(n, Integer) for n in names))
    monkeypatch.setattr(bucket_rows, "ZONE_MINUTES", table)
    monkeypatch.setitem(FORMULAS, MetricKey.EXITS, Formula("staff_in"))
    reduction = Reduction((MetricKey.EXITS,), Granularity.HOUR, Aggregation(aggregation))
    statement_of_shape.cache_clear()
    try:
        minutes = minute_range(start, start + 3, Granularity.HOUR, ZoneInfo("Europe/Zurich"))
        statement, parameters = zone_statement(reduction, 1, minutes)
    finally:
        statement_of_shape.cache_clear()
    with closing(sqlite3.connect(":memory:")) as file:
        file.execute("CREATE TABLE zone_minutes (number, minute, staff_in, uncounted)")
        rows = [(1, start, 2, 0), (1, start + 1, 9, 0), (1, start + 2, 1, 0)]
        file.executemany("INSERT INTO zone_minutes VALUES (?, ?, ?, ?)", rows)
        [(_, *row)] = file.execute(*statement.for_driver("sqlite", **parameters))
    columns = dict(zip(reduction.stored_names(), row, strict=True))
    columns["counted"] = columns["minutes"] - columns.get("uncounted", 0)
    assert reduction.formula(MetricKey.EXITS).value(columns) == value
