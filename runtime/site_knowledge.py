"""What this dashboard itself knows of a site of the service in use: when it is open."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import streamlit as st
import structlog
from pydantic import ValidationError

from analysis.opening_hours import OpeningHours
from runtime.settings import get_settings
from runtime.site_knowledge_store import SiteKnowledgeStore
from runtime.upstream import service_digest

_OPENING_HOURS: Final = "opening hours"

_log = structlog.get_logger("runtime.site_knowledge")


def read_opening_hours(site_id: str) -> OpeningHours | None:
    """None: none are kept, or what is kept is damaged. Raises SiteKnowledgeError."""
    kept = _store().of(service_digest(), site_id, _OPENING_HOURS)
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


def _store() -> SiteKnowledgeStore:
    return _stored(str(get_settings().data_dir))


@st.cache_resource(show_spinner=False)
def _stored(data_dir: str) -> SiteKnowledgeStore:
    return SiteKnowledgeStore(Path(data_dir))
