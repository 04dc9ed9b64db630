"""Where what History shows comes from: its addresses, to be copied, and the requests behind the answer."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from typing import Any, Final
from urllib.parse import urlencode, urlsplit, urlunsplit

import streamlit as st

from analysis.asked_query import AskedQuery
from analysis.comparison import step_back
from analysis.names import LONGEST_NAME, one_line, visible
from analysis.subject import Subject
from components.number_format import Formats
from components.panels.history_choices import HistoryChoice
from components.panels.page_parts import failure
from components.panels.refused_values import refused_note
from components.panels.viewer import dashboard_address
from components.plain_text import code, plain, plain_name
from components.sentences.range_words import range_text
from components.tables.history_link import LINKED, Parameters, fixed_parameters
from contract import MetricsQuery

_LONGEST_JSON: Final = 20_000
"""Characters; what a service fills in is a few lines."""


def subject_failures(
    failures: Mapping[Subject, Exception], period: str = "history", *, has_refused: bool = False
) -> None:
    """What of `period` could not be read, by zone or passage; `has_refused` is as for `refused_note`."""
    refused_note(has_refused=has_refused)
    for subject, error in failures.items():
        what = f"The {period} of {one_line(subject.label, LONGEST_NAME)}"
        failure(error, f"{period}-{subject.kind}-{subject.id}", what=what)


def link_panel(choice: HistoryChoice, formats: Formats) -> None:
    """A range given by dates has one address, which stays."""
    request, named = choice.request, choice.range.named
    parameters = {name: st.query_params.get_all(name) for name in LINKED}
    step = step_back(choice.against, request.range, named, request.timezone)
    if named is not None:
        st.caption(plain(f"Shows “{named.label}” as of when it is opened:"))
        _address(parameters)
    fixed = fixed_parameters(parameters, request, choice.against, step)
    if fixed is None:
        st.caption("No address can name this very period: an end of it lies in an hour that came twice.")
        return
    st.caption(plain(f"Shows {range_text(request.range, request.timezone, formats)} whenever it is opened:"))
    _address(fixed)


def _address(parameters: Parameters) -> None:
    st.code(
        dashboard_address(f"history?{urlencode(parameters, doseq=True, safe=':/')}"),
        language=None,
        wrap_lines=True,
    )


def request_details(asked: Sequence[AskedQuery], base_url: str, *, is_open_alone: bool = False) -> None:
    """A tab per query where there are several. `is_open_alone`: the chart is of open hours, made of these.

    In one colour: those that Streamlit has for each language are too pale to be read.
    """
    if is_open_alone:
        alike = sum(one.alike for one in asked)
        more = f" {alike} more are asked like these, of other open hours." if alike else ""
        said = (
            "The API knows no opening hours: closed ones are left out of its answers, the rest is summed up."
        )
        st.caption(plain(f"{said}{more}"))
    for tab, one in zip(st.tabs([_tab(one, asked) for one in asked]), asked, strict=True):
        with tab:
            st.caption("As a command; the key is read from the variable HEADROOM_API_KEY.")
            st.code(as_curl(one.query, base_url), language=None, wrap_lines=True)
            body, inferred = st.columns(2)
            with body:
                st.caption("The request")
                st.code(as_json(one.query.body()), language=None)
            with inferred:
                st.caption("What the service filled in")
                st.code(as_json(dict(one.inferred)), language=None)
                if one.warnings:
                    st.caption("What it warns of")
                    st.code(as_json(list(one.warnings)), language=None)
                st.caption(f"Request id {code(one.request_id or 'none', LONGEST_NAME)}")


def _tab(one: AskedQuery, asked: Sequence[AskedQuery]) -> str:
    """The zone or passage, and of several queries about it, what of its minutes is asked for."""
    several = sum(one.label == other.label for other in asked) > 1
    return plain_name(f"{one.label}, {one.query.aggregation}" if several else one.label)


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
