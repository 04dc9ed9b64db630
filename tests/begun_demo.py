"""A store in which the demo has begun, for starts that are not about its first load."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from contract.minutes import minute_number
from service.clock import present
from service.dashboard_key import DEMO_ORGANIZATION
from service.open_store import open_store, store_url
from service.workers.demo import catch_up, demo_sources

A_DAY = 24 * 60
"""The longest outage of the recordings is shorter, so that each site has a newest minute."""


def begin_demo(data_dir: Path) -> None:
    """Store the demo's sites and their last day: a service that starts over it has seconds to catch up."""
    now = minute_number(present())
    with closing(open_store(store_url(data_dir))) as store:
        store.catalogue.save(DEMO_ORGANIZATION, [source.record for source in demo_sources()])
        for source in demo_sources():
            catch_up(store, source, now - A_DAY, now)
