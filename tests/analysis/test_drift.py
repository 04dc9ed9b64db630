from __future__ import annotations

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from analysis.drift import Drift, drifts, present_drift
from service.store.zone_series import PassageMinutes, zone_minutes

OPENING = datetime(2026, 6, 1, 6, tzinfo=UTC)
MINUTE = timedelta(minutes=1)

Point = tuple[datetime, dict[str, float]]
Flow = tuple[int, int]
"""Entrances and exits of a minute."""


def point(minute: int, inside: float, entrances: float, exits: float) -> Point:
    metrics = {"visitorsInside": inside, "entrances": entrances, "exits": exits}
    return OPENING + minute * MINUTE, metrics


def counted(flows: list[Flow], *, resets: tuple[int, ...] = (0,), first: int = 0) -> list[Point]:
    """As the service makes minutes of flows: held at 0, begun again at `resets`."""
    entrances, exits = np.array(flows).T
    minutes = zone_minutes(
        [PassageMinutes(np.arange(first, first + len(flows)), entrances, exits)],
        0,
        first + len(flows) + 1,
        resets=resets,
        inside_before=0,
    )
    return [point(*row) for row in np.column_stack(
        (minutes.minutes, minutes.inside, minutes.entrances, minutes.exits)
    ).tolist()]  # fmt: skip


def unclamped(flows: list[Flow]) -> list[Point]:
    inside = np.cumsum([entered - left for entered, left in flows]).tolist()
    return [point(place, inside[place], *flow) for place, flow in enumerate(flows)]


def a_day(missed: int) -> list[Flow]:
    """200 come in one by one, of whom `missed` are not counted; then all leave."""
    return [(int(one >= missed), 0) for one in range(200)] + [(0, 2)] * 100


def only(found: list[Drift]) -> Drift:
    (drift,) = found
    return drift


@given(
    flows=st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=120),
    reset=st.integers(1, 119),
)
def test_drift_is_what_the_service_hid_by_holding_at_zero(flows: list[Flow], reset: int) -> None:
    entrances, exits = np.array(flows).T
    minutes = np.arange(len(flows))
    stored = zone_minutes(
        [PassageMinutes(minutes, entrances, exits)], 0, len(flows), resets=[0, reset], inside_before=0
    )
    found = drifts(counted(flows, resets=(0, reset)))
    if reset < len(flows):
        # Whoever left in the first minute may have been those whom the reset forgot: nothing shows it.
        left_uncounted = exits[reset] - entrances[reset]
        assume(not stored.inside[reset - 1] or left_uncounted < stored.inside[reset - 1])
    first_hidden = int(stored.hidden[0])  # the minute before the first point is not known
    assert sum(drift.unentered for drift in found) == stored.hidden.sum() - first_hidden
    assert all(drift.unexplained == 0 for drift in found)


def test_people_who_left_without_having_been_counted_in_spoil_the_number() -> None:
    drift = only(drifts(counted(a_day(60))))
    assert (drift.unentered, drift.peak, drift.is_spoiling) == (60, 140, True)
    assert drift.unentered_at == OPENING + 299 * MINUTE
    assert drift.since == OPENING


def test_a_drift_that_is_small_beside_the_peak_spoils_nothing() -> None:
    drift = only(drifts(counted(a_day(30))))
    assert (drift.unentered, drift.peak, drift.is_spoiling) == (30, 170, False)


def test_a_few_people_spoil_nothing_however_small_the_peak() -> None:
    flows = [(1, 0)] * 4 + [(0, 1)] * 13
    drift = only(drifts(counted(flows)))
    assert (drift.unentered, drift.peak, drift.is_spoiling) == (9, 4, False)


def test_a_place_without_drift_has_none() -> None:
    drift = only(drifts(counted(a_day(0))))
    assert (drift.people, drift.unentered_at, drift.is_spoiling) == (0, None, False)


def test_people_still_counted_inside_at_the_reset_spoil_the_number() -> None:
    flows = [(1, 0)] * 100 + [(0, 1)] * 40 + [(0, 0)] * 10 + [(1, 0)]
    before, after = drifts(counted(flows, resets=(0, 150)))
    assert (before.unleft, before.peak, before.is_spoiling) == (60, 100, True)
    assert before.until == after.since == OPENING + 150 * MINUTE
    assert (after.unleft, after.is_spoiling) == (0, False)


def test_each_span_between_two_resets_is_judged_by_itself() -> None:
    flows = a_day(60) + a_day(0)
    points = counted(flows, resets=(0, 300))
    # The first day ended at 0, so that its reset shows only as a night without anybody.
    night = [
        (start + timedelta(hours=5) if start >= OPENING + 300 * MINUTE else start, metrics)
        for start, metrics in points
    ]
    first, second = drifts(night)
    assert (first.is_spoiling, second.is_spoiling) == (True, False)
    assert present_drift(night) == second


def test_a_service_that_does_not_hold_at_zero_shows_the_same_drift() -> None:
    drift = only(drifts(unclamped(a_day(60))))
    assert (drift.unentered, drift.is_spoiling, drift.unexplained) == (60, True, 0)
    assert drift.unentered_at == OPENING + 299 * MINUTE


def test_a_reset_from_below_zero_is_no_drift_of_the_next_day() -> None:
    points = [*unclamped(a_day(60)), *(point(300 + one, one + 1, 1, 0) for one in range(50))]
    first, second = drifts(points)
    assert (first.unentered, second.unentered, first.unleft) == (60, 0, 0)


def test_a_service_that_holds_at_zero_person_by_person_is_understood() -> None:
    """In one minute 30 leave of whom 10 had been counted, then 3 come: 3 are inside."""
    points = [point(0, 10, 10, 0), point(1, 3, 3, 30), point(2, 0, 0, 3)]
    drift = only(drifts(points))
    assert (drift.unentered, drift.unexplained, drift.is_spoiling) == (20, 0, True)


def test_a_site_that_counts_entrances_only_says_nothing() -> None:
    points = [
        (start, {"visitorsInside": metrics["visitorsInside"], "entrances": metrics["entrances"]})
        for start, metrics in counted(a_day(60))
    ]
    assert drifts(points) == []
    assert present_drift(points) is None
    assert present_drift([]) is None


def test_points_of_hours_say_nothing() -> None:
    points = [point(60 * hour, 5, 100, 160) for hour in range(24)]
    assert not any(drift.is_spoiling for drift in drifts(points))
    assert sum(drift.people for drift in drifts(points)) == 0


def test_people_who_left_in_minutes_that_are_missing_are_not_called_drift() -> None:
    points = [point(minute, 0, 0, 0) for minute in range(5)] + [point(60, 0, 0, 50), point(61, 0, 0, 0)]
    assert all(drift.people == 0 for drift in drifts(points))


def test_minutes_of_which_most_are_missing_say_nothing() -> None:
    points = [at for place, at in enumerate(counted(a_day(120))) if place % 2 or place > 290]
    assert not any(drift.is_spoiling for drift in drifts(points))


def shifted(points: list[Point], share: float) -> list[Point]:
    """visitorsInside as of the minute before (1), or the mean of both (0.5)."""
    inside = [metrics["visitorsInside"] for _, metrics in points]
    return [
        (start, metrics | {"visitorsInside": share * before + (1 - share) * metrics["visitorsInside"]})
        for (start, metrics), before in zip(points, [0, *inside], strict=False)
    ]


@pytest.mark.parametrize("share", [0.5, 1])
@given(flows=st.lists(st.tuples(st.integers(1, 30), st.integers(1, 30)), min_size=200, max_size=300))
@settings(max_examples=30)
def test_levels_that_flows_do_not_add_up_to_say_nothing(share: float, flows: list[Flow]) -> None:
    """Where nobody is inside for long, they do add up by chance; then as many did leave uncounted."""
    points = counted([(60, 0), *flows])
    for drift in drifts(shifted(points, share)):
        if drift.is_spoiling:
            assert (drift.unexplained, drift.unexplained_before, drift.unleft) == (0, 0, 0)
            own = [
                metrics
                for start, metrics in points
                if drift.since <= start < (drift.until or points[-1][0] + timedelta(minutes=1))
            ]
            assert drift.unentered <= sum(metrics["exits"] - metrics["entrances"] for metrics in own)


def test_what_seems_a_reset_of_levels_that_nothing_adds_up_to_begins_no_drift() -> None:
    flows = [(60, 0), *[(1, 1)] * 200, (1, 2), (1, 30), (30, 10)]
    assert not any(drift.is_spoiling for drift in drifts(shifted(counted(flows), 1)))


@pytest.mark.parametrize("share", [0.5, 1])
def test_a_crowd_that_comes_and_goes_at_once_is_no_drift_whatever_the_level_means(share: float) -> None:
    flows = [(0, 0), (50, 0), *[(0, 0)] * 60, (0, 50), *[(0, 0)] * 60]
    assert not any(drift.is_spoiling for drift in drifts(shifted(counted(flows), share)))


def test_a_level_with_parts_of_a_person_says_nothing() -> None:
    flows = [(0, 40), *[(0, 0)] * 60, (1, 0), *[(0, 0)] * 60]
    assert drifts(counted(flows))
    assert not drifts(shifted(counted(flows), 0.5))


def test_a_sum_of_zones_each_held_at_zero_says_nothing() -> None:
    """One zone is held at 0 while the other has people: the sum does not show it as such."""
    fine, drifting = counted([(1, 0)] * 50 + [(0, 0)] * 50), counted([(0, 1)] * 100)
    points = [
        (start, {key: metrics[key] + other[key] for key in metrics})
        for (start, metrics), (_, other) in zip(fine, drifting, strict=True)
    ]
    drift = only(drifts(points))
    assert drift.unexplained > 0
    assert not drift.is_spoiling


def test_a_correction_upwards_is_no_drift() -> None:
    points = [point(0, 5, 5, 0), point(1, 80, 0, 0), point(2, 79, 0, 1)]
    drift = only(drifts(points))
    assert (drift.people, drift.unexplained) == (0, 75)


HOUR = 60
DAY = 24 * HOUR
ALWAYS_SOMEBODY = [(1, 0), (0, 1)] * (DAY // 2)
"""Somebody comes and goes every other minute; nobody is inside at the end of the day."""


def test_a_reset_with_nobody_inside_is_found_by_its_time_on_another_day() -> None:
    stays, leaves = [*ALWAYS_SOMEBODY[:-1], (0, 0)], [(0, 0), (0, 12), *ALWAYS_SOMEBODY[2:]]
    flows = [*stays, *leaves, *ALWAYS_SOMEBODY, *ALWAYS_SOMEBODY]
    points = counted(flows, resets=(0, DAY, 2 * DAY, 3 * DAY))
    found = drifts(points)
    assert [drift.since for drift in found] == [OPENING + day * timedelta(days=1) for day in range(4)]
    assert [drift.unentered for drift in found] == [0, 12, 0, 0]


def test_two_days_whose_reset_does_not_show_say_nothing() -> None:
    flows = [*[(0, 9)] * 3, *ALWAYS_SOMEBODY[3:], (0, 9), *ALWAYS_SOMEBODY]
    drift = only(drifts(counted(flows)))
    assert drift.unentered > 20
    assert not drift.is_spoiling


def without(points: list[Point], first: int, after: int) -> list[Point]:
    """Without the minutes [first, after)."""
    return [(at, metrics) for at, metrics in points if not first <= (at - OPENING) / MINUTE < after]


def days_that_keep(left: list[int]) -> list[Point]:
    """12 hours a day with 100 in and all but `left` of them out; begun again two hours before opening."""
    flows: list[Flow] = []
    for people in left:
        flows += [*[(1, 0)] * 100, *[(0, 0)] * (12 * HOUR - 200), *[(0, 1)] * (100 - people)]
        flows += [(0, 0)] * (DAY - 12 * HOUR + people)
    resets = tuple(day * DAY - 2 * HOUR for day in range(1, len(left) + 1))
    return counted(flows, resets=(0, *resets))


def test_people_left_over_at_night_are_told_also_where_no_minutes_are_stored_at_night() -> None:
    points = days_that_keep([0, 60, 0, 0])
    for day in range(4):
        points = without(points, day * DAY + 12 * HOUR, (day + 1) * DAY)
    _, second, third, _ = drifts(points)
    assert (second.unleft, second.is_reset_seen, second.is_spoiling) == (60, False, True)
    assert second.busy_until == OPENING + (DAY + 12 * HOUR) * MINUTE
    assert (third.unleft, third.is_spoiling) == (0, False)


def test_people_inside_when_counters_fail_for_the_rest_of_the_day_are_no_drift() -> None:
    points = days_that_keep([0, 0, 0, 0])
    for day in range(4):
        points = without(points, day * DAY + (6 if day == 1 else 12) * HOUR, (day + 1) * DAY)
    assert [drift.people for drift in drifts(points)] == [0, 0, 0, 0]


def test_people_who_stay_while_no_minutes_are_stored_are_in_the_same_count() -> None:
    drift = only(drifts(without(days_that_keep([0]), 3 * HOUR, 8 * HOUR)))
    assert (drift.peak, drift.people, drift.unexplained) == (100, 0, 0)


def test_a_first_point_begins_a_count_where_hours_before_it_were_read_too() -> None:
    points = counted([(0, 1)] * 20)
    soon, late = (only(drifts(points, OPENING - hours * timedelta(hours=1))) for hours in (2, 3))
    assert (soon.is_begin_seen, soon.is_spoiling) == (False, False)
    assert (late.is_begin_seen, late.is_spoiling) == (True, True)


def test_the_points_of_a_day_hold_all_of_a_count_whose_reset_does_not_show() -> None:
    flows = [(0, 1)] * DAY
    (day,), *part = (drifts(counted(flows[:minutes]), OPENING) for minutes in (DAY, DAY // 2))
    assert (day.is_begin_seen, day.is_known, day.is_spoiling) == (False, True, True)
    assert not only(part[0]).is_known


def test_a_count_of_which_only_the_end_was_read_says_nothing() -> None:
    """13 leave uncounted in the evening: little beside the 100 by day, much beside the 22 of the evening."""
    points = counted([(100, 0), *[(0, 0)] * 60, (0, 78), *[(0, 0)] * 60, (0, 35), *[(0, 0)] * 60])
    whole, end = only(drifts(points)), only(drifts(points[90:]))
    assert (whole.unentered, whole.is_known, whole.is_spoiling) == (13, True, False)
    assert (end.unentered, end.peak, end.is_known, end.is_spoiling) == (13, 22, False, False)
