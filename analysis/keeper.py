"""How what people write is kept in the place of what was kept when they began, unless others came before."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Generic, NamedTuple, TypeVar

Written = TypeVar("Written")
Kept = TypeVar("Kept")


class Keeper(NamedTuple, Generic[Written, Kept]):
    """Of one thing that is kept of one site."""

    keep: Callable[[Written, Kept], bool]
    """In the place of what was kept; False: others have come there meanwhile. May raise RuntimeError with a
    sentence for people.
    """
    kept_at: Callable[[], datetime | None]
    """When what is kept now was, UTC; None: nothing is, or it is not known."""
