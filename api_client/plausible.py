"""What is taken from a service's JSON: known fields within bounds. The rest is left out and counted.

A sick or hostile service may send a date that no calendar holds or a capacity of 1e308. That must not cost
the page that shows everything else: an optional field is then as if it were absent, and an entry of a list
is left out when it lacks what it needs. Only this side is tolerant; the service prints from the plain models.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache, partial
from itertools import islice
from typing import Any, Final, Generic, TypeVar

from pydantic import TypeAdapter, ValidationError

from contract import (
    Address,
    Device,
    ErrorEntry,
    Meta,
    MetricPoint,
    Pagination,
    Passage,
    Site,
    SiteSummary,
    Zone,
)
from contract.resources import Resource, UtcDatetime

LARGEST_NUMBER: Final = 2**53
"""In either direction: beyond it, floats no longer count by ones."""
MOST_PEOPLE: Final = 10**9
EARLIEST: Final = datetime(1970, 1, 1, tzinfo=UTC)
END: Final = datetime(2200, 1, 1, tzinfo=UTC)
LONGEST_TEXT: Final = 500
"""In characters; a longer text is cut."""
LONGEST_DATE: Final = 64
"""In characters; no form of ISO 8601 has as many."""
LONGEST_ID: Final = 200
"""In characters; a longer id is none, because a part of it would be another one."""
MOST_ZONES: Final = 1_000
MOST_PASSAGES: Final = 4_000
MOST_DEVICES: Final = 10_000
_MOST_ENTRIES: Final = 1_000
_LONGEST_SHAPELESS: Final = 300_000
"""In characters, as Python prints it; a filter of a thousand zones fits."""

LeftOut = Counter[str]
"""What was left out, by the name of the field or of the kind of entry."""
Read = Callable[[object, LeftOut], object]
"""The value to take, None for one that cannot be right."""


Kind = TypeVar("Kind", bound=Resource | MetricPoint)
Part = TypeVar("Part", Zone, Passage)
_DATE: Final = TypeAdapter[datetime](UtcDatetime)


@dataclass(frozen=True, slots=True)
class Entry(Generic[Kind]):
    """How one kind of JSON object is read."""

    name: str
    model: type[Kind]
    fields: Mapping[str, Read]
    needs: frozenset[str] = frozenset()

    def read(self, raw: object, left: LeftOut) -> Kind | None:
        """None without a field that it needs. A null is as good as absent."""
        if not isinstance(raw, dict):
            return None
        found: dict[str, Any] = {}
        for name, read in self.fields.items():
            if (value := raw.get(name)) is None:
                continue
            if (taken := read(value, left)) is None:
                left[f"{name} of a {self.name}"] += 1
            else:
                found[name] = taken
        return self.model(**found) if self.needs <= found.keys() else None

    def read_all(self, raw: list[object], left: LeftOut, most: int) -> tuple[Kind, ...]:
        read = ((self.read(entry, left)) for entry in islice(raw, most))
        taken = tuple(entry for entry in read if entry is not None)
        if len(taken) < len(raw):
            left[self.name] += len(raw) - len(taken)
        return taken


def _text(value: object, _left: LeftOut) -> str | None:
    return value[:LONGEST_TEXT] if isinstance(value, str) else None


def identifier(value: object, _left: LeftOut) -> str | None:
    return value if isinstance(value, str) and 0 < len(value) <= LONGEST_ID and "\0" not in value else None


def _flag(value: object, _left: LeftOut) -> bool | None:
    return value if isinstance(value, bool) else None


def number(
    value: object, _left: LeftOut, lowest: int = -LARGEST_NUMBER, highest: int = LARGEST_NUMBER
) -> int | float | None:
    """NaN is in no range."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if lowest <= value <= highest else None


def _year(value: object, _left: LeftOut) -> int | None:
    return value if isinstance(value, int) and abs(value) < END.year else None


def date(value: object, _left: LeftOut) -> datetime | None:
    if isinstance(value, str):
        return date_of_text(value) if len(value) <= LONGEST_DATE else None
    return _date_of(value)


@lru_cache(maxsize=2**15)  # points of all zones and passages have the same times: here, one object for each
def date_of_text(text: str) -> datetime | None:
    return _date_of(text)


def _date_of(value: object) -> datetime | None:
    try:
        date = _DATE.validate_python(value)
    except ValidationError:
        return None
    return date if EARLIEST <= date < END else None


def _list_of(entry: Entry[Kind], most: int) -> Read:
    def read(value: object, left: LeftOut) -> tuple[Kind, ...] | None:
        return entry.read_all(value, left, most) if isinstance(value, list) else None

    return read


def _parts_of(entry: Entry[Part], most: int) -> Read:
    """Of several with one id the first: whoever asks by the id cannot tell which of them is meant."""

    def read(value: object, left: LeftOut) -> tuple[Part, ...] | None:
        if not isinstance(value, list):
            return None
        found = entry.read_all(value, left, most)
        first: dict[str, Part] = {}
        for one in found:
            first.setdefault(one.id, one)
        if len(first) < len(found):
            left[f"{entry.name} with the id of another"] += len(found) - len(first)
        return tuple(first.values())

    return read


def identifiers(value: object, left: LeftOut) -> tuple[str, ...] | None:
    if not isinstance(value, list):
        return None
    return tuple(one for one in value[:_MOST_ENTRIES] if identifier(one, left))


def _texts(value: object, _left: LeftOut) -> dict[str, str] | None:
    if not isinstance(value, dict):
        return None
    pairs = islice(value.items(), _MOST_ENTRIES)
    return {key[:LONGEST_ID]: text[:LONGEST_TEXT] for key, text in pairs if isinstance(text, str)}


def _entries(value: object, _left: LeftOut) -> list[object] | None:
    return value if isinstance(value, list) and _is_small(value) else None


def _mapping(value: object, _left: LeftOut) -> dict[str, object] | None:
    return value if isinstance(value, dict) and _is_small(value) else None


def _is_small(value: object) -> bool:
    """Of what may have any shape: it is kept beside the points, and shown as it is."""
    return len(repr(value)) <= _LONGEST_SHAPELESS


def _pagination(value: object, _left: LeftOut) -> Pagination | None:
    """Whether there is more must not hang on the numbers beside it."""
    if not isinstance(value, dict):
        return None
    more = value.get("hasNext") is True
    return Pagination(limit=0, offset=0, total=0, has_previous=False, has_next=more)


_NAMED: Final = frozenset({"id", "name"})
_DEVICE: Final = Entry("device", Device, {"id": identifier, "name": _text, "status": _text}, _NAMED)
_ZONE: Final = Entry(
    "zone",
    Zone,
    {
        "id": identifier,
        "name": _text,
        "category": _text,
        "capacity": partial(number, lowest=0, highest=MOST_PEOPLE),
        "area": partial(number, lowest=0),
        "devices": _list_of(_DEVICE, MOST_DEVICES),
    },
    _NAMED,
)
_PASSAGE: Final = Entry(
    "passage",
    Passage,
    {
        "id": identifier,
        "name": _text,
        "fromZoneId": identifier,
        "toZoneId": identifier,
        "devices": _list_of(_DEVICE, MOST_DEVICES),
    },
    _NAMED,
)
_ADDRESS: Final = Entry(
    "address", Address, {"street": _text, "postCode": _text, "city": _text, "country": _text}
)
_SUMMARY_FIELDS: Final[Mapping[str, Read]] = {
    "id": identifier,
    "name": _text,
    "category": _text,
    "address": _ADDRESS.read,
    "timezone": identifier,
    "organizationId": _text,
    "archived": _flag,
    "createdAt": date,
    "updatedAt": date,
}
_ERROR: Final = Entry(
    "error", ErrorEntry, {"code": identifier, "message": _text, "details": _texts}, frozenset({"code"})
)

SITE_SUMMARY: Final = Entry("site", SiteSummary, _SUMMARY_FIELDS, _NAMED)
SITE: Final = Entry(
    "site",
    Site,
    {
        **_SUMMARY_FIELDS,
        "constructionYear": _year,
        "zones": _parts_of(_ZONE, MOST_ZONES),
        "passages": _parts_of(_PASSAGE, MOST_PASSAGES),
    },
    _NAMED,
)
META: Final = Entry(
    "meta",
    Meta,
    {
        "requestId": _text,
        "serverTag": _text,
        "warnings": _entries,
        "errors": _list_of(_ERROR, _MOST_ENTRIES),
        "pagination": _pagination,
        "inferredParams": _mapping,
    },
)
