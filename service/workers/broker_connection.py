"""A connection to a broker that lasts: one session over all interruptions, acknowledged by hand.

paho runs the network in a thread of its own. Whatever happens there is told in the event loop.
"""

from __future__ import annotations

import asyncio
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Final, NamedTuple, Protocol, TypeVar

from paho.mqtt.client import Client, ConnectFlags, DisconnectFlags, MQTTMessage
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode
from paho.mqtt.subscribeoptions import SubscribeOptions

from service.mqtt_settings import MqttSettings, tls_context

IN_FLIGHT: Final = 16
"""Messages that the broker is asked to send at most before one of them is acknowledged."""

_KEPT: Final = timedelta(days=30)
"""For which the broker keeps what comes while nobody is connected: older counts are not believed anyway."""
_KEEPALIVE: Final = 30
"""Seconds of silence after which either side asks whether the other is there."""
_SHORTEST_PAUSE: Final = 1
_LONGEST_PAUSE: Final = 60
"""Seconds between two attempts to connect, which double."""
_LOOK_INTERVAL: Final = 5.0
"""Seconds after which a network thread that failed in an unforeseen way is begun again."""
_STOP_DEADLINE: Final = 2.0
_BESIDE: Final = 1024
"""Bytes that a message takes beside what it tells."""
_QUALITY: Final = 1
"""At least once."""
_SOON: Final = 5.0
"""Seconds: two clients with one id take the connection from each other as fast as they can."""

Told = TypeVar("Told")


class Delivery(NamedTuple):
    """A message as it came."""

    topic: str
    payload: bytes
    arrived: datetime
    connection: int
    """Which of the connections since the start brought it: another one brings it again."""
    number: int
    """By which it is acknowledged."""
    is_kept: bool
    """Whether the broker keeps it until it is acknowledged. Its sender decides."""


class Listener(Protocol):
    """Called in the event loop."""

    def connected(self, *, is_resumed: bool) -> None:
        """And subscribed. `is_resumed`: the broker kept what came in between, which may have come already."""

    def disconnected(self, reason: str) -> None:
        """Also when it could not connect; it is tried again."""

    def subscribed(self, faults: str) -> None:
        """Empty: to every topic, so that nothing is lost."""

    def arrived(self, delivery: Delivery) -> None: ...


class BrokerConnection:
    """Belongs to the event loop in which it is made."""

    def __init__(
        self, settings: MqttSettings, largest: int, clock: Callable[[], datetime], listener: Listener
    ) -> None:
        """`largest`: bytes of a message, and of all that wait to be let go before no more is read; the broker
        drops what is larger. Raises SettingsError.
        """
        self._loop = asyncio.get_running_loop()
        self._settings = settings
        self._clock = clock
        self._listener = listener
        self._number = 0
        self._is_unanswered = self._is_connected = self._is_resumed = self._is_ending = False
        self._acknowledging = threading.Lock()
        """Between a look at the number of the connection and what is sent over it."""
        self._room = threading.Condition()
        self._waiting, self._most_waiting = 0, largest
        self._client = self._made_client()
        self._asked = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]
        self._asked.SessionExpiryInterval = int(_KEPT.total_seconds())
        self._asked.ReceiveMaximum = IN_FLIGHT
        self._asked.MaximumPacketSize = largest

    async def last(self) -> None:
        """Connect, and again whenever the connection is lost, until this is cancelled."""
        settings = self._settings
        self._client.connect_async(
            settings.host, settings.port, _KEEPALIVE, clean_start=False, properties=self._asked
        )
        try:
            while True:
                # Does nothing while its thread runs.
                self._client.loop_start()
                await asyncio.sleep(_LOOK_INTERVAL)
        finally:
            await self._end()

    def let_go(self, delivery: Delivery) -> None:
        """It is done with: another one may be read."""
        with self._room:
            self._waiting -= _size(delivery)
            self._room.notify()

    def is_current(self, delivery: Delivery) -> bool:
        """False: it was not acknowledged, and comes again by itself."""
        return delivery.connection == self._number or not delivery.is_kept

    def acknowledge(self, delivery: Delivery) -> None:
        """The broker may forget it. Does nothing over another connection, which has numbers of its own."""
        with self._acknowledging:
            if delivery.is_kept and delivery.connection == self._number:
                self._client.ack(delivery.number, _QUALITY)

    def _made_client(self) -> Client:
        settings = self._settings
        client = Client(
            CallbackAPIVersion.VERSION2,
            settings.client_id,
            protocol=MQTTProtocolVersion.MQTTv5,
            manual_ack=True,
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
        """The session stays with the broker."""
        with self._room:
            self._is_ending = True
            self._room.notify()
        self._client.disconnect()
        # Not in a thread that is waited for at the end of the process: a name may take long to be looked up.
        ending = threading.Thread(target=self._client.loop_stop, name="mqtt-end", daemon=True)
        ending.start()
        await asyncio.to_thread(ending.join, _STOP_DEADLINE)

    def _on_pre_connect(self, _: Client, __: object) -> None:
        self._is_unanswered = True

    def _on_connect(
        self, client: Client, _: object, flags: ConnectFlags, reason: ReasonCode, __: Properties | None
    ) -> None:
        self._is_unanswered = False
        if reason.is_failure:
            self._tell(self._listener.disconnected, f"the broker refuses the connection: {reason}")
            return
        self._is_connected, self._is_resumed = True, flags.session_present
        self._connected_at = time.monotonic()
        # Also in a session that was resumed: other topics may have been set since.
        options = SubscribeOptions(qos=_QUALITY)
        client.subscribe([(rule.topic_filter, options) for rule in self._settings.topics])

    def _on_connect_fail(self, _: Client, __: object) -> None:
        error = sys.exception()  # paho calls this while it handles it
        faults = (getattr(error, name, None) for name in ("verify_message", "reason", "strerror"))
        reason = next(filter(None, faults), None) or str(error) or "no answer"
        self._tell(self._listener.disconnected, f"it cannot be reached: {reason}")

    def _on_disconnect(
        self, _: Client, __: object, flags: DisconnectFlags, reason: ReasonCode, ___: Properties | None
    ) -> None:
        with self._acknowledging:
            self._number += 1
        was_connected, self._is_connected = self._is_connected, False
        was_unanswered, self._is_unanswered = self._is_unanswered, False
        if self._is_ending:
            return
        if was_unanswered:
            asks = ", or asks for a certificate" if self._settings.is_encrypted else ""
            said = f"it ends the connection before it answers: it may be no broker of MQTT 5{asks}"
            self._tell(self._listener.disconnected, said)
        if was_connected:  # else why not has been told
            said = f"the broker ended the connection: {reason}"
            lost = said if flags.is_disconnect_packet_from_server else "the connection was lost"
            if time.monotonic() - self._connected_at < _SOON:
                lost += f"; another client may have the id {self._settings.client_id!r}, too"
            self._tell(self._listener.disconnected, lost)

    def _on_subscribe(
        self, _: Client, __: object, ___: int, reasons: list[ReasonCode], ____: Properties | None
    ) -> None:
        faults = [
            f"{rule.topic_filter}: {reason}"
            for rule, reason in zip(self._settings.topics, reasons, strict=False)
            if reason.value != _QUALITY
        ]
        self._tell(lambda resumed: self._listener.connected(is_resumed=resumed), self._is_resumed)
        self._tell(self._listener.subscribed, "; ".join(faults))

    def _on_message(self, _: Client, __: object, message: MQTTMessage) -> None:
        try:
            topic = message.topic
        except UnicodeDecodeError:
            topic = ""
        delivery = Delivery(
            topic, bytes(message.payload), self._clock(), self._number, message.mid, message.qos == _QUALITY
        )
        # Nothing more is read until there is room. A broker that hears nothing for long may end the
        # connection meanwhile, and sends again what was not acknowledged. That it is asked for few at a time
        # is not enough: Mosquitto 2.0 sends many more after the first acknowledgement.
        with self._room:
            self._room.wait_for(lambda: self._is_ending or self._waiting <= self._most_waiting)
            self._waiting += _size(delivery)
        self._tell(self._listener.arrived, delivery)

    def _tell(self, listener: Callable[[Told], None], told: Told) -> None:
        with suppress(RuntimeError):  # the event loop has ended
            self._loop.call_soon_threadsafe(listener, told)


def _size(delivery: Delivery) -> int:
    return len(delivery.payload) + _BESIDE
