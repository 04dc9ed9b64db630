"""How many are inside each zone, as sensors that Home Assistant finds by itself over MQTT. Pure.

A zone has a sensor of people and, where its capacity is known, one of how full it is in percent; both read
one state. Each has a configuration under the topic by which Home Assistant discovers it (MQTT discovery,
https://www.home-assistant.io/integrations/mqtt/#mqtt-discovery), and is available while the service is there
and the zone's number is young.

Ids of topics are made of the ids of site and zone, never of names: a sensor stays the same when it is
renamed, and nothing that somebody may write makes a topic of another kind.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any, Final, NamedTuple

import orjson

from contract import Site, Zone
from contract.resources import format_timestamp

AVAILABLE: Final = b"online"
UNAVAILABLE: Final = b"offline"
PEOPLE: Final = "people"
UTILISATION: Final = "utilisation"

_BASE: Final = "headroom-sites"
"""Apart from where counters report: what is published must not be read as a report."""
_PLAIN: Final = re.compile(r"[A-Za-z0-9-]{1,64}", re.ASCII)
_MADE: Final = re.compile(r".*-[0-9a-f]{16}", re.ASCII)
_OTHER: Final = re.compile(r"[^A-Za-z0-9-]+", re.ASCII)
_LONGEST_READABLE: Final = 40
_LONGEST_NAME: Final = 100
_UNSEEN: Final = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"})
_JOINERS: Final = frozenset("\u200c\u200d")
"""Seen by what they join."""
_SPARE: Final = timedelta(minutes=2)
"""A minute is counted when it is over, and looked at once a second: a sensor that lives is not to expire."""


class Topics(NamedTuple):
    """All topics of one service."""

    discovery: str
    """The prefix under which Home Assistant looks, without a slash at its end."""
    node: str
    """Of this service alone: levels of its own in each topic. See `topic_id`."""

    @property
    def status(self) -> str:
        """Whether the service is there."""
        return f"{_BASE}/{self.node}/status"

    @property
    def birth(self) -> str:
        """Where Home Assistant says that it has begun: then it knows nothing yet."""
        return f"{self.discovery}/status"

    @property
    def own(self) -> tuple[str, ...]:
        """Filters of all that is published."""
        return f"{self.discovery}/sensor/{self.node}/+/config", f"{_BASE}/{self.node}/+/+"

    def is_read(self, topic: str) -> bool:
        """Whether it is one that a configuration names."""
        return topic.startswith(f"{_BASE}/")

    def state(self, zone: str) -> str:
        return f"{_BASE}/{self.node}/{zone}/state"

    def availability(self, zone: str) -> str:
        return f"{_BASE}/{self.node}/{zone}/availability"

    def configuration(self, zone: str, metric: str) -> str:
        return f"{self.discovery}/sensor/{self.node}/{zone}_{metric}/config"


def topic_id(text: str) -> str:
    """Of letters, digits and hyphens; the same for the same text, and another for another one."""
    if _PLAIN.fullmatch(text) and not _MADE.fullmatch(text):
        return text
    readable = _OTHER.sub("-", text)[:_LONGEST_READABLE].strip("-")
    digest = sha256(text.encode(errors="surrogatepass")).hexdigest()[:16]
    return f"{readable}-{digest}"


def zone_id(site: Site, zone: Zone) -> str:
    """In topics. Ids of zones are of their site alone."""
    return f"{topic_id(site.id)}_{topic_id(zone.id)}"


def configurations(topics: Topics, site: Site, silence: timedelta) -> Mapping[str, bytes]:
    """Topic -> configuration, of all sensors of a site. `silence`: after which a number is old."""
    device = {
        "identifiers": [f"{topics.node}_{topic_id(site.id)}"],
        "name": plain_name(site.name, site.id),
        "manufacturer": "Headroom",
        "model": "Site",
    }
    made: dict[str, bytes] = {}
    for zone in site.zones:
        own = zone_id(site, zone)
        name = plain_name(zone.name, zone.id)
        people = {
            # None takes the name of the device; the same name would stand there twice.
            "name": None if name == device["name"] else name,
            "unit_of_measurement": "people",
            "icon": "mdi:account-group",
            "value_template": "{{ value_json.visitorsInside }}",
        }
        percent = {
            "name": "Utilisation" if name == device["name"] else f"{name} utilisation",
            "unit_of_measurement": "%",
            "icon": "mdi:gauge",
            "suggested_display_precision": 0,
            "value_template": "{{ value_json.utilisation }}",
        }
        for metric, differs in ((PEOPLE, people), (UTILISATION, percent)):
            if metric == UTILISATION and not zone.capacity:
                continue
            shared = _shared(topics, own, silence)
            told = {"unique_id": f"{topics.node}_{own}_{metric}", **differs, **shared, "device": device}
            made[topics.configuration(own, metric)] = orjson.dumps(told)
    return made


def state_of(zone: Zone, inside: float, minute: datetime) -> bytes:
    """What both sensors of a zone read; `minute` is that of which the number is, so that others can tell how
    old it is.
    """
    told: dict[str, Any] = {"visitorsInside": inside, "minute": format_timestamp(minute)}
    if zone.capacity:
        told["utilisation"] = round(100 * inside / zone.capacity, 1)
    return orjson.dumps(told)


def plain_name(name: str, instead: str) -> str:
    """One short line of what can be seen; of `instead`, where nothing of the name can be."""
    for text in (name, instead):
        seen = "".join(
            " " if character.isspace() else character
            for character in text[: 100 * _LONGEST_NAME]
            if character.isspace() or character in _JOINERS or unicodedata.category(character) not in _UNSEEN
        )
        line = " ".join(seen.split())
        if line.strip("".join(_JOINERS)):
            return line if len(line) <= _LONGEST_NAME else f"{line[: _LONGEST_NAME - 1]}…"
    return "Unnamed"


def _shared(topics: Topics, zone: str, silence: timedelta) -> dict[str, Any]:
    return {
        "state_topic": topics.state(zone),
        "state_class": "measurement",
        "availability": [{"topic": topics.status}, {"topic": topics.availability(zone)}],
        "availability_mode": "all",
        # Should the service hang without its connection being lost.
        "expire_after": int((silence + _SPARE).total_seconds()),
        "origin": {"name": "Headroom"},
    }
