"""The launcher: `streamlit run app.py` serves the dashboard, its live streams and the embedded service."""

from __future__ import annotations

import streamlit as st

from runtime._compat import search_no_package_for_components
from runtime.application import live_routes, middleware
from runtime.lifespan import lifespan
from runtime.login import install_login
from runtime.settings import SettingsError, get_settings

try:
    settings = get_settings()
    install_login()
except SettingsError as error:
    raise SystemExit(str(error)) from error

search_no_package_for_components()
routes = live_routes()
app = st.App("dashboard.py", lifespan=lifespan, routes=routes, middleware=middleware(settings, routes))
