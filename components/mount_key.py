"""Keys under which components are mounted: Streamlit refuses one that holds two low lines in a row."""

from __future__ import annotations

from typing import Final
from urllib.parse import quote

_LOW_LINE: Final = "%5F"


def mount_key(*parts: str) -> str:
    """One key of names and ids, whatever stands in them; unlike parts have unlike keys.

    All but ASCII letters, digits, `-`, `.` and `~` is escaped as in a URL, so that `/` can separate them.
    """
    return "/".join(quote(part, safe="", errors="surrogatepass").replace("_", _LOW_LINE) for part in parts)
