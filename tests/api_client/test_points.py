"""Points that are looked at once are read as those that are looked at field by field."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from api_client.plausible import Entry, LeftOut
from api_client.points import POINT
from contract import MetricPoint

VALUES: list[Any] = [0, 7, 1.5, -3, 10**9, 10**9 + 1, 2**53, 2**53 + 1, 1e308, True, None, "7", []]
NUMBERS = st.sampled_from(VALUES)
KEYS = st.sampled_from(["visitorsInside", "entrances", "exits", "timeSpent", "of another service"])
TIMES = st.sampled_from([
    "2026-07-01T10:00:00+00:00", "2026-07-01T12:00:00+02:00", "2026-07-01T10:00:00Z", "2026-07-01T10:00",
    "1969-12-31T23:59:00Z", "2200-01-01T00:00:00Z", "when it was", "2" * 65, 1782900000, None, True,
])  # fmt: skip
FILTERS = st.sampled_from([
    None, {"zoneIds": ["hall"]}, {"zoneIds": ["hall", "café"]}, {"zoneIds": ["", 7, "hall"]},
    {"zoneIds": "hall"}, {}, "hall", {"zoneIds": None},
])  # fmt: skip
POINTS = st.one_of(
    st.fixed_dictionaries(
        {},
        optional={
            "timestamp": TIMES,
            "metrics": st.one_of(st.dictionaries(KEYS, NUMBERS), st.sampled_from([None, [], "many", 7])),
            "matchingFilters": FILTERS,
            "more": st.just(1),
        },
    ),
    st.sampled_from([None, 7, "a point", []]),
)
MANY = {"timestamp": "2026-07-01T10:00:00Z", "metrics": {f"metric {number}": number for number in range(60)}}


def read_each(raw: list[Any], left: LeftOut) -> tuple[MetricPoint, ...]:
    field_by_field = Entry(POINT.name, POINT.model, POINT.fields, POINT.needs)
    return field_by_field.read_all(raw, left, 100)


@given(st.lists(POINTS, max_size=6))
def test_a_point_is_read_as_field_by_field(raw: list[Any]) -> None:
    left, expected_left = LeftOut(), LeftOut()
    taken, expected = POINT.read_all(raw, left, 100), read_each(raw, expected_left)
    assert taken == expected
    assert left == expected_left
    assert [repr(one) for one in taken] == [repr(one) for one in expected], "an int stays an int"


def test_a_point_of_too_many_metrics_is_cut_as_field_by_field() -> None:
    left, expected_left = LeftOut(), LeftOut()
    assert POINT.read_all([MANY], left, 100) == read_each([MANY], expected_left)
    assert left == expected_left
    assert left


def test_points_of_the_same_filters_share_them() -> None:
    raw: list[object] = [
        {"timestamp": f"2026-07-01T{hour:02}:00:00Z", "metrics": {}, "matchingFilters": {"zoneIds": ["hall"]}}
        for hour in range(2)
    ]
    first, second = POINT.read_all(raw, LeftOut(), 100)
    assert first.matching_filters is second.matching_filters is not None
