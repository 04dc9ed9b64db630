"""The one script and the one style sheet of the wall page, made from their parts when the process begins."""

from __future__ import annotations

import re
from hashlib import sha256
from pathlib import Path
from string import Template
from typing import Final, NamedTuple

_FOLDER: Final = Path(__file__).resolve().parent / "wall"
_GAUGE_FOLDER: Final = _FOLDER.parent.parent / "components" / "live_gauge"
GAUGE_SCRIPTS: Final = (
    "words.js",
    "relay_link.js",
    "standing.js",
    "trend.js",
    "wording.js",
    "dial.js",
    "gauge.js",
)
"""Shared with the Live page."""
_LAST_SCRIPT: Final = "screen.js"
"""Starts the page, so it follows what it uses."""

_COMMENT: Final = re.compile(r"^\s*/\*.*?\*/[ \t]*$|\s//[^\n]*$", re.MULTILINE | re.DOTALL)
"""As the sources write them: a block of lines of its own, or the rest of a line."""
_SPACED: Final = re.compile(
    r"""(?P<kept>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|(?<=\()/(?:\\.|[^/\\\n])+/)"""
    r"""| ?(?P<mark>[=<>?:,{}()&|;+*/!-]+) ?"""
)
"""Texts and patterns, which are kept, or a mark that needs no space around it."""
_NEEDLESS_BREAK: Final = re.compile(r"(?<=[,{;(&|?:=+])\n|\n(?=\})")
"""Where a statement goes on, or has ended with its semicolon."""


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
    script = b"(function () {\n'use strict';\n" + b"\n".join(map(_slim_script, parts)) + b"\n})();\n"
    style = b"\n".join(map(_slim_style, sorted(_FOLDER.glob("*.css"))))
    page = (_FOLDER / "screen.html").read_text(encoding="utf-8")
    version = sha256(script + style + page.encode()).hexdigest()[:16]
    return Bundle(script, style, Template(page), version)


def _slim_script(path: Path) -> bytes:
    lines = [_SPACED.sub(lambda found: str(found["kept"] or found["mark"]), line) for line in _lines(path)]
    return _NEEDLESS_BREAK.sub("", "\n".join(lines)).encode()


def _slim_style(path: Path) -> bytes:
    return re.sub(r"\s*([{};,])\s*|(:) ", r"\1\2", "\n".join(_lines(path))).replace(";}", "}").encode()


def _lines(path: Path) -> list[str]:
    """The source without its comments and indentation, which a television has no use for."""
    lines = _COMMENT.sub("", path.read_text(encoding="utf-8")).splitlines()
    return [line.strip() for line in lines if line.strip()]
