"""The one script and the one style sheet of the wall page, made from their parts when the process begins."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from string import Template
from typing import Final, NamedTuple

_FOLDER: Final = Path(__file__).resolve().parent / "wall"
_GAUGE_FOLDER: Final = _FOLDER.parent.parent / "components" / "live_gauge"
GAUGE_SCRIPTS: Final = ("words.js", "relay_link.js", "standing.js", "trend.js", "wording.js", "dial.js")
"""Shared with the Live page."""
_LAST_SCRIPT: Final = "screen.js"
"""Starts the page, so it follows what it uses."""


class Bundle(NamedTuple):
    script: bytes
    style: bytes
    page: Template
    """HTML with `$language`, `$theme`, `$title`, `$script`, `$style` and `$config`."""
    version: str
    """Another one as soon as any byte of the three is another."""


def load_bundle() -> Bundle:
    own = sorted(_FOLDER.glob("*.js"), key=lambda path: (path.name == _LAST_SCRIPT, path.name))
    parts = [_GAUGE_FOLDER / name for name in GAUGE_SCRIPTS] + own
    # One function around all: nothing of the page leaks into the browser's global names.
    script = b"(function () {\n" + b"\n".join(part.read_bytes() for part in parts) + b"\n})();\n"
    style = b"\n".join(part.read_bytes() for part in sorted(_FOLDER.glob("*.css")))
    page = (_FOLDER / "screen.html").read_text(encoding="utf-8")
    version = sha256(script + style + page.encode()).hexdigest()[:16]
    return Bundle(script, style, Template(page), version)
