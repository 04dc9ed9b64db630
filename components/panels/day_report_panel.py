"""The report of a day, of one site or of all, made when somebody asks for it and saved as a file."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent import futures
from contextlib import AbstractContextManager
from datetime import date, datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

import streamlit as st

from analysis.day_answer import DayAnswer
from analysis.names import LONGEST_NAME, one_line
from components.panels.thresholds_choice import thresholds_of
from components.panels.viewer import site_zone, viewer_formats
from components.plain_text import plain
from components.reports.day_report import day_report
from components.tables.downloads import site_slug
from contract import SiteSummary
from gauge.levels import Thresholds

Reading = Callable[
    [Mapping[str, ZoneInfo], date], AbstractContextManager[Mapping[str, futures.Future[DayAnswer]]]
]
"""A local day of sites by id, under way as long as the block. Errors have a `summary` for people."""

_LOOK_UP: Final = 0.5
"""Seconds after which it is said how many are read, and the reader may have stopped it."""

_MADE: Final = "day-report"
"""Session key: what was asked for, and the file."""
_HERE, _ALL = "this site", "all sites"


def day_report_panel(
    site: SiteSummary,
    sites: Sequence[SiteSummary],
    thresholds: Mapping[str, Thresholds],
    now: datetime,
    *,
    reading: Reading,
    failing: type[Exception],
    is_beside_open: bool = False,
) -> None:
    """`thresholds` are kept by site id; `now` is aware; `failing` is what reading raises.

    `is_beside_open`: what stands beside it is of open hours alone, and a report is not.
    """
    if is_beside_open:
        st.caption("A report is of all hours of its day.")
    today = now.astimezone(site_zone(site)).date()
    written = viewer_formats().typed_date
    when, which = st.columns(2)
    day = when.date_input("Day", today - timedelta(days=1), max_value=today, key="report-day", format=written)
    of = which.segmented_control(
        "Of", options=[_HERE, _ALL] if len(sites) > 1 else [_HERE], default=_HERE, required=True,
        key="report-of", format_func=str.capitalize,
    )  # fmt: skip
    asked = (site.id, day, of)
    if st.button("Make the report", icon=":material/print:"):
        days, failures = _read([site] if of == _HERE else sites, day, reading, failing)
        told = [(one, thresholds_of(thresholds, one.site_id)) for one in days]
        file = day_report(told, failures, viewer_formats())
        st.session_state[_MADE] = asked, file, len(days), len(failures)
    made = st.session_state.get(_MADE)
    if not made or made[0] != asked:
        st.caption("One file to send, keep or print: sentences, charts and hours of each site, for A4.")
        return
    _, file, count, failed = made
    if failed:
        said = f"{count} of {count + failed} sites are in the report; the others are named at its end."
    else:
        said = "The report is ready." if count == 1 else f"The report of all {count} sites is ready."
    st.markdown(plain(said))
    st.download_button(
        "Save the report", file,
        f"{'all-sites' if of == _ALL else site_slug(site)}_day-report_{day.isoformat()}.html",
        "text/html", icon=":material/download:", on_click="ignore",
    )  # fmt: skip


def _read(
    sites: Sequence[SiteSummary], day: date, reading: Reading, failing: type[Exception]
) -> tuple[list[DayAnswer], dict[str, str]]:
    """Each site's own day, and why others could not be read, by name; in the order of `sites`."""
    days: list[DayAnswer] = []
    failures: dict[str, str] = {}
    progress, place = st.progress(value=0.0), st.empty()
    if len(sites) > 1:
        place.button("Stop", key="stop-report")  # whatever a reader does begins a new run, and ends this one
    with reading({site.id: site_zone(site) for site in sites}, day) as under_way:
        while waiting := futures.wait(under_way.values(), _LOOK_UP).not_done:
            read = len(under_way) - len(waiting)
            progress.progress(value=read / len(sites), text=plain(f"{read} of {len(sites)} sites are read."))
        for site in sites:
            try:
                days.append(under_way[site.id].result())
            except failing as error:
                name = one_line(site.name or site.id, LONGEST_NAME)
                failures[name] = getattr(error, "summary", str(error))
    progress.empty()
    place.empty()
    return days, failures
