"""Settings of the broker that has counters' reports, and is told how many are inside:
HEADROOM_SERVICE_MQTT_<NAME>. None set: no broker.
"""

from __future__ import annotations

import os
import ssl
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Final, Self

from pydantic import (
    AnyUrl,
    BeforeValidator,
    Field,
    SecretStr,
    UrlConstraints,
    ValidationError,
    model_validator,
)
from pydantic_core import PydanticCustomError
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from service.client_tls import client_context
from service.counter_topics import TopicRule, TopicRuleError, read_rules
from service.setting_faults import misfit, told_fault
from service.settings import Duration, SettingsError
from service.zone_sensors import Topics, topic_id

_PREFIX: Final = "HEADROOM_SERVICE_MQTT_"
_EVERY_MAKER: Final = "headroom/{maker}/#"
_NO_TOPICS: Final = "none"
_PORT: Final = 1883
_TLS_PORT: Final = 8883
_TLS_FILES: Final = ("ca_file", "certificate_file", "key_file")


def _rules(value: object) -> object:
    if not isinstance(value, str):
        return value
    if value.strip().lower() == _NO_TOPICS:
        return ()
    try:
        return read_rules(value)
    except TopicRuleError as error:
        raise PydanticCustomError("topics", "{reason}", {"reason": str(error)}) from error


def _names(value: object) -> object:
    return tuple(filter(None, map(str.strip, value.split(",")))) if isinstance(value, str) else value


class MqttSettings(BaseSettings):
    """An empty variable is none. Raises ValidationError; `read_mqtt_settings` says it in words."""

    model_config = SettingsConfigDict(
        env_prefix=_PREFIX, env_ignore_empty=True, frozen=True, hide_input_in_errors=True
    )

    url: Annotated[AnyUrl, UrlConstraints(allowed_schemes=["mqtt", "mqtts"], host_required=True)]
    """`mqtt://host:1883`, or `mqtts://host:8883` over TLS; without user and password."""
    organization: str
    """Id of the one whose counters these are."""
    topics: Annotated[tuple[TopicRule, ...], NoDecode, BeforeValidator(_rules)] = read_rules(_EVERY_MAKER)
    """Which topics are of which maker's counters: see `service/counter_topics.py`. `none`: nothing is read.
    """
    user: str | None = None
    password: SecretStr | None = None
    ca_file: Path | None = None
    """PEM of the authorities that may have signed the broker's certificate; else those of the system."""
    certificate_file: Path | None = None
    """PEM of the certificate by which the broker knows this client."""
    key_file: Path | None = None
    """PEM of its key, if that is not in the same file; without a passphrase."""
    client_id: str = Field(default="headroom", max_length=128)
    """Under which the broker keeps what was not taken yet: of this service alone, and always the same."""
    publish: bool = False
    """Whether it is published how many are inside each zone: see `service/zone_sensors.py`."""
    publish_sites: Annotated[tuple[str, ...], NoDecode, BeforeValidator(_names)] = ()
    """Ids, with commas between them. Empty: all sites of the organization."""
    discovery_prefix: str = Field(default="homeassistant", min_length=1, max_length=200)
    """Under which Home Assistant looks for sensors."""
    publish_silence: Duration = Field(
        default=timedelta(minutes=20), ge=timedelta(minutes=1), le=timedelta(days=1)
    )
    """After a minute, how long its number may be told as the present one."""

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.url.username or self.url.password:
            raise _fault("url", "has a user or a password in it, which belong in {0}USER and {0}PASSWORD")
        if (self.url.path or "/") != "/" or self.url.query or self.url.fragment:
            raise _fault("url", "has more than scheme, host and port; topics belong in {0}TOPICS")
        if self.password is not None and self.user is None:
            raise _fault("password", "is set without {0}USER")
        if self.key_file is not None and self.certificate_file is None:
            raise _fault("key_file", "is set without {0}CERTIFICATE_FILE")
        if not self.is_encrypted and (given := [name for name in _TLS_FILES if getattr(self, name)]):
            raise _fault(given[0], "is set, but {0}URL does not begin with mqtts://")
        if not self.topics and not self.publish:
            raise _fault("topics", f"is {_NO_TOPICS}, and {{0}}PUBLISH is not on: there is nothing to do")
        if set(self.discovery_prefix) & set("+#$\0") or "" in self.discovery_prefix.split("/"):
            raise _fault("discovery_prefix", "has to be levels of a topic, without + or #: homeassistant")
        if self.publish and (read := self._published_that_is_read()):
            escaped = read.replace("{", "{{").replace("}", "}}")
            says = (
                f"has the filter {escaped}, which reads what {{0}}PUBLISH has published: name levels before"
            )
            raise _fault(
                "topics", f"{says} the maker's, as in {_EVERY_MAKER.replace('{maker}', '{{maker}}')}"
            )
        return self

    def _published_that_is_read(self) -> str | None:
        """A filter of counters' topics that our own match."""
        own, zone = self.published, "zone"
        published = (own.status, own.state(zone), own.availability(zone), own.configuration(zone, "people"))
        return next(
            (
                rule.topic_filter
                for rule in self.topics
                if any(rule.maker_of(topic) is not None for topic in published)
            ),
            None,
        )

    @property
    def published(self) -> Topics:
        """Where it is told how many are inside."""
        return Topics(self.discovery_prefix, topic_id(self.client_id))

    @property
    def is_encrypted(self) -> bool:
        return self.url.scheme == "mqtts"

    @property
    def host(self) -> str:
        return (self.url.host or "").strip("[]")

    @property
    def port(self) -> int:
        return self.url.port or (_TLS_PORT if self.is_encrypted else _PORT)

    @property
    def broker(self) -> str:
        """What it is called in the log: host and port."""
        return f"{self.host}:{self.port}"


def read_mqtt_settings() -> MqttSettings | None:
    """None where no variable of it is set. Raises SettingsError, which never repeats what was set."""
    if not any(value for name, value in os.environ.items() if name.upper().startswith(_PREFIX)):
        return None
    try:
        settings = MqttSettings()
    except ValidationError as error:
        faults = error.errors(include_url=False, include_input=False)
        raise _refused("; ".join(told_fault(_PREFIX, fault) for fault in faults)) from error
    tls_context(settings)
    return settings


def tls_context(settings: MqttSettings) -> ssl.SSLContext | None:
    """What checks the broker's certificate and its name; None without TLS. Raises SettingsError."""
    if not settings.is_encrypted:
        return None
    return client_context(_PREFIX, settings.ca_file, settings.certificate_file, settings.key_file)


def _fault(name: str, says: str) -> PydanticCustomError:
    return misfit(_PREFIX, name, says)


def _refused(faults: str) -> SettingsError:
    return SettingsError(f"{faults}. Correct it and start again.")
