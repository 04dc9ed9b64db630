"""What Compare compares: sites, or the zones of one; over which days, by what, and who is left out."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import AbstractContextManager, suppress
from datetime import date, timedelta
from types import MappingProxyType
from typing import Final, NamedTuple

import streamlit as st

from analysis.league import Per, Place, offered
from analysis.league_entry import Measure
from analysis.league_period import LONGEST, Days, LeaguePeriod
from components.panels.unknown_in_link import asked_in_link, unknown_in_link
from components.panels.url_choice import keep_in_link, remembered, url_choice
from components.panels.viewer import viewer_formats
from components.plain_text import plain
from contract import MetricKey

SITES: Final = "sites"
ZONES: Final = "zones"
TARGETS: Final = "targets"
_OF: Final[Mapping[str, str]] = MappingProxyType(
    {SITES: "Sites", ZONES: "Zones of a site", TARGETS: "A site and its target"}
)
_LEAST: Final[Mapping[str, str]] = MappingProxyType({
    "0": "However little is counted", "50": "At least 50\N{NO-BREAK SPACE}% is counted",
    "75": "At least 75\N{NO-BREAK SPACE}% is counted",
    "90": "At least 90\N{NO-BREAK SPACE}% is counted", "95": "At least 95\N{NO-BREAK SPACE}% is counted",
    "99": "At least 99\N{NO-BREAK SPACE}% is counted", "100": "Every minute is counted",
})  # fmt: skip
_MONTHS: Final = {LeaguePeriod.MONTH, LeaguePeriod.LAST_MONTH}
_USUAL_LEAST: Final = "90"
_EARLIEST: Final = date(2000, 1, 1)
_LATEST: Final = date(2099, 12, 31)


class CompareChoice(NamedTuple):
    period: LeaguePeriod
    chosen: Days | None
    """For a period from a day to a day."""
    measure: Measure
    per: Per
    least: float
    """Percent of the minutes that must be counted, at least."""

    @property
    def days(self) -> str:
        """For people: the name of the period, or its days."""
        if self.chosen is None:
            return self.period.label
        first, last = (f"{day:%-d %B %Y}" for day in self.chosen)
        return first if first == last else f"{first} to {last}"

    @property
    def id(self) -> str:
        """Of no other choice."""
        return f"{self.period.id} {self.chosen} {self.measure.id} {self.per.id}"


def of_choice(first: str, container: AbstractContextManager[object]) -> str:
    """SITES, ZONES or TARGETS; `first` is what is compared where nobody has chosen yet."""
    with container:
        return url_choice("Compare", _OF, "of", lead=first) or SITES


def is_not_chosen() -> bool:
    """Whether neither the link nor anybody before has said what is compared."""
    return not asked_in_link("of") and not remembered("of")


def site_before() -> str:
    """Id of the site of the link, or that was looked at before; empty: none was."""
    return next(iter(asked_in_link("site")), remembered("site"))


def lead_to_area(places: Collection[Place]) -> None:
    """Places of which several tell how large they are are related to that, unless the link says to what."""
    if sum(bool(one.area) for one in places) > 1 and not asked_in_link("per"):
        st.query_params["per"] = Per.AREA.id


def compare_choice(
    noun: str, when: AbstractContextManager[object], what: AbstractContextManager[object]
) -> CompareChoice | None:
    """None while something is missing; then the page says what. Both containers are where it is chosen."""
    measures = {one.id: one for one in Measure}
    asked = measures.get(next(iter(asked_in_link("metric")), ""), Measure.ENTRANCES)
    unknown_in_link({
        "of": set(_OF), "period": {one.id for one in LeaguePeriod}, "metric": {*measures, *MetricKey},
        "per": {one.id for one in offered(asked, noun)}, "least": set(_LEAST),
    })  # fmt: skip
    with when:
        periods = {one.id: one.label for one in LeaguePeriod}
        period_id = url_choice("Days", periods, "period", lead=LeaguePeriod.WEEK.id)
    with what:
        metrics = {one.id: one.label for one in Measure}
        by = url_choice("By", metrics, "metric", lead=Measure.ENTRANCES.id, governs=("per",))
    measure = measures[by or Measure.ENTRANCES.id]
    period = next(one for one in LeaguePeriod if one.id == period_id)
    chosen = _days() if period is LeaguePeriod.DATES else None
    per, least = _per_and_least(measure, noun, what)
    if per is Per.TARGET and period not in _MONTHS:
        st.info("Targets are those of months. Choose this month or the last one as days.")
        return None
    if period is LeaguePeriod.DATES and chosen is None:
        return None
    return CompareChoice(period, chosen, measure, per, float(least))


def _per_and_least(measure: Measure, noun: str, what: AbstractContextManager[object]) -> tuple[Per, str]:
    """What most people leave as it is is folded, and named where they do not. To what a number is related
    stands with the measure where zones are compared, which are of many sizes.
    """
    folded = st.expander("More choices", icon=":material/tune:", key="more-choices")
    with what if noun == "zone" else folded:
        related = {one.id: one.label for one in offered(measure, noun)}
        per_id = url_choice("Numbers", related, "per", lead="")
    with folded:
        least = url_choice("Ranked if", _LEAST, "least", lead=_USUAL_LEAST) or _USUAL_LEAST
    per = next(one for one in Per if one.id == (per_id or ""))
    said = [
        "" if per is Per.ITSELF or noun == "zone" else per.label.lower(),
        "" if least == _USUAL_LEAST else f"ranked if {_LEAST[least].lower()}",
    ]
    if any(said):
        st.caption(plain(f"Numbers: {' · '.join(one for one in said if one)}"))
    return per, least


def _days() -> Days | None:
    left, right = st.columns(2)
    with left:
        first = _day("From", "first")
    with right:
        last = _day("To", "last")
    if first is None or last is None:
        st.info("Choose from which day to which; both are counted.")
        return None
    if last < first:
        st.info("The last day lies before the first. Exchange the two.")
        return None
    chosen = Days(first, last)
    if chosen.span > LONGEST:
        st.info(plain(f"Up to {LONGEST // timedelta(days=1)} days can be compared. Choose fewer."))
        return None
    return chosen


def _day(label: str, name: str) -> date | None:
    """Kept in the URL by us, as the ends of a range on History are."""
    widget = f"choose-{name}"
    text = next(iter(asked_in_link(name)), "") or remembered(name)
    known: date | None = None
    with suppress(ValueError):
        known = date.fromisoformat(text)
    st.session_state[widget] = known if known and _EARLIEST <= known <= _LATEST else None
    chosen: date | None = st.date_input(
        plain(label), None, _EARLIEST, _LATEST, key=widget, format=viewer_formats().typed_date,
        on_change=lambda: keep_in_link(name, _written(st.session_state[widget])),
    )  # fmt: skip
    if chosen:
        keep_in_link(name, _written(chosen))
    return chosen


def _written(day: date | None) -> str:
    return day.isoformat() if day else ""
