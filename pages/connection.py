"""Whether the service answers, which of its sites work, and what went wrong lately."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from time import perf_counter

import streamlit as st

from analysis.names import distinct_labels
from components.panels import connection as panels
from components.panels.page_parts import ask_again, folded, guarded, loading
from components.panels.site_list import rerun_on_news
from components.panels.viewer import viewer_formats
from components.tables.connection import ErrorRow, ReaderRow, StreamRow, place_name
from components.tables.site_states import progress_of
from components.tables.site_troubles import newest_count, site_troubles
from contract import SiteSummary
from runtime import (
    ApiClientError,
    clock_doubt,
    get_client,
    get_hub,
    get_upstream,
    known_sites,
    last_zones,
    look_at_sites,
    read_sites_now,
    reading_rest,
    recent_errors,
    sees,
    sees_every_site,
    zones_of,
)
from runtime.background import waits
from runtime.fellows import differences


def endpoint(sites: Sequence[SiteSummary], probe: panels.Probe | None) -> panels.Endpoint:
    upstream, client, request_id = get_upstream(), get_client(), probe.request_id if probe else ""
    service = client.base_url, upstream.api_key, upstream.embedded
    organizations = sorted({site.organization_id for site in sites if site.organization_id})
    return panels.Endpoint(*service, organizations, client.server_tag, request_id)


@waits("whether it accepts this key")
def ask() -> panels.Probe:
    """Whether the service answers this key at all, whatever its sites do. Raises ApiClientError."""
    started, request_id = perf_counter(), (client := get_client()).reach()
    took, asked_at = perf_counter() - started, datetime.now(UTC)
    return panels.Probe(took, request_id, asked_at, client.service_time, clock_doubt())


def zone_labels(site_ids: Collection[str], *, answers: bool) -> dict[str, dict[str, str]]:
    """By site id and zone id, as reported last; asked for while the service answers."""
    with suppress(ApiClientError):
        for site_id in site_ids if answers else ():
            zones_of(site_id)
    return {site_id: distinct_labels(last_zones(site_id)) for site_id in site_ids}


def stream_rows() -> list[StreamRow]:
    feeds, known = [one for one in get_hub().health().feeds if sees(one.snapshot.key.site_id)], known_sites()
    labels = distinct_labels(known.names)
    with_zones = {feed.snapshot.key.site_id for feed in feeds if feed.snapshot.key.zone_ids}
    zones = zone_labels(with_zones & labels.keys(), answers=known.are_reported)
    return [
        StreamRow(
            place=place_name(*feed.snapshot.key, labels, zones),
            feed=feed.snapshot.key.name,
            state=str(feed.snapshot.state),
            since=feed.snapshot.since,
            reason=feed.snapshot.reason,
            next_step=feed.snapshot.next_step,
            viewers=feed.subscribers,
            measured_at=feed.snapshot.newest.measured_at if feed.snapshot.newest else None,
            reconnects=feed.snapshot.reconnects,
            skipped=sum(feed.snapshot.skipped.values()),
            request_id=feed.snapshot.request_id,
            is_since_sure=feed.snapshot.confirmed_at is not None,
        )
        for feed in feeds
    ]


def reader_rows() -> list[ReaderRow]:
    labels = distinct_labels(known_sites().names)
    readers = [one for one in get_hub().health().readers if sees(one.snapshot.key.site_id)]
    known = [(place_name(one.snapshot.key.site_id, (), labels, {}), one.snapshot, one) for one in readers]
    return [ReaderRow(at, len(it.passages), it.listed, it.reason, one.subscribers) for at, it, one in known]


EVERY = timedelta(seconds=30)
st.title("Connection", anchor=False)
st.button("Check again", icon=":material/refresh:")
panels.likeness_panel(differences() if sees_every_site() else ())
probe: panels.Probe | None = None
sites: list[SiteSummary] = []
with guarded("The check", "probe", ApiClientError, every=EVERY, tells_all=True):
    with loading("probe", 120):
        probe, sites = ask(), read_sites_now()
    progress = progress_of(sites, reports := look_at_sites(sites), reading_rest())
    panels.probe_panel(probe, newest := newest_count(reports), viewer_formats())
    is_late = panels.is_late(probe, newest)
    panels.sites_panel(site_troubles(sites, reports), progress, viewer_formats(), late=is_late)
    if not progress.is_judged:
        rerun_on_news(progress, lambda: progress_of(sites, look_at_sites(sites), reading_rest()))
hub, streams, facts = get_hub().health(), stream_rows(), endpoint(sites, probe)
errors = [ErrorRow(*record) for record in (*recent_errors(), *hub.recent_errors)]
st.header("Live places", anchor=False)
panels.streams_panel(streams, viewer_formats(), running=hub.running)
panels.readers_panel(reader_rows(), viewer_formats())
if sees_every_site():  # they are of any site, by address
    st.header("Last errors", anchor=False)
    panels.errors_panel(errors, viewer_formats(), check_failed=probe is None)
    folded("What support asks for", "support_agent", lambda: panels.support_panel(facts, streams, errors))
ask_again("connection", EVERY)  # a page left open does not go on saying what was
