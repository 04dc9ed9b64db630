"""Who is logged in, what they may, and the way out; on every page where there is a login."""

from __future__ import annotations

import streamlit as st

from components.plain_text import plain

_MAY = {
    "viewer": "viewer, changes nothing that is kept",
    "manager": "manager",
    "administrator": "administrator",
}
# A link of Markdown would open another tab, and leave this one as it is.
_LOG_OUT = '<a href="./logout" target="_self" style="font-size:0.875rem;color:inherit">Log out</a>'


def person_bar(name: str, role: str, sites: int | None) -> None:
    """`sites` is how many they may see; None: every one."""
    seen = [] if sites is None else ["1 site" if sites == 1 else f"{sites} sites"]
    with st.container(
        horizontal=True, horizontal_alignment="right", vertical_alignment="center", gap="small", key="person"
    ):
        st.caption(plain(" · ".join(dict.fromkeys([name, _MAY[role], *seen]))), width="content")
        st.html(_LOG_OUT, width="content")
