"""The entries of a site file: the resources of the v3 API, held to a strict form.

`contract` reads what other services answer and is tolerant of it; what is imported here will be answered by
this service, so an unknown field, an id that no URL can carry or a capacity below 0 is refused.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from typing import Annotated, Final

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    model_validator,
)
from pydantic.alias_generators import to_camel
from pydantic_core import ErrorDetails

from contract import Address, Device, Passage, Site, Zone, quoted, shortened, timezone_names
from contract.resources import UtcDatetime
from service.query.metrics_body import at_most

LONGEST_ID: Final = 200
LONGEST_NAME: Final = 200
LONGEST_TEXT: Final = 1000
"""Of a category, an address, a status: some tell in a category whose data it is."""
LARGEST_CAPACITY: Final = 10_000_000
"""People. No place holds more."""
LARGEST_AREA: Final = 1_000_000_000
"""Square metres: a thousand square kilometres."""
MOST_FIELDS: Final = 50
"""Of one object: more than any has, and few enough that all that are unknown can be named."""
MOST_PARTS: Final = 10_000
"""Zones, or passages, of one site: as many as one query can name."""
MOST_DEVICES: Final = 100
"""Of one zone or passage."""


def _identifier(text: str) -> str:
    if "/" in text or text in {".", ".."}:
        raise ValueError(f"{text!r} cannot stand in a URL: an id has no '/' and is not '.' or '..'")
    if text != text.strip():
        raise ValueError(f"{text!r} begins or ends with a blank")
    if any(unicodedata.category(character) in {"Cc", "Cf", "Cs", "Zl", "Zp"} for character in text):
        raise ValueError(f"{text!r} has characters that cannot be seen")
    return text


def _plain_text(text: str) -> str:
    if any(unicodedata.category(character) in {"Cc", "Cs", "Zl", "Zp"} for character in text):
        raise ValueError(f"{text!r} has control characters")
    return text


def _name(text: str) -> str:
    if all(sign.isspace() or unicodedata.category(sign) == "Cf" for sign in text):
        raise ValueError("is empty, or has nothing that can be seen")
    return _plain_text(text)


def timezone_fault(name: str) -> str | None:
    """Why a site cannot have this time zone; None when it can."""
    if name in timezone_names():
        return None
    [*meant] = get_close_matches(name, timezone_names(), n=1)
    hint = f"; did you mean {meant[0]}?" if meant else ", as Europe/Zurich is"
    return f"{quoted(name)} is not an IANA time zone of a place{hint}"


def _from_0_to(largest: int) -> Callable[[object], object]:
    def check(value: object) -> object:
        sound = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
        if value is not None and not (sound and 0 <= value <= largest):  # type: ignore[operator]
            shown = shortened(repr(value)) if isinstance(value, str | int | float) else "this"
            raise ValueError(f"{shown} is not a number from 0 to {largest:,}")
        return value

    return check


Identifier = Annotated[
    str, StringConstraints(strict=True, min_length=1, max_length=LONGEST_ID), AfterValidator(_identifier)
]
Name = Annotated[str, StringConstraints(strict=True, max_length=LONGEST_NAME), AfterValidator(_name)]
Text = Annotated[str, StringConstraints(strict=True, max_length=LONGEST_TEXT), AfterValidator(_plain_text)]
Capacity = Annotated[int | float | None, BeforeValidator(_from_0_to(LARGEST_CAPACITY))]
Area = Annotated[int | float | None, BeforeValidator(_from_0_to(LARGEST_AREA))]


class _Form(BaseModel):
    model_config = ConfigDict(
        alias_generator=to_camel, validate_by_alias=True, validate_by_name=False, extra="forbid", frozen=True
    )

    @model_validator(mode="before")
    @classmethod
    def _has_few_fields(cls, value: object) -> object:
        if isinstance(value, dict) and len(value) > MOST_FIELDS:
            raise ValueError(f"has {len(value)} fields; there are {', '.join(_names(cls).values())}")
        return value


class DeviceEntry(Device, _Form):
    id: Identifier
    name: Text
    status: Text = ""


class ZoneEntry(Zone, _Form):
    id: Identifier
    name: Name
    category: Text | None = None
    capacity: Capacity = None
    area: Area = None
    devices: Annotated[tuple[DeviceEntry, ...], at_most(MOST_DEVICES)] = ()


class PassageEntry(Passage, _Form):
    id: Identifier
    name: Name
    devices: Annotated[tuple[DeviceEntry, ...], at_most(MOST_DEVICES)] = ()


class AddressEntry(Address, _Form):
    street: Text = ""
    post_code: Text = ""
    city: Text = ""
    country: Text = ""


class SiteEntry(Site, _Form):
    """A site in the field names of `GET /v3/sites/{siteId}`, and what that does not show."""

    id: Identifier
    name: Name
    category: Text | None = None
    address: AddressEntry = AddressEntry()
    archived: Annotated[bool, Field(strict=True)] = False
    created_at: UtcDatetime | None = None
    updated_at: UtcDatetime | None = None
    construction_year: Annotated[int, Field(ge=1, le=9999, strict=True)] | None = None
    timezone: Text | None = None
    zones: Annotated[tuple[ZoneEntry, ...], at_most(MOST_PARTS)] = ()
    passages: Annotated[tuple[PassageEntry, ...], at_most(MOST_PARTS)] = ()
    top_zone_id: str | None = None
    """The zone that is the whole site. None: the one stored, or the only one it can be."""
    daily_reset_hour: Annotated[int, Field(ge=0, le=23, strict=True)] | None = None
    """None: the one stored, or the default."""


class OrganizationEntry(_Form):
    id: Identifier
    name: Name | None = None
    """None: the one stored, or the id."""
    sites: tuple[SiteEntry, ...] = ()


class SiteFile(_Form):
    organizations: tuple[OrganizationEntry, ...]


_ENTRIES: Final[dict[str, type[BaseModel]]] = {
    "organizations": OrganizationEntry,
    "sites": SiteEntry,
    "zones": ZoneEntry,
    "passages": PassageEntry,
    "devices": DeviceEntry,
    "address": AddressEntry,
}
"""By the field that holds them."""


def explanation(problem: ErrorDetails, whole: type[BaseModel]) -> str:
    """What is wrong with a field, and which one was meant if it has none's name; `whole` is the outermost."""
    if problem["type"] == "extra_forbidden":
        return _unknown_field(problem["loc"], whole)
    if problem["type"] == "missing":
        return "is missing"
    return problem["msg"].removeprefix("Value error, ")


def _unknown_field(location: Sequence[str | int], whole: type[BaseModel]) -> str:
    holder = next((part for part in reversed(location[:-1]) if isinstance(part, str)), "")
    entry = _ENTRIES.get(holder, whole)
    names = _names(entry)
    given = str(location[-1]).casefold().replace("_", "")
    meant = get_close_matches(given, names, n=1, cutoff=0.7)
    hint = f"did you mean {names[meant[0]]}?" if meant else f"there are {', '.join(names.values())}"
    return f"is no field here; {hint}"


def _names(form: type[BaseModel]) -> dict[str, str]:
    """The names of its fields by how they are looked up."""
    return {to_camel(field).casefold(): to_camel(field) for field in form.model_fields}
