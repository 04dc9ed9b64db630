"""Input widgets of the History page, bound to query parameters: the range first, the others folded."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final
from zoneinfo import ZoneInfo

import streamlit as st

from analysis.comparison import Against, Comparison, offered_comparisons
from analysis.granularity import allowed_granularities, asked_granularity, usual_granularity
from analysis.history_answer import ComparedRange
from analysis.history_request import HistoryRequest
from analysis.names import LONGEST_NAME, one_line
from analysis.open_time import Opening
from analysis.opening_hours import OpeningHours
from analysis.subject import Subject, SubjectKind, subjects_of
from analysis.time_range import NamedRange, TimeRange, range_of_id
from components.number_format import zone_words
from components.panels.estimates_panel import ESTIMATES, estimates_choice
from components.panels.hours_choice import HOURS, Shown, opening_choice, possible_opening, unknown_hours
from components.panels.range_choice import ChosenRange, range_choice, range_id_choice
from components.panels.unknown_in_link import asked_in_link, places_in_link, unknown_in_link
from components.panels.url_choice import forget, remembered, url_choice, url_choices, url_pills
from components.panels.viewer import site_zone, viewer_formats, viewer_zone
from components.plain_text import plain
from components.sentences.metric_words import AGGREGATION_LABELS, offered_aggregations, usual_label, why_not
from components.tables.history_link import DATES
from contract import DEFAULT_TIMEZONE, METRICS, Aggregation, Granularity, MetricKey, Site, zone_named

_AUTOMATIC: Final = "auto"
_ZONE_OF: Final = "history-zone-of"
"""Session key: the site that was shown last, by id, and the name of its own time zone."""
_USUAL_METRICS: Final = (MetricKey.VISITORS_INSIDE, MetricKey.ENTRANCES)


@dataclass(frozen=True, slots=True)
class HistoryChoice:
    request: HistoryRequest
    range: ChosenRange
    against: Against
    is_estimated: bool = False
    """Whether what is missing is estimated, too."""

    @property
    def compared(self) -> ComparedRange:
        return ComparedRange(self.range.named, self.range.asked, self.against)


@dataclass(frozen=True, slots=True)
class _Folded:
    """The choices that most people leave as they are."""

    subjects: tuple[Subject, ...]
    metrics: tuple[MetricKey, ...]
    timezone: ZoneInfo
    size: AbstractContextManager[object]
    """Where the granularity is chosen, once the range is known."""
    value: AbstractContextManager[object]
    """Where the aggregation is chosen."""
    opening: Opening | None
    """None: all hours count."""
    is_estimated: bool
    """Whether what is missing is."""


def history_choices(
    site: Site,
    present: Callable[[], datetime],
    beside: AbstractContextManager[object],
    hours: OpeningHours | None,
) -> HistoryChoice | None:
    """None while something is missing; then the page says what. `hours` are the site's.

    `present` tells what time it is, aware. `beside` is where the range is chosen, next to the site.
    """
    now = present()
    has_places = _has_places(site)
    unknown_in_link(_known(), repeated={"metric"})
    with beside:
        range_id = range_id_choice()
    dates = st.container()
    against = _comparison_choice(range_of_id(range_id))
    if hours is None:
        unknown_hours()
    with st.expander("More choices", icon=":material/tune:", key="more-choices"):
        folded = _folded_choices(site, hours)
    chosen = range_choice(range_id, now, folded.timezone, dates, present)
    if not folded.metrics:
        st.info("Choose at least one metric to show.")
    if chosen is None or not folded.metrics or not has_places:
        return None
    with folded.size:
        granularity = _granularity_choice(chosen.counted, folded.timezone)
    with folded.value:
        aggregation = _aggregation_choice(folded.metrics)
    granularity = _possible_granularity(granularity, chosen.counted, folded.timezone)
    aggregation = _meaningful_aggregation(aggregation, folded.metrics)
    shown = Shown(folded.metrics, len(folded.subjects), is_compared=against != Against(Comparison.NONE))
    opening = possible_opening(folded.opening, chosen.counted, folded.timezone, shown)
    _unusual_choices(site, replace(folded, opening=opening), granularity, aggregation)
    if against == Against(Comparison.DATE):
        st.info("Choose the day on which the other period begins.")
    request = HistoryRequest(
        site_id=site.id,
        subjects=folded.subjects,
        metrics=folded.metrics,
        range=chosen.counted,
        timezone=folded.timezone,
        asked_at=now,
        # Parts of a range, as open hours are, are shorter than it: what is inferred of them is another size.
        granularity=usual_granularity(chosen.counted, folded.timezone)
        if opening and granularity is None
        else asked_granularity(chosen.counted, folded.timezone, granularity),
        aggregation=aggregation,
        opening=opening,
    )
    return HistoryChoice(request, chosen, against, folded.is_estimated)


def _has_places(site: Site) -> bool:
    """Whether the page may show something: not where all zones and passages that the link names are gone."""
    places = {"zone": {one.id for one in site.zones}, "passage": {one.id for one in site.passages}}
    return places_in_link(places, one_line(site.name or site.id, LONGEST_NAME))


def _known() -> Mapping[str, Collection[str]]:
    """Values that a link may have, by parameter; a time zone may be any."""
    return {
        "range": {DATES, *(one.id for one in NamedRange)},
        "metric": set(MetricKey),
        "compare": {one.id for one in Comparison},
        "granularity": {_AUTOMATIC, *Granularity},
        "aggregation": {_AUTOMATIC, *Aggregation},
        "hours": set(HOURS),
        "estimates": set(ESTIMATES),
        "timezone": [zone for zone in asked_in_link("timezone") if zone_named(zone)],
    }


def _folded_choices(site: Site, hours: OpeningHours | None) -> _Folded:
    what, zones, passages = st.columns([3, 2, 2])
    with what:
        metrics = _metrics_choice()
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
    size, value, place, when = st.columns(4)
    with place:
        timezone = _timezone_choice(site)
    with when:
        opening = opening_choice(site, hours)
        is_estimated = estimates_choice()
    subjects = tuple(subjects_of(site, zone_ids, passage_ids))
    return _Folded(subjects, tuple(metrics), timezone, size, value, opening, is_estimated)


def _metrics_choice() -> list[MetricKey]:
    chosen = url_choices(
        "Show",
        {str(key): spec.label for key, spec in METRICS.items()},
        "metric",
        usual=[str(key) for key in _USUAL_METRICS],
        placeholder="Choose what to show",
    )
    return [key for key in METRICS if key in chosen]


def _comparison_choice(named: NamedRange | None) -> Against:
    offered = offered_comparisons(named, st.query_params.get("compare") or remembered("compare"))
    chosen = url_pills("Compare with", offered, "compare", nothing=Comparison.NONE.id)
    comparison = next(one for one in Comparison if one.id == chosen)
    if comparison is not Comparison.DATE:
        return Against(comparison)
    first = st.date_input(
        "Beginning on", None, key="compare_from", bind="query-params", format=viewer_formats().typed_date
    )
    return Against(comparison, first)


def _timezone_choice(site: Site) -> ZoneInfo:
    """The site's, the viewer's, UTC, or the one that the link names."""
    own, viewers = site_zone(site), viewer_zone()
    before, st.session_state[_ZONE_OF] = st.session_state.get(_ZONE_OF), (site.id, own.key)
    named = st.query_params.get("timezone") or remembered("timezone")
    if before and before[0] != site.id and before[1] == named:
        # Nobody chose it: it stands in the link as the other site's own.
        st.query_params.pop("timezone", None)
        forget("timezone")
    options = {own.key: f"{own.key} (the site's)"}
    if viewers is not None:
        options.setdefault(viewers.key, f"{viewers.key} (yours)")
    asked = zone_named(st.query_params.get("timezone", ""))
    for key in (DEFAULT_TIMEZONE, *([asked.key] if asked else ())):
        options.setdefault(key, key)
    return zone_named(url_choice("Time zone", options, "timezone", lead=own.key) or "") or own


def _granularity_choice(range_: TimeRange, timezone: ZoneInfo) -> Granularity | None:
    """None: the usual one. Minutes of more than a day only where the link asks for them."""
    allowed = allowed_granularities(range_, timezone)
    linked = st.query_params.get("granularity")
    offered = [unit for unit in Granularity if unit in allowed or unit == linked]
    options = {_AUTOMATIC: f"Automatic (by {usual_granularity(range_, timezone)})"} | {
        str(unit): f"By {unit}" for unit in offered
    }
    chosen = url_choice("Detail", options, "granularity", lead=_AUTOMATIC)
    if Granularity.MINUTE not in allowed:
        st.caption("By minute: only for a range of up to a day.")
    return None if chosen in {None, _AUTOMATIC} else Granularity(chosen or "")


def _possible_granularity(
    chosen: Granularity | None, range_: TimeRange, timezone: ZoneInfo
) -> Granularity | None:
    """The usual one where minutes of more than a day were chosen; then the page says so."""
    if chosen is None or chosen in allowed_granularities(range_, timezone):
        return chosen
    usual = usual_granularity(range_, timezone)
    st.info(plain(f"Minutes are shown of up to a day. This range is longer: you see it by {usual}."))
    return None


def _aggregation_choice(metrics: tuple[MetricKey, ...]) -> Aggregation | None:
    """None: each metric's own. One that means nothing only where the link asks for it."""
    linked = st.query_params.get("aggregation")
    meaningful = offered_aggregations(metrics)
    options = {_AUTOMATIC: usual_label(metrics)} | {
        str(one): label for one, label in AGGREGATION_LABELS.items() if one in meaningful or one == linked
    }
    chosen = url_choice("Number shown", options, "aggregation", lead=_AUTOMATIC)
    return None if chosen in {None, _AUTOMATIC} else Aggregation(chosen or "")


def _meaningful_aggregation(chosen: Aggregation | None, metrics: tuple[MetricKey, ...]) -> Aggregation | None:
    """The usual where the chosen one means nothing; then the page says so."""
    if chosen is None or (refusal := why_not(chosen, metrics)) is None:
        return chosen
    st.info(plain(refusal))
    return None


def _unusual_choices(
    site: Site, folded: _Folded, granularity: Granularity | None, aggregation: Aggregation | None
) -> None:
    """The folded choices that are not the usual ones, so that nobody has to open them to know."""
    said = [
        ", ".join(METRICS[key].label for key in folded.metrics) if folded.metrics != _USUAL_METRICS else "",
        ", ".join(one.label for one in folded.subjects if one.kind is not SubjectKind.SITE),
        "" if granularity is None else f"by {granularity}",
        "" if aggregation is None else AGGREGATION_LABELS[aggregation].lower(),
        "" if folded.timezone == site_zone(site) else zone_words(folded.timezone.key),
        "" if folded.opening is None else "open hours only",
        "estimates of what is missing" if folded.is_estimated else "",
    ]
    if any(said):
        st.caption(plain(f"Shown: {' · '.join(one for one in said if one)}"))
