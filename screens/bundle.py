"""The one script, the one style sheet and the words of the wall page, made when the process begins."""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from string import Template
from typing import Final, NamedTuple

import gauge
from screens.definition import Language, ViewKind
from screens.minified import minified_script, minified_style

_FOLDER: Final = Path(__file__).resolve().parent / "wall"
_LAST_SCRIPT: Final = "screen.js"
"""Starts the page, so it follows what it uses."""


class Bundle(NamedTuple):
    script: bytes
    style: bytes
    page: Template
    """HTML with `$language`, `$theme`, `$title`, `$script`, `$style` and `$config`."""
    words: Mapping[Language, Mapping[str, str]]
    """By name. The English ones of what the Live page says, too, are in the script."""
    version: str
    """Another one as soon as any byte of the four is another."""


def load_bundle() -> Bundle:
    own = sorted(_FOLDER.glob("*.js"), key=lambda path: (path.name == _LAST_SCRIPT, path.name))
    # One function around all: nothing of the page leaks into the browser's global names.
    body = b"\n".join([_kinds_script(), gauge.script().encode(), *(path.read_bytes() for path in own)])
    script = minified_script(b"(function () {\n'use strict';\n" + body + b"\n})();\n")
    style = minified_style(gauge.core_style().encode() + (_FOLDER / "screen.css").read_bytes())
    page = (_FOLDER / "screen.html").read_text(encoding="utf-8")
    words = (_FOLDER / "words.json").read_bytes()
    version = sha256(script + style + page.encode() + words).hexdigest()[:16]
    return Bundle(script, style, Template(page), _by_language(json.loads(words)), version)


def _kinds_script() -> bytes:
    """What the scripts must know of the kinds of views."""
    drawings = ", ".join(f"{kind}: {kind.facts.drawing}" for kind in ViewKind)
    titles = {kind: kind.facts.title for kind in ViewKind if kind.facts.title}
    return f"var DRAWINGS = {{ {drawings} }}, TITLES = {json.dumps(titles)};".encode()


def _by_language(texts: Mapping[str, Mapping[str, str]]) -> dict[Language, dict[str, str]]:
    """From those of each name by language."""
    return {
        language: {name: text[language] for name, text in texts.items() if language in text}
        for language in Language
    }
