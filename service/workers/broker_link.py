"""A link to a broker that lasts: connected again whenever it is lost, by one client of MQTT 5.

paho runs the network in a thread of its own. Whatever happens there is told in the event loop.
"""

from __future__ import annotations

import asyncio
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import timedelta
from typing import Final, Protocol, TypeVar

from paho.mqtt.client import Client, ConnectFlags, DisconnectFlags, MQTTMessage
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode
from paho.mqtt.subscribeoptions import SubscribeOptions

from service.mqtt_settings import MqttSettings, tls_context

QUALITY: Final = 1
"""At least once."""

_KEEPALIVE: Final = 30
"""Seconds of silence after which either side asks whether the other is there."""
_SHORTEST_PAUSE: Final = 1
_LONGEST_PAUSE: Final = 60
"""Seconds between two attempts to connect, which double."""
_LOOK_INTERVAL: Final = 5.0
"""Seconds after which a network thread that failed in an unforeseen way is begun again."""
_STOP_DEADLINE: Final = 2.0
_SOON: Final = 5.0
"""Seconds: two clients with one id take the connection from each other as fast as they can."""

Told = TypeVar("Told")


class LinkListener(Protocol):
    """Called in the event loop."""

    def connected(self, *, is_resumed: bool) -> None:
        """And subscribed. `is_resumed`: the broker kept what came in between, which may have come already."""

    def disconnected(self, reason: str) -> None:
        """Also when it could not connect; it is tried again."""

    def subscribed(self, faults: str) -> None:
        """Empty: to every topic, so that nothing is lost."""


class BrokerLink:
    """Belongs to the event loop in which it is made. What is read is for who extends it: `on_message`."""

    def __init__(
        self,
        settings: MqttSettings,
        listener: LinkListener,
        *,
        client_id: str,
        topics: Sequence[str],
        kept: timedelta,
        manual_ack: bool = False,
    ) -> None:
        """`topics`: filters that are subscribed to. `kept`: for how long the broker keeps the session while
        nobody is connected. Raises SettingsError.
        """
        self._loop = asyncio.get_running_loop()
        self._settings = settings
        self._client_id = client_id
        self._topics = topics
        self._kept = kept
        self._link_listener = listener
        self._is_unanswered = self._is_connected = self._is_resumed = False
        self.is_ending = False
        self.client = self._made_client(manual_ack=manual_ack)
        self.asked = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]
        """Of the broker, with each connection."""
        self.asked.SessionExpiryInterval = int(kept.total_seconds())

    async def last(self) -> None:
        """Connect, and again whenever the connection is lost, until this is cancelled."""
        settings = self._settings
        self.client.connect_async(
            settings.host, settings.port, _KEEPALIVE, clean_start=not self._kept, properties=self.asked
        )
        try:
            while True:
                # Does nothing while its thread runs.
                self.client.loop_start()
                await asyncio.sleep(_LOOK_INTERVAL)
        finally:
            await self._end()

    def on_lost(self) -> None:
        """In the network's thread, as soon as a connection is no more."""

    def on_message(self, message: MQTTMessage, topic: str) -> None:
        """In the network's thread, which reads on when this returns. No topic: it cannot be read."""

    def on_ending(self) -> None:
        """Before the network's thread is asked to end."""

    def tell(self, listener: Callable[[Told], None], told: Told) -> None:
        with suppress(RuntimeError):  # the event loop has ended
            self._loop.call_soon_threadsafe(listener, told)

    def _made_client(self, *, manual_ack: bool) -> Client:
        settings = self._settings
        client = Client(
            CallbackAPIVersion.VERSION2,
            self._client_id,
            protocol=MQTTProtocolVersion.MQTTv5,
            manual_ack=manual_ack,
        )
        client.reconnect_delay_set(_SHORTEST_PAUSE, _LONGEST_PAUSE)
        if settings.user is not None:
            password = settings.password.get_secret_value() if settings.password else None
            client.username_pw_set(settings.user, password)
        if context := tls_context(settings):
            client.tls_set_context(context)
        client.on_pre_connect = self._on_pre_connect
        client.on_connect = self._on_connect
        client.on_connect_fail = self._on_connect_fail
        client.on_disconnect = self._on_disconnect
        client.on_subscribe = self._on_subscribe
        client.on_message = self._on_message
        return client

    async def _end(self) -> None:
        """The session stays with the broker, if it is one that is kept."""
        self.is_ending = True
        self.on_ending()
        self.client.disconnect()
        # Not in a thread that is waited for at the end of the process: a name may take long to be looked up.
        ending = threading.Thread(target=self.client.loop_stop, name="mqtt-end", daemon=True)
        ending.start()
        await asyncio.to_thread(ending.join, _STOP_DEADLINE)

    def _on_pre_connect(self, _: Client, __: object) -> None:
        self._is_unanswered = True

    def _on_connect(
        self, client: Client, _: object, flags: ConnectFlags, reason: ReasonCode, __: Properties | None
    ) -> None:
        self._is_unanswered = False
        if reason.is_failure:
            self.tell(self._link_listener.disconnected, f"the broker refuses the connection: {reason}")
            return
        self._is_connected, self._is_resumed = True, flags.session_present
        self._connected_at = time.monotonic()
        # Also in a session that was resumed: other topics may have been set since.
        options = SubscribeOptions(qos=QUALITY)
        client.subscribe([(topic, options) for topic in self._topics])

    def _on_connect_fail(self, _: Client, __: object) -> None:
        error = sys.exception()  # paho calls this while it handles it
        faults = (getattr(error, name, None) for name in ("verify_message", "reason", "strerror"))
        reason = next(filter(None, faults), None) or str(error) or "no answer"
        self.tell(self._link_listener.disconnected, f"it cannot be reached: {reason}")

    def _on_disconnect(
        self, _: Client, __: object, flags: DisconnectFlags, reason: ReasonCode, ___: Properties | None
    ) -> None:
        self.on_lost()
        was_connected, self._is_connected = self._is_connected, False
        was_unanswered, self._is_unanswered = self._is_unanswered, False
        if self.is_ending:
            return
        if was_unanswered:
            asks = ", or asks for a certificate" if self._settings.is_encrypted else ""
            said = f"it ends the connection before it answers: it may be no broker of MQTT 5{asks}"
            self.tell(self._link_listener.disconnected, said)
        if was_connected:  # else why not has been told
            said = f"the broker ended the connection: {reason}"
            lost = said if flags.is_disconnect_packet_from_server else "the connection was lost"
            if time.monotonic() - self._connected_at < _SOON:
                lost += f"; another client may have the id {self._client_id!r}, too"
            self.tell(self._link_listener.disconnected, lost)

    def _on_subscribe(
        self, _: Client, __: object, ___: int, reasons: list[ReasonCode], ____: Properties | None
    ) -> None:
        faults = [
            f"{topic}: {reason}"
            for topic, reason in zip(self._topics, reasons, strict=False)
            if reason.value != QUALITY
        ]
        self.tell(lambda resumed: self._link_listener.connected(is_resumed=resumed), self._is_resumed)
        self.tell(self._link_listener.subscribed, "; ".join(faults))

    def _on_message(self, _: Client, __: object, message: MQTTMessage) -> None:
        try:
            topic = message.topic
        except UnicodeDecodeError:
            topic = ""
        self.on_message(message, topic)
