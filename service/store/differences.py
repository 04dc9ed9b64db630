"""What differs between two JSON objects: the smallest pair that says what was, and what is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

_ABSENT: Final = object()

Json = Mapping[str, Any]


def differences(before: Json, after: Json) -> tuple[dict[str, Any], dict[str, Any]]:
    """Of each object, the fields in which the other differs, at any depth.

    Elements of a list that have an `id` are told apart by it, and stand under it; where no more than their
    order differs, the two orders of ids are the difference.

    >>> differences({"zones": [{"id": "hall", "capacity": 1}], "name": "A"}, {"zones": [], "name": "A"})
    ({'zones': {'hall': {'id': 'hall', 'capacity': 1}}}, {'zones': {}})
    """
    was: dict[str, Any] = {}
    becomes: dict[str, Any] = {}
    for name in dict.fromkeys((*before, *after)):
        old, new = before.get(name, _ABSENT), after.get(name, _ABSENT)
        if old == new:
            continue
        old, new = _compared(old, new)
        if old is not _ABSENT:
            was[name] = old
        if new is not _ABSENT:
            becomes[name] = new
    return was, becomes


def _compared(old: Any, new: Any) -> tuple[Any, Any]:
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        return differences(old, new)
    by_id = _by_id(old), _by_id(new)
    if by_id[0] is None or by_id[1] is None:
        return old, new
    if by_id[0] == by_id[1]:
        return list(by_id[0]), list(by_id[1])
    return differences(by_id[0], by_id[1])


def _by_id(elements: Any) -> dict[str, Any] | None:
    """The elements of a list by their ids; None where it is no list, or not all have one of their own."""
    if not isinstance(elements, Sequence) or isinstance(elements, str):
        return None
    if not all(isinstance(element, Mapping) and isinstance(element.get("id"), str) for element in elements):
        return None
    found = {element["id"]: element for element in elements}
    return found if len(found) == len(elements) else None
