"""The reports of all sites of the service in use: newest value, capacity and devices of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple, Protocol

import streamlit as st

from analysis.site_report import ReadingRest, SiteReport, capacity_of, devices_offline
from api_client import ApiClientError, Client, MetricsAnswer
from api_client.site_now import has_crossings, newest_query, site_now
from contract import MetricKey, MetricPoint, SiteSummary
from live import GrantedFeed, ToldSite, queries
from live.cadence import is_worth_asking
from live.clock import local_zone
from live.deliveries import Deliveries
from live.snapshot import UP, FeedKey, FeedState, Snapshot
from runtime.cache import Cache
from runtime.past_minutes import Drifts, PastMinutes, Silences
from runtime.person_of_page import sees, sees_every_site
from runtime.reads import heard_again_at, read_every_site
from runtime.resources import get_client, get_hub
from runtime.survey import Survey
from runtime.upstream import Account, get_upstream
from screens.directory import known_timezone

_TOPOLOGY_AGE: Final = timedelta(minutes=5)
"""Capacities and states of devices change seldom; half of all queries are saved."""
_LATE: Final = timedelta(minutes=2)
"""Reading goes on while any site was read within this time."""
_MOST_SITES: Final = 10_000
_MOMENT: Final = 1.0
"""Seconds for which a list waits for what its cards are drawn with."""


class _Topology(NamedTuple):
    capacity: float | None
    devices_offline: int


class _Value(NamedTuple):
    newest: MetricPoint
    is_pushed: bool
    """Whether the stream of all sites brought it as a change: then it was surely counted."""


_topologies: Final = Cache[tuple[Account, str, tuple[str, ...]], _Topology](_TOPOLOGY_AGE, most=_MOST_SITES)


def look_at_sites(sites: Sequence[SiteSummary]) -> Mapping[str, SiteReport]:
    """What is known by now of `sites`, which are all that the person may see; the rest is read meanwhile."""
    survey = _survey(*get_upstream().account)
    get_hub().look_at_sites()
    if sees_every_site():
        return survey.look(sites, heard_again_at())
    # It is everybody's, and forgets sites that it is not given.
    with suppress(ApiClientError):
        return _seen(survey.look(read_every_site(), heard_again_at()))
    return _seen(survey.look_first((), 0.0))


def look_first(sites: Sequence[SiteSummary]) -> Mapping[str, SiteReport]:
    """`look_at_sites` with `sites` read before all others; waits a moment for those never read."""
    found = _survey(*get_upstream().account).look_first([site.id for site in sites], _MOMENT)
    return found if sees_every_site() else _seen(found)


def _seen(reports: Mapping[str, SiteReport]) -> Mapping[str, SiteReport]:
    return {site_id: report for site_id, report in reports.items() if sees(site_id)}


def reading_rest() -> ReadingRest | None:
    """Why no site is read right now; None: they are read."""
    return _survey(*get_upstream().account).rest


def is_cut_off(reports: Mapping[str, SiteReport]) -> bool:
    """Whether nothing newer than `reports` comes: the service is heard of none of the live values that are
    looked at, and no site is read, or was of late.
    """
    states = {one.snapshot.state for one in get_hub().health().feeds if one.subscribers}
    if not states or not states.isdisjoint(UP | {FeedState.CONNECTING}):
        return False
    late = datetime.now(UTC) - _LATE
    return reading_rest() is not None or all(one.failure or one.read_at < late for one in reports.values())


def close_survey() -> None:
    """May be called more than once."""
    _survey.clear()


class Feeds(Protocol):
    """What is known of feeds, open or not, as a hub tells it."""

    def deliveries(self, key: FeedKey) -> Deliveries: ...

    def snapshot(self, key: FeedKey) -> Snapshot: ...

    def latest(self, site_id: str, patience: float = 0.0) -> ToldSite | None: ...


class SiteReader:
    """Reads one site of the service that `client` asks, unless the stream of all sites tells of it."""

    def __init__(self, client: Client, account: Account, feeds: Feeds) -> None:
        self._client = client
        self._account = account
        past = PastMinutes(client)
        self._silences = Silences(past.read, feeds.deliveries)
        self._drifts = Drifts(past.read, account, feeds.snapshot)
        self._snapshot = feeds.snapshot
        self._latest = feeds.latest

    def read(self, site: SiteSummary, before: SiteReport | None, patience: float | None = None) -> SiteReport:
        """`before` is what was read of it last, `patience` how many seconds it may take to answer about now.

        Raises ApiClientError.
        """
        feed = GrantedFeed(FeedKey(site.id), known_timezone(site.timezone))
        told = self._latest(site.id, _MOMENT)
        now = site_now(told.latest.answer if told else self._asked(feed, patience))
        report = self._report()
        if now.distrust:
            return report._replace(failure=now.distrust)
        if not told and not now.newest and (streamed := self.streamed(site, before, patience)):
            return streamed
        topology = _told_topology(told) if told else self._topology(site.id, now.zone_ids, patience)
        report = report._replace(capacity=topology.capacity, devices_offline=topology.devices_offline)
        if not now.newest:
            return report
        return self._with_value(report, feed, _Value(now.newest, bool(told and told.is_pushed)), before)

    def _asked(self, feed: GrantedFeed, patience: float | None) -> MetricsAnswer:
        return self._client.newest(newest_query(feed.key.site_id, feed.timezone), patience=patience)

    def streamed(
        self, site: SiteSummary, before: SiteReport | None, patience: float | None
    ) -> SiteReport | None:
        """What the site's open stream brings, where it flows; without `patience` nothing is asked."""
        known = self._snapshot(FeedKey(site.id))
        if known.state is not FeedState.LIVE or not known.reported:
            return None
        topology = _Topology(before.capacity, before.devices_offline) if before else _Topology(None, 0)
        with suppress(ApiClientError):
            if patience is not None:
                topology = self._topology(site.id, known.top_zone_ids, patience)
        newest = known.reported[-1]
        is_unproven = known.unproven == newest.measured_at
        return self._report()._replace(
            inside=newest.values.get(MetricKey.VISITORS_INSIDE),
            capacity=topology.capacity,
            measured_at=newest.measured_at,
            counted_at=None if is_unproven else newest.measured_at,
            is_proven=not is_unproven,
            is_unreliable=known.drift is not None and known.drift.is_spoiling,
            devices_offline=topology.devices_offline,
            is_of_stream=True,
        )

    def _report(self) -> SiteReport:
        """Of this moment by the clocks as they stood when the service was heard: this machine's may have been
        set since, and every count would be a day old.
        """
        ahead = self._client.clock_difference
        return SiteReport(self._client.service_time - ahead, clock_difference=ahead)

    def _with_value(
        self, report: SiteReport, feed: GrantedFeed, value: _Value, before: SiteReport | None
    ) -> SiteReport:
        as_of, newest = report.as_of, value.newest
        inside = newest.metrics.get(MetricKey.VISITORS_INSIDE)
        report = report._replace(inside=inside, measured_at=newest.timestamp)
        if before is None or before.failure:
            # The values of all sites come first: the minutes of a site are asked for at its second turn.
            is_old = is_worth_asking(newest.timestamp, as_of)
            is_proven = value.is_pushed or has_crossings(newest) or is_old
            counted = newest.timestamp if is_proven else None
            return report._replace(counted_at=counted, is_proven=is_proven, is_judged=False)
        return self._judged(self._counted(report, feed, value, before, as_of), feed, as_of)

    def _counted(
        self, report: SiteReport, feed: GrantedFeed, value: _Value, before: SiteReport, now: datetime
    ) -> SiteReport:
        newest = value.newest
        if value.is_pushed or (before.measured_at and before.inside != report.inside):
            return report._replace(counted_at=newest.timestamp)
        try:
            counted = self._silences.counted_at(feed, newest, before.counted_at, now)
        except ApiClientError:
            return report._replace(counted_at=before.counted_at, is_proven=False)
        last = counted or now - queries.span_of_today(now, local_zone(feed.timezone))
        if is_worth_asking(last, now):
            report = report._replace(measured_at=last)  # the past has no later minute
        return report._replace(counted_at=counted, is_proven=counted is not None)

    def _judged(self, report: SiteReport, feed: GrantedFeed, now: datetime) -> SiteReport:
        last = report.counted_at or report.measured_at
        is_silent = self._silences.is_silent(feed, last, now) if last else False
        if is_silent:
            return report._replace(silent_since=last)
        is_unreliable = self._drifts.is_spoiling(feed, now)
        return report._replace(is_unreliable=is_unreliable, is_past_unread=is_silent is None)

    def _topology(self, site_id: str, zones: tuple[str, ...], patience: float | None) -> _Topology:
        def read() -> _Topology:
            site = self._client.site(site_id, patience=patience)
            return _Topology(capacity_of(site, zones), devices_offline(site))

        return _topologies.get((self._account, site_id, zones), read)


def _told_topology(told: ToldSite) -> _Topology:
    return _Topology(told.latest.capacity, told.latest.devices_offline)


@st.cache_resource(show_spinner=False, on_release=Survey.close)
def _survey(base_url: str, api_key: str) -> Survey:
    # Bound to its service here: in the survey's threads nothing is looked up that may be another by then.
    hub = get_hub()
    reader = SiteReader(get_client(), (base_url, api_key), hub)
    return Survey(reader.read, reader.streamed, is_told=lambda: hub.has_latest)
