"""The target of a site's month: how far along it is, and where whoever may open the dashboard sets it."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from datetime import date, datetime, time
from functools import partial
from typing import Final

import streamlit as st

from analysis.keeper import Keeper
from analysis.targets import MOST_ENTRANCES, Target, TargetProgress, month_name, months_around
from components.number_format import Formats, zone_words
from components.panels.kept_draft import (
    Choice,
    KeptDraft,
    kept_draft,
    mine_or_theirs,
    overtaken_note,
)
from components.panels.page_parts import change_or_say
from components.panels.permission import may_change_or_say
from components.panels.unknown_in_link import unknown_in_link
from components.panels.url_choice import url_choice
from components.panels.viewer import site_zone
from components.plain_text import plain
from components.sentences.coverage_words import stopped_doors_words
from components.sentences.number_words import bounds_words
from components.sentences.target_words import target_words
from contract import Site

_STEP: Final = 100

TargetKeeper = Keeper[Target | None, Target | None]
"""None: none."""


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
    site: Site, first: date, progress: TargetProgress | None, keeper: TargetKeeper, formats: Formats
) -> None:
    """`progress` None: nobody has set a target for the month."""
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
    kept = Target(entrances=progress.target) if progress else None
    _editor(f"{site.id}-{month_name(first)}", site, kept, keeper, formats)


def _editor(of: str, site: Site, kept: Target | None, keeper: TargetKeeper, formats: Formats) -> None:
    if not may_change_or_say(site.id):
        return
    draft = kept_draft("target", of, kept, lambda name: f"target-{name}")
    if draft.is_overtaken:
        overtaken_note(_done_by_others(kept, formats), keeper.kept_at)
    wanted = st.number_input(
        "Entrances to reach in the month", step=_STEP,
        value=draft.base.entrances if draft.base else None, key=f"target-{draft.name}", width=320,
        placeholder="How many should come in", on_change=draft.touch,
    )  # fmt: skip
    draft.note(str(wanted))
    with st.container(horizontal=True):
        if draft.is_overtaken:
            chosen = mine_or_theirs(f"target-{of}-{kept.entrances if kept else 0}")
            is_to_keep, is_to_forget = chosen is Choice.MINE, False
            if chosen is Choice.THEIRS:
                draft.begin_anew()
                st.rerun()
        else:
            is_to_keep = st.button(
                "Keep this target", key=f"keep-target-{of}", type="primary", icon=":material/save:"
            )
            is_to_forget = kept is not None and st.button(
                "Forget it", key=f"forget-target-{of}", icon=":material/delete:"
            )
    if is_to_forget:
        change_or_say(partial(_replace, keeper, None, draft))
    elif is_to_keep and wanted is None:
        st.error("Write how many should come in.", icon=":material/error:")
    elif is_to_keep and wanted is not None and not 1 <= wanted <= MOST_ENTRANCES:
        st.error(plain(bounds_words(1, MOST_ENTRANCES, formats)), icon=":material/error:")
    elif is_to_keep and wanted is not None:
        change_or_say(partial(_replace, keeper, Target(entrances=int(wanted)), draft))
    st.caption("This dashboard keeps targets, for every browser that opens it.")


def _replace(keeper: TargetKeeper, target: Target | None, draft: KeptDraft[Target | None]) -> None:
    """Where others were kept meanwhile, the next run says so."""
    if keeper.keep(target, draft.kept):
        draft.begin_anew()


def _done_by_others(kept: Target | None, formats: Formats) -> str:
    return (
        f"set another target: {formats.number(kept.entrances)}." if kept else "made this dashboard forget it."
    )
