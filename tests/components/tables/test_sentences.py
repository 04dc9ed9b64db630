from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from components.number_format import Formats
from components.tables.history_data import HistoryData, answered_granularity, history_data
from components.tables.history_request import HistoryRequest
from components.tables.peak_search import FoundPeak
from components.tables.sentences import answers_of, changes_of, present_buckets
from components.tables.subject import Subject, SubjectKind
from components.tables.summary import Peak
from components.tables.time_range import TimeRange
from contract import Aggregation, Granularity, MetricKey, MetricPoint

ZURICH = ZoneInfo("Europe/Zurich")
HALL = Subject(SubjectKind.ZONE, "hall", "Hall", 250)
MORNING = TimeRange(datetime(2026, 6, 1, 6, tzinfo=UTC), datetime(2026, 6, 1, 10, tzinfo=UTC))


def request(range_: TimeRange = MORNING) -> HistoryRequest:
    metrics = (MetricKey.VISITORS_INSIDE, MetricKey.ENTRANCES, MetricKey.TIME_SPENT)
    return HistoryRequest("shop", (HALL,), metrics, range_, ZURICH, MORNING.end)


def morning() -> HistoryData:
    """08:00 to 12:00 local; the hour from 10:00 is missing."""
    entrances = {6: 1000, 7: 1234, 9: 20}
    points = [
        MetricPoint(
            timestamp=datetime(2026, 6, 1, hour, tzinfo=UTC),
            metrics={"entrances": count, "visitorsInside": count / 10, "timeSpent": 60 * hour},
        )
        for hour, count in entrances.items()
    ]
    return history_data(request(), {HALL: points}, Granularity.HOUR)


def found(start: datetime, granularity: Granularity = Granularity.MINUTE) -> FoundPeak:
    return FoundPeak(Peak(start, 212), granularity)


def test_the_peak_comes_first_with_its_minute_and_its_share() -> None:
    said = answers_of(HALL, morning(), found(datetime(2026, 6, 1, 7, 40, tzinfo=UTC)), Formats())
    assert said[0] == "Fullest at 09:40 with 212 inside (85\N{NO-BREAK SPACE}%)."


def test_without_a_capacity_there_is_no_share() -> None:
    data = morning()
    peak = found(datetime(2026, 6, 1, 7, 40, tzinfo=UTC))
    assert (
        answers_of(HALL._replace(capacity=None), data, peak, Formats())[0]
        == "Fullest at 09:40 with 212 inside."
    )


def test_a_peak_that_is_known_to_the_hour_says_so() -> None:
    said = answers_of(
        HALL, morning(), found(datetime(2026, 6, 1, 7, tzinfo=UTC), Granularity.HOUR), Formats()
    )
    assert said[0] == "Fullest in the hour from 09:00 with 212 inside (85\N{NO-BREAK SPACE}%)."


def test_over_several_days_the_peak_has_its_date() -> None:
    range_ = TimeRange(datetime(2026, 5, 31, 6, tzinfo=UTC), MORNING.end)
    data = history_data(request(range_), {HALL: []}, Granularity.HOUR)
    peak = found(datetime(2026, 6, 1, 7, 40, tzinfo=UTC))
    assert answers_of(HALL, data, peak, Formats())[0].startswith("Fullest on Mon 1 Jun at 09:40 with")


def test_a_time_that_occurred_twice_says_which_it_was() -> None:
    range_ = TimeRange(datetime(2025, 10, 25, 22, tzinfo=UTC), datetime(2025, 10, 26, 22, tzinfo=UTC))
    data = history_data(request(range_), {HALL: []}, Granularity.HOUR)
    first = answers_of(HALL, data, found(datetime(2025, 10, 26, 0, 30, tzinfo=UTC)), Formats())[0]
    second = answers_of(HALL, data, found(datetime(2025, 10, 26, 1, 30, tzinfo=UTC)), Formats())[0]
    assert first.startswith("Fullest at 02:30 CEST ")
    assert second.startswith("Fullest at 02:30 CET ")


def test_flows_are_summed_and_the_busiest_bucket_named() -> None:
    said = answers_of(HALL, morning(), None, Formats())
    assert said[0] == "2,254 came in, most in the hour from 09:00 (1,234)."


def test_flows_that_are_not_sums_have_no_total() -> None:
    averaged = replace(morning(), aggregation=Aggregation.AVERAGE)
    assert not any("came in" in sentence for sentence in answers_of(HALL, averaged, None, Formats()))


def test_the_time_inside_is_told_as_a_span() -> None:
    assert (
        answers_of(HALL, morning(), None, Formats())[1]
        == "Mean time inside per hour between 6 min and 9 min."
    )


def test_what_is_missing_is_counted() -> None:
    assert present_buckets(morning(), Formats()) == "3 of 4 hours present."


def test_a_change_says_over_how_many_buckets_it_holds() -> None:
    data = morning()
    earlier = data.table.copy()
    earlier["Hall", "entrances"] = [800.0, 1000.0, 50.0, float("nan")]
    said = changes_of(HALL, replace(data, earlier=earlier), Formats())
    assert said == [
        "Entrances: 2,234 against 1,800 before (24\N{NO-BREAK SPACE}% more), over 2 hours that both have."
    ]


def test_an_earlier_period_without_counts_is_said() -> None:
    data = morning()
    said = changes_of(HALL, replace(data, earlier=data.table * float("nan")), Formats())
    assert said == ["Entrances: the earlier period has no counts to compare with."]


def test_the_granularity_is_what_was_asked_then_what_was_answered() -> None:
    assert answered_granularity(replace(request(), granularity=Granularity.DAY), {}) is Granularity.DAY
    assert answered_granularity(request(), {"granularity": "hour"}) is Granularity.HOUR
    assert answered_granularity(request(), {"granularity": "fortnight"}) is Granularity.MINUTE
