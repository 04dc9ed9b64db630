"""What this dashboard itself knows of a site of the service in use: opening hours, notes, targets,
checks of its doors.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from contextlib import suppress
from datetime import datetime
from functools import lru_cache, partial
from typing import Final, NamedTuple
from uuid import uuid4

import streamlit as st
from pydantic import ValidationError

from analysis.door_check import DoorCheck
from analysis.keeper import Keeper
from analysis.notes import Note
from analysis.opening_hours import KeptHours, OpeningHours
from analysis.targets import Target
from api_client.trouble_log import TroubleLog
from keeping import Place
from runtime.kept_place import kept_place
from runtime.person_of_page import change_refusal
from runtime.site_knowledge_store import SiteKnowledgeError, SiteKnowledgeStore
from runtime.upstream import service_digest

_OPENING_HOURS: Final = "opening hours"
_DAMAGED_HOURS: Final = "damaged opening hours"
"""Documents that could not be read when others took their place, by the moment of that."""
_FIRST_HOURS: Final = "first opening hours"
"""What the dashboard itself has kept of a site before anybody else did: they came with the demo."""
_MOST_PARSED: Final = 2_000
"""Opening hours that are kept as they were read: walls and the list of sites read those of all sites."""
_NOTE: Final = "note"
_TARGET: Final = "target"
_DOOR_CHECK: Final = "door check"
MOST_CHECKS: Final = 100
"""Of one door."""

_log = TroubleLog("runtime.site_knowledge")


def read_kept_hours(site_id: str) -> KeptHours:
    """Raises SiteKnowledgeError, but not for what is damaged."""
    return _hours_of(site_id, knowledge_store().of(service_digest(), site_id, _OPENING_HOURS))


class HoursOfPage(NamedTuple):
    """What the page on which hours are written shows of a site."""

    kept: KeptHours
    are_first: bool
    """Whether the dashboard itself has kept them; see `keep_first_hours`."""


def read_hours_of_page(site_id: str) -> HoursOfPage:
    """Raises SiteKnowledgeError."""
    kept = read_kept_hours(site_id)
    return HoursOfPage(kept, are_first_hours(site_id, kept))


def read_all_opening_hours(of: Container[str] | None = None) -> dict[str, OpeningHours]:
    """By site id, of those (`of`: among these) of whom they are kept; without damaged ones. Raises
    SiteKnowledgeError.
    """
    kept = knowledge_store().of_all(service_digest(), _OPENING_HOURS)
    wanted = {site_id: own for site_id, own in kept.items() if of is None or site_id in of}
    found = {site_id: _hours_of(site_id, own).hours for site_id, own in wanted.items()}
    return {site_id: hours for site_id, hours in found.items() if hours}


def _hours_of(site_id: str, kept: Mapping[str, str]) -> KeptHours:
    document = kept.get("", "")
    return KeptHours(_parsed(site_id, document) if document else None, document)


@lru_cache(_MOST_PARSED)
def _parsed(site_id: str, document: str) -> OpeningHours | None:
    """None: it is damaged. Walls and pages ask every few minutes, and the log has that once."""
    try:
        return OpeningHours.model_validate_json(document)
    except ValidationError:
        _log.warning("kept opening hours are not used: they are damaged", site=site_id)
        return None


def read_opening_hours(site_id: str) -> OpeningHours | None:
    """None: none are kept. Raises SiteKnowledgeError, also where they are damaged."""
    kept = read_kept_hours(site_id)
    if kept.is_damaged:
        raise SiteKnowledgeError(
            "What is kept of them is damaged, so no closed time is shown. Write them anew on the page Site."
        )
    return kept.hours


def keep_opening_hours(site_id: str, hours: OpeningHours | None, before: KeptHours | None = None) -> bool:
    """Whether they are kept: not where another dashboard or tab has kept others than `before` since.

    `hours` None: none are kept from then on. `before` None: whatever is kept is replaced. What is damaged is
    put aside, never lost. Raises SiteKnowledgeError.
    """
    found = read_kept_hours(site_id) if before is None else before
    return knowledge_store().replace(
        service_digest(),
        site_id,
        _OPENING_HOURS,
        "",
        hours.model_dump_json() if hours else None,
        before=found.document or None,
        aside=_DAMAGED_HOURS if found.is_damaged else "",
    )


def keep_first_hours(site_id: str, hours: OpeningHours) -> None:
    """Once in the life of a data folder, and where none are kept: whoever changes or forgets them has the
    last word. Raises SiteKnowledgeError.
    """
    store, service = knowledge_store(), service_digest()
    if store.one(service, site_id, _FIRST_HOURS, "") is None:
        document = hours.model_dump_json()
        store.replace(service, site_id, _OPENING_HOURS, "", document, before=None)
        store.keep(service, site_id, _FIRST_HOURS, "", document)


def are_first_hours(site_id: str, kept: KeptHours) -> bool:
    """Whether these are as the dashboard itself has kept them. Raises SiteKnowledgeError."""
    first = knowledge_store().one(service_digest(), site_id, _FIRST_HOURS, "")
    return bool(kept.document) and kept.document == first


def opening_hours_keeper(site_id: str) -> Keeper[OpeningHours | None, KeptHours]:
    return Keeper(partial(keep_opening_hours, site_id), partial(_kept_at, site_id, _OPENING_HOURS, ""))


def _kept_at(site_id: str, kind: str, name: str) -> datetime | None:
    with suppress(SiteKnowledgeError):
        return knowledge_store().kept_at(service_digest(), site_id, kind, name)
    return None


def read_notes(site_id: str) -> dict[str, Note]:
    """By name, without damaged ones. Raises SiteKnowledgeError."""
    notes = {}
    for name, body in knowledge_store().of(service_digest(), site_id, _NOTE).items():
        try:
            notes[name] = Note.model_validate_json(body)
        except ValidationError:
            _log.warning("a kept note is left out: it is damaged", site=site_id, note=name)
    return notes


def keep_note(site_id: str, note: Note) -> None:
    """Raises SiteKnowledgeError."""
    knowledge_store().keep(service_digest(), site_id, _NOTE, uuid4().hex, note.model_dump_json())


def forget_note(site_id: str, name: str) -> None:
    """Raises SiteKnowledgeError."""
    knowledge_store().forget(service_digest(), site_id, _NOTE, name)


def read_targets(site_id: str) -> dict[str, Target]:
    """By month, without damaged ones. Raises SiteKnowledgeError."""
    return _targets_of(site_id, knowledge_store().of(service_digest(), site_id, _TARGET))


def read_all_targets() -> dict[str, dict[str, Target]]:
    """`read_targets` of each site that has any, by its id. Raises SiteKnowledgeError."""
    kept = knowledge_store().of_all(service_digest(), _TARGET)
    return {site_id: _targets_of(site_id, own) for site_id, own in kept.items()}


def _targets_of(site_id: str, kept: Mapping[str, str]) -> dict[str, Target]:
    found = {month: _target_of(site_id, month, body) for month, body in kept.items()}
    return {month: target for month, target in found.items() if target}


def _target_of(site_id: str, month: str, body: str | None) -> Target | None:
    """None: there is none, or it is damaged."""
    try:
        return Target.model_validate_json(body) if body else None
    except ValidationError:
        _log.warning("a kept target is left out: it is damaged", site=site_id, month=month)
        return None


def keep_target(site_id: str, month: str, target: Target | None, before: Target | None) -> bool:
    """Whether it is kept: not where another dashboard or tab has kept another than `before` since. None:
    none. Raises SiteKnowledgeError.
    """
    own = service_digest(), site_id, _TARGET, month
    found = knowledge_store().one(*own)
    if _target_of(site_id, month, found) != before:
        return False
    body = target.model_dump_json() if target else None
    return knowledge_store().replace(*own, body, before=found)


def target_keeper(site_id: str, month: str) -> Keeper[Target | None, Target | None]:
    return Keeper(partial(keep_target, site_id, month), partial(_kept_at, site_id, _TARGET, month))


def read_door_checks(site_id: str) -> dict[str, DoorCheck]:
    """By name, of all doors, without damaged ones. Raises SiteKnowledgeError."""
    return {name: check for name, check in _door_checks(site_id).items() if check}


def damaged_door_checks(site_id: str) -> list[str]:
    """Their names; of which door they are, is not known. Raises SiteKnowledgeError."""
    return [name for name, check in _door_checks(site_id).items() if not check]


def _door_checks(site_id: str) -> dict[str, DoorCheck | None]:
    """None: it is damaged."""
    checks: dict[str, DoorCheck | None] = {}
    for name, body in knowledge_store().of(service_digest(), site_id, _DOOR_CHECK).items():
        try:
            checks[name] = DoorCheck.model_validate_json(body)
        except ValidationError:
            _log.warning("a kept check of a door is left out: it is damaged", site=site_id, check=name)
            checks[name] = None
    return checks


def keep_door_check(site_id: str, name: str, check: DoorCheck) -> None:
    """It replaces the one of that name. Raises SiteKnowledgeError."""
    others = [
        other
        for own, other in read_door_checks(site_id).items()
        if own != name and other.passage_id == check.passage_id
    ]
    if len(others) >= MOST_CHECKS:
        raise SiteKnowledgeError(
            f"{MOST_CHECKS} checks are kept of this door, and there is room for no more. Delete old ones."
        )
    knowledge_store().keep(service_digest(), site_id, _DOOR_CHECK, name, check.model_dump_json())


def forget_door_check(site_id: str, name: str) -> None:
    """Raises SiteKnowledgeError."""
    knowledge_store().forget(service_digest(), site_id, _DOOR_CHECK, name)


def knowledge_store() -> SiteKnowledgeStore:
    """Of the place in use."""
    place = kept_place()
    return _stored(str(place), place)


@st.cache_resource(show_spinner=False)
def _stored(where: str, _place: Place) -> SiteKnowledgeStore:
    del where  # it tells places apart
    return SiteKnowledgeStore(_place, change_refusal)
