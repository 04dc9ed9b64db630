"""The target of a site's month: how far along it is, and where whoever may open the dashboard sets it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from datetime import date, datetime, time
from functools import partial
from typing import Final

import streamlit as st

from analysis.targets import MOST_ENTRANCES, Target, TargetProgress, month_name, months_around
from components.number_format import Formats, zone_words
from components.panels.page_parts import change_or_say
from components.panels.permission import may_change_or_say
from components.panels.unknown_in_link import unknown_in_link
from components.panels.url_choice import url_choice
from components.panels.viewer import site_zone
from components.plain_text import plain
from components.sentences.coverage_words import stopped_doors_words
from components.sentences.target_words import target_words
from contract import Site

_STEP: Final = 100

Keep = Callable[[str, str, Target | None], None]
"""For the site of an id and a month; None: keep none. Raises RuntimeError with a sentence for people."""


def month_choice(
    site: Site,
    kept: Mapping[str, Target],
    now: datetime,
    formats: Formats,
    container: AbstractContextManager[object],
) -> date:
    """First day of the chosen month; `kept` are the site's targets by month, `container` is where it is."""
    zone = site_zone(site)
    today = now.astimezone(zone).date()
    months = {month_name(first): first for first in months_around(today)}
    unknown_in_link({"month": set(months)})
    labels = {
        name: month_text(first, site, formats)
        + (f", target {formats.number(kept[name].entrances)}" if name in kept else "")
        for name, first in months.items()
    }
    with container:
        chosen = url_choice("Month", labels, "month", lead=month_name(today)) or month_name(today)
    return months[chosen]


def month_text(first: date, site: Site, formats: Formats) -> str:
    """`November 2026`."""
    return formats.month(datetime.combine(first, time(12), site_zone(site)))


def target_panel(
    site: Site, first: date, progress: TargetProgress | None, keep: Keep, formats: Formats
) -> None:
    """None: nobody has set a target for the month."""
    month, zone = month_text(first, site, formats), zone_words(site_zone(site).key)
    if progress is None:
        st.info(plain(f"Nobody has set a target for {month}."))
    else:
        st.markdown(plain(target_words(progress, month, formats)))
        if progress.percent is not None:
            part = min(1.0, max(0.0, progress.percent / 100))
            st.progress(part)
        said = f"Days are those of {zone}. Hours in which the site is closed expect nobody."
        st.caption(plain(f"{said} {stopped_doors_words(site)}".strip()))
    _editor(site, first, progress.target if progress else None, keep)


def _editor(site: Site, first: date, target: int | None, keep: Keep) -> None:
    if not may_change_or_say(site.id):
        return
    name = month_name(first)
    wanted = st.number_input(
        "Entrances to reach in the month", min_value=1, max_value=MOST_ENTRANCES, value=target, step=_STEP,
        key=f"target-{site.id}-{name}", width=320, placeholder="How many should come in",
    )  # fmt: skip
    with st.container(horizontal=True):
        if st.button("Keep this target", key=f"keep-target-{name}", type="primary", icon=":material/save:"):
            if wanted is None:
                st.error("Write how many should come in.", icon=":material/error:")
            else:
                change_or_say(partial(keep, site.id, name, Target(entrances=int(wanted))))
        if target is not None and st.button(
            "Forget it", key=f"forget-target-{name}", icon=":material/delete:"
        ):
            change_or_say(partial(keep, site.id, name, None))
    st.caption("This dashboard keeps targets, for every browser that opens it.")
