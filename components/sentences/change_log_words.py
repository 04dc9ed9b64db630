"""What is said of a record of changes: what was done to what, by whom, what differed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from analysis.names import LONGEST_NAME, one_line
from components.number_format import NO_VALUE
from components.sentences.mapping_words import FIELDS
from contract.administration import AuditShown

KINDS: Final = {
    "organization": "The organization",
    "site": "Sites",
    "sensor": "Counters",
    "mapping": "Mappings of counters",
    "level": "Numbers set by hand",
    "key": "Keys",
}
"""By what stands before the dot of an action."""
_DONE: Final = {
    "organization.created": "Organization created",
    "organization.changed": "Organization renamed",
    "site.created": "Site created",
    "site.changed": "Site changed",
    "key.created": "Key made",
    "key.revoked": "Key revoked",
    "key.rotated": "Key rotated",
    "sensor.placed": "Counter placed or taken down",
    "sensor.dismissed": "Counter dismissed",
    "sensor.ignored": "Counter ignored from then on",
    "mapping.kept": "Mapping kept",
    "mapping.removed": "Mapping removed",
    "level.set": "Number set by hand",
    "level.withdrawn": "Number set by hand taken back",
}

_FIELDS: Final = FIELDS | {
    "name": "Name",
    "timezone": "Time zone",
    "category": "Category",
    "address": "Address",
    "country": "Country",
    "capacity": "Capacity",
    "area": "Area",
    "dailyResetHour": "Counts begin at 0 at (hour)",
    "topZoneId": "Zone of the whole site",
    "archived": "Archived",
    "zones": "Zones",
    "passages": "Passages",
    "fromZoneId": "From",
    "toZoneId": "To",
    "passageId": "Passage",
    "isSwapped": "In and out swapped",
    "scope": "Scope",
    "siteIds": "Sites",
    "expiresAt": "Opens until",
    "revokedAt": "Revoked",
    "replacedBy": "Replaced by",
    "zoneId": "Zone",
    "timestamp": "From then on",
    "visitorsInside": "People inside",
    "reason": "Why",
}
"""As pages call them, by the names of the API."""

_WITHOUT: Final = {"siteIds": "all", "expiresAt": "no end"}
"""What it means that one of them is null, where that is not that it is unknown or none."""


def done_words(change: AuditShown) -> str:
    return _DONE.get(change.action, one_line(change.action, LONGEST_NAME))


def who_words(change: AuditShown) -> str:
    """`Ana, with the key Office`; without a person the key, or the part of the service."""
    name = one_line(change.key_name, LONGEST_NAME)
    if change.acting_for:
        return f"{one_line(change.acting_for, LONGEST_NAME)}, with the key {name}"
    return f"the key {name}" if change.key_id else name


def fields_words(fields: Mapping[str, Any] | None, longest: int) -> str:
    """`Name: Corner shop; Archived: no`, cut where it is longer. What no page shows keeps its own name."""
    if fields is None:
        return NO_VALUE
    return one_line(_listed(fields, "; "), longest)


def _listed(fields: Mapping[str, Any], between: str) -> str:
    return between.join(
        f"{_FIELDS.get(name, name)}: {_WITHOUT.get(name, NO_VALUE) if value is None else _printed(value)}"
        for name, value in fields.items()
    )


def _printed(value: Any) -> str:
    match value:
        case str():
            return value
        case None:
            return NO_VALUE
        case bool():
            return "yes" if value else "no"
        case dict():
            return f"({_listed(value, ', ')})"
        case list():
            return ", ".join(map(_printed, value)) or NO_VALUE
    return json.dumps(value, ensure_ascii=False)
