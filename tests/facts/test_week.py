"""The rhythm of the Hardbrücke recording, held against sums that are made from its file alone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import date, datetime, time, timedelta
from statistics import fmean, median

import pytest

from analysis.rhythm import Hour
from analysis.rhythm_answer import RhythmAnswer, rhythm_answer, rhythm_request
from analysis.subject import Subject, whole_site
from contract import MetricKey, MetricPoint, MetricsQuery
from service.demo_data import HARDBRUECKE
from service.replay.stop_replay import read_stop
from tests.facts.recordings import ZURICH, Recordings

FIRST, WEEKS = date(2024, 1, 22), 8
"""A Monday; the recording goes on for some days after, and the clocks change later."""
BINS_AN_HOUR = 12


def came_by_hour() -> Mapping[datetime, int]:
    """Local start of each hour of the weeks that is counted whole -> how many came over all lines."""
    recording = read_stop(HARDBRUECKE)
    came: dict[datetime, list[int]] = defaultdict(list)
    for index, bins in enumerate(zip(*recording.lines.values(), strict=True)):
        start = recording.start + timedelta(minutes=5 * index)
        if known := [count.entered for count in bins if count]:
            came[start.replace(minute=0)].append(sum(known))
    end = FIRST + timedelta(weeks=WEEKS)
    return {
        hour: sum(known)
        for hour, known in came.items()
        if len(known) == BINS_AN_HOUR and FIRST <= hour.date() < end
    }


@pytest.fixture(scope="module")
def answer(recordings: Recordings) -> RhythmAnswer:
    def ask(queries: Mapping[Subject, MetricsQuery]) -> Mapping[Subject, Sequence[MetricPoint]]:
        return {key: recordings.client.metrics(query).points for key, query in queries.items()}

    now = datetime.combine(FIRST + timedelta(weeks=WEEKS), time(9), ZURICH)
    subject, shown = whole_site(recordings.stop), MetricKey.ENTRANCES
    request = rhythm_request(recordings.stop.id, subject, shown, WEEKS, timezone=ZURICH, now=now)
    answered = rhythm_answer(request, ask(request.queries()), shown, run=ask)
    assert answered
    return answered


def test_each_hour_of_the_week_is_the_mean_of_the_file(answer: RhythmAnswer) -> None:
    expected: dict[Hour, list[int]] = defaultdict(list)
    for hour, came in came_by_hour().items():
        expected[Hour(hour.weekday(), hour.hour)].append(came)
    assert answer.week.cells.keys() == expected.keys()
    for place, cell in answer.week.cells.items():
        assert cell.value == pytest.approx(fmean(expected[place])), place
        assert cell.days == (len(expected[place]), WEEKS), place
        assert answer.week.bands[place].median == pytest.approx(median(expected[place])), place


def test_power_hours_are_the_fewest_that_hold_four_fifths(answer: RhythmAnswer) -> None:
    means = sorted((cell.value or 0 for cell in answer.week.cells.values()), reverse=True)
    needed = next(count for count in range(169) if sum(means[:count]) >= 0.8 * sum(means))
    assert answer.power is not None
    assert len(answer.power.hours) == needed
    assert sum(means[: needed - 1]) < 0.8 * sum(means)
