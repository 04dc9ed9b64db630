"""Whether this dashboard can do its work, and how its feeds stand, for `GET /readyz`."""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

import streamlit as st

from api_client import ApiClientError, Client
from live import FeedHealth, Hub, HubHealth, viewer_count
from runtime.upstream import get_upstream

_PATIENCE: Final = 2.0
"""Seconds; whoever asks for readiness asks again soon."""


def readiness(hub: Hub) -> dict[str, Any]:
    """`ready` with the `reasons` against it, and every feed with its state.

    Ready means that the hub's thread runs, that the embedded service, if there is one, runs, and that the
    service has been reached once. A service of somebody else's that is lost later does not change that:
    screens then need this dashboard all the more, to tell them.
    """
    health = hub.health()
    reasons = [reason for reason in (_hub_trouble(health), _service_trouble(health)) if reason]
    return {
        "ready": not reasons,
        "reasons": reasons,
        "viewers": viewer_count(),
        "openStreams": health.open_streams,
        "states": dict(Counter(str(feed.snapshot.state) for feed in health.feeds)),
        "restarts": health.tally.restarts,
        "feeds": [_described(feed) for feed in health.feeds],
    }


def _hub_trouble(health: HubHealth) -> str | None:
    return None if health.running else "The hub's thread has ended: restart the dashboard."


def _service_trouble(health: HubHealth) -> str | None:
    upstream = get_upstream()
    if upstream.embedded and upstream.notice:
        return upstream.notice
    if health.tally.readings or health.server_tag:
        return None
    try:
        _reached(upstream.base_url, upstream.api_key)
    except ApiClientError as error:
        return " ".join(filter(None, (upstream.notice, error.message)))
    return None


@st.cache_resource(show_spinner=False)
def _reached(base_url: str, api_key: str) -> bool:
    """True, remembered from the first success on; raises ApiClientError before, which is not remembered."""
    with Client(base_url, api_key, timeout=_PATIENCE, attempts=1) as client:
        client.sites()
    return True


def _described(feed: FeedHealth) -> dict[str, Any]:
    snapshot = feed.snapshot
    return {
        "feed": snapshot.key.name,
        "state": snapshot.state,
        "since": snapshot.since.isoformat() if snapshot.since else None,
        "reason": snapshot.reason,
        "next": snapshot.next_step,
        "subscribers": feed.subscribers,
        "restarts": feed.restarts,
        "lastDefect": feed.last_defect,
    }
