from __future__ import annotations

from typing import NamedTuple

from components.panels.site_list import Order, matching, ordered
from contract import Address, SiteSummary


class Seen(NamedTuple):
    inside: int | None
    capacity: float | None


def site(name: str, city: str = "", category: str | None = None) -> SiteSummary:
    return SiteSummary(id=name.lower(), name=name, address=Address(city=city), category=category)


def names(sites: list[SiteSummary]) -> list[str]:
    return [one.name for one in sites]


SITES = [site("Bern", "Bern", "shop"), site("alpha", "Zürich"), site("Cellar", "Zürich", "Shop")]


def test_no_search_finds_all_by_name_whatever_the_case() -> None:
    assert names(matching(SITES, "")) == ["alpha", "Bern", "Cellar"]


def test_every_word_must_occur_in_name_city_or_category() -> None:
    assert names(matching(SITES, "SHOP zürich")) == ["Cellar"]
    assert matching(SITES, "shop zürich bern") == []


def test_fullest_first_goes_by_share_and_not_by_number() -> None:
    seen = {"bern": Seen(90, 1000), "alpha": Seen(8, 10), "cellar": Seen(0, 10)}
    assert names(ordered(SITES, Order.FULLEST, seen)) == ["alpha", "Bern", "Cellar"]


def test_most_places_left_goes_by_places() -> None:
    seen = {"bern": Seen(90, 1000), "alpha": Seen(8, 10), "cellar": Seen(0, 10)}
    assert names(ordered(SITES, Order.PLACES_LEFT, seen)) == ["Bern", "Cellar", "alpha"]


def test_what_is_unknown_comes_last_and_not_as_empty() -> None:
    seen = {"bern": Seen(None, 1000), "cellar": Seen(0, 10)}
    assert names(ordered(SITES, Order.FULLEST, seen)) == ["Cellar", "Bern", "alpha"]
    assert names(ordered(SITES, Order.PLACES_LEFT, seen)) == ["Cellar", "Bern", "alpha"]


def test_by_name_keeps_the_order_found() -> None:
    assert ordered(SITES, Order.NAME, {}) == SITES
