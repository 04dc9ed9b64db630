"""Bodies of the shapes that counters send, written for these tests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "payloads"


def payload(maker: str) -> bytes:
    [file] = FOLDER.glob(f"{maker}.*")
    return file.read_bytes()


def values(maker: str) -> Any:
    return json.loads(payload(maker))


def changed(maker: str, *path: str | int, to: Any) -> bytes:
    """The body with another value at `path`; `...` takes what is there away."""
    whole = values(maker)
    within = whole
    for step in path[:-1]:
        within = within[step]
    if to is ...:
        del within[path[-1]]
    else:
        within[path[-1]] = to
    return json.dumps(whole).encode()
