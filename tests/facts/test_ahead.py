"""Forecasts of the Hardbrücke recording, held against naive ones that are made from its file alone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import date, datetime, time, timedelta
from statistics import fmean, median

import pytest

from analysis.ahead_answer import Ahead, ahead, ahead_request
from analysis.forecast import BACK_WEEKS, WEEKS
from analysis.subject import Subject, whole_site
from contract import MetricKey, MetricPoint, MetricsQuery
from service.demo_data import HARDBRUECKE
from service.replay.stop_replay import read_stop
from tests.facts.recordings import ZURICH, Recordings
from tests.soaking import mostly_in_the_soak

TODAY = date(2024, 3, 19)
"""Nine weeks after the recording begins; it ends on this day after two."""
BINS_AN_HOUR = 12
Hours = Mapping[datetime, int]


@pytest.fixture(scope="module")
def came() -> Hours:
    """Local start of each hour that is counted whole -> how many came over all lines."""
    recording = read_stop(HARDBRUECKE)
    bins: dict[datetime, list[int]] = defaultdict(list)
    for index, counts in enumerate(zip(*recording.lines.values(), strict=True)):
        start = recording.start + timedelta(minutes=5 * index)
        if all(counts):
            bins[start.replace(minute=0)].append(sum(count.entered for count in counts if count))
    return {hour: sum(own) for hour, own in bins.items() if len(own) == BINS_AN_HOUR}


def told_at(recordings: Recordings, hour: int) -> Ahead:
    def ask(queries: Mapping[Subject, MetricsQuery]) -> Mapping[Subject, Sequence[MetricPoint]]:
        return {key: recordings.client.metrics(query).points for key, query in queries.items()}

    now = datetime.combine(TODAY, time(hour, 2), ZURICH)
    stop = whole_site(recordings.stop)
    request = ahead_request("hardbruecke", stop, MetricKey.ENTRANCES, timezone=ZURICH, now=now)
    found = ahead(request, ask(request.queries()), run=ask)
    assert found is not None
    return found


def naive_errors(came: Hours, first: int) -> tuple[float, float]:
    """From that hour on: of the same hour a week before, and of the median of the weekday."""
    last_week, middle = [], []
    for hour, people in came.items():
        if not (TODAY - timedelta(weeks=BACK_WEEKS) <= hour.date() < TODAY and hour.hour >= first):
            continue
        before = [hour - timedelta(weeks=week) for week in range(1, WEEKS + 1)]
        known = [came[one] for one in before if one in came]
        if before[0] in came:
            last_week.append(abs(people - came[before[0]]))
        middle.append(abs(people - median(known)))
    return fmean(last_week), fmean(middle)


@pytest.mark.parametrize("hour", mostly_in_the_soak([8, 11, 14], 14))
def test_four_fifths_of_the_recording_lay_inside_the_band(recordings: Recordings, hour: int) -> None:
    error = told_at(recordings, hour).error
    assert error is not None
    assert error.days == 7 * BACK_WEEKS
    assert 0.75 <= error.within / error.hours <= 0.85


@pytest.mark.parametrize("hour", mostly_in_the_soak([8, 11, 14], 14))
def test_the_forecast_is_less_wrong_than_both_naive_ones(
    recordings: Recordings, came: Hours, hour: int
) -> None:
    error = told_at(recordings, hour).error
    assert error is not None
    last_week, middle = naive_errors(came, hour)
    assert error.mean < middle < last_week


def test_today_so_far_is_what_the_file_has(recordings: Recordings, came: Hours) -> None:
    so_far = told_at(recordings, 14).so_far
    assert [one.value for one in so_far] == [
        came[datetime.combine(TODAY, time(hour))] for hour in range(14)
    ]  # fmt: skip


def test_days_with_an_outage_are_used_without_its_hours(recordings: Recordings, came: Hours) -> None:
    """On 13 March nothing was counted from 16:45 on: a median of it would be too low."""
    found = told_at(recordings, 14)
    assert [one.start.astimezone(ZURICH).hour for one in found.to_come] == list(range(14, 24))
    assert found.forecast.days == WEEKS
    assert all(one.expected and one.expected.low > 0 for one in found.to_come)
