"""What is said of a change that a service did not make: why, and of which field."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Final

from analysis.names import one_line

_MOST_REASONS: Final = 20
_LONGEST_REASON: Final = 400
_CHANGED_MEANWHILE: Final = (
    "Nothing was changed: somebody changed the same meanwhile, or in another window. Drop what is written, "
    "or load the page anew, to see what stands there now; then make your change to that."
)
"""What the service says of it is for programs: it names headers."""


def not_done_words(error: Exception) -> str:
    """Why a change was not made, in the service's own words where it has some for people."""
    if getattr(error, "status", None) == HTTPStatus.PRECONDITION_FAILED:
        return _CHANGED_MEANWHILE
    return str(getattr(error, "said", "") or error)


def reason_words(details: Mapping[str, str]) -> list[tuple[str, str]]:
    """What is wrong with each field, by its place in what was sent; the first of many."""
    lines = [
        (field, one_line(f"{reason}.".replace("..", "."), _LONGEST_REASON))
        for field, reason in list(details.items())[:_MOST_REASONS]
    ]
    if (more := len(details) - len(lines)) > 0:
        lines.append(("...", f"and {more} more."))
    return lines
