"""Warnings of an answer, by their code.

The specification shows no entry of them: this project's service tells what `contract/warning_codes.py` says.
Any other tells nothing, or whatever it likes: what cannot be read is as if it were not told, and no more is
looked at than a bound.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from itertools import islice
from typing import Any, Final

from contract.warning_codes import WarningCode

_MOST: Final = 400
"""Entries, and texts of an entry, that are looked at."""
_LONGEST: Final = 400
"""Characters of a text that are looked at."""
_YEARS: Final = range(1971, 9998)
"""In which half a day can be taken from any time, in any zone."""


def told_details(warnings: Sequence[Any], code: WarningCode) -> list[Mapping[Any, Any]]:
    """Of each entry of this code; empty where it has none."""
    looked_at = (entry for entry in warnings[:_MOST] if isinstance(entry, Mapping))
    told = (entry.get("details") for entry in looked_at if entry.get("code") == code)
    return [details if isinstance(details, Mapping) else {} for details in told]


def told_texts(details: Mapping[Any, Any]) -> Iterator[tuple[str, str]]:
    """Names and texts of an entry: of a name the end, of a text the beginning."""
    for name, text in islice(details.items(), _MOST):
        if isinstance(name, str) and isinstance(text, str):
            yield name[-_LONGEST:], text[:_LONGEST]


def last_moment(warnings: Sequence[Any], code: WarningCode, name: str) -> datetime | None:
    """The last that entries of this code tell under a name, aware; None: none does."""
    texts = (details.get(name) for details in told_details(warnings, code))
    found = (told_moment(text[:_LONGEST]) for text in texts if isinstance(text, str))
    return max((one for one in found if one is not None), default=None)


def told_moment(text: str) -> datetime | None:
    """Aware; None for what is no time with an offset, as of a count that goes on (`since ...`)."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if moment.tzinfo is not None and moment.year in _YEARS else None
