"""The service the dashboard reads: the configured one, or an embedded one started beside it."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import streamlit as st
import structlog

from runtime.settings import Settings, get_settings
from service.embedded import EmbeddedService, EmbeddedServiceError, start_embedded

_log = structlog.get_logger("runtime.upstream")


class Upstream(NamedTuple):
    base_url: str
    """Root of the service; the paths of the API begin with /v3."""
    api_key: str
    embedded: bool
    """Whether the dashboard started it."""
    notice: str | None = None
    """Why the embedded service is not there, as a sentence for people; None while all is well."""


class _Embedded(NamedTuple):
    service: EmbeddedService | None
    failure: str | None


def get_upstream() -> Upstream:
    """The service to read; the embedded one is started by the first call."""
    settings = get_settings()
    if settings.base_url:
        key = settings.api_key.get_secret_value() if settings.api_key else ""
        return Upstream(settings.base_url, key, embedded=False, notice=_missing_key(settings))
    started = _embedded(str(settings.data_dir), settings.service_port)
    if started.service is None:
        address = f"http://127.0.0.1:{settings.service_port}"
        return Upstream(address, "", embedded=True, notice=started.failure)
    notice = None if started.service.is_running() else "The embedded service has ended; its log says why."
    return Upstream(started.service.base_url, started.service.api_key, embedded=True, notice=notice)


def service_notice() -> str | None:
    """What keeps the service from being there, as far as the dashboard's own set-up is the cause."""
    return get_upstream().notice


def stop_embedded() -> None:
    """End the embedded service, if there is one. May be called more than once."""
    _embedded.clear()


def _missing_key(settings: Settings) -> str | None:
    if settings.api_key and settings.api_key.get_secret_value():
        return None
    return "HEADROOM_BASE_URL is set but HEADROOM_API_KEY is not: the service will refuse every request."


def _stop(started: _Embedded) -> None:
    if started.service is not None:
        started.service.stop()


@st.cache_resource(show_spinner=False, on_release=_stop)
def _embedded(data_dir: str, port: int) -> _Embedded:
    try:
        return _Embedded(start_embedded(Path(data_dir), port), None)
    except EmbeddedServiceError as error:
        _log.error("embedded service not started", reason=str(error))
        return _Embedded(None, str(error))
