from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from contract import MetricKey
from live.leaps import newest_leap
from live.snapshot import Reading

NINE = datetime(2026, 3, 28, 9, tzinfo=UTC)


def told(minute: int, inside: int | None, came: int | None = 0, went: int | None = 0) -> Reading:
    values = {MetricKey.VISITORS_INSIDE: inside, MetricKey.ENTRANCES: came, MetricKey.EXITS: went}
    known = {key: value for key, value in values.items() if value is not None}
    return Reading(NINE + timedelta(minutes=minute), known)


@pytest.mark.parametrize(
    ("readings", "minute"),
    [
        ([], None),
        ([told(0, 5)], None),
        ([told(0, 5), told(1, 7, 3, 1)], None),
        ([told(0, 5), told(1, 12, 3, 1), told(2, 13, 1)], 1),
        ([told(0, 5), told(1, 12), told(2, 3)], 2),
        ([told(0, 1), told(1, 0, 0, 4)], None),  # nobody is less than nobody
        ([told(0, 5), told(2, 5)], None),
        ([told(0, 5), told(2, 12)], 2),  # nobody was counted in between
        ([told(0, 5), told(1, 12, None, None)], 1),  # set in a minute without counts
        ([told(0, 5, None, None), told(1, 12, None, None)], None),  # a camera's levels
        ([told(0, None), told(1, 12)], None),
    ],
)
def test_the_newest_minute_that_does_not_follow_from_the_one_before(
    readings: list[Reading], minute: int | None
) -> None:
    assert newest_leap(readings) == (None if minute is None else NINE + timedelta(minutes=minute))
