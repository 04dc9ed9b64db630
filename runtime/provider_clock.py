"""Whether a login at a provider is refused because its clock and this machine's differ, and by how much.

Authlib (1.9) refuses a token that is dated in the future, and Streamlit (1.67) leads back to the login, with
the reason in a traceback of its log alone.
"""

from __future__ import annotations

import asyncio
import time
from typing import Final
from urllib.parse import urlsplit

import structlog

from api_client.told_clock import seconds_ahead
from runtime._compat import provider_addresses
from runtime.access import CLOCKS_APART

_REMEMBERED: Final = 10.0
"""Seconds for which what was found holds: anybody may send an answer that is none."""

_log: Final = structlog.get_logger("runtime.provider_clock")


class ProviderClock:
    """Within one event loop. However many are refused at once, the providers are asked once."""

    def __init__(self) -> None:
        self._found = 0.0
        self._asked_at: float | None = None
        self._asking = asyncio.Lock()

    async def seconds_off(self) -> float:
        """By how much this machine's clock is ahead of a provider's, below 0: behind it; 0: by less than a
        login allows, or nobody knows.
        """
        async with self._asking:
            now = time.monotonic()
            if self._asked_at is None or now - self._asked_at > _REMEMBERED:
                self._found = await self._ask()
                self._asked_at = now
            return self._found

    async def _ask(self) -> float:
        for address in provider_addresses():
            ahead = await seconds_ahead(address)
            if ahead is not None and abs(ahead) > CLOCKS_APART:
                _log.error(
                    "a login is refused: the clock of this machine differs from the provider's",
                    provider=urlsplit(address).hostname,
                    seconds=round(-ahead),
                    advice="set the clock of the one that is wrong, and keep it set (NTP)",
                )
                return -ahead
        return 0.0
