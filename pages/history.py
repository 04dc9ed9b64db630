"""The past of a site: people inside, entrances, exits and time inside, by zone or passage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

import streamlit as st

from components.panels.failure import failure, guarded
from components.panels.history_choices import HistoryChoice, history_choices
from components.panels.history_view import (
    chart_panel,
    downloads_panel,
    nothing_stored,
    summary_panel,
    table_panel,
)
from components.panels.request_details import AskedQuery, request_details
from components.panels.site_choice import site_choice
from components.panels.viewer import viewer_formats
from components.plain_text import LONGEST_NAME, one_line
from components.tables.comparison import earlier_range, step_back
from components.tables.history_about import about
from components.tables.history_data import HistoryData, answered_granularity, earlier_table, history_data
from components.tables.history_request import HistoryRequest
from components.tables.peak_search import find_peaks
from components.tables.subject import Subject, SubjectKind
from contract import MetricPoint, MetricsQuery, Site
from runtime import ApiClientError, get_client, read_site, read_sites
from runtime.answers import Answers, read_answers
from runtime.occupancies import read_occupancy

Points = Mapping[Subject, Sequence[MetricPoint]]


def points_of(answers: Answers[Subject]) -> Points:
    return {subject: answer.points for subject, answer in answers.known.items()}


def ask(queries: Mapping[Subject, MetricsQuery]) -> Points:
    return points_of(read_answers(queries))


def with_capacity(request: HistoryRequest, site: Site) -> HistoryRequest:
    """The whole site's capacity is its top zone's, which only an answer tells; without one it is unknown."""
    if request.subjects[0].kind is not SubjectKind.SITE:
        return request
    try:
        capacity = read_occupancy(site).capacity
    except ApiClientError:
        return request
    return replace(request, subjects=(request.subjects[0]._replace(capacity=capacity),))


def compared(choice: HistoryChoice, request: HistoryRequest, data: HistoryData) -> HistoryData:
    step = step_back(choice.comparison, request.range, choice.named)
    if step is None:
        return data
    earlier = request.over(earlier_range(request.range, step, request.timezone), data.granularity)
    return replace(data, earlier=earlier_table(earlier, ask(earlier.queries()), data, step))


def show_failures(answers: Answers[Subject]) -> None:
    for subject, error in answers.failures.items():
        failure(
            error,
            f"history-{subject.kind}-{subject.id}",
            what=f"The history of {one_line(subject.label, LONGEST_NAME)}",
        )


def show(choice: HistoryChoice, site: Site) -> None:
    request = with_capacity(choice.request, site)
    queries = request.queries()
    if not queries:
        st.info("Passages count who comes and goes. Show entrances or exits, or choose zones.")
        return
    with st.skeleton(height=420):
        answers = read_answers(queries)
    show_failures(answers)
    points = points_of(answers)
    if not any(points.values()):
        if points:
            nothing_stored(request, viewer_formats())
        return
    granularity = answered_granularity(request, next(iter(answers.known.values())).inferred)
    data = compared(choice, request, history_data(request, points, granularity))
    formats = viewer_formats()
    summary_panel(list(points), data, find_peaks(request, granularity, ask), formats)
    chart_panel(data, formats, revision=f"{site.id} {sorted(st.query_params.to_dict().items())}")
    asked = [
        AskedQuery(subject.label, queries[subject], answer.inferred, answer.warnings, answer.request_id)
        for subject, answer in answers.known.items()
    ]
    with st.expander("Table and files", icon=":material/table:"):
        table_panel(data)
        downloads_panel(data, about(site, request, data, [one.request_id for one in asked]), name=site.id)
    with st.expander("The request behind this chart", icon=":material/code:"):
        request_details(asked, get_client().base_url)


st.title("History")
with guarded("The history", "history", ApiClientError):
    with st.skeleton(height=420):
        chosen = site_choice(read_sites())
        site = read_site(chosen.id) if chosen else None
    if site and (choice := history_choices(site, datetime.now(UTC))):
        show(choice, site)
