from __future__ import annotations

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.count_days import Numbers
from analysis.day_course import all_blames, exchanged_within, people_wrong_within
from analysis.door_blame import Blame, BlameKind, Evidence, Way, blames
from tests.analysis.chance_site import HOURS_A_DAY, drawn, evidence_of, ordinarily_missed
from tests.analysis.test_door_blame import counts, turned
from tests.analysis.visited_site import visited

DAYS = 14
FRONT = Way("front", "Front door", "hall", None)
ARCH = Way("arch", "Archway", "cafe", "hall")
STAIRS = Way("stairs", "Stairs", "loft", "hall")
Counts = dict[Way, tuple[Numbers, Numbers]]


def busy_hall() -> Counts:
    """Thousands pass through the hall; a few of them stay in the café over noon, and all leave it."""

    def front(day: int) -> tuple[dict[int, int], dict[int, int]]:
        passing = dict.fromkeys(range(8, 20), 400 + day)
        return {**passing, 10: 480 + day}, {**passing, 19: 480 + day}

    def arch(day: int) -> tuple[dict[int, int], dict[int, int]]:
        passing = dict.fromkeys(range(12, 18), 500 + day)
        return {11: 40, **passing}, {**passing, 18: 40}

    stairs = lambda day: ({10: 30 + day % 3}, {15: 30 + day % 3})  # noqa: E731
    return counts({FRONT: front, ARCH: arch, STAIRS: stairs})


def test_an_inner_door_by_which_as_many_come_as_go_is_named_by_the_course_of_the_day() -> None:
    evidence = evidence_of(turned(busy_hall(), ARCH), DAYS)
    assert "cafe" not in {zone for one in blames(evidence) for zone in one.zones}, "40 of 3,040 a day"
    (found,) = exchanged_within(evidence)
    assert (found.kind, found.ways, set(found.zones)) == (BlameKind.EXCHANGED, (ARCH,), {"cafe", "hall"})
    assert found.is_within
    assert not found.by_balance


def test_doors_that_count_right_are_not_blamed_for_a_course_of_the_day() -> None:
    assert all_blames(evidence_of(busy_hall(), DAYS)) == []


def test_what_counters_may_miss_is_evened_out() -> None:
    """Of 200 who come 10 are missed: without that the day would end 10 below nobody."""
    came, went = np.array([[100.0, 90.0, 0.0]]), np.array([[0.0, 0.0, 200.0]])
    assert people_wrong_within(came, went) == pytest.approx([0], abs=1e-9)
    assert people_wrong_within(came[:, ::-1], went[:, ::-1])[0] > 150


def test_a_zone_that_is_not_read_whole_names_no_door() -> None:
    evidence = replace(evidence_of(turned(busy_hall(), ARCH), DAYS), unread=frozenset({"hall"}))
    assert exchanged_within(evidence) == []


def test_fewer_than_three_whole_days_name_no_door() -> None:
    evidence = evidence_of(turned(busy_hall(), ARCH), DAYS)
    few = {zone: days[:2] for zone, days in evidence.days.items()}
    assert exchanged_within(replace(evidence, days=few)) == []


def test_in_which_order_zones_and_doors_are_listed_changes_nothing() -> None:
    counted = turned(busy_hall(), ARCH)
    first = evidence_of(counted, DAYS)
    for order in permutations(counted):
        own = evidence_of({way: counted[way] for way in order}, DAYS)
        zones = {zone: own.zones[zone] for zone in reversed(list(own.zones))}
        assert {*map(_told, all_blames(replace(own, zones=zones)))} == {*map(_told, all_blames(first))}


def _told(blame: Blame) -> str:
    return f"{blame.kind} {blame.ways} {sorted(blame.zones)}"


@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 10**6), is_visited=st.booleans())
def test_with_ordinary_counters_no_door_is_called_exchanged(seed: int, is_visited: bool) -> None:
    site, chance = (visited if is_visited else drawn)(seed, days=DAYS), np.random.default_rng(seed)
    counted = site.counted(missed=ordinarily_missed(site, chance), chance=chance)
    assert _exchanged(evidence_of(counted, DAYS)) == []


@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 10**6), at=st.integers(0, 99))
def test_an_exchanged_inner_door_is_named_or_none_is(seed: int, at: int) -> None:
    site, chance = visited(seed, days=DAYS), np.random.default_rng(seed)
    inner = [way for way in site.ways if way.other_id]
    culprit = inner[at % len(inner)]
    counted = site.counted(
        swapped=frozenset({culprit}), missed=ordinarily_missed(site, chance), chance=chance
    )
    assert _exchanged(evidence_of(counted, DAYS)) in ([], [culprit])


def _exchanged(evidence: Evidence) -> list[Way]:
    return [way for one in all_blames(evidence) if one.kind is BlameKind.EXCHANGED for way in one.ways]


def test_the_people_of_a_visited_site_all_leave_by_the_end_of_the_day() -> None:
    """What the figures rest on: in truth nobody is left, and no zone falls below nobody by the hour."""
    for seed in range(5):
        site = visited(seed, days=3)
        evidence = evidence_of(site.counted(), 3)
        for zone, hours in evidence.zones.items():
            days = hours.net.reshape(3, HOURS_A_DAY)
            assert not days.sum(axis=1).any(), (seed, zone)
            assert days.cumsum(axis=1).min() >= 0
