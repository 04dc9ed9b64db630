"""The script that every browser session runs: the frame around the pages."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from components.page_frame import page_frame
from components.panels.page_parts import outages_remembered
from components.panels.unknown_in_link import unknown_names_in_link
from components.panels.url_choice import remember_link
from components.plain_text import plain
from runtime import read_preferences, service_notice

# An icon of our own: Streamlit would fetch a Material one from another host.
st.set_page_config(
    page_title="Headroom", page_icon=Path(__file__).parent / "components" / "icon.svg", layout="wide"
)

# Before the links to other pages are there to be pressed.
remember_link("site")
page = st.navigation(
    [
        st.Page("pages/overview.py", title="Overview", icon=":material/grid_view:", default=True),
        st.Page("pages/live.py", title="Live", icon=":material/speed:", url_path="live"),
        st.Page("pages/site.py", title="Site", icon=":material/account_tree:", url_path="site"),
        st.Page("pages/history.py", title="History", icon=":material/show_chart:", url_path="history"),
        st.Page("pages/screens.py", title="Screens", icon=":material/tv:", url_path="screens"),
        st.Page("pages/connection.py", title="Connection", icon=":material/cable:", url_path="connection"),
    ],
    position="top",
)
page_frame(st.context.locale)
if notice := service_notice():
    st.warning(plain(notice), icon=":material/warning:")
if problem := read_preferences().problem:
    st.warning(plain(problem), icon=":material/warning:")
with unknown_names_in_link(), outages_remembered():
    page.run()
