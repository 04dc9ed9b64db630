"""What of the past is shown: all choices stand in the URL."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final
from zoneinfo import ZoneInfo

import streamlit as st

from components.panels.url_choice import url_choice
from components.panels.url_choices import url_choices
from components.panels.viewer import site_zone, viewer_zone
from components.plain_text import plain
from components.tables.comparison import Comparison
from components.tables.history_request import HistoryRequest
from components.tables.metric_words import LABELS
from components.tables.subject import subjects_of
from components.tables.time_range import (
    NamedRange,
    TimeRange,
    absolute_range,
    aligned,
    allowed_granularities,
    named_range,
    usual_granularity,
)
from contract import DEFAULT_TIMEZONE, Aggregation, Granularity, MetricKey, Site, zone_named

_DATES: Final = "dates"
_AUTOMATIC: Final = "auto"
_USUAL_METRICS: Final = (MetricKey.VISITORS_INSIDE.value, MetricKey.ENTRANCES.value)
_REDUCTIONS: Final = {
    _AUTOMATIC: "Usual: flows summed, levels averaged",
    Aggregation.SUM.value: "Sum",
    Aggregation.AVERAGE.value: "Average minute",
    Aggregation.MAXIMUM.value: "Highest minute",
    Aggregation.MINIMUM.value: "Lowest minute",
}


@dataclass(frozen=True, slots=True)
class HistoryChoice:
    request: HistoryRequest
    named: NamedRange | None
    """None: a range given by its dates."""
    comparison: Comparison


def history_choices(site: Site, now: datetime) -> HistoryChoice | None:
    """None while something is missing; then the page says what. `now` is aware."""
    period, of, against = st.columns([2, 3, 2])
    with period:
        range_id = url_choice("Range", _ranges(), "range", lead=NamedRange.DAY.id)
    with of:
        metrics = _metrics_choice()
    with against:
        comparison = _comparison_choice()
    subjects = subjects_of(site, *_place_choices(site))
    with st.expander("Buckets, time zone", icon=":material/tune:"):
        columns = st.columns(3)
    with columns[2]:
        timezone = _timezone_choice(site)
    named = _named(range_id)
    range_ = named_range(named, now, timezone) if named else _dates(now, timezone)
    if range_ is None or not metrics:
        return None
    if range_.is_empty:
        st.info("This range holds no minute that is counted yet. Choose another one, or wait a moment.")
        return None
    with columns[0]:
        granularity = _granularity_choice(range_, timezone)
    with columns[1]:
        aggregation = url_choice("Each bucket is the", _REDUCTIONS, "aggregation", lead=_AUTOMATIC)
    request = HistoryRequest(
        site_id=site.id,
        subjects=tuple(subjects),
        metrics=tuple(metrics),
        range=aligned(range_, granularity or usual_granularity(range_), timezone) if named else range_,
        timezone=timezone,
        asked_at=now,
        granularity=granularity,
        aggregation=None if aggregation in {None, _AUTOMATIC} else Aggregation(aggregation or ""),
    )
    return HistoryChoice(request, named, comparison)


def _ranges() -> dict[str, str]:
    return {named.id: named.label for named in NamedRange} | {_DATES: "From … to …"}


def _named(range_id: str | None) -> NamedRange | None:
    return next((named for named in NamedRange if named.id == range_id), None)


def _metrics_choice() -> list[MetricKey]:
    chosen = url_choices(
        "Show",
        {str(key): label for key, label in LABELS.items()},
        "metric",
        usual=_USUAL_METRICS,
        placeholder="Choose what to show",
    )
    if not chosen:
        st.info("Choose at least one metric to show.")
    return [key for key in LABELS if key in chosen]


def _comparison_choice() -> Comparison:
    chosen = url_choice(
        "Compare with", {one.id: one.label for one in Comparison}, "compare", lead=Comparison.NONE.id
    )
    return next(one for one in Comparison if one.id == chosen)


def _place_choices(site: Site) -> tuple[list[str], list[str]]:
    zones, passages = st.columns(2)
    with zones:
        zone_ids = url_choices(
            "Zones", {one.id: one.name for one in site.zones}, "zone", placeholder="Whole site",
            explanation="Several zones are drawn as separate lines.",
        )  # fmt: skip
    with passages:
        passage_ids = url_choices(
            "Passages", {one.id: one.name for one in site.passages}, "passage", placeholder="All passages",
            explanation="A passage counts who comes and goes; people inside belong to zones.",
        )  # fmt: skip
    return zone_ids, passage_ids


def _timezone_choice(site: Site) -> ZoneInfo:
    """The site's, the viewer's, UTC, or the one that the link names."""
    own, viewers = site_zone(site), viewer_zone()
    options = {own.key: f"{own.key} (the site's)"}
    if viewers is not None:
        options.setdefault(viewers.key, f"{viewers.key} (yours)")
    asked = zone_named(st.query_params.get("timezone", ""))
    for key in (DEFAULT_TIMEZONE, *([asked.key] if asked else ())):
        options.setdefault(key, key)
    return zone_named(url_choice("Time zone", options, "timezone", lead=own.key) or "") or own


def _granularity_choice(range_: TimeRange, timezone: ZoneInfo) -> Granularity | None:
    allowed = allowed_granularities(range_, timezone)
    options = {_AUTOMATIC: f"Automatic ({usual_granularity(range_)})"} | {
        str(unit): f"By {unit}" for unit in allowed
    }
    chosen = url_choice("Buckets", options, "granularity", lead=_AUTOMATIC)
    if Granularity.MINUTE not in allowed:
        st.caption("By minute: only for a range of up to a day.")
    return None if chosen in {None, _AUTOMATIC} else Granularity(chosen or "")


def _dates(now: datetime, timezone: ZoneInfo) -> TimeRange | None:
    """Local to the chosen time zone."""
    start, end = st.columns(2)
    with start:
        first = st.datetime_input("From", None, key="from", bind="query-params")
    with end:
        last = st.datetime_input("To", None, key="to", bind="query-params")
    if first is None or last is None:
        st.info(f"Choose from when to when, local to {plain(timezone.key)}.")
        return None
    return absolute_range(first, last, now, timezone)
