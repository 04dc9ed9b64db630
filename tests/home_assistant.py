"""What a Home Assistant would show of what is published: the documented rules of its MQTT discovery.

A configuration is held to what https://www.home-assistant.io/integrations/sensor.mqtt/ says may stand in one,
in our words; nothing of Home Assistant itself is here. That its own code takes the same configurations was
tried by hand with its releases (see `docs/decisions/0054-told-over-mqtt-and-pulled.md`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Annotated, Final, Literal

from paho.mqtt.client import Client, MQTTMessage
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion
from paho.mqtt.properties import Properties
from pydantic import AfterValidator, BaseModel, ConfigDict, Field

CONFIGURATION: Final = re.compile(
    r"homeassistant/sensor/(?:[a-zA-Z0-9_-]+/)?([a-zA-Z0-9_-]+)/config", re.ASCII
)


def _topic(text: str) -> str:
    """That can be published to."""
    assert 0 < len(text.encode()) <= 65_535
    assert not set(text) & set("+#\0")
    return text


Topic = Annotated[str, AfterValidator(_topic)]


class _Documented(BaseModel):
    """Nothing but what the documents name."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Availability(_Documented):
    topic: Topic
    payload_available: str = "online"
    payload_not_available: str = "offline"


class Device(_Documented):
    identifiers: Annotated[list[str], Field(min_length=1)]
    name: str
    manufacturer: str | None = None
    model: str | None = None


class Origin(_Documented):
    name: str


class SensorConfiguration(_Documented):
    unique_id: str
    name: str | None
    state_topic: Topic
    state_class: Literal["measurement", "total", "total_increasing"]
    unit_of_measurement: str
    icon: Annotated[str, Field(pattern=r"^mdi:[a-z-]+$")]
    suggested_display_precision: int | None = None
    value_template: Annotated[str, Field(pattern=r"^\{\{ value_json\.\w+ \}\}$")]
    availability: list[Availability]
    availability_mode: Literal["all", "any", "latest"]
    expire_after: Annotated[int, Field(gt=0)]
    origin: Origin
    device: Device


@dataclass
class HomeAssistant:
    """Reads everything from when it has connected."""

    client: Client
    kept: dict[str, bytes] = field(default_factory=dict)
    """What the broker would tell whoever comes now, by topic."""
    came: list[tuple[str, bytes]] = field(default_factory=list)
    expiries: dict[str, int | None] = field(default_factory=dict)
    """Topic -> seconds for which the broker keeps its last message."""

    @property
    def sensors(self) -> dict[str, SensorConfiguration]:
        """By unique id."""
        found = [
            SensorConfiguration.model_validate_json(payload)
            for topic, payload in dict(self.kept).items()
            if topic.startswith("homeassistant/") and CONFIGURATION.fullmatch(topic)
        ]
        assert len({one.unique_id for one in found}) == len(found)
        return {one.unique_id: one for one in found}

    def shown(self, unique_id: str) -> str | None:
        """The state of a sensor; None where there is no such sensor."""
        sensor = self.sensors.get(unique_id)
        if sensor is None:
            return None
        assert sensor.availability_mode == "all"
        if any(self.kept.get(one.topic) != one.payload_available.encode() for one in sensor.availability):
            return "unavailable"
        value = sensor.value_template.removeprefix("{{ value_json.").removesuffix(" }}")
        told = json.loads(self.kept.get(sensor.state_topic, b"{}"))
        return str(told[value]) if value in told else "unknown"

    def begin(self) -> None:
        """Its birth message."""
        self.client.publish("homeassistant/status", b"online").wait_for_publish(60)


@contextmanager
def home_assistant(port: int) -> Iterator[HomeAssistant]:
    client = Client(CallbackAPIVersion.VERSION2, protocol=MQTTProtocolVersion.MQTTv5)
    home = HomeAssistant(client)

    def connected(client: Client, *_: object) -> None:
        home.kept.clear()
        client.subscribe("#", qos=0)

    def arrived(_: Client, __: object, message: MQTTMessage) -> None:
        home.came.append((message.topic, bytes(message.payload)))
        properties: Properties | None = message.properties
        home.expiries[message.topic] = getattr(properties, "MessageExpiryInterval", None)
        if message.payload:
            home.kept[message.topic] = bytes(message.payload)
        else:
            home.kept.pop(message.topic, None)

    client.on_connect, client.on_message = connected, arrived
    client.reconnect_delay_set(1, 1)
    client.connect("127.0.0.1", port)
    client.loop_start()
    try:
        yield home
    finally:
        client.disconnect()
        client.loop_stop()
