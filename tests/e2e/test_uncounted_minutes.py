"""A day that lacks minutes says so beside its numbers, and shows where, on the page Live."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from typing import Final

import pytest
from playwright.sync_api import Page, expect

from service.open_store import open_store, store_url
from service.store.protocol import SiteRecord
from tests.e2e.conftest import Stage, opened_stage
from tests.small_site import ORGANIZATION, SITE, create_small_site, store_counts
from tests.zone_at_noon import zone_at_noon

LACKS: Final = range(40, 100)
"""Minutes before now."""


@pytest.fixture(scope="module")
def lacking(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    folder = tmp_path_factory.mktemp("lacking")
    site = create_small_site(folder / "service")
    with closing(open_store(store_url(site.data_dir))) as store:
        here = SITE.model_copy(update={"timezone": zone_at_noon()})
        store.catalogue.save(ORGANIZATION, [SiteRecord(here, "shop")])
    now = datetime.now(UTC).replace(second=0, microsecond=0)
    told = [now - timedelta(minutes=ago) for ago in range(1, 180) if ago not in LACKS]
    store_counts(
        site.data_dir,
        [(at, door, 2, 1) for at in told for door in ("entrance", "archway", "terrace")],
    )
    with opened_stage(folder, site) as opened:
        yield opened


def test_a_day_that_lacks_minutes_says_how_many_are_counted_and_shows_where(
    page: Page, lacking: Stage
) -> None:
    page.goto(lacking.url("/live?site=corner-shop"))
    fact = page.locator(".fact.counted")
    expect(fact).to_contain_text("Today is counted in 1")
    expect(fact).to_contain_text("minutes")
    expect(page.locator(".ranking .details").first).to_contain_text("counted in 1")
    curve = page.locator("figure.day svg")
    expect(curve.locator("line.uncounted").first).to_be_attached()
    expect(curve).to_contain_text("no counts")
