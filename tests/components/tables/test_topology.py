from __future__ import annotations

from analysis.site_report import devices_offline
from components.tables.topology import devices_table, passages_table, untold_count
from contract import Device, Passage, Zone
from tests.small_site import SITE


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
    assert (devices_offline(SITE), untold_count(SITE)) == (1, 0)


def test_online_is_read_whatever_its_case_and_anything_else_that_is_told_is_a_problem() -> None:
    statuses = ["online", "ONLINE ", "Degraded", ""]
    devices = tuple(Device(id=str(n), name=str(n), status=status) for n, status in enumerate(statuses))
    site = SITE.model_copy(update={"zones": (Zone(id="a", name="A", devices=devices),), "passages": ()})
    assert (devices_offline(site), untold_count(site)) == (1, 1)
    assert devices_table(site)["Health"].tolist() == ["⚠ Look after it", "? Not told", "✓ Fine", "✓ Fine"]
    assert devices_table(site)["Status"].tolist() == ["Degraded", "unknown", "online", "ONLINE"]


def test_a_site_without_topology_gives_empty_tables() -> None:
    site = SITE.model_copy(update={"zones": (), "passages": ()})
    assert passages_table(site).empty
    assert devices_table(site).empty
