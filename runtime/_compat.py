"""What is used of other libraries' inner parts, in one place."""

from __future__ import annotations

from streamlit.runtime.pages_manager import PagesManager


def leave_pages_folder_alone() -> None:
    """Keep Streamlit (1.67) from serving `pages/` by itself.

    It takes a folder of that name for its older kind of app until `st.navigation` has run once, so that the
    first visitors of a fresh process could see file names for a menu and a page without its frame.
    """
    PagesManager.uses_pages_directory = False
