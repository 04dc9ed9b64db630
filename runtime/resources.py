"""The one client, hub and signer of this process, and its saved screens, made when first asked for."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Final

import streamlit as st
import structlog

from api_client import AdministratorClient, Client, ErrorRecord, LoopClient
from contract import DEFAULT_TIMEZONE
from keeping import Place
from live import (
    CrossingsKey,
    FeedKey,
    GrantedFeed,
    GrantedPassages,
    Hub,
    StreamGrant,
    StreamSigner,
)
from live.clock import clocks_apart
from runtime.kept_place import kept_place
from runtime.kept_secret import SHORTEST, kept_secret
from runtime.settings import get_settings
from runtime.upstream import get_upstream, stop_embedded
from screens import (
    PreviewSigner,
    ScreenStore,
    ScreenStoreError,
    SharedViewers,
    ShownBook,
    Trouble,
    ViewerRegistry,
    troubles_of,
)

_SIGNING_FILE: Final = "dashboard.secret"
_log = structlog.get_logger("runtime.resources")


def get_client() -> Client:
    """The client of the service in use; safe to share between threads."""
    upstream = get_upstream()
    return _client(upstream.base_url, upstream.api_key)


def get_administrator_client(admin_key: str) -> AdministratorClient:
    """The client that administers the service in use."""
    return _administrator_client(get_upstream().base_url, admin_key)


def service_time() -> datetime:
    """What time it is for the service in use, UTC: ages are counted by it, and what is called today."""
    return get_client().service_time


def clock_doubt() -> str:
    """A sentence on a clock of the service in use that is not this machine's; empty while they agree."""
    return clocks_apart(get_client().clock_difference)


def recent_errors() -> list[ErrorRecord]:
    """Errors of all clients of this process: each new key, as of an embedded service that was replaced,
    begins a client whose own log is empty.
    """
    return [record for client in tuple(_clients) for record in client.recent_errors]


def get_hub() -> Hub:
    """The hub of the service in use: one background thread for all sessions and screens."""
    upstream = get_upstream()
    return _hub(upstream.base_url, upstream.api_key)


def get_signer() -> StreamSigner:
    """Signs what a browser may open; its secret outlives a restart, so that screens return by themselves."""
    return _signer(signing_secret())


def signing_secret() -> str:
    """The one that was configured, else the one that is kept in the data folder."""
    settings = get_settings()
    given = settings.secret.get_secret_value() if settings.secret else ""
    return given if given.strip() else _kept(str(settings.data_dir))


def stream_token(
    feeds: Iterable[tuple[FeedKey, str | None]],
    passages: Iterable[tuple[CrossingsKey, str | None]] = (),
    *,
    is_list: bool = False,
) -> str:
    """A token with which a browser may open the live stream of `feeds`, and of who crosses the `passages` of
    sites: each with its site's time zone. `is_list`: they are seen in a list of sites.
    """
    granted = StreamGrant(
        tuple(GrantedFeed(key, timezone or DEFAULT_TIMEZONE) for key, timezone in feeds),
        tuple(GrantedPassages(key, timezone or DEFAULT_TIMEZONE) for key, timezone in passages),
        is_list,
    )
    return get_signer().sign(granted)


def end_reads() -> None:
    """Let every query to the service fail at once: what waits for one ends. Also from a signal handler."""
    for client in _clients:
        client.end()


def close_resources() -> None:
    """End the hub, the client and the embedded service. May be called more than once."""
    _hub.clear()
    _client.clear()
    _administrator_client.clear()
    stop_embedded()


_clients: Final[list[LoopClient]] = []
"""Those that are open; a signal handler must not ask the cache for them, which may be locked."""


def _close_client(client: LoopClient) -> None:
    _clients.remove(client)
    client.close()


@st.cache_resource(show_spinner=False, on_release=_close_client)
def _client(base_url: str, api_key: str) -> Client:
    client = Client(base_url, api_key)
    _clients.append(client)
    return client


@st.cache_resource(show_spinner=False, on_release=_close_client)
def _administrator_client(base_url: str, admin_key: str) -> AdministratorClient:
    client = AdministratorClient(base_url, admin_key)
    _clients.append(client)
    return client


@st.cache_resource(show_spinner=False, on_release=Hub.close)
def _hub(base_url: str, api_key: str) -> Hub:
    return Hub(base_url, api_key)


@st.cache_resource(show_spinner=False)
def _signer(secret: str) -> StreamSigner:
    if len(secret) < SHORTEST:
        _log.warning("HEADROOM_SECRET can be guessed from any token", shortest_that_is_safe=SHORTEST)
    return StreamSigner(secret)


@st.cache_resource(show_spinner=False)
def _kept(data_dir: str) -> str:
    return _kept_secret(Path(data_dir) / _SIGNING_FILE)


def _kept_secret(path: Path) -> str:
    """A new one each time where nothing can be kept."""
    try:
        return kept_secret(path)
    except OSError as error:
        _log.warning("screens will need one reload after a restart", reason=str(error))
        return secrets.token_urlsafe(32)


def get_screens() -> ScreenStore:
    """The one store of this process; dashboards with the same data folder or database share what is in it.

    Raises ScreenStoreError where nothing can be kept.
    """
    place = kept_place()
    return _screens(str(place), place)


def has_screens() -> bool:
    """Whether any is saved; also where that is not known: why stands where the list does, on top."""
    with suppress(ScreenStoreError):
        return bool(get_screens().revisions())
    return True


def get_viewers() -> ViewerRegistry:
    """Who looks at screens, at this dashboard and at those that share what holds them."""
    return _viewers(get_shared_viewers())


def get_shared_viewers() -> SharedViewers:
    """Through which dashboards tell each other who looks."""
    place = kept_place()
    return _shared_viewers(str(place), place)


def get_shown() -> ShownBook:
    """What was last learned for the screens that this process serves."""
    return _shown()


def troubles_now(screen_id: str) -> tuple[Trouble, ...]:
    """Why the walls that show it by this process show no number."""
    views = get_shown().of(screen_id, is_watched=screen_id in get_viewers().here())
    return troubles_of(views, get_hub().snapshot)


def get_previews() -> PreviewSigner:
    """Makes and reads the tickets with which the Screens page shows a screen."""
    return PreviewSigner(signing_secret())


def close_screens() -> None:
    """May be called more than once."""
    _screens.clear()


@st.cache_resource(show_spinner=False, on_release=ScreenStore.close)
def _screens(where: str, _place: Place) -> ScreenStore:
    del where  # it tells places apart
    return ScreenStore(_place)


@st.cache_resource(show_spinner=False)
def _shown() -> ShownBook:
    return ShownBook()


@st.cache_resource(show_spinner=False)
def _viewers(_shared: SharedViewers) -> ViewerRegistry:
    return ViewerRegistry(_shared.others)


@st.cache_resource(show_spinner=False)
def _shared_viewers(where: str, _place: Place) -> SharedViewers:
    del where  # it tells places apart
    return SharedViewers(_place)
