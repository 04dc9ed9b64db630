"""Names and other text that is not ours, on one line and told apart."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import Final

LONGEST_TEXT: Final = 600
"""Characters of a message; a sentence with an address in it is shorter."""
LONGEST_ANSWER: Final = 5_000
"""Characters of sentences of our own, one after another: none of them is to be cut."""
LONGEST_NAME: Final = 80
"""Characters of a name where it stands among others."""
LONGEST_CELL: Final = 300
"""Characters of a cell, which opens to show them."""
LONGEST_HINT: Final = 10_000
"""Characters of a name where it is shown whole, on demand."""

_SPACES: Final = re.compile(r"[\s\x00-\x1f\x7f-\x9f\u2028\u2029]+")
"""White space and control characters: one space."""
_NO_BREAKS: Final = frozenset({"\N{NO-BREAK SPACE}", "\N{NARROW NO-BREAK SPACE}"})
"""Alone, as before a percent sign or in a number, they stay."""
_INVISIBLE: Final = re.compile(
    "[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]"
)
"""Zero-width characters and those that turn the direction of what follows. The joiners that Persian and
emoji need (U+200C, U+200D) stay."""


def one_line(text: str, longest: int = LONGEST_TEXT) -> str:
    """`text` on one line, without characters that are not seen; one that is too long ends with `…`."""
    shown = _INVISIBLE.sub("", _SPACES.sub(_one_space, text[: 2 * longest])).strip()
    return shown if len(shown) <= longest else f"{shown[: longest - 1].rstrip()}…"


def _one_space(found: re.Match[str]) -> str:
    return found[0] if found[0] in _NO_BREAKS else " "


def visible(text: str) -> str:
    """`text` with what is not seen written in hexadecimal, as JSON and Python escape it."""
    return _INVISIBLE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def distinct_labels(names: Mapping[str, str], longest: int = LONGEST_NAME) -> dict[str, str]:
    """Id -> name on one line, cut where it is longer than `longest`; with the id where several share the
    name as it is cut, and the id alone where the name is empty.
    """
    shown = {id_: one_line(name, longest) or one_line(id_, longest) for id_, name in names.items()}
    often = Counter(shown.values())
    return {
        id_: name if often[name] == 1 else marked(name, one_line(id_, LONGEST_NAME), longest)
        for id_, name in shown.items()
    }


def marked(name: str, mark: str, longest: int = LONGEST_NAME) -> str:
    """`name (mark)`, of which the name is cut and not the mark, that tells it apart: where it stands among
    others it is cut to `longest` once more. A quarter of it is left to the name.
    """
    return f"{one_line(name, max(longest - len(mark) - len(' ()'), longest // 4))} ({mark})"
