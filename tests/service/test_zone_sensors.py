from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as any_

from contract import Site, Zone
from service.zone_sensors import Topics, configurations, plain_name, state_of, topic_id, zone_id
from tests.home_assistant import CONFIGURATION, SensorConfiguration

TOPICS = Topics("homeassistant", "headroom")
SILENCE = timedelta(minutes=20)
EVERY_TEXT = any_.text(any_.characters(), max_size=300)
"""With lone surrogates."""


@given(EVERY_TEXT, EVERY_TEXT, EVERY_TEXT)
def test_every_name_and_id_makes_a_documented_configuration_under_a_sound_topic(
    name: str, site_id: str, own: str
) -> None:
    site = Site(id=site_id, name=name, zones=(Zone(id=own, name=name, capacity=10),))
    made = configurations(TOPICS, site, SILENCE)
    assert len(made) == 2
    for topic, payload in made.items():
        assert CONFIGURATION.fullmatch(topic)
        read = SensorConfiguration.model_validate_json(payload)
        assert 0 < len(read.device.name) <= 100


@given(EVERY_TEXT, EVERY_TEXT)
def test_other_ids_are_other_ids_in_topics(one: str, other: str) -> None:
    assert (topic_id(one) == topic_id(other)) == (one == other)
    assert topic_id(topic_id(one)) == topic_id(one) or topic_id(one) != one
    assert re.fullmatch(r"[A-Za-z0-9-]{1,64}", topic_id(one), re.ASCII)


def test_sites_and_zones_are_told_apart_where_their_ids_meet() -> None:
    pairs = [("a_b", "c"), ("a", "b_c"), ("a-b", "c"), ("a", "b-c"), ("a b", "c")]
    made = {zone_id(Site(id=site, name=""), Zone(id=zone, name="")) for site, zone in pairs}
    assert len(made) == len(pairs)


def test_a_plain_id_stays_as_it_is_and_one_that_looks_made_does_not() -> None:
    assert topic_id("corner-shop") == "corner-shop"
    made = topic_id("corner shop")
    assert made.startswith("corner-shop-")
    assert topic_id(made) != made


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("Hall", "Hall"),
        ("  a\n\tb  ", "a b"),
        ("x\x00\x07\u202ey", "xy"),
        ("", "hall-id"),
        ("\u200b\u200d", "hall-id"),
        ("y" * 10_000, "y" * 99 + "…"),
        ("👨\u200d👩", "👨\u200d👩"),
    ],
)
def test_a_name_is_one_short_line_of_what_can_be_seen(name: str, shown: str) -> None:
    assert plain_name(name, "hall-id") == shown


def test_a_name_of_nothing_is_said_to_be_none() -> None:
    assert plain_name("\0", "\u200b") == "Unnamed"


def test_the_zone_that_is_the_whole_site_is_not_named_twice() -> None:
    site = Site(id="shop", name="Shop", zones=(Zone(id="all", name="Shop", capacity=4),))
    names = [orjson.loads(payload)["name"] for payload in configurations(TOPICS, site, SILENCE).values()]
    assert names == [None, "Utilisation"]


def test_a_state_tells_of_which_minute_it_is() -> None:
    minute = datetime(2026, 11, 26, 10, 15, tzinfo=UTC)
    told = {"visitorsInside": 2, "minute": "2026-11-26T10:15:00+00:00"}
    assert orjson.loads(state_of(Zone(id="z", name=""), 2, minute)) == told
    assert orjson.loads(state_of(Zone(id="z", name="", capacity=0), 2, minute)) == told
    full = orjson.loads(state_of(Zone(id="z", name="", capacity=3), 2, minute))
    assert full == told | {"utilisation": 66.7}
