"""What is said of a record of changes: what was done to what, by whom, what differed."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from datetime import datetime
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
    "id": "Id",
    "name": "Name",
    "organizationId": "Organization",
    "createdAt": "Added",
    "updatedAt": "Changed",
    "constructionYear": "Built",
    "timezone": "Time zone",
    "category": "Category",
    "address": "Address",
    "street": "Street",
    "postCode": "Post code",
    "city": "City",
    "country": "Country",
    "capacity": "Capacity",
    "area": "Area (m²)",
    "devices": "Devices",
    "status": "Status",
    "dailyResetHour": "Counts begin at 0 at (hour)",
    "topZoneId": "Zone of the whole site",
    "archived": "Archived",
    "zones": "Zones",
    "passages": "Passages",
    "fromZoneId": "From",
    "toZoneId": "To",
    "passageId": "Passage",
    "isSwapped": "In and out swapped",
    "waiting": "Reports that waited",
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

_WITHOUT: Final = {
    "siteIds": "all",
    "expiresAt": "no end",
    "fromZoneId": "outside",
    "toZoneId": "outside",
}
"""What it means that one of them is null, where that is not that it is unknown or none."""
_TIMES: Final = {"createdAt", "updatedAt", "expiresAt", "revokedAt", "timestamp"}
_BY_ID: Final = {"zones", "passages", "devices"}
"""What differs of them stands under their ids, which are nobody's fields."""
_NEXT_WORD: Final = re.compile("(?<=[a-z0-9])(?=[A-Z])")

WriteMoment = Callable[[datetime], str]
"""Writes an aware one. May raise OverflowError of one that the clock there does not reach."""


def done_words(change: AuditShown) -> str:
    return _DONE.get(change.action, one_line(change.action, LONGEST_NAME))


def who_words(change: AuditShown) -> str:
    """`Ana, with the key Office`; without a person the key, or the part of the service."""
    name = one_line(change.key_name, LONGEST_NAME)
    if change.acting_for:
        return f"{one_line(change.acting_for, LONGEST_NAME)}, with the key {name}"
    return f"the key {name}" if change.key_id else name


def fields_words(fields: Mapping[str, Any] | None, longest: int, write: WriteMoment) -> str:
    """`Name: Corner shop; Archived: no`, cut where it is longer; times as `write` writes them."""
    if fields is None:
        return NO_VALUE
    return one_line(_listed(fields, "; ", write), longest)


def _listed(fields: Mapping[str, Any], between: str, write: WriteMoment, *, is_by_id: bool = False) -> str:
    if is_by_id:
        return between.join(f"{id_}: {_printed(value, write)}" for id_, value in fields.items())
    return between.join(f"{_called(name)}: {_printed(value, write, name)}" for name, value in fields.items())


def _called(name: str) -> str:
    """What no page shows is called by the words of its own name: `Longest stay`, of `longestStay`."""
    if name in _FIELDS:
        return _FIELDS[name]
    first, *others = _NEXT_WORD.split(name)
    return " ".join([first[:1].upper() + first[1:], *map(str.lower, others)])


def _printed(value: Any, write: WriteMoment, name: str = "") -> str:
    """`name` is that of its field; empty: it is one of several."""
    match value:
        case str():
            return _moment(value, write) if name in _TIMES else value
        case None:
            return _WITHOUT.get(name, NO_VALUE)
        case bool():
            return "yes" if value else "no"
        case dict():
            return f"({_listed(value, ', ', write, is_by_id=name in _BY_ID)})"
        case list():
            return ", ".join(_printed(one, write) for one in value) or NO_VALUE
    return json.dumps(value, ensure_ascii=False)


def _moment(told: str, write: WriteMoment) -> str:
    try:
        moment = datetime.fromisoformat(told)
        return told if moment.tzinfo is None else write(moment)
    except (ValueError, OverflowError):
        return told
