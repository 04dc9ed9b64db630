"""The link over which it is published how many are inside; what it left with the broker is read back."""

from __future__ import annotations

from datetime import timedelta
from typing import Final, NamedTuple, Protocol

from paho.mqtt.client import MQTTMessage
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from service.mqtt_settings import MqttSettings
from service.workers.broker_link import BrokerLink, LinkListener
from service.zone_sensors import AVAILABLE, UNAVAILABLE

STATUS_KEPT: Final = 180
"""Seconds for which the broker keeps that the service is there: a broker and a service that lose power
together leave nothing that looks alive."""
_LARGEST: Final = 64 * 1024
"""Bytes of a message that is read: ours are far smaller."""


class Message(NamedTuple):
    payload: bytes
    """Empty: the broker is to forget what it keeps of the topic."""
    kept: int | None = None
    """Seconds for which the broker keeps it; None: until there is another one."""


class PublishingListener(LinkListener, Protocol):
    """Called in the event loop."""

    def left_behind(self, topic: str) -> None:
        """The broker keeps a message of ours, of whenever it was."""

    def home_assistant_began(self) -> None: ...


class PublishingLink(BrokerLink):
    """Belongs to the event loop in which it is made."""

    def __init__(self, settings: MqttSettings, listener: PublishingListener) -> None:
        """Raises SettingsError."""
        self._topics_of_ours = settings.published
        super().__init__(
            settings,
            listener,
            client_id=f"{settings.client_id}-publishes",
            topics=[self._topics_of_ours.birth, *self._topics_of_ours.own],
            kept=timedelta(0),
        )
        self._listener = listener
        self.asked.MaximumPacketSize = _LARGEST
        self.client.will_set(self._topics_of_ours.status, UNAVAILABLE, retain=True)

    def publish(self, topic: str, message: Message) -> None:
        """Sent once at most: what a connection loses is all told again over the next one."""
        properties = None
        if message.kept is not None:
            properties = Properties(PacketTypes.PUBLISH)  # type: ignore[no-untyped-call]
            properties.MessageExpiryInterval = message.kept
        self.client.publish(topic, message.payload, retain=True, properties=properties)

    def tell_alive(self) -> None:
        self.publish(self._topics_of_ours.status, Message(AVAILABLE, STATUS_KEPT))

    def on_ending(self) -> None:
        self.publish(self._topics_of_ours.status, Message(UNAVAILABLE))

    def on_message(self, message: MQTTMessage, topic: str) -> None:
        if topic == self._topics_of_ours.birth:
            # One that is kept may be of long ago; all has just been told anyway.
            if message.payload == AVAILABLE and not message.retain:
                self.tell(lambda _: self._listener.home_assistant_began(), None)
        elif message.retain and message.payload:
            self.tell(self._listener.left_behind, topic)
