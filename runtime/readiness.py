"""Whether this dashboard can do its work, and how its feeds stand, for `GET /readyz`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from live import FeedHealth, Hub, HubHealth, viewer_count
from runtime.service_probe import ServiceProbe
from runtime.upstream import Upstream


async def readiness(hub: Hub, upstream: Upstream, probe: ServiceProbe) -> dict[str, Any]:
    """`ready` with the `reasons` against it, and every feed with its state.

    Ready means that the hub's thread runs, its loop turns and tends every feed, that the embedded service, if
    there is one, runs, and that the service has been reached once. A service of somebody else's that is lost
    later does not change that: screens then need this dashboard all the more, to tell them. Nor do old
    values, which may be of places that are closed: `valueAgeSeconds` tells how old they are.
    """
    health = hub.health()
    trouble = await _service_trouble(health, upstream, probe)
    reasons = [*_hub_troubles(health), *([trouble] if trouble else [])]
    return {
        "ready": not reasons,
        "reasons": reasons,
        "viewers": viewer_count(),
        "openStreams": health.open_streams,
        "valueAgeSeconds": _ages(health.value_ages),
        "states": dict(Counter(str(feed.snapshot.state) for feed in health.feeds)),
        "restarts": health.counters.restarts,
        "feeds": [_described(feed) for feed in health.feeds],
    }


def _ages(ages: Sequence[float]) -> dict[str, float | None]:
    """Of the values that are shown, in whole seconds; None: none is."""
    return {"newest": round(ages[0]), "oldest": round(ages[-1])} if ages else {"newest": None, "oldest": None}


def _hub_troubles(health: HubHealth) -> list[str]:
    if not health.running:
        return ["The hub's thread has ended: restart the dashboard."]
    if health.is_stuck:
        return ["The hub is stuck, so no value changes: restart the dashboard if that lasts."]
    left = ", ".join(feed.snapshot.key.name for feed in health.feeds if not feed.is_tended)
    return [f"Nothing tends the feed of {left} any more: restart the dashboard."] if left else []


async def _service_trouble(health: HubHealth, upstream: Upstream, probe: ServiceProbe) -> str | None:
    if upstream.embedded and upstream.notice:
        return upstream.notice
    # What the hub knows needs no asking.
    if health.counters.readings or health.server_tag:
        return None
    return await probe.trouble(upstream)


def _described(feed: FeedHealth) -> dict[str, Any]:
    snapshot = feed.snapshot
    return {
        "feed": snapshot.key.name,
        "state": snapshot.state,
        "since": snapshot.since.isoformat() if snapshot.since else None,
        "measuredAt": snapshot.reported[-1].measured_at.isoformat() if snapshot.reported else None,
        "reason": snapshot.reason,
        "next": snapshot.next_step,
        "subscribers": feed.subscribers,
        "restarts": feed.restarts,
        "lastDefect": feed.last_defect,
    }
