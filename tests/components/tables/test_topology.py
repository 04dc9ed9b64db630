from __future__ import annotations

from datetime import UTC, datetime

import pandas as pd

from components.tables.topology import devices_table, passages_table, problem_count, zones_table
from components.tables.zone_values import UNKNOWN_VALUE, ZoneValue, zone_value
from components.theme import Occupancy, Thresholds
from contract import Device, MetricPoint, Passage, Zone
from tests.small_site import SITE

MINUTE = datetime(2026, 6, 1, 8, tzinfo=UTC)


def test_zones_are_sorted_by_how_full_they_are() -> None:
    values = {"hall": ZoneValue(10, MINUTE), "cafe": ZoneValue(38, MINUTE)}
    table = zones_table(SITE, values, Thresholds())
    assert table["Zone"].tolist() == ["Café", "Hall", "Shop"]
    assert table["Level"].tolist() == ["Full", "Free", "Unknown"]


def test_what_is_not_told_is_missing_and_not_zero() -> None:
    site = SITE.model_copy(update={"zones": (Zone(id="a", name="A", capacity=0),)})
    table = zones_table(site, {"a": ZoneValue(3, MINUTE)}, Thresholds())
    assert all(pd.isna(table[column].iloc[0]) for column in ("Capacity", "Share", "Area", "Per 100 m²"))
    assert table["Category"].iloc[0] == "not told"


def test_a_zone_opens_its_live_page() -> None:
    table = zones_table(SITE, {}, Thresholds())
    assert "/live?site=corner-shop&zone=hall" in table["Live"].tolist()


def test_people_are_related_to_the_area() -> None:
    table = zones_table(SITE, {"hall": ZoneValue(30, MINUTE)}, Thresholds())
    assert table.set_index("Zone")["Per 100 m²"]["Hall"] == 20


def test_a_passage_says_where_it_leads() -> None:
    table = passages_table(SITE)
    assert table["Passage"].tolist() == ["Entrance", "Archway", "Terrace door"]
    assert table["From"].tolist() == ["Outside", "Hall", "Café"]
    assert table["To"].tolist() == ["Hall", "Café", "Outside"]


def test_a_passage_to_a_zone_that_is_not_listed_says_so() -> None:
    site = SITE.model_copy(update={"passages": (Passage(id="p", name="P", to_zone_id="lost"),)})
    assert passages_table(site)["To"].tolist() == ["unknown zone lost"]


def test_devices_with_problems_come_first() -> None:
    table = devices_table(SITE)
    assert table["Device"].tolist() == ["Pad 2", "Air 1", "Pad 1"]
    assert table["Status"].tolist()[0] == "Offline"
    assert problem_count(SITE) == 1


def test_online_is_read_whatever_its_case_and_anything_else_is_a_problem() -> None:
    statuses = ["online", "ONLINE ", "Degraded", ""]
    devices = tuple(Device(id=str(n), name=str(n), status=status) for n, status in enumerate(statuses))
    site = SITE.model_copy(update={"zones": (Zone(id="a", name="A", devices=devices),), "passages": ()})
    assert problem_count(site) == 2
    assert devices_table(site)["Status"].tolist() == ["Degraded", "not told", "online", "ONLINE"]


def test_a_site_without_topology_gives_empty_tables() -> None:
    site = SITE.model_copy(update={"zones": (), "passages": ()})
    assert zones_table(site, {}, Thresholds()).empty
    assert passages_table(site).empty
    assert devices_table(site).empty


def test_a_value_before_the_first_count_is_unknown() -> None:
    assert zone_value([]) == UNKNOWN_VALUE
    assert zone_value([MetricPoint(timestamp=MINUTE, metrics={})]) == UNKNOWN_VALUE
    point = MetricPoint(timestamp=MINUTE, metrics={"visitorsInside": 0})
    assert zone_value([point]) == ZoneValue(0, MINUTE)
    assert zone_value([]).level(SITE.zones[0], Thresholds()) is Occupancy.UNKNOWN
