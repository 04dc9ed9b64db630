"""What this dashboard itself knows of a site of the service in use: opening hours, notes, targets."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final
from uuid import uuid4

import streamlit as st
import structlog
from pydantic import ValidationError

from analysis.notes import Note
from analysis.opening_hours import OpeningHours
from analysis.targets import Target
from runtime.settings import get_settings
from runtime.site_knowledge_store import SiteKnowledgeStore
from runtime.upstream import service_digest

_OPENING_HOURS: Final = "opening hours"
_NOTE: Final = "note"
_TARGET: Final = "target"

_log = structlog.get_logger("runtime.site_knowledge")


def read_opening_hours(site_id: str) -> OpeningHours | None:
    """None: none are kept, or what is kept is damaged. Raises SiteKnowledgeError."""
    return _hours_of(site_id, _store().of(service_digest(), site_id, _OPENING_HOURS))


def read_all_opening_hours() -> dict[str, OpeningHours]:
    """By site id, of those of whom they are kept; without damaged ones. Raises SiteKnowledgeError."""
    kept = _store().of_all(service_digest(), _OPENING_HOURS)
    hours = {site_id: _hours_of(site_id, own) for site_id, own in kept.items()}
    return {site_id: own for site_id, own in hours.items() if own}


def _hours_of(site_id: str, kept: Mapping[str, str]) -> OpeningHours | None:
    if not (body := kept.get("")):
        return None
    try:
        return OpeningHours.model_validate_json(body)
    except ValidationError:
        _log.warning("kept opening hours are left out: they are damaged", site=site_id)
        return None


def keep_opening_hours(site_id: str, hours: OpeningHours | None) -> None:
    """None: keep none. Raises SiteKnowledgeError."""
    if hours is None:
        _store().forget(service_digest(), site_id, _OPENING_HOURS, "")
    else:
        _store().keep(service_digest(), site_id, _OPENING_HOURS, "", hours.model_dump_json())


def read_notes(site_id: str) -> dict[str, Note]:
    """By name, without damaged ones. Raises SiteKnowledgeError."""
    notes = {}
    for name, body in _store().of(service_digest(), site_id, _NOTE).items():
        try:
            notes[name] = Note.model_validate_json(body)
        except ValidationError:
            _log.warning("a kept note is left out: it is damaged", site=site_id, note=name)
    return notes


def keep_note(site_id: str, note: Note) -> None:
    """Raises SiteKnowledgeError."""
    _store().keep(service_digest(), site_id, _NOTE, uuid4().hex, note.model_dump_json())


def forget_note(site_id: str, name: str) -> None:
    """Raises SiteKnowledgeError."""
    _store().forget(service_digest(), site_id, _NOTE, name)


def read_targets(site_id: str) -> dict[str, Target]:
    """By month, without damaged ones. Raises SiteKnowledgeError."""
    return _targets_of(site_id, _store().of(service_digest(), site_id, _TARGET))


def read_all_targets() -> dict[str, dict[str, Target]]:
    """`read_targets` of each site that has any, by its id. Raises SiteKnowledgeError."""
    kept = _store().of_all(service_digest(), _TARGET)
    return {site_id: _targets_of(site_id, own) for site_id, own in kept.items()}


def _targets_of(site_id: str, kept: Mapping[str, str]) -> dict[str, Target]:
    targets = {}
    for month, body in kept.items():
        try:
            targets[month] = Target.model_validate_json(body)
        except ValidationError:
            _log.warning("a kept target is left out: it is damaged", site=site_id, month=month)
    return targets


def keep_target(site_id: str, month: str, target: Target | None) -> None:
    """None: keep none. Raises SiteKnowledgeError."""
    if target is None:
        _store().forget(service_digest(), site_id, _TARGET, month)
    else:
        _store().keep(service_digest(), site_id, _TARGET, month, target.model_dump_json())


def _store() -> SiteKnowledgeStore:
    return _stored(str(get_settings().data_dir))


@st.cache_resource(show_spinner=False)
def _stored(data_dir: str) -> SiteKnowledgeStore:
    return SiteKnowledgeStore(Path(data_dir))
