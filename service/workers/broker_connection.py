"""The connection over which reports are read: one session over all interruptions, acknowledged by hand."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final, NamedTuple, Protocol

from paho.mqtt.client import MQTTMessage

from service.mqtt_settings import MqttSettings
from service.workers.broker_link import QUALITY, BrokerLink, LinkListener

IN_FLIGHT: Final = 16
"""Messages that the broker is asked to send at most before one of them is acknowledged."""

_KEPT: Final = timedelta(days=30)
"""For which the broker keeps what comes while nobody is connected: older counts are not believed anyway."""
_BESIDE: Final = 1024
"""Bytes that a message takes beside what it tells."""


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


class Listener(LinkListener, Protocol):
    """Called in the event loop."""

    def arrived(self, delivery: Delivery) -> None: ...


class BrokerConnection(BrokerLink):
    """Belongs to the event loop in which it is made."""

    def __init__(
        self, settings: MqttSettings, largest: int, clock: Callable[[], datetime], listener: Listener
    ) -> None:
        """`largest`: bytes of a message, and of all that wait to be let go before no more is read; the broker
        drops what is larger. Raises SettingsError.
        """
        super().__init__(
            settings,
            listener,
            client_id=settings.client_id,
            topics=[rule.topic_filter for rule in settings.topics],
            kept=_KEPT,
            manual_ack=True,
        )
        self._clock = clock
        self._listener = listener
        self._number = 0
        self._acknowledging = threading.Lock()
        """Between a look at the number of the connection and what is sent over it."""
        self._room = threading.Condition()
        self._waiting, self._most_waiting = 0, largest
        self.asked.ReceiveMaximum = IN_FLIGHT
        self.asked.MaximumPacketSize = largest

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
                self.client.ack(delivery.number, QUALITY)

    def on_lost(self) -> None:
        with self._acknowledging:
            self._number += 1

    def on_ending(self) -> None:
        with self._room:
            self._room.notify()

    def on_message(self, message: MQTTMessage, topic: str) -> None:
        delivery = Delivery(
            topic, bytes(message.payload), self._clock(), self._number, message.mid, message.qos == QUALITY
        )
        # Nothing more is read until there is room. A broker that hears nothing for long may end the
        # connection meanwhile, and sends again what was not acknowledged. That it is asked for few at a time
        # is not enough: Mosquitto 2.0 sends many more after the first acknowledgement.
        with self._room:
            self._room.wait_for(lambda: self.is_ending or self._waiting <= self._most_waiting)
            self._waiting += _size(delivery)
        self.tell(self._listener.arrived, delivery)


def _size(delivery: Delivery) -> int:
    return len(delivery.payload) + _BESIDE
