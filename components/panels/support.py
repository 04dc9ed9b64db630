"""What an engineer asks whoever phones: which service, which streams are open, which requests failed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import streamlit as st

from components.number_format import UNKNOWN
from components.panels.time_column import timed_table
from components.panels.viewer import viewer_moment
from components.plain_text import code, plain
from components.tables.connection import ErrorRow, StreamRow, errors_table, masked, streams_table

_OF_STREAMS: Final = {
    "place": "Place", "feed": "Feed", "state": "State", "since": "Since", "reason": "Why",
    "next_step": "What next", "viewers": "Viewers", "measured_at": "Measured", "reconnects": "Reconnects",
    "skipped": "Events skipped", "request_id": "Request id",
}  # fmt: skip
_OF_ERRORS: Final = {
    "time": "Time", "operation": "Asked", "code": "Code", "message": "Message", "request_id": "Request id",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Endpoint:
    base_url: str
    api_key: str
    embedded: bool
    """Whether the dashboard started the service itself."""
    organizations: Sequence[str]
    """Whose sites the key reads; empty: not known."""
    server_tag: str
    request_id: str
    """Of the newest answer to the page's own question; empty: there was none."""


def support_panel(endpoint: Endpoint, streams: Sequence[StreamRow], errors: Sequence[ErrorRow]) -> None:
    _facts(endpoint)
    if streams:
        st.caption("Open streams: one for each place that is looked at")
        table = streams_table(streams, _to_the_second)
        timed_table(table, "streams", _OF_STREAMS, ["measured_at"], _to_the_second)
    if errors:
        st.caption("Last errors: quote the request id to whoever runs the service")
        timed_table(errors_table(errors), "errors", _OF_ERRORS, ["time"], _to_the_second)


def _facts(endpoint: Endpoint) -> None:
    kind = "(embedded: started by this dashboard)" if endpoint.embedded else "(configured: HEADROOM_BASE_URL)"
    facts = {  # name -> Markdown
        "Service": f"{code(endpoint.base_url)} {plain(kind)}",
        "API key": plain(masked(endpoint.api_key)),
        "Organization": plain(", ".join(endpoint.organizations) or UNKNOWN),
        "Server tag": plain(endpoint.server_tag or UNKNOWN),
        "Request id": code(endpoint.request_id) or plain(UNKNOWN),
    }
    with st.container(horizontal=True, gap="medium"):
        for name, value in facts.items():
            with st.container(width="content", gap=None):
                st.caption(plain(name))
                st.markdown(value)


def _to_the_second(moment: datetime) -> str:
    """To be found in the service's log."""
    return viewer_moment(moment, seconds=True)
