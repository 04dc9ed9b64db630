from __future__ import annotations

from datetime import UTC, datetime

import pandas as pd

from analysis.bucket_table import local_index
from analysis.summary import (
    Change,
    Peak,
    missing_stretches,
    peak_bucket,
    total,
)

NAN = float("nan")
HOURS = [datetime(2026, 6, 1, hour, tzinfo=UTC) for hour in range(4)]
COLUMN = ("Shop", "entrances")


def table(*values: float) -> pd.DataFrame:
    return pd.DataFrame({COLUMN: values}, index=local_index(HOURS[: len(values)], UTC))  # type: ignore[arg-type]


def test_a_total_is_of_what_is_there() -> None:
    assert total(table(1, NAN, 2)[COLUMN]) == 3
    assert total(table(0, 0)[COLUMN]) == 0


def test_nothing_has_no_total() -> None:
    assert total(table(NAN, NAN)[COLUMN]) is None


def test_the_peak_is_the_first_of_the_highest() -> None:
    assert peak_bucket(table(1, 5, NAN, 5), COLUMN) == Peak(HOURS[1], 5)


def test_nothing_has_no_peak() -> None:
    assert peak_bucket(table(NAN), COLUMN) is None


def test_a_change_from_nothing_has_no_percent() -> None:
    assert Change(3, 0).percent is None
    assert Change(30, 20).percent == 50


def test_missing_stretches_are_runs_of_empty_rows() -> None:
    assert missing_stretches(table(NAN, 1, NAN, NAN)) == [(0, 1), (2, 4)]
    assert missing_stretches(table(1, 2)) == []
    assert missing_stretches(table(NAN, NAN)) == [(0, 2)]


def test_a_row_that_one_zone_has_is_not_missing() -> None:
    both = table(NAN, NAN)
    both["Hall", "entrances"] = [1.0, NAN]
    assert missing_stretches(both) == [(1, 2)]
