"""Escaping of text that is not ours (names, errors, ids, what stands in a link): shown, never obeyed.

`one_line` is for what shows text as text (options of a select box, cells, code); `plain_name`, `plain` and
`code` for Markdown, which Streamlit reads in nearly everything else: labels, captions, boxes, tabs, help.
`tests/test_plain_text.py` fails on a call of Streamlit that gets such a text without them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import Final

LONGEST_TEXT: Final = 600
"""Characters of a message; a sentence with an address in it is shorter."""
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
_PUNCTUATION: Final = re.compile(r"([!-/:-@\[-`{-~])")
"""All that a backslash may stand before in CommonMark."""
_REPLACED_LATER: Final = re.compile(
    r"(?<=:)(?=//)"  # http://, an address: GitHub's Markdown makes links of them
    r"|(?<=www)(?=\.)"
    r"|(?<=[-.\w+])(?=@)"  # name@host, a mail address: as above
    # :fire:, an emoji; :material_face:, an icon; :streamlit:, a picture; not :14: of a time
    r"|(?<=:)(?!\d\d:)(?=[\w+-]+:)"
    r"|(?<=[-<>~])(?=[-=>])",  # -> and >=, which Streamlit prints as one sign
    re.IGNORECASE,
)
"""Where Streamlit replaces text after Markdown's backslashes are gone."""
_ADDRESS: Final = re.compile(
    r"((?:https?://|\bwww\.)\S*[^\s.,;:!?)\]}>'\"”’]|(?<![-.\w+])[-.\w+]+@[-.\w]*\w)", re.IGNORECASE
)
"""Of the web or of mail, without the stop of the sentence that it ends."""
_WORD_JOINER: Final = "\N{WORD JOINER}"


def one_line(text: str, longest: int = LONGEST_TEXT) -> str:
    """`text` on one line, without characters that are not seen; one that is too long ends with `…`."""
    shown = _INVISIBLE.sub("", _SPACES.sub(_one_space, text[: 2 * longest])).strip()
    return shown if len(shown) <= longest else f"{shown[: longest - 1].rstrip()}…"


def _one_space(found: re.Match[str]) -> str:
    return found[0] if found[0] in _NO_BREAKS else " "


def plain_name(name: str, longest: int = LONGEST_NAME) -> str:
    """Markdown that shows `one_line(name)` as it stands, an address in it, too: in a heading, a tab, a link.

    A word joiner, which is not seen, parts what would else become a link, an emoji or an arrow.
    """
    return _escaped(one_line(name, longest))


def plain(text: str, longest: int = LONGEST_TEXT) -> str:
    """As `plain_name`, for sentences: an address in one is code, so that it can be copied as it stands."""
    pieces = _ADDRESS.split(one_line(text, longest))
    return "".join(
        code(piece, longest) if place % 2 else _escaped(piece) for place, piece in enumerate(pieces)
    )


def _escaped(text: str) -> str:
    return _PUNCTUATION.sub(r"\\\1", _REPLACED_LATER.sub(_WORD_JOINER, text))


def code(text: str, longest: int = LONGEST_TEXT) -> str:
    """Markdown for an id or an address in the font of code, to be copied character by character."""
    shown = one_line(text, longest)
    fence = "`" * (1 + max(map(len, re.findall("`+", shown)), default=0))
    edge = " " if "`" in shown else ""
    return f"{fence}{edge}{shown}{edge}{fence}" if shown else ""


def visible(text: str) -> str:
    """`text` with what is not seen written in hexadecimal, as JSON and Python escape it."""
    return _INVISIBLE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def the_rest(name: str) -> str | None:
    """Markdown of the whole of a name that `plain_name(name)` cuts; None where it does not."""
    return plain_name(name, LONGEST_HINT) if len(one_line(name)) > LONGEST_NAME else None


def distinct_labels(names: Mapping[str, str]) -> dict[str, str]:
    """Id -> name on one line, cut where it is long; with the id where several share the name, and the id
    alone where the name is empty.
    """
    shown = {id_: one_line(name, LONGEST_NAME) or id_ for id_, name in names.items()}
    often = Counter(shown.values())
    return {
        id_: name if often[name] == 1 else f"{name} ({one_line(id_, LONGEST_NAME)})"
        for id_, name in shown.items()
    }
