"""The page of a wall: its HTML, its one script, its one style sheet, its words, and the JSON inside of it."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from string import Template
from typing import Any, Final, NamedTuple

import orjson
import rcssmin
import rjsmin

import gauge
from gauge.levels import words_and_colours
from screens.definition import Language, Screen, ViewKind
from screens.shown import ShownView, view_config

_FOLDER: Final = Path(__file__).resolve().parent / "wall"
_WORDS: Final = (_FOLDER / "words.json").read_bytes()
"""What walls say, by name, then by language."""
_OF_PLACES: Final = frozenset({"flow.js"})
_STYLES_OF_PLACES: Final = ("flow.css",)
"""Of screens that draw who crosses passages, alone."""
_LAST_SCRIPT: Final = "screen.js"
"""Starts the page, so it follows what it uses."""
_ESCAPES: Final = {b"<": b"\\u003c", b">": b"\\u003e", b"&": b"\\u0026"}


class Asset(NamedTuple):
    """A file that the page loads; it holds no secret, so that its compressed size tells nobody anything."""

    content: bytes
    compressed: bytes
    """The content, packed with gzip."""
    media_type: str


class Bundle(NamedTuple):
    """Made once, when the process begins."""

    script: bytes
    style: bytes
    """Both of a page that draws no places."""
    assets: Mapping[str, Asset]
    """Scripts and style sheets, by the names in their addresses; `asset_names` are those of a page."""
    page: Template
    """HTML with `$language`, `$theme`, `$title`, `$script`, `$style` and `$config`."""
    words: Mapping[Language, Mapping[str, str]]
    """By name. The English ones of what the Live page says, too, are in the script."""
    version: str
    """Another one as soon as any byte of the four is another."""


def load_bundle() -> Bundle:
    script, style = _script(with_places=False), _style(with_places=False)
    texts = {
        "screen.js": script,
        "screen.css": style,
        "place.js": _script(with_places=True),
        "place.css": _style(with_places=True),
    }
    page = (_FOLDER / "screen.html").read_text(encoding="utf-8")
    version = sha256(b"".join(texts.values()) + page.encode() + _WORDS).hexdigest()[:16]
    kinds = {".js": "text/javascript", ".css": "text/css"}
    assets = {
        name: Asset(text, gzip.compress(text, mtime=0), kinds[Path(name).suffix])
        for name, text in texts.items()
    }
    return Bundle(script, style, assets, Template(page), words_by_language(), version)


def asset_names(kinds: Iterable[ViewKind]) -> tuple[str, str]:
    """Script and style sheet of a page that shows them: what draws places is a third of all, and of few."""
    stem = "place" if any(kind.facts.draws_passages for kind in kinds) else "screen"
    return f"{stem}.js", f"{stem}.css"


def _script(*, with_places: bool) -> bytes:
    names = [path for path in _FOLDER.glob("*.js") if with_places or path.name not in _OF_PLACES]
    own = sorted(names, key=lambda path: (path.name == _LAST_SCRIPT, path.name))
    shared = [gauge.script(), *([gauge.place_script()] if with_places else [])]
    kinds = [kind for kind in ViewKind if with_places or not kind.facts.draws_passages]
    texts = [_kinds_script(kinds), *shared, *(path.read_text(encoding="utf-8") for path in own)]
    # One function around all: nothing of the page leaks into the browser's global names.
    body = "\n".join(["(function () {", "'use strict';", *texts, "})();", ""])
    script: bytes = rjsmin.jsmin(body.encode())
    return script


def _style(*, with_places: bool) -> bytes:
    own = ["screen.css", *(_STYLES_OF_PLACES if with_places else ())]
    shared = [gauge.core_style(), *([gauge.place_style()] if with_places else [])]
    texts = [*shared, *((_FOLDER / name).read_text(encoding="utf-8") for name in own)]
    style: bytes = rcssmin.cssmin("\n".join(texts).encode())
    return style


def _kinds_script(kinds: Sequence[ViewKind]) -> str:
    """What the scripts must know of the kinds of views."""
    drawings = ", ".join(f"{kind}: {kind.facts.drawing}" for kind in kinds)
    titles = {kind: kind.facts.title for kind in kinds if kind.facts.title}
    return f"var DRAWINGS = {{ {drawings} }}, TITLES = {json.dumps(titles)};"


def words_by_language() -> dict[Language, dict[str, str]]:
    """What walls say, by language, then by name."""
    texts = json.loads(_WORDS)
    return {
        language: {name: text[language] for name, text in texts.items() if language in text}
        for language in Language
    }


def screen_config(
    screen: Screen, views: Sequence[ShownView], *, token: str, bundle: Bundle
) -> dict[str, Any]:
    """All that the page knows. Addresses are relative to `/screen/{token}`, so that a path prefix works."""
    return {
        "name": screen.name,
        "version": screen_version(screen, views, bundle_version=bundle.version),
        "language": screen.language,
        "words": bundle.words[screen.language],
        "theme": screen.theme,
        "stream": f"{token}/stream",
        "hours": f"{token}/hours.json",
        "views": [view_config(view) | _addresses(token, number, view) for number, view in enumerate(views)],
        "levels": words_and_colours(),
    }


def screen_version(screen: Screen, views: Sequence[ShownView], *, bundle_version: str) -> str:
    """Another one as soon as the page would be another: by its code, its composition, a name, a capacity.

    The stream tells it on connecting, so that a page that slept through a change notices.
    """
    shown = [view_config(view) for view in views]
    text = orjson.dumps([bundle_version, screen.name, screen.language, screen.theme, shown])
    return sha256(text).hexdigest()[:16]


def json_for_html(content: object) -> str:
    """JSON that cannot end the script element that it stands in."""
    text = orjson.dumps(content)
    for mark, replacement in _ESCAPES.items():
        text = text.replace(mark, replacement)
    return text.decode()


def _addresses(token: str, number: int, view: ShownView) -> dict[str, str]:
    """Where the page reads what its stream does not carry."""
    addresses = {"pictures": f"{token}/floor-plan/"}
    if view.kind.facts.draws_day and not view.error:
        addresses["day"] = f"{token}/day.json?view={number}"
    return addresses
