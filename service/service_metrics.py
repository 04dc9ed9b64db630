"""Metrics of a service for Prometheus: its process, and what it knows of itself, read at each scrape."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from prometheus_client import CollectorRegistry, Metric, ProcessCollector
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.registry import Collector

from service.application_state import ApplicationState
from service.hint_feed import HintFeed
from service.store.database import ReplicaState


def service_registry(get_state: Callable[[], ApplicationState]) -> CollectorRegistry:
    """A registry of its own: the process (memory, descriptors, processor time) and what is ours."""
    registry = CollectorRegistry()
    ProcessCollector(registry=registry)
    registry.register(_ServiceCollector(get_state))
    return registry


class _ServiceCollector(Collector):
    def __init__(self, get_state: Callable[[], ApplicationState]) -> None:
        self._get_state = get_state

    def describe(self) -> list[Metric]:
        # Without this, registering would collect once, before there is a state.
        return []

    def collect(self) -> Iterator[Metric]:
        state = self._get_state()
        streams = state.broadcast.subscriber_count
        yield GaugeMetricFamily("headroom_service_streams", "Live streams that are open", streams)
        usable = state.store.trouble() is None
        yield GaugeMetricFamily("headroom_service_store_usable", "Whether the store can be used", usable)
        if replica := state.store.replica():
            yield from _replica_metrics(replica)
        connected = GaugeMetricFamily(
            "headroom_service_feed_troubled",
            "Whether something is amiss with what reports come by or others are told by: /readyz says what",
            labels=["feed"],
        )
        for name, feed in state.feeds.items():
            connected.add_metric([name], bool(feed.told().get("trouble")))
        yield connected
        for feed in state.feeds.values():
            if isinstance(feed, HintFeed):
                yield from _hint_metrics(feed)


def _replica_metrics(replica: ReplicaState) -> Iterator[Metric]:
    behind = replica.seconds_behind
    yield GaugeMetricFamily(
        "headroom_service_replica_read", "Whether ranges are read from the replica", behind is not None
    )
    # Without a value where it is not known: no number is one.
    behind_for = GaugeMetricFamily(
        "headroom_service_replica_behind_seconds", "How far the replica is behind the store, at most"
    )
    if behind is not None:
        behind_for.add_metric([], behind)
    yield behind_for


def _hint_metrics(feed: HintFeed) -> Iterator[Metric]:
    yield CounterMetricFamily(
        "headroom_service_hints_told",
        "Hints to other services that something was stored; of what is stored together there is one",
        feed.hints_told,
    )
    yield CounterMetricFamily("headroom_service_hints_heard", "Hints from other services", feed.hints_heard)
