"""Inner parts of Streamlit and uvicorn that the dashboard uses, each with the version it was seen in.

Those of uvicorn that the relay needs stand in `live/_compat.py`, since `live` may not import this room.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Iterable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import uvicorn
from streamlit import file_util
from streamlit.components.v2 import manifest_scanner
from streamlit.runtime.pages_manager import PagesManager

_INLINE_SCRIPT: Final = re.compile(r"<script>(.*?)</script>", re.DOTALL)


def leave_pages_folder_alone() -> None:
    """Keep Streamlit (1.67) from serving `pages/` by itself.

    It takes a folder of that name for its older kind of app until `st.navigation` has run once, so that the
    first visitors of a fresh process could see file names for a menu and a page without its frame.
    """
    PagesManager.uses_pages_directory = False


def search_no_package_for_components() -> None:
    """Spare the start what Streamlit (1.67) does at each: it searches all installed packages for components.

    Every component here is the project's own, and to read what each package says of itself takes the longer,
    the more there are.
    """
    manifest_scanner.scan_component_manifests = _no_manifests


def _no_manifests(max_workers: int | None = None) -> list[Any]:  # noqa: ARG001 - Streamlit's signature
    return []


def files_folder() -> Path:
    """The pages, scripts, styles and fonts that Streamlit (1.67) serves, the hash of each in its name."""
    return Path(file_util.get_static_dir())


def page_of_streamlit() -> str:
    """The HTML that Streamlit (1.67) serves for every address."""
    return (files_folder() / "index.html").read_text(encoding="utf-8")


def element_scripts(elements: Iterable[str]) -> tuple[str, ...]:
    """Paths below `files_folder` of what Streamlit (1.67) loads to draw `elements`, in their order.

    What its page names is not among them. Read from the manifest of its build; where that knows an element no
    more, nothing is given for it, and nothing at all where there is none or it is written otherwise.
    """
    try:
        return _scripts_of(json.loads((files_folder() / "manifest.json").read_bytes()), elements)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return ()


def _scripts_of(build: Mapping[str, Mapping[str, Any]], elements: Iterable[str]) -> tuple[str, ...]:
    sources = {part.get("name"): source for source, part in build.items() if part.get("isDynamicEntry")}
    named: dict[str, None] = {}
    _add_with_imports("index.html", build, named)
    loaded: dict[str, None] = {}
    for source in (sources[element] for element in elements if element in sources):
        _add_with_imports(source, build, loaded)
    return tuple(build[source]["file"] for source in loaded if source not in named)


def _add_with_imports(source: str, build: Mapping[str, Mapping[str, Any]], found: dict[str, None]) -> None:
    if source in build and source not in found:
        found[source] = None
        for imported in build[source].get("imports", ()):
            _add_with_imports(imported, build, found)


def server_of(handler: object) -> uvicorn.Server | None:
    """The server that a signal handler belongs to: uvicorn (0.54) registers a method of its own object."""
    server = getattr(handler, "__self__", None)
    return server if isinstance(server, uvicorn.Server) else None


def inline_script_digests(page: str) -> tuple[str, ...]:
    """`sha256-...` of each script that stands in the HTML `page`."""
    scripts = _INLINE_SCRIPT.findall(page)
    return tuple("sha256-" + b64encode(sha256(script.encode()).digest()).decode() for script in scripts)
