"""What the ASGI application is made of: its routes besides Streamlit's, and the middleware around all."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st
from starlette.middleware import Middleware
from starlette.routing import BaseRoute, Route

from live import relay_routes
from runtime._compat import files_folder
from runtime.compressed_files import CompressedFiles
from runtime.floor_plans import plans_changed_at, read_kept_plan, read_picture
from runtime.health_routes import health_routes
from runtime.host_check import HostCheck
from runtime.known_of_day import read_known_of_day
from runtime.page_routes import first_page_routes, other_addresses_route
from runtime.plan_routes import plan_routes
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
from runtime.upstream import get_upstream
from runtime.usual_routes import usual_routes
from screens import ScreenRoutes
from screens.day_curve import typical_days
from screens.floor_plans import PlanSource


def live_routes() -> Sequence[BaseRoute]:
    """The routes over which browsers receive pages and live values, and those that tell how all that goes."""
    typical = typical_days(get_client)
    getters = (get_screens, get_client, get_hub, get_viewers, get_previews)
    plans = PlanSource(read_kept_plan, read_picture, plans_changed_at)
    screens = ScreenRoutes(
        *getters, get_shown=get_shown, typical=typical, plans=plans, known=read_known_of_day
    )
    routes = [
        *relay_routes(get_hub, get_signer),
        *usual_routes(get_client, get_signer, typical, read_known_of_day),
        *plan_routes(read_picture),
        *screens.routes(),
        *health_routes(get_hub, get_upstream),
    ]
    prefix = st.get_option("server.baseUrlPath") or ""
    return [*routes, *_below(prefix, routes), *first_page_routes(prefix), other_addresses_route(prefix)]


def middleware(settings: Settings) -> list[Middleware]:
    """The outermost first, so that refusals carry the headers, too."""
    return [
        Middleware(SecurityHeaders, embedders=settings.embed_origins),
        Middleware(HostCheck, configured=settings.hosts),
        Middleware(CompressedFiles, folder=files_folder(), prefix=st.get_option("server.baseUrlPath") or ""),
    ]


def _below(prefix: str, routes: Sequence[Route]) -> list[Route]:
    """The routes below `server.baseUrlPath` too, which Streamlit puts before its own routes alone."""
    path = prefix.strip("/")
    if not path:
        return []
    return [Route(f"/{path}{one.path}", one.endpoint, methods=list(one.methods or ())) for one in routes]
