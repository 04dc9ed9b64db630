"""How to ask the service the same: what was sent, what the service filled in, what it answered with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import streamlit as st

from analysis.names import LONGEST_NAME
from components.plain_text import code, plain_name
from components.tables.request_text import as_curl, as_json
from contract import MetricsQuery


class AskedQuery(NamedTuple):
    label: str
    """The zone or passage it is about."""
    query: MetricsQuery
    inferred: Mapping[str, Any]
    """Optional parameters that the service filled in."""
    warnings: Sequence[Any]
    request_id: str


def request_details(asked: Sequence[AskedQuery], base_url: str) -> None:
    """A tab per query where there are several."""
    for tab, one in zip(st.tabs([plain_name(one.label) for one in asked]), asked, strict=True):
        with tab:
            st.caption("As a command; the key is read from the variable HEADROOM_API_KEY.")
            st.code(as_curl(one.query, base_url), language="bash", wrap_lines=True)
            body, inferred = st.columns(2)
            with body:
                st.caption("The request")
                st.code(as_json(one.query.body()), language="json")
            with inferred:
                st.caption("What the service filled in")
                st.code(as_json(dict(one.inferred)), language="json")
                if one.warnings:
                    st.caption("What it warns of")
                    st.code(as_json(list(one.warnings)), language="json")
                st.caption(f"Request id {code(one.request_id or 'none', LONGEST_NAME)}")
