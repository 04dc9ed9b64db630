"""Statements that are given to the drivers as text: their rows as columns of whole numbers."""

from __future__ import annotations

import json

import pytest

from service.store.prepared import Prepared, rows_of_json
from tests.database_of import database_of
from tests.every_store import Opened

LARGEST = 2**62
PAIRS = ((4, -7), (-3, LARGEST), (9, 0), (5, 2))


@pytest.mark.parametrize("order", ["one", "one DESC"])
@pytest.mark.parametrize("above", [-10, 0, 10])
def test_columns_are_those_of_the_rows_and_ascend_whatever_the_order_they_come_in(
    opened: Opened, above: int, order: str
) -> None:
    statement = Prepared(
        "WITH pairs(one, other) AS ({pairs})"
        f" SELECT one, other, one + 1 FROM pairs WHERE one > :above ORDER BY {order}",
        pairs=rows_of_json("pairs", 2),
    )
    with database_of(opened()).reading() as connection:
        found = statement.columns(connection, pairs=json.dumps(PAIRS), above=above)
    rows = sorted((one, other, one + 1) for one, other in PAIRS if one > above)
    assert found.shape == (3, len(rows))
    assert found.T.tolist() == [list(row) for row in rows]
