"""The zones, passages and devices of a site: as a graph and as tables."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from components.figures.zone_graph import is_legible, zone_graph
from components.number_format import Formats
from components.panels.viewer import dashboard_root, site_zone, viewer_theme
from components.plain_text import LONGEST_NAME, one_line, plain
from components.tables.topology import (
    device_count,
    devices_table,
    passages_table,
    problem_count,
    zones_table,
)
from components.tables.zone_values import ZoneValue
from components.theme import Occupancy, Thresholds
from contract import Site


def zone_graph_panel(
    site: Site, values: Mapping[str, ZoneValue], thresholds: Thresholds, formats: Formats
) -> str | None:
    """Draw the graph; the id of the zone that was clicked, or None."""
    if not site.zones:
        st.info("The service lists no zones for this site, so there is nothing to draw.")
        return None
    if not is_legible(site):
        st.info(_too_many(site, formats), icon=":material/list:")
        return None
    event = st.plotly_chart(
        zone_graph(site, values, thresholds, theme=viewer_theme(), formats=formats),
        theme=None,
        key=f"zone-graph-{site.id}",
        on_select="rerun",
        selection_mode="points",
        config={"displayModeBar": False},
        alt=_alternative(site, values, thresholds),
    )
    st.caption(_legend(thresholds))
    points = event["selection"]["points"]
    return str(points[0]["customdata"]) if points else None


def zones_panel(site: Site, values: Mapping[str, ZoneValue], thresholds: Thresholds) -> None:
    table, zone = zones_table(site, values, thresholds, root=dashboard_root()), site_zone(site).key
    if table.empty:
        st.info("The service lists no zones for this site.")
        return
    number = st.column_config.NumberColumn
    st.dataframe(
        table,
        hide_index=True,
        placeholder="not told",
        column_config={
            "Inside": number(format="localized", help="People inside by the newest minute"),
            "Capacity": number(format="localized"),
            "Share": st.column_config.ProgressColumn(format="%.0f %%", min_value=0, max_value=100),
            "Area": number("Area, m²", format="localized"),
            "Per 100 m²": number("People per 100 m²", format="%.1f"),
            "Measured": st.column_config.DatetimeColumn(
                format="YYYY-MM-DD HH:mm", timezone=zone, help=plain(f"Local to {zone}")
            ),
            "Live": st.column_config.LinkColumn(display_text="Open"),
        },
    )  # fmt: skip


def passages_panel(site: Site) -> None:
    table = passages_table(site)
    if table.empty:
        st.info("The service lists no passages for this site: nothing counts who comes and goes.")
        return
    st.dataframe(table, hide_index=True)


def devices_panel(site: Site) -> None:
    count, problems = device_count(site), problem_count(site)
    if not count:
        st.info("The service lists no devices for this site.")
        return
    if problems:
        st.warning(plain(f"{problems} of {count} devices are not online."), icon=":material/warning:")
    else:
        st.success(plain(f"All {count} devices are online."), icon=":material/check_circle:")
    st.dataframe(devices_table(site), hide_index=True)


def _too_many(site: Site, formats: Formats) -> str:
    zones, passages = formats.number(len(site.zones)), formats.number(len(site.passages))
    return plain(
        f"{zones} zones and {passages} passages are too many to read as a graph. "
        "The tables below list all of them; each zone opens its live page."
    )


def _legend(thresholds: Thresholds) -> str:
    bounds = {
        Occupancy.FREE: f"below {thresholds.filling} %",
        Occupancy.FILLING: f"from {thresholds.filling} % (diamond)",
        Occupancy.FULL: f"from {thresholds.full} % (square)",
        Occupancy.UNKNOWN: "no value or no capacity",
    }
    marks = [f"{level.value.icon} {level.value.word}: {plain(bound)}" for level, bound in bounds.items()]
    return " · ".join([*marks, "an arrow points the way that counts as forward · click a zone to open it"])


def _alternative(site: Site, values: Mapping[str, ZoneValue], thresholds: Thresholds) -> str:
    levels = {zone.id: values.get(zone.id, ZoneValue()).level(zone, thresholds) for zone in site.zones}
    zones = [f"{one_line(zone.name, LONGEST_NAME)}: {levels[zone.id].value.word}" for zone in site.zones]
    return f"Graph of {len(site.zones)} zones and {len(site.passages)} passages. " + "; ".join(zones) + "."
