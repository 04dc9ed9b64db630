"""What is used of other libraries' inner parts, in one place."""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256
from pathlib import Path
from typing import Final

from streamlit import file_util
from streamlit.runtime.pages_manager import PagesManager

_INLINE_SCRIPT: Final = re.compile(rb"<script>(.*?)</script>", re.DOTALL)


def leave_pages_folder_alone() -> None:
    """Keep Streamlit (1.67) from serving `pages/` by itself.

    It takes a folder of that name for its older kind of app until `st.navigation` has run once, so that the
    first visitors of a fresh process could see file names for a menu and a page without its frame.
    """
    PagesManager.uses_pages_directory = False


def inline_script_digests() -> tuple[str, ...]:
    """`sha256-...` of each script that stands in the page that Streamlit (1.67) serves for every address."""
    page = Path(file_util.get_static_dir()) / "index.html"
    scripts = _INLINE_SCRIPT.findall(page.read_bytes())
    return tuple("sha256-" + b64encode(sha256(script).digest()).decode() for script in scripts)
