"""What the ASGI application is made of: its routes besides Streamlit's, and the middleware around all."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st
from starlette.middleware import Middleware
from starlette.requests import HTTPConnection
from starlette.routing import BaseRoute, Route

from live import TokenError, relay_routes
from runtime._compat import files_folder
from runtime.access_guard import AccessGuard, SitesAsked
from runtime.closed_ahead import read_closed_ahead
from runtime.compressed_files import CompressedFiles
from runtime.fellows import differences
from runtime.floor_plans import plans_changed_at, read_kept_plan, read_picture
from runtime.health_routes import StoreHealth, health_routes
from runtime.host_check import HostCheck, is_for_this_machine
from runtime.kept_place import shared_store_reached
from runtime.known_of_day import read_known_of_day
from runtime.login import installed_login
from runtime.login_routes import LoginRoutes
from runtime.page_routes import first_page_routes, other_addresses_route
from runtime.plan_routes import plan_routes
from runtime.quieter_hours import read_known_on_wall
from runtime.resources import (
    get_client,
    get_hub,
    get_previews,
    get_screens,
    get_shown,
    get_signer,
    get_viewers,
)
from runtime.security_headers import SecurityHeaders
from runtime.settings import Settings
from runtime.streams_first import StreamsFirst
from runtime.upstream import get_upstream
from runtime.usual_routes import usual_routes
from screens import ScreenRoutes, ScreenStoreError
from screens.day_curve import typical_days
from screens.definition import Composition
from screens.floor_plans import PlanSource
from screens.previews import is_ticket


def live_routes() -> Sequence[BaseRoute]:
    """The routes over which browsers receive pages and live values, and those that tell how all that goes."""
    typical = typical_days(get_client)
    getters = (get_screens, get_client, get_hub, get_viewers, get_previews)
    plans = PlanSource(read_kept_plan, read_picture, plans_changed_at)
    screens = ScreenRoutes(
        *getters,
        get_shown=get_shown,
        typical=typical,
        plans=plans,
        known=read_known_on_wall,
        closed=read_closed_ahead,
    )
    routes = [
        *relay_routes(get_hub, get_signer),
        *usual_routes(get_client, get_signer, typical, read_known_of_day),
        *plan_routes(read_picture),
        *screens.routes(),
        *health_routes(get_hub, get_upstream, _store_health),
    ]
    prefix = st.get_option("server.baseUrlPath") or ""
    if login := installed_login():
        routes.extend(LoginRoutes(login, prefix).routes())
    return [*routes, *_below(prefix, routes), *first_page_routes(prefix), other_addresses_route(prefix)]


def _store_health() -> StoreHealth | None:
    reached = shared_store_reached()
    return StoreHealth(reached, differences()) if reached else None


def middleware(settings: Settings, routes: Sequence[BaseRoute]) -> list[Middleware]:
    """The outermost first, so that refusals carry the headers, too. `routes` are those of `live_routes`."""
    prefix = st.get_option("server.baseUrlPath") or ""
    return [
        Middleware(SecurityHeaders, embedders=settings.embed_origins),
        Middleware(HostCheck, configured=settings.hosts),
        *_guard(settings, prefix),
        Middleware(StreamsFirst, routes=routes),
        Middleware(CompressedFiles, folder=files_folder(), prefix=prefix),
    ]


def _guard(settings: Settings, prefix: str) -> list[Middleware]:
    """None where everybody may everything: on this machine alone, or where somebody said so."""
    login = installed_login()
    is_open = settings.open_to_network or is_for_this_machine(st.get_option("server.address"))
    if login is None and is_open:
        return []
    return [Middleware(AccessGuard, login=login, find_sites=sites_asked, is_ticket=is_ticket, prefix=prefix)]


def sites_asked(path: str, asked: HTTPConnection) -> SitesAsked:
    """Which sites a request for what is beside the pages is about; of what is none, none."""
    if path.startswith("live/"):
        try:
            grant = get_signer().read(asked.query_params.get("token", ""))
        except TokenError:
            return SitesAsked()
        return SitesAsked([one.key.site_id for one in grant.everything])
    if path.startswith("floor-plan/"):
        return SitesAsked([asked.query_params.get("site", "")])
    if path.startswith("screen/"):
        return _of_screen(get_previews().opened_by(path.split("/")[1]))
    return SitesAsked()


def _of_screen(opened: str | Composition | None) -> SitesAsked:
    if isinstance(opened, str):
        try:
            found = get_screens().by_id(opened)
        except ScreenStoreError:
            return SitesAsked(every=True)
        opened = found if isinstance(found, Composition) else None
    if opened is None:
        return SitesAsked()
    return SitesAsked([view.site_id for view in opened.views if view.site_id], every=opened.shows_all_sites)


def _below(prefix: str, routes: Sequence[Route]) -> list[Route]:
    """The routes below `server.baseUrlPath` too, which Streamlit puts before its own routes alone."""
    path = prefix.strip("/")
    if not path:
        return []
    return [
        Route(f"/{path}{one.path}", one.endpoint, methods=list(one.methods or ()), name=one.name)
        for one in routes
    ]
