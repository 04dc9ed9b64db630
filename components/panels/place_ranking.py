"""The ranking of zones and of doors by their entrances within a range."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence

import streamlit as st

from analysis.history_request import HistoryRequest
from analysis.place_ranking import (
    ENTRANCES,
    MOST_PLACES,
    SHARE,
    Place,
    doors_to_rank,
    ranking_queries,
    ranking_table,
    zones_to_rank,
)
from components.number_format import NO_VALUE
from components.panels.table_on_paper import table_on_paper
from components.panels.viewer import viewer_formats
from components.plain_text import plain
from contract import MetricPoint, MetricsQuery, Site

Read = Callable[[Mapping[Place, MetricsQuery]], Mapping[Place, Sequence[MetricPoint]]]
"""Asks several queries; what fails is absent from the answer."""


def place_ranking_panel(
    site: Site, request: HistoryRequest, top_zone_ids: Collection[str], read: Read
) -> None:
    """`top_zone_ids` stand for the whole site; they are not ranked among its parts."""
    zones, doors = st.columns(2)
    with zones:
        _ranking("Zone", zones_to_rank(site, top_zone_ids), site, request, read)
        st.caption("Share of all entrances into these zones; who moves on is counted in each.")
    with doors:
        _ranking("Door", doors_to_rank(site), site, request, read)
        st.caption("Share of all who came in by a door.")


def _ranking(heading: str, places: Sequence[Place], site: Site, request: HistoryRequest, read: Read) -> None:
    if not places:
        st.caption(plain(f"No {heading.lower()} is listed for this site."))
        return
    if len(places) > MOST_PLACES:
        st.caption(
            plain(f"{len(places)} {heading.lower()}s are too many to rank: choose some under “More choices”.")
        )
        return
    queries = ranking_queries(site, request, places)
    answers = read(queries)
    table = ranking_table(places, answers, heading)
    formats = viewer_formats()

    def written(share: object) -> str:
        return formats.part(share) if isinstance(share, float) and not math.isnan(share) else NO_VALUE

    most = table[ENTRANCES].max()
    st.dataframe(
        table.style.format(written, subset=[SHARE]),
        hide_index=True,
        placeholder=NO_VALUE,
        column_config={
            ENTRANCES: st.column_config.ProgressColumn(
                format="localized", min_value=0, max_value=most if most > 0 else 1, width="small"
            ),
            SHARE: st.column_config.NumberColumn(width="small"),
        },
    )
    table_on_paper(table.assign(**{SHARE: table[SHARE].map(written)}), f"ranking-{heading}")
    if unread := len(queries) - len(answers):
        st.caption(
            plain(f"{unread} could not be read, so no shares are known. Reload the page to try again.")
        )
    elif table[ENTRANCES].isna().any():
        st.caption("–: no counts are stored in this range, so no shares are known.")
