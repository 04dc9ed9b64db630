"""The service the dashboard reads: the configured one, or an embedded one started beside it."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import Final, NamedTuple

import streamlit as st

from live import close_streams
from runtime.settings import Settings, get_settings
from runtime.supervisor import ServiceSupervisor
from service.embedded import base_url, start_embedded

Account = tuple[str, str]
"""Root of a service and the key to it: what its answers depend on."""
EMBEDDED: Final = "embedded"
"""In place of an address: whichever port the dashboard's own service has."""


class Upstream(NamedTuple):
    base_url: str
    """Root of the service; the paths of the API begin with /v3."""
    api_key: str
    embedded: bool
    """Whether the dashboard started it."""
    notice: str | None = None
    """In sentences for people: why the embedded service is not there, since when and what happens next, or
    that the configuration lacks a key. None while all is well.
    """

    @property
    def account(self) -> Account:
        """What answers are cached by: all but the notice, which changes with each start of the service."""
        return self.base_url, self.api_key


def get_upstream() -> Upstream:
    """The service to read; the embedded one is started by the first call."""
    settings = get_settings()
    if settings.base_url:
        key = settings.api_key.get_secret_value() if settings.api_key else ""
        return Upstream(settings.base_url, key, embedded=False, notice=_missing_key(settings))
    supervisor = _embedded(str(settings.data_dir), settings.service_port, has_demo=settings.demo_data)
    return Upstream(
        base_url(settings.service_port),
        supervisor.service.api_key if supervisor.service else "",
        embedded=True,
        notice=str(supervisor.outage) if supervisor.outage else None,
    )


def admin_key() -> str:
    """The key of scope admin for the service in use; empty: there is none, or not yet."""
    settings = get_settings()
    if settings.base_url:
        return settings.admin_key.get_secret_value().strip() if settings.admin_key else ""
    service = _embedded(str(settings.data_dir), settings.service_port, has_demo=settings.demo_data).service
    return service.admin_key if service else ""


def service_digest() -> str:
    """Whose sites are meant where something is kept of sites: an address may hold a password."""
    upstream = get_upstream()
    return digest_of_service(EMBEDDED if upstream.embedded else upstream.base_url)


def digest_of_service(address: str) -> str:
    """Of its root, or `EMBEDDED`."""
    return sha256(address.rstrip("/").encode()).hexdigest()


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


@st.cache_resource(show_spinner=False, on_release=ServiceSupervisor.close)
def _embedded(data_dir: str, port: int, *, has_demo: bool) -> ServiceSupervisor:
    supervisor = ServiceSupervisor(
        lambda cancelled: start_embedded(Path(data_dir), port, has_demo=has_demo, cancelled=cancelled),
        # Browsers that wait for the service come back to a hub that has the key.
        on_new_key=close_streams,
    )
    supervisor.start()
    return supervisor
