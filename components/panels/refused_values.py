"""Values that a service answered and that cannot be right: what is said wherever they are missing."""

from __future__ import annotations

import streamlit as st


def refused_note(*, has_refused: bool) -> None:
    """Nothing where none was refused."""
    if has_refused:
        text = "The service answered with values that cannot be right. They are left out, so that counts are"
        st.warning(
            f"{text} missing here which it may have stored. “Connection” says what was left out.",
            icon=":material/warning:",
        )
