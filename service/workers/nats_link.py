"""A link to NATS servers that lasts: nats-py connects again, and is begun anew where it ends or hangs.

Nothing that goes through it is needed: what is published while there is no connection is lost.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable
from typing import Any, Final, Protocol

from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.errors import Error, SlowConsumerError
from pydantic import SecretStr

from contract import shortened
from service._compat import is_nats_encrypted
from service.nats_settings import NatsSettings, tls_context

_CONNECT_SECONDS: Final = 3
"""For each part of what makes a connection."""
_RECONNECT_PAUSE: Final = 1
"""Seconds between two attempts to reach the same server."""
_PING_SECONDS: Final = 3
_UNANSWERED_PINGS: Final = 2
"""A server that is frozen is found out after so many and one more."""
_LOOK_SECONDS: Final = 1.0
_SILENCE: Final = 30.0
"""Seconds without a connection in which the library did not even tell of a failed attempt: it hangs."""
_PATIENCE: Final = 2.0
"""Seconds, for what takes microseconds."""
_MOST_WAITING: Final = 16
"""Messages that nobody has taken; of more the library drops all."""
_MOST_BUFFERED: Final = 64 * 1024
"""Bytes that are not sent yet."""
_REFUSED: Final = "permissions violation"
LOST: Final = "the connection was lost"
"""Why it cannot be made again is told next, unless it can be."""


class HintListener(Protocol):
    """Called in the event loop."""

    def connected(self) -> None:
        """And subscribed: what was published before was not heard."""

    def disconnected(self, reason: str) -> None:
        """Also when it could not connect; it is tried again."""

    def refused(self, reason: str) -> None:
        """The servers do not let it publish or subscribe."""

    def heard(self) -> None:
        """Something was published by another."""


class _NotEncryptedError(Error):
    def __str__(self) -> str:
        return "it offers no TLS, which is asked for"


class _HangsError(Exception):
    def __str__(self) -> str:
        return "it does not answer"


class NatsLink:
    """Belongs to the event loop in which it is made."""

    def __init__(self, settings: NatsSettings, listener: HintListener) -> None:
        self._settings = settings
        self._listener = listener
        self._client: Client | None = None
        self._signed_at = 0.0

    async def last(self) -> None:
        """Connect, and again whenever the connection is lost, until this is cancelled."""
        while True:
            client = self._client = Client()
            self._sign()
            try:
                await self._use(client)
            except Exception as error:  # noqa: BLE001 - the library's edge: what a stranger's answer may cause
                self._listener.disconnected(_reason(error))
            finally:
                self._client = None
                await _put_away(client)
            await asyncio.sleep(_RECONNECT_PAUSE)

    async def publish(self) -> bool:
        """Whether it is on its way: without content, since whoever hears it looks at the store."""
        if self._client is None or not self._client.is_connected:
            return False
        try:
            async with asyncio.timeout(_PATIENCE):
                await self._client.publish(self._settings.subject)
        except Exception:  # noqa: BLE001 - the library's edge, as below; a hint more or less
            return False
        return True

    async def _use(self, client: Client) -> None:
        """Until it is connected no more, and does not try to be. Raises whatever the library does."""
        connecting = asyncio.create_task(client.connect(**self._options(client)))
        try:
            while not connecting.done():
                await asyncio.wait({connecting}, timeout=_LOOK_SECONDS)
                if not connecting.done() and self._is_silent():
                    raise _HangsError
            connecting.result()
        finally:
            await _ended(connecting)
        if self._settings.is_encrypted and not is_nats_encrypted(client):
            raise _NotEncryptedError

        async def heard(_: Msg) -> None:
            self._listener.heard()

        await client.subscribe(self._settings.subject, cb=heard, pending_msgs_limit=_MOST_WAITING)
        await client.flush(int(_PATIENCE))
        self._listener.connected()
        while not client.is_closed:
            await asyncio.sleep(_LOOK_SECONDS)
            if client.is_connected:
                self._sign()
            elif self._is_silent():
                raise _HangsError
        raise client.last_error or _HangsError()

    def _options(self, client: Client) -> dict[str, Any]:
        settings = self._settings

        async def failed(error: Exception) -> None:
            self._sign()
            if _REFUSED in str(error).lower():
                self._listener.refused(_reason(error))
            elif self._is_of_interest(client, error):
                self._listener.disconnected(_reason(error))

        async def disconnected() -> None:
            if self._is_of_interest(client):
                self._listener.disconnected(LOST)

        async def reconnected() -> None:
            if self._client is client:
                self._listener.connected()

        return {
            "servers": settings.servers,
            "name": "headroom",
            "tls": tls_context(settings),
            "user": self._told(client, settings.user),
            "password": self._told(client, settings.password),
            "token": self._told(client, settings.token),
            "no_echo": True,
            "max_reconnect_attempts": -1,
            "reconnect_time_wait": _RECONNECT_PAUSE,
            "connect_timeout": _CONNECT_SECONDS,
            "ping_interval": _PING_SECONDS,
            "max_outstanding_pings": _UNANSWERED_PINGS,
            "pending_size": _MOST_BUFFERED,
            "flush_timeout": _PATIENCE,
            "error_cb": failed,
            "disconnected_cb": disconnected,
            "reconnected_cb": reconnected,
        }

    def _told(self, client: Client, secret: str | SecretStr | None) -> Callable[[], str] | None:
        """Asked for with each connection, once the server has said whether it is encrypted."""
        if secret is None:
            return None

        def tell() -> str:
            if self._settings.is_encrypted and not is_nats_encrypted(client):
                raise _NotEncryptedError
            return secret if isinstance(secret, str) else secret.get_secret_value()

        return tell

    def _is_of_interest(self, client: Client, error: Exception | None = None) -> bool:
        """Not of one that is put away, nor that messages are dropped, nor what ends in a lost connection."""
        is_ours = self._client is client
        return is_ours and not isinstance(error, SlowConsumerError) and not client.is_connected

    def _sign(self) -> None:
        self._signed_at = time.monotonic()

    def _is_silent(self) -> bool:
        return time.monotonic() - self._signed_at > _SILENCE


def _reason(error: Exception) -> str:
    """What a person is told of it, without what a stranger could write at length."""
    if isinstance(error, TimeoutError):
        return "it cannot be reached: no answer"
    if isinstance(error, ConnectionError) and error.errno:
        return f"it cannot be reached: {os.strerror(error.errno)}"
    if isinstance(error, OSError):
        faults = (getattr(error, name, None) for name in ("verify_message", "reason", "strerror"))
        return shortened(f"it cannot be reached: {next(filter(None, faults), None) or error}")
    return shortened(str(error).removeprefix("nats: ") or type(error).__name__)


async def _put_away(client: Client) -> None:
    """Whatever it still does. To end it may wait for a server that is frozen."""
    ending = asyncio.create_task(client.close())
    await asyncio.wait({ending}, timeout=_PATIENCE)
    await _ended(ending)


async def _ended(task: asyncio.Task[None]) -> None:
    """The library swallows a cancellation here and there, and goes on. What the task raised is ignored."""
    while not task.done():
        task.cancel()
        await asyncio.wait({task}, timeout=_LOOK_SECONDS)
    if not task.cancelled():
        task.exception()
