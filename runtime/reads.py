"""What pages read from the service, remembered for a moment; an error is raised and never remembered."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from api_client import MetricsAnswer
from contract import MetricsQuery, Site, SiteSummary
from runtime.remembered import Remembered
from runtime.resources import get_client
from runtime.upstream import Account, get_upstream

_SITES_AGE: Final = timedelta(seconds=30)
_SITE_AGE: Final = timedelta(seconds=60)
_METRICS_AGE: Final = timedelta(seconds=20)
_MOST_QUERIES: Final = 2_000
"""A bound on memory; the oldest answers leave first."""


_sites: Final = Remembered[Account, tuple[SiteSummary, ...]](_SITES_AGE, most=_MOST_QUERIES)
_site: Final = Remembered[tuple[Account, str], Site](_SITE_AGE, most=_MOST_QUERIES)
_metrics: Final = Remembered[tuple[Account, str], MetricsAnswer](_METRICS_AGE, most=_MOST_QUERIES)


def read_sites() -> list[SiteSummary]:
    """All sites the key can read, at most 30 s old. Raises ApiClientError."""
    return list(_sites.get(get_upstream().account, lambda: tuple(get_client().sites())))


def read_site(site_id: str) -> Site:
    """One site with its topology, at most 60 s old. Raises ApiClientError."""
    return _site.get((get_upstream().account, site_id), lambda: get_client().site(site_id))


def read_metrics(query: MetricsQuery) -> MetricsAnswer:
    """The answer to a batch query, at most 20 s old. Raises ApiClientError."""
    asked = get_upstream().account, query.model_dump_json()
    return _metrics.get(asked, lambda: get_client().metrics(query))
