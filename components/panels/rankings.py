"""Rankings by entrances: of zones and doors within a range, and of the doors of a site today."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final, Protocol

import streamlit as st

from analysis.compared_places import compared_zones
from analysis.entrances import (
    ENTRANCES,
    MOST_PLACES,
    SHARE,
    Place,
    counted_hours,
    doors_of,
    doors_to_rank,
    entrances_by_door,
    entrances_today,
    ranking_queries,
    ranking_table,
    zones_to_rank,
)
from analysis.half_counted import half_counted
from analysis.history_request import HistoryRequest
from analysis.league import Per
from analysis.names import LONGEST_HINT, one_line
from components.live_site import DoorRow, door_ranking
from components.number_format import NO_VALUE
from components.panels.compare_choices import ZONES
from components.panels.data_table import table_on_paper
from components.panels.hours_choice import is_told_of_open_hours
from components.panels.page_parts import by_itself, some_unread
from components.panels.viewer import site_zone, viewer_formats
from components.plain_text import plain, plain_sentences
from components.sentences.coverage_words import counted_in_part, portion
from contract import Aggregation, Granularity, MetricPoint, MetricsQuery, Site

Asked = tuple[Place, Aggregation | None]
Read = Callable[[Mapping[Asked, MetricsQuery]], Mapping[Asked, Sequence[MetricPoint]]]
"""Asks several queries; what fails is absent from the answer."""

_READ_AGAIN: Final = timedelta(minutes=1)
"""The list tells its age, and greys where it is not read again."""


def zone_league_link(site: Site, top_zone_ids: Collection[str]) -> None:
    """Which zone earns its space; nothing where fewer than two within the whole say how large they are."""
    if sum(bool(zone.place.area) for zone in compared_zones(site, top_zone_ids)) > 1:
        st.page_link(
            "pages/compare.py", label="Zones compared per 100 m²", icon=":material/leaderboard:",
            query_params={"of": ZONES, "site": site.id, "per": Per.AREA.id},
        )  # fmt: skip


def place_ranking_panel(
    site: Site, request: HistoryRequest, top_zone_ids: Collection[str], read: Read
) -> None:
    """`top_zone_ids` stand for the whole site; they are not ranked among its parts."""
    if not is_told_of_open_hours(request, len(site.zones) + len(site.passages)):
        return
    zones, doors = st.columns(2)
    with zones:
        _place_ranking("Zone", zones_to_rank(site, top_zone_ids), site, request, read)
        st.caption("Share of all entrances into these zones; who moves on is counted in each.")
    with doors:
        _place_ranking("Door", doors_to_rank(site), site, request, read)
        st.caption("Share of all who came in by a door.")


def _place_ranking(
    heading: str, places: Sequence[Place], site: Site, request: HistoryRequest, read: Read
) -> None:
    if not places:
        st.caption(plain(f"No {heading.lower()} is listed for this site."))
        return
    if len(places) > MOST_PLACES:
        st.caption(
            plain(f"{len(places)} {heading.lower()}s are too many to rank: choose some under “More choices”.")
        )
        return
    both = (None, Aggregation.AVERAGE)
    found = read({
        (place, one): query
        for one in both
        for place, query in ranking_queries(site, request, places, one).items()
    })  # fmt: skip
    answers, averages = ({place: own for (place, of), own in found.items() if of is one} for one in both)
    whole = replace(request, granularity=Granularity.MONTH)
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
    if unread := len(places) - len(answers):
        some_unread(unread, f"{heading.lower()}s", f"ranking-{heading}-{site.id}")
    elif table[ENTRANCES].isna().any():
        st.caption("–: no counts are stored in this range, so no shares are known.")
    half = half_counted(answers, averages, whole)
    if said := counted_in_part(half, formats):
        st.caption(plain_sentences(said))


class TimedAnswers(Protocol):
    """What was asked of each door, by passage id."""

    @property
    def read_at(self) -> datetime: ...

    @property
    def points(self) -> Mapping[str, tuple[MetricPoint, ...]]: ...

    @property
    def failures(self) -> Mapping[str, Exception]: ...


def door_ranking_panel(
    site: Site,
    read: Callable[[Mapping[str, MetricsQuery]], TimedAnswers],
    present: Callable[[], datetime],
) -> None:
    """Nothing for a site with a single door, where there is nothing to compare.

    `present` tells what time it is for the service, aware: what of it is today.
    """
    doors = doors_of(site)
    if len(doors) > MOST_PLACES:
        st.caption(
            plain(
                f"This site has {len(doors)} doors. More than {MOST_PLACES} are not ranked here; "
                "History compares those that you choose."
            )
        )
    elif len(doors) > 1:
        _door_ranking(site, read, present)


@by_itself(_READ_AGAIN)
def _door_ranking(
    site: Site,
    read: Callable[[Mapping[str, MetricsQuery]], TimedAnswers],
    present: Callable[[], datetime],
) -> None:
    zone = site_zone(site)
    doors = doors_of(site)
    answers = read(entrances_today(site.id, doors, present(), zone))
    known = entrances_by_door(answers.points)
    rows = [
        DoorRow(
            title=door.label,
            whole=one_line(door.name, LONGEST_HINT),
            count=known.get(door.passage_id),
            note=_why(door.passage_id, answers),
        )
        for door in doors
    ]
    door_ranking(
        rows,
        read_at=answers.read_at,
        now=present(),
        timezone=zone.key,
        locale=st.context.locale,
        key=f"doors-{site.id}",
    )
    if answers.failures:
        error = next(iter(answers.failures.values()))
        st.caption(plain(f"Not all doors are read: {getattr(error, 'brief', error)}"))


def _why(passage_id: str, answers: TimedAnswers) -> str:
    """Why a door has no count, or in how few hours it is counted; empty where none lack."""
    if passage_id in answers.failures:
        return "could not be read"
    points = answers.points.get(passage_id, ())
    if not entrances_by_door({passage_id: points}):
        return "no count of today yet"
    hours = counted_hours(points)
    return "" if hours.is_complete else f"counted in {portion(hours, Granularity.HOUR, viewer_formats())}"
