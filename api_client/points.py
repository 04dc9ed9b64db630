"""What is taken from a service's points, likewise: known metrics within bounds, at a time that can be.

There may be a hundred thousand in one answer, and most are as they should be: those are looked at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from api_client.plausible import (
    LARGEST_NUMBER,
    LONGEST_DATE,
    MOST_PEOPLE,
    Entry,
    LeftOut,
    date,
    date_of_text,
    identifiers,
    number,
)
from contract import METRICS, MatchingFilters, MetricKey, MetricPoint, Unit

IMPOSSIBLE: Final = "visitorsInside that cannot be"
"""What is counted for a number of people inside that no counter can have counted."""
_MOST_METRICS: Final = 50
_INSIDE: Final = MetricKey.VISITORS_INSIDE
_ANY: Final = (-LARGEST_NUMBER, LARGEST_NUMBER)
_BOUNDS: Final = {
    str(key): (
        _ANY[0] if spec.minimum is None else spec.minimum,
        MOST_PEOPLE if spec.unit is Unit.PEOPLE else _ANY[1],
    )
    for key, spec in METRICS.items()
}
"""By metric: the lowest and the highest value that is taken."""
_VALUES: Final = frozenset({"point", "metrics of a point", "timestamp of a point", "value of a point"})


def has_refused_values(left: LeftOut) -> bool:
    """Whether values of the answer are left out because they cannot be right, so that counts are missing."""
    return not _VALUES.isdisjoint(left)


def _values(value: object, left: LeftOut) -> dict[str, int | float] | None:
    """Metric key -> number; a null is a missing value."""
    if not isinstance(value, dict):
        return None
    found = {
        key: taken
        for key, one in islice(value.items(), _MOST_METRICS)
        if one is not None and (taken := number(one, left, *_BOUNDS.get(key, _ANY))) is not None
    }
    given = sum(one is not None for one in value.values())
    if len(found) < given:
        left["value of a point"] += given - len(found)
    if value.get(_INSIDE) is not None and _INSIDE not in found:
        left[IMPOSSIBLE] += 1
    return found


def _are_plain(values: Mapping[str, object]) -> bool:
    """Whether all of them are taken as they are."""
    for key, one in values.items():
        if one.__class__ is not int and one.__class__ is not float:
            return False
        lowest, highest = _BOUNDS.get(key, _ANY)
        if not lowest <= one <= highest:
            return False
    return len(values) <= _MOST_METRICS


class _Filters:
    """Reads the filters that each point of an answer repeats: one object for all that are the same."""

    def __init__(self) -> None:
        self._raw: object = None
        self._taken: MatchingFilters | None = None

    def read(self, raw: object) -> MatchingFilters | None:
        """None where something of them would be left out."""
        if raw != self._raw or self._taken is None:
            left = LeftOut()
            self._taken, self._raw = _MATCHING_FILTERS.read(raw, left), raw
            if left:
                self._taken = None
        return self._taken


@dataclass(frozen=True, slots=True)
class _Points(Entry[MetricPoint]):
    def read_all(self, raw: list[object], left: LeftOut, most: int) -> tuple[MetricPoint, ...]:
        filters = _Filters()
        read = (_plain(entry, filters) or self.read(entry, left) for entry in islice(raw, most))
        taken = tuple(entry for entry in read if entry is not None)
        if len(taken) < len(raw):
            left[self.name] += len(raw) - len(taken)
        return taken


def _plain(raw: Any, filters: _Filters) -> MetricPoint | None:
    """What `read` makes of a point of which nothing is left out; None of any other."""
    if raw.__class__ is not dict:
        return None
    text, values, of = raw.get("timestamp"), raw.get("metrics"), raw.get("matchingFilters")
    if text.__class__ is not str or values.__class__ is not dict or len(text) > LONGEST_DATE:
        return None
    start = date_of_text(text)
    matching = None if of is None else filters.read(of)
    if start is None or (matching is None and of is not None) or not _are_plain(values):
        return None
    return MetricPoint.of_checked(start, values, matching)


_MATCHING_FILTERS: Final = Entry("filter", MatchingFilters, {"zoneIds": identifiers})
POINT: Final = _Points(
    "point",
    MetricPoint,
    {"timestamp": date, "metrics": _values, "matchingFilters": _MATCHING_FILTERS.read},
    frozenset({"timestamp", "metrics"}),
)
