"""The doors of a site, ranked by how many people came in by them today."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Final, Protocol

import streamlit as st

from analysis.doors import MOST_DOORS, counts, doors_of, entrances_today
from analysis.names import LONGEST_HINT, one_line
from components.live_site import DoorRow, door_ranking
from components.panels.viewer import site_zone
from components.plain_text import plain
from contract import MetricPoint, MetricsQuery, Site

_READ_AGAIN: Final = 60
"""Seconds; the list tells its age, and greys where it is not read again."""


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
    if len(doors) > MOST_DOORS:
        st.caption(
            plain(
                f"This site has {len(doors)} doors. More than {MOST_DOORS} are not ranked here; "
                "History compares those that you choose."
            )
        )
    elif len(doors) > 1:
        _ranking(site, read, present)


@st.fragment(run_every=_READ_AGAIN)
def _ranking(
    site: Site,
    read: Callable[[Mapping[str, MetricsQuery]], TimedAnswers],
    present: Callable[[], datetime],
) -> None:
    zone = site_zone(site)
    doors = doors_of(site)
    answers = read(entrances_today(site.id, doors, present(), zone))
    known = counts(answers.points)
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
        st.caption(plain(f"Not all doors are read: {getattr(error, 'summary', error)}"))


def _why(passage_id: str, answers: TimedAnswers) -> str:
    """Why a door has no count; empty where it has one."""
    if passage_id in answers.failures:
        return "could not be read"
    points = counts({passage_id: answers.points.get(passage_id, ())})
    return "" if points else "no count of today yet"
