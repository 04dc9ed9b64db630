"""Which service the dashboard reads, whether it answers, and what went wrong lately."""

from __future__ import annotations

from datetime import UTC, datetime
from time import perf_counter

import streamlit as st

from components.panels.connection import (
    Endpoint,
    Probe,
    endpoint_panel,
    errors_panel,
    probe_panel,
    streams_panel,
)
from components.panels.failure import guarded
from components.panels.viewer import viewer_formats
from components.tables.connection import ErrorRow, StreamRow
from contract import MetricKey, MetricsQuery, SiteSummary
from runtime import ApiClientError, get_client, get_hub, get_upstream, read_sites


def known_sites() -> list[SiteSummary]:
    """None of them while the service refuses or is down: the probe says which."""
    try:
        return read_sites()
    except ApiClientError:
        return []


def endpoint(sites: list[SiteSummary]) -> Endpoint:
    upstream = get_upstream()
    organizations = sorted({site.organization_id for site in sites if site.organization_id})
    return Endpoint(
        get_client().base_url, upstream.api_key, upstream.embedded, organizations, get_client().server_tag
    )


def probe(sites: list[SiteSummary]) -> Probe | None:
    """Ask for the newest value of one site; None where the key reads no site. Raises ApiClientError."""
    site = next(iter(sites or get_client().sites()), None)
    if site is None:
        return None
    query = MetricsQuery(metrics=(MetricKey.VISITORS_INSIDE,), site_id=site.id, timezone=site.timezone)
    started = perf_counter()
    answer = get_client().latest(query)
    seconds = perf_counter() - started
    measured_at = answer.points[-1].timestamp if answer.points else None
    return Probe(seconds, measured_at, site.name, answer.request_id)


def stream_rows() -> list[StreamRow]:
    return [
        StreamRow(
            feed=feed.snapshot.key.name,
            state=str(feed.snapshot.state),
            since=feed.snapshot.since,
            reason=feed.snapshot.reason,
            next_step=feed.snapshot.next_step,
            viewers=feed.subscribers,
            measured_at=feed.snapshot.latest.measured_at if feed.snapshot.latest else None,
            reconnects=feed.snapshot.reconnects,
            skipped=sum(feed.snapshot.skipped.values()),
            request_id=feed.snapshot.request_id,
        )
        for feed in get_hub().health().feeds
    ]


def error_rows() -> list[ErrorRow]:
    records = (*get_client().recent_errors, *get_hub().health().recent_errors)
    return [ErrorRow(*record) for record in records]


st.title("Connection")
sites = known_sites()
endpoint_panel(endpoint(sites))
st.button("Check again", icon=":material/refresh:")
with guarded("The check", "probe", ApiClientError):
    with st.skeleton(height=120):
        found = probe(sites)
    if found is None:
        st.info("The service answers, but this API key can read no sites.")
    else:
        probe_panel(found, datetime.now(UTC), viewer_formats())
st.subheader("Live streams", anchor=False)
streams_panel(stream_rows(), running=get_hub().health().running)
st.subheader("Last errors", anchor=False)
errors_panel(error_rows())
