"""The page's own knowledge of its screen: the JSON inside it, and the version that tells it is outdated."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import Any, Final

import orjson

from gauge.levels import Occupancy
from screens.bundle import Bundle
from screens.definition import Screen
from screens.shown import ShownView, view_config

_ESCAPES: Final = {b"<": b"\\u003c", b">": b"\\u003e", b"&": b"\\u0026"}


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
        "views": [
            view_config(view, day=_day_address(token, number, view)) for number, view in enumerate(views)
        ],
        "levels": {
            level.name.lower(): {"word": level.value.word, "colour": level.value.colour}
            for level in Occupancy
        },
    }


def screen_version(screen: Screen, views: Sequence[ShownView], *, bundle_version: str) -> str:
    """Another one as soon as the page would be another: by its code, its composition, a name, a capacity.

    The stream tells it on connecting, so that a page that slept through a change notices.
    """
    shown = [view_config(view, day=None) for view in views]
    text = orjson.dumps([bundle_version, screen.name, screen.language, screen.theme, shown])
    return sha256(text).hexdigest()[:16]


def json_for_html(content: object) -> str:
    """JSON that cannot end the script element that it stands in."""
    text = orjson.dumps(content)
    for mark, replacement in _ESCAPES.items():
        text = text.replace(mark, replacement)
    return text.decode()


def _day_address(token: str, number: int, view: ShownView) -> str | None:
    is_drawn = view.kind.facts.draws_day and not view.error
    return f"{token}/day.json?view={number}" if is_drawn else None
