"""The connection to the service: which one, is it there, how far behind, what went wrong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

import streamlit as st

from components.number_format import NOT_TOLD, Formats
from components.panels.viewer import viewer_or_utc
from components.plain_text import LONGEST_NAME, code, plain
from components.tables.connection import ErrorRow, StreamRow, errors_table, masked, streams_table

_USUAL_LAG: Final = timedelta(minutes=3)
"""A minute is named by its start, ends 60 s later and is published up to a minute after that."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    base_url: str
    api_key: str
    embedded: bool
    """Whether the dashboard started the service itself."""
    organizations: Sequence[str]
    """Whose sites the key reads; empty: not known."""
    server_tag: str


@dataclass(frozen=True, slots=True)
class Probe:
    """One question, just asked."""

    seconds: float
    """How long the answer took."""
    measured_at: datetime | None
    """Start of the newest minute of the site that was asked, UTC; None: no count yet."""
    site: str
    request_id: str
    asked_at: datetime
    """UTC."""


def endpoint_panel(endpoint: Endpoint) -> None:
    kind = "(embedded: started by this dashboard)" if endpoint.embedded else "(configured: HEADROOM_BASE_URL)"
    facts = {  # name -> Markdown
        "Service": f"{code(endpoint.base_url)} {plain(kind)}",
        "API key": plain(masked(endpoint.api_key)),
        "Organization": plain(", ".join(endpoint.organizations) or NOT_TOLD),
        "Server tag": plain(endpoint.server_tag or NOT_TOLD),
    }
    with st.container(horizontal=True, gap="medium"):
        for name, value in facts.items():
            with st.container(width="content", gap=None):
                st.caption(plain(name))
                st.markdown(value)


def probe_panel(probe: Probe, formats: Formats) -> None:
    st.success(f"The service answers. {asked_sentence(probe.asked_at)}", icon=":material/check_circle:")
    trip, lag = st.columns(2)
    trip.metric("Round trip", plain(f"{formats.number(1000 * probe.seconds)} ms"), border=True)
    if probe.measured_at is None:
        lag.metric("Lag", "no counts yet", border=True)
    else:
        late = probe.asked_at - probe.measured_at
        lag.metric("Lag", plain(formats.duration(late.total_seconds())), border=True)
        if late > _USUAL_LAG:
            lag.caption(
                ":material/warning: Longer than usual; a place that sends nothing looks like this too."
            )
    site = plain(probe.site, LONGEST_NAME)
    lag.caption(f"Since the start of the newest minute of {site}; up to two minutes are usual.")
    trip.caption(f"Request id {code(probe.request_id or 'none', LONGEST_NAME)}")


def asked_sentence(asked_at: datetime) -> str:
    """Markdown. `asked_at` is aware."""
    zone = viewer_or_utc()
    return plain(f"Asked at {asked_at.astimezone(zone):%H:%M:%S} ({zone.key}).")


def streams_panel(rows: Sequence[StreamRow], *, running: bool) -> None:
    if not running:
        st.error(
            "The thread that reads live values has ended. Restart the dashboard.", icon=":material/error:"
        )
    if not rows:
        st.info("No live stream is open: nobody looks at an Overview or Live page right now.")
        return
    st.dataframe(
        streams_table(rows), hide_index=True, placeholder="–",
        column_config={
            "feed": "Feed", "state": "State", "since": _moments("Since"), "reason": "Why",
            "next_step": "What next",
            "viewers": "Viewers", "measured_at": _moments("Measured"), "reconnects": "Reconnects",
            "skipped": "Events skipped", "request_id": "Request id",
        },
    )  # fmt: skip
    st.caption(f"Times are local to {plain(viewer_or_utc().key)}.")


def errors_panel(rows: Sequence[ErrorRow]) -> None:
    if not rows:
        st.info("No request has failed since the dashboard started.")
        return
    st.dataframe(
        errors_table(rows), hide_index=True,
        column_config={
            "time": _moments("Time"), "operation": "Asked", "code": "Code", "message": "Message",
            "request_id": "Request id",
        },
    )  # fmt: skip
    st.caption(
        f"Times are local to {plain(viewer_or_utc().key)}. Quote the request id to whoever runs the service."
    )


def _moments(label: str) -> Any:
    return st.column_config.DatetimeColumn(label, format="YYYY-MM-DD HH:mm:ss", timezone=viewer_or_utc().key)
