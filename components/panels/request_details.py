"""How to ask the service the same: what was sent, what the service filled in, what it answered with."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit, urlunsplit

import streamlit as st

from analysis.names import LONGEST_NAME, visible
from components.plain_text import code, plain_name
from contract import MetricsQuery

_LONGEST_JSON: Final = 20_000
"""Characters; what a service fills in is a few lines."""


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


def as_json(value: Any) -> str:
    """JSON to be read: what would not be seen in it is written in hexadecimal."""
    return visible(json.dumps(value, indent=2, ensure_ascii=False, default=str)[:_LONGEST_JSON])


def as_curl(query: MetricsQuery, base_url: str) -> str:
    """The key is read from the environment, so that the text may be shared."""
    body = visible(json.dumps(query.body(), ensure_ascii=False))
    return " \\\n  ".join(
        [
            f"curl -sS {shlex.quote(f'{_without_user(base_url)}/v3/metrics')}",
            '-H "x-api-key: $HEADROOM_API_KEY"',
            '-H "Content-Type: application/json"',
            f"-d {shlex.quote(body)}",
        ]
    )


def _without_user(base_url: str) -> str:
    parts = urlsplit(base_url.rstrip("/"))
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))
