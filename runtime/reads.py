"""What pages read from the service, remembered for a moment; an error is raised and never remembered."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

import streamlit as st

from api_client import MetricsAnswer
from contract import MetricsQuery, Site, SiteSummary
from runtime.resources import get_client
from runtime.upstream import Upstream, get_upstream

_SITES_AGE: Final = timedelta(seconds=30)
_SITE_AGE: Final = timedelta(seconds=60)
_METRICS_AGE: Final = timedelta(seconds=20)
_MOST_QUERIES: Final = 2_000
"""A bound on memory; the oldest answers leave first."""


def read_sites() -> list[SiteSummary]:
    """All sites the key can read, at most 30 s old. Raises ApiClientError."""
    return _sites(get_upstream())


def read_site(site_id: str) -> Site:
    """One site with its topology, at most 60 s old. Raises ApiClientError."""
    return _site(get_upstream(), site_id)


def read_metrics(query: MetricsQuery) -> MetricsAnswer:
    """The answer to a batch query, at most 20 s old. Raises ApiClientError."""
    return _metrics(get_upstream(), query.model_dump_json(), query)


@st.cache_data(ttl=_SITES_AGE, show_spinner=False)
def _sites(upstream: Upstream) -> list[SiteSummary]:
    del upstream
    return get_client().sites()


@st.cache_data(ttl=_SITE_AGE, show_spinner=False, max_entries=_MOST_QUERIES)
def _site(upstream: Upstream, site_id: str) -> Site:
    del upstream
    return get_client().site(site_id)


@st.cache_data(ttl=_METRICS_AGE, show_spinner=False, max_entries=_MOST_QUERIES)
def _metrics(upstream: Upstream, text: str, _query: MetricsQuery) -> MetricsAnswer:
    del upstream, text
    return get_client().metrics(_query)
