"""Preview tickets: how the Screens page shows a screen whose link it does not know, or that is not saved yet.

A ticket stands in the place of a link's token. It is signed, and names a saved screen or holds a composition
whole: nothing is kept of a draft. It opens what it names whether or not a link leads there, and ends by
itself, with the streams that it opened; whoever looks with it is no viewer.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Final

from itsdangerous import BadData, URLSafeSerializer
from pydantic import ValidationError

from screens.definition import Composition

_PURPOSE: Final = "headroom screen preview"
_STEP: Final = 3600
"""Seconds. A ticket lives for one to two of these, so that within one the page gets the same: another address
would load the frame anew at each rerun."""
_LOOK_EVERY: Final = 2.0
"""Seconds between two looks at the clock; it may be set while a stream is open."""
_MARK: Final = "."
"""In every ticket, in no token."""
LONGEST_TICKET: Final = 6_000
"""Characters: what proxies take as an address, with room for the rest of it."""


class PreviewSigner:
    """Whoever knows `secret` can make tickets; dashboards behind one address must share it."""

    def __init__(self, secret: str, *, now: Callable[[], float] = time.time) -> None:
        self._serializer = URLSafeSerializer(secret, salt=_PURPOSE)
        self._now = now

    def ticket(self, screen_id: str) -> str:
        """Opens a saved screen, as it is when it is looked at."""
        return self._signed(screen_id)

    def draft_ticket(self, composition: Composition) -> str | None:
        """Opens this composition; None: it is too large for an address."""
        ticket = self._signed(composition.model_dump(mode="json", exclude_defaults=True))
        return ticket if len(ticket) <= LONGEST_TICKET else None

    def opened_by(self, ticket: str) -> str | Composition | None:
        """The id of a saved screen, or a draft. None: the ticket is none of ours, or over."""
        opened, until = self._read(ticket)
        return opened if self._now() < until else None

    def is_over(self, ticket: str) -> bool:
        """Whether it is one of ours whose time has passed."""
        opened, until = self._read(ticket)
        return opened is not None and self._now() >= until

    def _signed(self, opened: object) -> str:
        until = (int(self._now()) // _STEP + 2) * _STEP
        return str(self._serializer.dumps([opened, until]))

    def _read(self, ticket: str) -> tuple[str | Composition | None, float]:
        """What it opens (None: it is none of ours), and until when, in seconds of Unix time."""
        if len(ticket) > LONGEST_TICKET:
            return None, 0.0
        try:
            opened, until = self._serializer.loads(ticket)
            return (opened if isinstance(opened, str) else Composition.model_validate(opened)), float(until)
        except (BadData, ValidationError):  # of a newer dashboard beside this one
            return None, 0.0


async def until_over(previews: PreviewSigner, ticket: str) -> None:
    """Return as soon as the ticket's time has passed."""
    while not previews.is_over(ticket):  # noqa: ASYNC110 -- a clock tells nobody that it was set
        await asyncio.sleep(_LOOK_EVERY)


def is_ticket(token: str) -> bool:
    """Whether the end of an address is a ticket rather than the token of a link."""
    return _MARK in token
