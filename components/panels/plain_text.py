"""Names come from elsewhere: they are text, not markdown."""

from __future__ import annotations

from typing import Final

_MARKS: Final = frozenset("\\`*_{}[]()#+-!$~<>|:")


def plain(text: str) -> str:
    """`text` so that markdown shows it as it stands."""
    return "".join(f"\\{mark}" if mark in _MARKS else mark for mark in text)
