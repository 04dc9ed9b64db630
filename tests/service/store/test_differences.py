from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.store.differences import differences

JSON = st.recursive(
    st.none() | st.integers(0, 3) | st.sampled_from("ab"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["id", "x", "y"]), inner),
    max_leaves=10,
)
OBJECTS = st.dictionaries(st.sampled_from(["id", "x", "y"]), JSON)


@pytest.mark.parametrize(
    ("before", "after", "was", "becomes"),
    [
        ({"a": 1, "b": 2}, {"a": 1, "b": 3}, {"b": 2}, {"b": 3}),
        ({"a": 1}, {"b": 1}, {"a": 1}, {"b": 1}),
        ({"a": {"b": 1, "c": 2}}, {"a": {"b": 2, "c": 2}}, {"a": {"b": 1}}, {"a": {"b": 2}}),
        ({"a": None}, {}, {"a": None}, {}),
        # Elements with ids stand under them; what came or went, whole.
        (
            {"z": [{"id": "p", "n": 1}, {"id": "q", "n": 1}]},
            {"z": [{"id": "q", "n": 2}, {"id": "r", "n": 1}]},
            {"z": {"p": {"id": "p", "n": 1}, "q": {"n": 1}}},
            {"z": {"q": {"n": 2}, "r": {"id": "r", "n": 1}}},
        ),
        # Their order is a difference, too.
        (
            {"z": [{"id": "p"}, {"id": "q"}]},
            {"z": [{"id": "q"}, {"id": "p"}]},
            {"z": ["p", "q"]},
            {"z": ["q", "p"]},
        ),
        # Two of the same id cannot stand under it.
        (
            {"z": [{"id": "p"}, {"id": "p"}]},
            {"z": [{"id": "p"}]},
            {"z": [{"id": "p"}, {"id": "p"}]},
            {"z": [{"id": "p"}]},
        ),
        ({"z": "text"}, {"z": []}, {"z": "text"}, {"z": []}),
    ],
)
def test_the_fields_that_differ(
    before: dict[str, Any], after: dict[str, Any], was: dict[str, Any], becomes: dict[str, Any]
) -> None:
    assert differences(before, after) == (was, becomes)


@given(before=OBJECTS, after=OBJECTS)
def test_equal_objects_alone_have_no_difference(before: dict[str, Any], after: dict[str, Any]) -> None:
    assert differences(before, before) == ({}, {})
    assert (differences(before, after) == ({}, {})) is (before == after)
