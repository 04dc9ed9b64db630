"""Preview tickets: how the Screens page shows a screen whose link it does not know.

A ticket stands in the place of a link's token. It is signed, names one screen, opens it whether or not a link
leads there, and ends by itself, with the streams that it opened; whoever looks with it is no viewer.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Final

from itsdangerous import BadData, URLSafeSerializer

_PURPOSE: Final = "headroom screen preview"
_STEP: Final = 3600
"""Seconds. A ticket lives for one to two of these, so that within one the page gets the same: another address
would load the frame anew at each rerun."""
_LOOK_EVERY: Final = 2.0
"""Seconds between two looks at the clock; it may be set while a stream is open."""
_MARK: Final = "."
"""In every ticket, in no token."""


class PreviewSigner:
    """Whoever knows `secret` can make tickets; dashboards behind one address must share it."""

    def __init__(self, secret: str, *, now: Callable[[], float] = time.time) -> None:
        self._serializer = URLSafeSerializer(secret, salt=_PURPOSE)
        self._now = now

    def ticket(self, screen_id: str) -> str:
        until = (int(self._now()) // _STEP + 2) * _STEP
        return str(self._serializer.dumps([screen_id, until]))

    def screen_id(self, ticket: str) -> str | None:
        """None: it is none of ours, or over."""
        screen_id, until = self._read(ticket)
        return screen_id if self._now() < until else None

    def is_over(self, ticket: str) -> bool:
        """Whether it is one of ours whose time has passed."""
        screen_id, until = self._read(ticket)
        return screen_id is not None and self._now() >= until

    def _read(self, ticket: str) -> tuple[str | None, float]:
        """Which screen it names (None: it is none of ours), and until when, in seconds of Unix time."""
        try:
            screen_id, until = self._serializer.loads(ticket)
        except BadData:
            return None, 0.0
        return str(screen_id), float(until)


async def until_over(previews: PreviewSigner, ticket: str) -> None:
    """Return as soon as the ticket's time has passed."""
    while not previews.is_over(ticket):  # noqa: ASYNC110 -- a clock tells nobody that it was set
        await asyncio.sleep(_LOOK_EVERY)


def is_ticket(token: str) -> bool:
    """Whether the end of an address is a ticket rather than the token of a link."""
    return _MARK in token
