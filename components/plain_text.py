"""Markdown of text that is not ours (names, errors, ids, what stands in a link): shown, never obeyed.

Streamlit reads Markdown in nearly everything: labels, captions, boxes, tabs, help. What shows text as text
(options of a select box, cells, code) needs `analysis.names.one_line` only.
`tests/test_plain_text.py` fails on a call of Streamlit that gets such a text without them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from analysis.names import LONGEST_ANSWER, LONGEST_HINT, LONGEST_NAME, LONGEST_TEXT, one_line

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


def plain_name(name: str, longest: int = LONGEST_NAME) -> str:
    """Markdown that shows `one_line(name)` as it stands, an address in it, too: in a heading, a tab, a link.

    A word joiner, which is not seen, parts what would else become a link, an emoji or an arrow.
    """
    return _escaped(one_line(name, longest))


def plain(text: str, longest: int = LONGEST_TEXT) -> str:
    """As `plain_name`, for sentences: an address in one is code, so that it can be copied as it stands."""
    pieces = _ADDRESS.split(one_line(text, longest))
    return "".join(
        code(piece, longest) if index % 2 else _escaped(piece) for index, piece in enumerate(pieces)
    )


def plain_sentences(said: Iterable[str | None]) -> str:
    """As `plain`, for sentences of our own one after another, of which none is cut; None and "" are none."""
    return plain(" ".join(filter(None, said)), LONGEST_ANSWER)


def _escaped(text: str) -> str:
    return _PUNCTUATION.sub(r"\\\1", _REPLACED_LATER.sub(_WORD_JOINER, text))


def code(text: str, longest: int = LONGEST_TEXT) -> str:
    """Markdown for an id or an address in the font of code, to be copied character by character."""
    shown = one_line(text, longest)
    fence = "`" * (1 + max(map(len, re.findall("`+", shown)), default=0))
    edge = " " if "`" in shown else ""
    return f"{fence}{edge}{shown}{edge}{fence}" if shown else ""


def the_rest(name: str) -> str | None:
    """Markdown of the whole of a name that `plain_name(name)` cuts; None where it does not."""
    return plain_name(name, LONGEST_HINT) if len(one_line(name)) > LONGEST_NAME else None
