"""Metrics of a dashboard for Prometheus: the counters and the hub's health, read at each scrape."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Final

from prometheus_client import CollectorRegistry, Metric, ProcessCollector
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.registry import Collector

from keeping import Reached
from live import (
    LAG_BOUNDS,
    FeedCounters,
    FeedState,
    Hub,
    HubHealth,
    LagCounters,
    RelayCounters,
    relay_counters,
    viewer_count,
)

_LAG_LABELS: Final = (*map(str, LAG_BOUNDS), "+Inf")


def dashboard_registry(
    get_hub: Callable[[], Hub], get_reached: Callable[[], Reached | None] = lambda: None
) -> CollectorRegistry:
    """A registry of its own: the process (memory, descriptors, processor time) and what is ours.

    `get_reached` tells how the store is reached that dashboards share; None: there is none.
    """
    registry = CollectorRegistry()
    ProcessCollector(registry=registry)
    registry.register(_DashboardCollector(get_hub, get_reached))
    return registry


class _DashboardCollector(Collector):
    def __init__(self, get_hub: Callable[[], Hub], get_reached: Callable[[], Reached | None]) -> None:
        self._get_hub = get_hub
        self._get_reached = get_reached

    def describe(self) -> list[Metric]:
        # Without this, registering would collect once, and so start the hub at import.
        return []

    def collect(self) -> Iterator[Metric]:
        health = self._get_hub().health()
        yield from _relay_metrics(relay_counters)
        yield from _hub_metrics(health)
        yield from _feed_metrics(health.counters)
        yield from _passage_metrics(health)
        if reached := self._get_reached():
            answers = reached.was_reached and reached.away_since is None
            documentation = "Whether the store that dashboards share answered the last time"
            yield GaugeMetricFamily("headroom_store_reached", documentation, float(answers))


def _relay_metrics(counters: RelayCounters) -> Iterator[Metric]:
    yield GaugeMetricFamily("headroom_viewers", "Live streams of browsers that are open", viewer_count())
    yield CounterMetricFamily("headroom_relay_messages", "Messages that browsers took", counters.messages)
    yield CounterMetricFamily(
        "headroom_relay_merged_changes",
        "Changes that a browser got only within a newer one",
        counters.merged,
    )
    yield CounterMetricFamily(
        "headroom_relay_cut_readers", "Browsers that took nothing for too long and were cut", counters.cut
    )
    yield _lag_metric(counters.lag)


def _lag_metric(lag: LagCounters) -> Metric:
    buckets = list(zip(_LAG_LABELS, map(float, accumulate(lag.classes)), strict=True))
    return HistogramMetricFamily(
        "headroom_relay_lag_seconds",
        "From when the hub had a new value to when a browser took it",
        buckets=buckets,
        sum_value=lag.total,
    )


def _hub_metrics(health: HubHealth) -> Iterator[Metric]:
    yield GaugeMetricFamily("headroom_hub_running", "Whether the hub's thread runs", float(health.running))
    found = Counter(feed.snapshot.state for feed in health.feeds)
    documentation = "Open feeds by state; each stays open for a minute after its last reader left"
    feeds = GaugeMetricFamily("headroom_feeds", documentation, labels=["state"])
    for state in FeedState:
        feeds.add_metric([state], found[state])
    yield feeds
    yield from _age_metrics(health.value_ages)


def _age_metrics(ages: Sequence[float]) -> Iterator[Metric]:
    """Ages of the values; no sample while no feed has one, which is not an age of 0."""
    for which, found in (("newest", ages[:1]), ("oldest", ages[-1:])):
        age = GaugeMetricFamily(
            f"headroom_{which}_value_age_seconds",
            f"Since the minute of the {which} value of all open feeds began",
        )
        for seconds in found:
            age.add_metric([], seconds)
        yield age


def _feed_metrics(counters: FeedCounters) -> Iterator[Metric]:
    yield CounterMetricFamily("headroom_feed_readings", "Values that streams brought", counters.readings)
    yield CounterMetricFamily(
        "headroom_feed_restarts", "Consumers started again after a defect", counters.restarts
    )
    yield _by_reason("headroom_feed_reconnects", "Pauses before another attempt", counters.reconnects)
    yield _by_reason("headroom_feed_skipped_events", "Events without a usable value", counters.skipped)


def _passage_metrics(health: HubHealth) -> Iterator[Metric]:
    yield GaugeMetricFamily(
        "headroom_passage_readers", "Sites whose passages are read for who looks", len(health.readers)
    )
    passages = GaugeMetricFamily("headroom_passages", "Passages of these sites", labels=["state"])
    read = sum(len(one.snapshot.passages) for one in health.readers)
    passages.add_metric(["read"], read)
    passages.add_metric(["unread"], sum(one.snapshot.listed or 0 for one in health.readers) - read)
    yield passages
    counters = health.passage_counters
    yield CounterMetricFamily("headroom_passage_questions", "Questions about passages", counters.questions)
    yield _by_reason("headroom_passage_failures", "Questions about passages that failed", counters.failures)


def _by_reason(name: str, documentation: str, counted: Mapping[str, int]) -> Metric:
    metric = CounterMetricFamily(name, documentation, labels=["reason"])
    for reason, count in dict(counted).items():
        metric.add_metric([reason], count)
    return metric
