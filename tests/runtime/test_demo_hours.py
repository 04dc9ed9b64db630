"""Opening hours that come with the demo: of the simulated shop, once, and never against anybody's word."""

from __future__ import annotations

from pathlib import Path

import pytest

from analysis.hours_text import spans_of_text
from analysis.opening_hours import OpeningHours
from contract import Site
from runtime.demo_hours import SHOP, SHOP_HOURS, keep_demo_hours
from runtime.settings import get_settings
from runtime.site_knowledge import (
    are_first_hours,
    keep_opening_hours,
    read_all_opening_hours,
    read_kept_hours,
    read_opening_hours,
)
from runtime.site_knowledge_store import FILE_NAME, SiteKnowledgeStore
from runtime.upstream import service_digest
from service.simulator.shop import CLOSED_WEEKDAY, CLOSES, OPENS, shop_record
from service.workers.demo import demo_sources

pytestmark = pytest.mark.usefixtures("kept_here")

OWN = OpeningHours(week=(spans_of_text("7-15"),) * 7)


def sites_of_demo() -> list[Site]:
    return [source.record.site for source in demo_sources()]


def test_the_hours_are_those_by_which_visitors_are_simulated() -> None:
    day = spans_of_text(f"{OPENS:%H:%M}-{CLOSES:%H:%M}")
    assert SHOP_HOURS.week == tuple(() if weekday == CLOSED_WEEKDAY else day for weekday in range(7))
    assert not SHOP_HOURS.is_closed_on_holidays, "visitors come on holidays, too"


def test_the_simulated_shop_alone_has_hours_and_they_are_known_to_be_the_demos() -> None:
    keep_demo_hours(sites_of_demo())
    assert read_all_opening_hours() == {SHOP: SHOP_HOURS}
    assert are_first_hours(SHOP, read_kept_hours(SHOP))


def test_whoever_has_kept_others_keeps_them() -> None:
    keep_opening_hours(SHOP, OWN)
    keep_demo_hours(sites_of_demo())
    assert read_opening_hours(SHOP) == OWN
    assert not are_first_hours(SHOP, read_kept_hours(SHOP))


@pytest.mark.parametrize("was_first", [True, False])
def test_hours_that_somebody_has_forgotten_do_not_come_back(*, was_first: bool) -> None:
    if not was_first:
        keep_opening_hours(SHOP, OWN)
    for _ in range(2):
        keep_demo_hours(sites_of_demo())
        keep_opening_hours(SHOP, None)
    keep_demo_hours(sites_of_demo())
    assert read_opening_hours(SHOP) is None
    assert not are_first_hours(SHOP, read_kept_hours(SHOP))


def test_changed_ones_are_nobody_elses_any_more() -> None:
    keep_demo_hours(sites_of_demo())
    keep_opening_hours(SHOP, OWN)
    keep_demo_hours(sites_of_demo())
    assert read_opening_hours(SHOP) == OWN
    assert not are_first_hours(SHOP, read_kept_hours(SHOP))


def test_damaged_ones_are_left_to_whoever_mends_them() -> None:
    store = SiteKnowledgeStore(get_settings().data_dir)
    store.keep(service_digest(), SHOP, "opening hours", "", "{")
    keep_demo_hours(sites_of_demo())
    assert read_kept_hours(SHOP).is_damaged


def test_a_site_of_ones_own_of_that_name_has_none() -> None:
    own = shop_record("own").site.model_copy(update={"category": "Shop"})
    keep_demo_hours([own])
    assert read_all_opening_hours() == {}


def test_where_nothing_can_be_kept_the_demo_goes_on(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).mkdir()
    keep_demo_hours(sites_of_demo())
