"""A league of the recorded stop and its platforms, held against sums that are made from the file alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime, time, timedelta

import pytest

from analysis.history_request import HistoryRequest
from analysis.hours_text import spans_of_text
from analysis.league_entry import Entry, Measure, league_entry
from analysis.league_period import Days, league_ranges
from analysis.opening_hours import OpeningHours
from analysis.subject import Subject, whole_site
from contract import MetricKey, MetricPoint, MetricsQuery
from service.demo_data import HARDBRUECKE
from service.replay.stop_replay import read_stop
from tests.facts.recordings import ZURICH, Recordings

WEEK = Days(date(2024, 2, 5), date(2024, 2, 11))
NOW = datetime(2024, 2, 14, 9, tzinfo=ZURICH)
BIN = timedelta(minutes=5)


def in_file(days: Days, until: time = time.max) -> tuple[int, int]:
    """Who came by all lines, and bins of five minutes in which any line is counted, until that time a day."""
    recording = read_stop(HARDBRUECKE)
    came, bins = 0, 0
    for index, counts in enumerate(zip(*recording.lines.values(), strict=True)):
        start = recording.start + index * BIN
        if days.first <= start.date() <= days.last and start.time() < until:
            known = [one.entered for one in counts if one]
            came, bins = came + sum(known), bins + bool(known)
    return came, bins


def entry(
    recordings: Recordings,
    subject: Subject,
    measure: Measure,
    days: Days = WEEK,
    *,
    now: datetime = NOW,
    opening: OpeningHours | None = None,
) -> Entry:
    def ask(queries: Mapping[Subject, MetricsQuery]) -> Mapping[Subject, Sequence[MetricPoint]]:
        return {key: recordings.client.metrics(query).points for key, query in queries.items()}

    ranges = league_ranges(days, now, ZURICH)
    request = HistoryRequest(
        recordings.stop.id, (subject,), (MetricKey.ENTRANCES,), ranges.present, ZURICH, now
    )
    return league_entry(request, ranges, measure, ask, opening)


def before(days: Days) -> Days:
    return Days(days.first - timedelta(weeks=1), days.last - timedelta(weeks=1))


def test_entrances_are_the_sum_of_the_file_beside_that_of_the_same_weekdays(recordings: Recordings) -> None:
    found = entry(recordings, whole_site(recordings.stop), Measure.ENTRANCES)
    (came, bins), (came_before, bins_before) = in_file(WEEK), in_file(before(WEEK))
    assert (found.value, found.earlier) == (came, came_before)
    assert found.minutes.present == pytest.approx(5 * bins, abs=5 * 12)
    assert found.minutes_earlier.present == pytest.approx(5 * bins_before, abs=5 * 12)
    assert found.minutes.present <= found.minutes.expected


def test_of_a_day_that_runs_the_elapsed_part_is_held_against_the_elapsed_part(recordings: Recordings) -> None:
    day = Days(date(2024, 2, 7), date(2024, 2, 7))
    now = datetime(2024, 2, 7, 12, 18, tzinfo=ZURICH)
    found = entry(recordings, whole_site(recordings.stop), Measure.ENTRANCES, day, now=now)
    assert (found.value, found.earlier) == (
        in_file(day, time(12, 15))[0],
        in_file(before(day), time(12, 15))[0],
    )


def test_platforms_of_one_stop_are_told_one_by_one_and_sum_to_it(recordings: Recordings) -> None:
    parts = [entry(recordings, one, Measure.ENTRANCES) for one in recordings.platforms("West", "Ost")]
    whole = entry(recordings, whole_site(recordings.stop), Measure.ENTRANCES)
    assert sum(one.value or 0 for one in parts) == whole.value


@pytest.mark.parametrize("measure", [Measure.INSIDE, Measure.PEAK])
def test_the_number_inside_of_the_stop_is_not_trusted(recordings: Recordings, measure: Measure) -> None:
    found = entry(recordings, whole_site(recordings.stop), measure)
    assert found.trust.days >= 5
    assert found.trust_earlier.days >= 5


def test_what_is_expected_are_the_open_hours_where_somebody_has_said_them(recordings: Recordings) -> None:
    """From two to four at night no train runs, and nothing is counted."""
    night = OpeningHours(week=(spans_of_text("2-4, 10-12"),) * 7)
    found = entry(recordings, whole_site(recordings.stop), Measure.ENTRANCES, opening=night)
    assert found.minutes.expected == 7 * 4 * 60
    assert found.open_hours == found.open_hours_earlier == 7 * 4
