"""What Trust shows: over how many days."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from types import MappingProxyType
from typing import Final

from components.panels.unknown_in_link import unknown_in_link
from components.panels.url_choice import url_choice

_DAYS: Final[Mapping[str, str]] = MappingProxyType({"7": "Last 7 days", "28": "Last 28 days"})
_USUAL: Final = "28"


def unknown_trust() -> None:
    """Say which values of the link mean nothing here."""
    unknown_in_link({"days": set(_DAYS)})


def days_choice(container: AbstractContextManager[object]) -> int:
    """How many days that are over."""
    with container:
        return int(url_choice("Over", _DAYS, "days", lead=_USUAL) or _USUAL)
