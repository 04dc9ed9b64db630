"""What is said of a change that a service did not make, or did not say it made: why, and of which field."""

from __future__ import annotations

import math
import re
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


_TOO_LARGE: Final = (
    "It is larger than the service, or a proxy before it, takes. Shorten what is written, or ask whoever "
    "runs the service for a higher limit."
)
_CONTRADICTS: Final = "It contradicts what the service has by now. Look what stands there, then change yours."
_STAYS: Final = "What you chose still stands here."
_TRY_AGAIN: Final = re.compile(r" Try again( later| shortly)?\.")
_MINUTE: Final = 60


def verdict_words(error: Exception) -> tuple[str, str]:
    """Whether it was done, as far as anybody knows; and, after the reason, what is left to do."""
    if getattr(error, "is_undecided", False):
        look = "Look below, once it is read anew, whether it was done, before you press again."
        return "Not known whether it was done.", f"{look} {_STAYS}"
    seconds = getattr(error, "retry_after", None)
    return "Not done.", _STAYS if seconds is None else f"{_pause_words(seconds)} {_STAYS}"


def _pause_words(seconds: float) -> str:
    if seconds <= 2 * _MINUTE:
        return f"Press again in {max(1, math.ceil(seconds))} s."
    return f"Press again in {math.ceil(seconds / _MINUTE)} min."


def not_done_words(error: Exception) -> str:
    """Why a change was not made, in the service's own words where it has some for people."""
    status, said = getattr(error, "status", None), getattr(error, "said", "")
    if status == HTTPStatus.PRECONDITION_FAILED:
        return _CHANGED_MEANWHILE
    if said:
        return str(said)
    if status == HTTPStatus.REQUEST_ENTITY_TOO_LARGE:
        return _TOO_LARGE
    if status == HTTPStatus.CONFLICT:
        return _CONTRADICTS
    # Whoever does not know whether it was done is to look first; or it is said when to try again.
    is_advised = getattr(error, "is_undecided", False) or getattr(error, "retry_after", None) is not None
    return _TRY_AGAIN.sub("", str(error)) if is_advised else str(error)


def reason_words(details: Mapping[str, str]) -> list[tuple[str, str]]:
    """What is wrong with each field, by its place in what was sent; the first of many."""
    lines = [
        (field, one_line(f"{reason}.".replace("..", "."), _LONGEST_REASON))
        for field, reason in list(details.items())[:_MOST_REASONS]
    ]
    if (more := len(details) - len(lines)) > 0:
        lines.append(("...", f"and {more} more."))
    return lines
