"""Texts of a request as error messages quote them: never longer than a line, whatever was sent."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from itertools import islice
from typing import Final

LONGEST_QUOTATION: Final = 80
"""Characters of a text that a message repeats; the rest is left out."""

MAXIMUM_NAMED: Final = 100
"""Wrong things that one message names; the others are counted."""


def shortened(text: str) -> str:
    """The text, or its beginning and an ellipsis."""
    return text if len(text) <= LONGEST_QUOTATION else f"{text[: LONGEST_QUOTATION - 1]}…"


def quoted(text: str) -> str:
    """The text, shortened, in quotes and with control characters escaped."""
    return repr(shortened(text))


def listed(texts: Collection[str]) -> str:
    """The first hundred, with commas between them, and how many more there are."""
    more = len(texts) - MAXIMUM_NAMED
    first: Iterable[str] = islice(texts, MAXIMUM_NAMED)
    return ", ".join(first) + (f" and {more} more" if more > 0 else "")
