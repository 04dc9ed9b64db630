"""Hours taken out of the Hardbrücke recording, and estimated: held against the file alone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from statistics import median
from typing import Any

import pytest

from analysis.estimates import Estimates, gap_estimates
from analysis.history_request import HistoryRequest
from analysis.past_hours import WEEKS
from analysis.subject import whole_site
from analysis.time_range import TimeRange
from contract import MetricKey, MetricPoint, MetricsQuery
from contract.buckets import local_midnight
from service.demo_data import HARDBRUECKE
from service.replay.stop_replay import read_stop
from tests.facts.recordings import ZURICH, Recordings

DAY = date(2024, 3, 12)
"""A Tuesday, with eight Tuesdays before; the recording begins on the first of them, after noon."""
MISSING = (14, 15, 16, 17)
BINS_AN_HOUR = 12
COUNTED = (MetricKey.ENTRANCES, MetricKey.EXITS)
Hours = Mapping[tuple[date, int], int]


@pytest.fixture(scope="module")
def came() -> Hours:
    """Local day and hour, where some line is counted throughout -> how many came over all lines."""
    recording = read_stop(HARDBRUECKE)
    bins: dict[tuple[date, int], list[int]] = defaultdict(list)
    for index, counts in enumerate(zip(*recording.lines.values(), strict=True)):
        start = recording.start + timedelta(minutes=5 * index)
        if any(counts):
            bins[start.date(), start.hour].append(sum(count.entered for count in counts if count))
    return {hour: sum(own) for hour, own in bins.items() if len(own) == BINS_AN_HOUR}


def estimated(recordings: Recordings, day: date, missing: Sequence[int]) -> Estimates:
    """What is told of that day by a service that has not counted in the `missing` hours."""
    gone = {datetime.combine(day, time(hour), ZURICH).astimezone(UTC) for hour in missing}

    def run(queries: Mapping[Any, MetricsQuery]) -> dict[Any, list[MetricPoint]]:
        return {
            key: [one for one in recordings.client.metrics(query).points if one.timestamp not in gone]
            for key, query in queries.items()
        }

    range_ = TimeRange(*(local_midnight(one, ZURICH) for one in (day, day + timedelta(days=1))))
    later = range_.end + timedelta(days=1)
    request = HistoryRequest(
        "hardbruecke", (whole_site(recordings.stop),), COUNTED, range_, ZURICH, later
    )  # fmt: skip
    return gap_estimates(request, run)


def test_an_estimate_is_the_median_of_such_days_before(recordings: Recordings, came: Hours) -> None:
    found = estimated(recordings, DAY, MISSING)
    column = whole_site(recordings.stop).label, MetricKey.ENTRANCES
    before = [DAY - timedelta(weeks=week) for week in range(1, WEEKS + 1)]
    for start, one in found.hours[column].items():
        hour = start.astimezone(ZURICH).hour
        known = [came[day, hour] for day in before if (day, hour) in came]
        assert tuple(one.people) == (min(known), median(known), max(known), len(known))
        assert one.minutes == 60
    whole = found.days[column][DAY]
    sums = [
        sum(came[day, hour] for hour in MISSING)
        for day in before
        if all((day, hour) in came for hour in MISSING)
    ]
    assert tuple(whole.people) == (min(sums), median(sums), max(sums), len(sums))
    assert whole.minutes == 240
    truth = sum(came[DAY, hour] for hour in MISSING)
    assert abs(whole.people.median - truth) <= 0.1 * truth, "on a day like any other"


def test_estimates_of_a_week_are_a_tenth_off_and_mostly_between_the_ends(
    recordings: Recordings, came: Hours
) -> None:
    """Of seven days, each of which has its hours from 7 to 21 taken out in turn. That eight days hold the
    next one between them is no law: the stop grows busier over these weeks.
    """
    column = whole_site(recordings.stop).label, MetricKey.ENTRANCES
    inside = told = 0
    wrong = people = 0.0
    for ago in range(7):
        day = DAY - timedelta(days=ago)
        found = estimated(recordings, day, range(7, 22))
        for start, one in found.hours[column].items():
            truth = came[day, start.astimezone(ZURICH).hour]
            inside += one.people.low <= truth <= one.people.high
            told += 1
            wrong += abs(one.people.median - truth)
            people += truth
    assert told == 7 * 15
    assert inside / told > 0.5
    assert wrong / people < 0.12
