from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from analysis.bucket_table import Peak, starts_of
from analysis.compared_totals import ComparedTotals, Period
from analysis.drift import Drift
from analysis.history_data import HistoryData, history_data
from analysis.history_request import HistoryRequest
from analysis.peak_search import FoundPeak
from analysis.subject import Subject, SubjectKind
from analysis.time_range import TimeRange
from components.number_format import Formats
from components.sentences.headline import headline
from contract import Aggregation, Granularity, MetricKey, MetricPoint

ZURICH = ZoneInfo("Europe/Zurich")
HALL = Subject(SubjectKind.ZONE, "hall", "Hall", 250)
INSIDE, CAME, LEFT = MetricKey.VISITORS_INSIDE, MetricKey.ENTRANCES, MetricKey.EXITS
START = datetime(2026, 6, 1, 6, tzinfo=UTC)
MORNING = TimeRange(START, START + timedelta(hours=4))
READ = Formats(now=MORNING.end)
PEAK = FoundPeak(Peak(START + timedelta(minutes=100), 212), Granularity.MINUTE)
DRIFT = Drift(
    since=START - timedelta(hours=4), unentered=118, unentered_at=START, peak=212, minutes=9, judged=9
)


def told(entrances: int, hours: int = 4, metrics: tuple[MetricKey, ...] = (INSIDE, CAME)) -> HistoryData:
    """Of a morning of which so many hours are counted, people came in each of them."""
    asked = HistoryRequest("shop", (HALL,), metrics, MORNING, ZURICH, MORNING.end)
    points = [
        MetricPoint(timestamp=START + n * timedelta(hours=1), metrics=dict.fromkeys(metrics, entrances))
        for n in range(hours)
    ]
    return history_data(asked, {HALL: points}, Granularity.HOUR)


def beside(entrances: int, before: int, hours_before: int = 4, *, is_over: bool = True) -> HistoryData:
    """Held against another morning, of which so many hours are counted."""
    present, earlier = told(entrances), told(before, hours_before)
    own, other = (Period(MORNING, one.table) for one in (present, earlier))
    totals = ComparedTotals(Granularity.HOUR, ZURICH, own, other, starts_of(own.table), is_over)
    return replace(present, earlier=earlier.table, earlier_range=MORNING, totals=totals)


def said(data: HistoryData, found: FoundPeak | None = PEAK, other: FoundPeak | None = None) -> str:
    return headline(HALL, data, found, READ, other).replace("\N{NO-BREAK SPACE}", " ")


def peak_of(people: int, drift: Drift | None = None) -> FoundPeak:
    return PEAK._replace(peak=Peak(START, people), drift=drift)


def test_one_sentence_says_when_it_was_fullest_and_how_many_came() -> None:
    assert said(told(500)) == "Fullest at 09:40 with 212 inside (84 %); 2,000 came in."


def test_it_holds_both_against_the_other_period() -> None:
    assert said(beside(500, 400), other=peak_of(200)) == (
        "Fullest at 09:40 with 212 inside (84 %), 6 % more; "
        "2,000 came in, 25 % more than in the other period."
    )
    assert said(beside(500, 500), other=peak_of(212)).endswith(
        "2,000 came in, as many as in the other period."
    )
    assert said(beside(500, 100), other=peak_of(0)).endswith(
        "came in, 5 times as many as in the other period."
    )


def test_the_other_period_is_called_as_it_was_chosen() -> None:
    more = headline(HALL, beside(500, 400), PEAK, READ, peak_of(200), beside="the week before")
    assert more.endswith("25\N{NO-BREAK SPACE}% more than the week before.")
    assert headline(HALL, beside(500, 500), PEAK, READ, beside="the week before").endswith(
        "as many as the week before."
    )


def test_periods_that_are_counted_unlike_are_not_compared() -> None:
    assert said(beside(500, 400, hours_before=2), other=peak_of(200)) == (
        "Fullest at 09:40 with 212 inside (84 %); "
        "2,000 came in, counted too unlike the other period to compare."
    )


def test_nothing_is_held_against_a_period_that_is_not_over_or_has_no_counts() -> None:
    for data in (beside(500, 400, is_over=False), beside(500, 400, hours_before=0)):
        assert said(data, other=peak_of(200)) == "Fullest at 09:40 with 212 inside (84 %); 2,000 came in."


def test_a_peak_of_another_period_that_drift_spoils_is_not_held_against() -> None:
    assert said(beside(500, 400), other=peak_of(200, DRIFT)) == (
        "Fullest at 09:40 with 212 inside (84 %); 2,000 came in, 25 % more than in the other period."
    )


def test_a_number_inside_that_drift_spoils_is_not_asserted() -> None:
    assert said(told(500), PEAK._replace(drift=DRIFT)) == (
        "The number inside cannot be trusted; 2,000 came in."
    )
    assert said(told(500), PEAK._replace(other=DRIFT)) == (
        "Fullest at 09:40 with 212 inside (84 %), though the number inside cannot be trusted from 04:00; "
        "2,000 came in."
    )


def test_of_flows_alone_it_tells_who_came_or_of_exits_alone_who_left() -> None:
    assert said(told(500, metrics=(CAME, LEFT)), None) == "2,000 came in."
    assert said(told(500, metrics=(LEFT,)), None) == "2,000 went out."
    assert said(told(0, metrics=(LEFT,)), None) == "Nobody went out."


def test_a_closed_time_and_one_whose_flows_are_no_totals_are_told_as_in_full() -> None:
    assert said(told(0, metrics=(CAME, LEFT)), None) == "Nobody was counted in this time."
    highest = replace(told(7, metrics=(CAME,)), aggregation=Aggregation.MAXIMUM)
    assert said(highest, None) == (
        "At most 7 came in within a minute, for the first time in the hour from 08:00."
    )


@pytest.mark.parametrize(("hours", "is_told"), [(0, "No counts are stored of this time."), (4, "")])
def test_a_zone_without_counts_is_said_to_have_none(hours: int, is_told: str) -> None:
    assert said(told(500, hours, metrics=(MetricKey.TIME_SPENT,)), None) == is_told
