from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from analysis.bucket_table import AverageInside, Completeness, Peak, starts_of
from analysis.compared_totals import ComparedTotals, Period
from analysis.drift import Drift
from analysis.granularity import answered_granularity
from analysis.history_data import HistoryData, history_data
from analysis.history_request import HistoryRequest
from analysis.peak_search import FoundPeak
from analysis.subject import Subject, SubjectKind
from analysis.time_range import TimeRange
from components.number_format import Formats
from components.sentences.answers import answers_of, is_taken_over_closed_hours
from components.sentences.coverage_words import present_buckets
from contract import Aggregation, Granularity, MetricKey, MetricPoint
from contract.buckets import bucket_starts

ZURICH = ZoneInfo("Europe/Zurich")
HALL = Subject(SubjectKind.ZONE, "hall", "Hall", 250)
MORNING = TimeRange(datetime(2026, 6, 1, 6, tzinfo=UTC), datetime(2026, 6, 1, 10, tzinfo=UTC))
READ = Formats(now=MORNING.end)
_HOUR = timedelta(hours=1)


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


def test_how_long_people_stayed_is_one_number_of_the_whole_range() -> None:
    data = replace(morning(), stays={HALL.label: 480.0})
    checked = found(MORNING.start)._replace(checked=data.range)
    assert "People stayed 8 min on average." in answers_of(HALL, data, checked, READ)
    days = replace(data, granularity=Granularity.DAY)
    assert "People stayed 8 min on average. Mean time inside per day between 6 min and 9 min." in answers_of(
        HALL, days, checked, READ
    )
    assert "People stayed" not in " ".join(answers_of(HALL, data, spoilt(), READ))


def test_the_peak_comes_first_with_its_minute_and_its_share() -> None:
    said = answers_of(HALL, morning(), found(datetime(2026, 6, 1, 7, 40, tzinfo=UTC)), READ)
    assert said[0] == "Fullest at 09:40 with 212 inside (84\N{NO-BREAK SPACE}%)."


def test_without_a_capacity_there_is_no_share() -> None:
    data = morning()
    peak = found(datetime(2026, 6, 1, 7, 40, tzinfo=UTC))
    assert (
        answers_of(HALL._replace(capacity=None), data, peak, READ)[0] == "Fullest at 09:40 with 212 inside."
    )


def test_a_peak_that_is_known_to_the_hour_says_so() -> None:
    said = answers_of(HALL, morning(), found(datetime(2026, 6, 1, 7, tzinfo=UTC), Granularity.HOUR), READ)
    assert said[0] == "Fullest in the hour from 09:00 with 212 inside (84\N{NO-BREAK SPACE}%)."


def test_over_several_days_the_peak_has_its_date() -> None:
    range_ = TimeRange(datetime(2026, 5, 31, 6, tzinfo=UTC), MORNING.end)
    data = history_data(request(range_), {HALL: []}, Granularity.HOUR)
    peak = found(datetime(2026, 6, 1, 7, 40, tzinfo=UTC))
    assert answers_of(HALL, data, peak, READ)[0].startswith("Fullest on Mon 1 Jun at 09:40 with")


def test_a_time_that_occurred_twice_says_which_it_was() -> None:
    range_ = TimeRange(datetime(2025, 10, 25, 22, tzinfo=UTC), datetime(2025, 10, 26, 22, tzinfo=UTC))
    data = history_data(request(range_), {HALL: []}, Granularity.HOUR)
    first = answers_of(HALL, data, found(datetime(2025, 10, 26, 0, 30, tzinfo=UTC)), READ)[0]
    second = answers_of(HALL, data, found(datetime(2025, 10, 26, 1, 30, tzinfo=UTC)), READ)[0]
    assert first.startswith("Fullest at 02:30\N{NO-BREAK SPACE}CEST ")
    assert second.startswith("Fullest at 02:30\N{NO-BREAK SPACE}CET ")


def test_flows_are_summed_and_the_busiest_bucket_named() -> None:
    said = answers_of(HALL, morning(), None, READ)
    assert said[1] == "2,254 came in, most in the hour from 09:00 (1,234)."


def test_flows_that_are_not_sums_have_no_total() -> None:
    averaged = replace(morning(), aggregation=Aggregation.AVERAGE)
    assert not any("came in" in sentence for sentence in answers_of(HALL, averaged, None, READ))


def test_the_time_inside_is_told_as_a_span_of_whole_days_and_of_nothing_shorter() -> None:
    told = " Mean time inside per day between 6 min and 7 min."
    days = replace(morning(), granularity=Granularity.DAY, cut=[False, False, False, True])
    known = replace(days, stays={HALL.label: 480.0})
    assert answers_of(HALL, known, None, READ)[-1].endswith(told)
    assert not any("time inside" in one for one in answers_of(HALL, days, None, READ)), "visits are cut"
    for shorter in (Granularity.MINUTE, Granularity.HOUR):
        said = answers_of(HALL, replace(morning(), granularity=shorter), None, READ)
        assert "time inside" not in " ".join(said)


def test_what_is_missing_is_counted() -> None:
    assert present_buckets(morning(), READ) == "3 of 4 hours have counts."


def test_the_granularity_is_what_was_asked_then_what_was_answered() -> None:
    assert answered_granularity(replace(request(), granularity=Granularity.DAY), {}, {}) is Granularity.DAY
    assert answered_granularity(request(), {"granularity": "hour"}, {}) is Granularity.HOUR
    assert answered_granularity(request(), {"granularity": "fortnight"}, {}) is Granularity.MINUTE


def test_the_average_leaves_out_hours_in_which_nobody_was_inside() -> None:
    data = morning()
    assert answers_of(HALL, data, None, READ)[0] == "On average 75 inside."
    table = data.table.copy()
    table["Hall", "visitorsInside"] = [0.0, 40.0, 80.0, 0.0]
    said = answers_of(HALL, replace(data, table=table), None, READ)
    assert said[0] == "On average 60 inside over the 2 of 4 hours in which somebody was."
    starts = starts_of(data.table)
    data.table["Hall", "visitorsInside"] = [0.0, 60.0, 3.0, 3.0]
    night = replace(data, open_hours={"Hall": frozenset(starts[:2])})
    assert answers_of(HALL, night, None, READ)[0] == (
        "On average 60 inside over the 1 of 4 hours in which somebody was, not counting those left over in 2"
        " hours when nobody came or went."
    )


def test_an_hour_in_which_counters_fail_is_none_in_which_nobody_came_or_went() -> None:
    """Of the third of four hours four minutes are counted, of the last, at night, all."""
    data = morning()
    starts = starts_of(data.table)
    data.table["Hall", "visitorsInside"] = [0.0, 60.0, 12.0, 3.0]
    known = {starts[1]: 60.0, starts[2]: 4.0, starts[3]: 60.0}
    outage = replace(data, open_hours={"Hall": frozenset(starts[:2])}, minutes={"Hall": known})
    assert answers_of(HALL, outage, None, READ)[0] == (
        "On average 60 inside over the 1 of 4 hours in which somebody was, not counting those left over in 1"
        " hour when nobody came or went nor those inside in 1 hour of which minutes are missing, when nobody"
        " was seen to come or go."
    )


def test_an_average_says_on_how_few_minutes_it_rests() -> None:
    data = morning()
    first, second, _, last = starts_of(data.table)
    counted = {first: 1.0, second: 60.0, last: 58.0}
    said = answers_of(HALL, replace(data, minutes={"Hall": counted}), None, READ)
    assert said[0] == "On average 64 inside, counted in 119 of 180 minutes."
    nearly = answers_of(HALL, replace(data, minutes={"Hall": counted | {first: 58.0}}), None, READ)
    assert "counted in" not in nearly[0]


def test_the_average_of_days_is_said_to_hold_the_night() -> None:
    days = replace(morning(), granularity=Granularity.DAY)
    assert is_taken_over_closed_hours(days)
    assert not any("On average" in sentence for sentence in answers_of(HALL, days, None, READ))
    assert not is_taken_over_closed_hours(replace(days, aggregation=Aggregation.MAXIMUM))
    assert not is_taken_over_closed_hours(morning())


def test_the_peak_is_held_against_that_of_the_other_period() -> None:
    totals = ComparedTotals(
        Granularity.HOUR,
        ZURICH,
        Period(MORNING, morning().table),
        Period(MORNING, morning().table),
        starts_of(morning().table),
        True,
    )
    data = replace(morning(), earlier=morning().table, earlier_range=MORNING, totals=totals)
    present = found(datetime(2026, 6, 1, 7, 40, tzinfo=UTC))
    other = FoundPeak(Peak(datetime(2026, 5, 30, 15, 20, tzinfo=UTC), 180), Granularity.MINUTE)
    assert answers_of(HALL, data, present, READ, other)[0] == (
        "Fullest at 09:40 with 212 inside (84\N{NO-BREAK SPACE}%), "
        "against 180 on Sat 30 May at 17:20 (18\N{NO-BREAK SPACE}% more)."
    )
    hourly = answers_of(HALL, data, present, READ, other._replace(granularity=Granularity.HOUR))[0]
    assert "against 180 on Sat 30 May in the hour from 17:20 (18" in hourly
    assert answers_of(HALL, data, present, READ)[0] == (
        "Fullest at 09:40 with 212 inside (84\N{NO-BREAK SPACE}%), "
        "against no counts of people inside in the other period."
    )


def beside(*, is_over: bool = True) -> HistoryData:
    """The morning, held against another that was like it."""
    period = Period(MORNING, morning().table)
    return replace(
        morning(),
        earlier=morning().table,
        earlier_range=MORNING,
        totals=ComparedTotals(Granularity.HOUR, ZURICH, period, period, starts_of(period.table), is_over),
        stays={HALL.label: 480.0},
        earlier_stays={HALL.label: 600.0},
        earlier_averages={HALL.label: AverageInside(60, Completeness(3, 4), Completeness(180, 180))},
    )


def test_the_average_and_the_time_inside_are_held_against_those_of_the_other_period() -> None:
    level, _, stay = answers_of(HALL, beside(), None, READ)
    assert level == "On average 75.1 inside, against 60 over 3 of 4 hours (25\N{NO-BREAK SPACE}% more)."
    assert stay == "People stayed 8 min on average, against 10 min in the other period."
    unknown = replace(beside(), earlier_stays={}, earlier_averages={})
    level, _, stay = answers_of(HALL, unknown, None, READ)
    assert level == "On average 75 inside."
    assert stay.startswith("People stayed 8 min on average, which is not known of the other period")


def test_averages_that_rest_on_few_minutes_or_on_less_time_have_no_percentage() -> None:
    few = {HALL.label: AverageInside(60, Completeness(3, 3), Completeness(5, 120))}
    level = answers_of(HALL, replace(beside(), earlier_averages=few), None, READ)[0]
    assert level == "On average 75.1 inside, against 60, counted in 5 of 120 minutes."
    level = answers_of(HALL, beside(is_over=False), None, READ)[0]
    assert level == "On average 75.1 inside, against 60 over 3 of 4 hours so far."


def test_averages_over_more_hours_of_one_period_have_no_percentage() -> None:
    """An hour in which hardly anybody was lowers the one, and not the other."""
    shorter = {HALL.label: AverageInside(90, Completeness(2, 3), Completeness(120, 120))}
    level = answers_of(HALL, replace(beside(), earlier_averages=shorter), None, READ)[0]
    assert level == "On average 75.1 inside, against 90 over 2 of 3 hours."


@pytest.mark.parametrize(
    ("people", "earlier", "told"),
    [
        (75.1333, 74.6, "75.1 inside, against 74.6 (under 1 % more)"),
        (19.8, 20.4, "19.8 inside, against 20.4 (3 % fewer)"),
        (1.44, 1.46, "1.44 inside, against 1.46 (1 % fewer)"),
        (1234.8, 1245.4, "1,235 inside, against 1,245 (under 1 % fewer)"),
    ],
)
def test_two_averages_are_as_exact_as_the_percentage_beside_them(
    people: float, earlier: float, told: str
) -> None:
    data = beside()
    data.table[HALL.label, "visitorsInside"] = people
    before = AverageInside(earlier, Completeness(4, 4), Completeness(240, 240))
    level = answers_of(HALL, replace(data, earlier_averages={HALL.label: before}), None, READ)[0]
    assert level == f"On average {told}.".replace(" %", "\N{NO-BREAK SPACE}%")


def test_an_average_of_hardly_anybody_is_not_nobody() -> None:
    hardly = {HALL.label: AverageInside(0.03, Completeness(3, 3), Completeness(120, 120))}
    level = answers_of(HALL, replace(beside(), earlier_averages=hardly), None, READ)[0]
    assert level.startswith("On average 75.13 inside, against under 0.1 (")


def test_means_of_another_period_that_drift_spoils_are_not_told() -> None:
    said = " ".join(answers_of(HALL, beside(), found(MORNING.start), READ, spoilt()))
    assert "On average 75 inside. " in said
    assert "People stayed 8 min on average, which cannot be told of the other period" in said


DRIFT = Drift(
    since=datetime(2026, 6, 1, 2, tzinfo=UTC),
    unentered=118,
    unentered_at=datetime(2026, 6, 1, 9, 20, tzinfo=UTC),
    peak=37,
    minutes=600,
    judged=600,
)


def spoilt(drift: Drift = DRIFT) -> FoundPeak:
    return FoundPeak(Peak(datetime(2026, 6, 1, 7, 40, tzinfo=UTC), 37), Granularity.MINUTE, drift)


def test_a_peak_that_drift_spoils_is_not_asserted() -> None:
    reason, left_out, flows = answers_of(HALL, replace(morning(), stays={HALL.label: 480.0}), spoilt(), READ)
    assert reason == (
        "The highest number inside, 37 at 09:40, cannot be trusted: "
        "by 11:20, 118 more people had left than come since 04:00."
    )
    assert left_out == "The average inside and the time inside are left out."
    assert flows == "2,254 came in, most in the hour from 09:00 (1,234)."


def test_a_drift_over_missing_minutes_is_told_as_the_least() -> None:
    (said, *_) = answers_of(HALL, morning(), spoilt(replace(DRIFT, judged=590)), READ)
    assert said.endswith(": by 11:20, at least 118 more people had left than come since 04:00.")


def test_people_left_over_at_the_reset_are_told() -> None:
    reset = datetime(2026, 6, 2, 2, tzinfo=UTC)
    drift = replace(DRIFT, unentered=0, unentered_at=None, unleft=34, until=reset)
    (said, *_) = answers_of(HALL, morning(), spoilt(drift), READ)
    assert said.endswith(
        ": 34 people were still counted inside when the count began again at Tue 2 Jun, 04:00."
    )


def test_people_left_over_where_the_night_is_not_counted_are_told_by_the_last_count() -> None:
    reset, closing = datetime(2026, 6, 2, 6, tzinfo=UTC), datetime(2026, 6, 1, 18, tzinfo=UTC)
    drift = replace(DRIFT, unentered=0, unleft=34, until=reset, is_reset_seen=False, busy_until=closing)
    (said, *_) = answers_of(HALL, morning(), spoilt(drift), READ)
    assert said.endswith(
        ": 34 people were still counted inside at the last count before it began again, at 20:00."
    )


def test_another_count_that_drift_spoils_is_told_beside_the_peak_and_withholds_the_means() -> None:
    peak = FoundPeak(Peak(datetime(2026, 6, 1, 7, 40, tzinfo=UTC), 212), Granularity.MINUTE, other=DRIFT)
    fullest, beside, left_out, _ = answers_of(HALL, replace(morning(), stays={HALL.label: 480.0}), peak, READ)
    assert fullest.startswith("Fullest at 09:40 with 212 inside")
    assert beside == (
        "The number inside cannot be trusted from 04:00: "
        "by 11:20, 118 more people had left than come since 04:00."
    )
    assert left_out == "The average inside and the time inside are left out."


def test_a_count_that_reaches_into_the_range_is_told_with_its_end() -> None:
    before, reset = datetime(2026, 5, 31, 2, tzinfo=UTC), datetime(2026, 6, 1, 7, tzinfo=UTC)
    drift = replace(
        DRIFT, since=before, until=reset, busy_until=reset, unentered=0, unentered_at=None, unleft=60
    )
    peak = FoundPeak(Peak(datetime(2026, 6, 1, 7, 40, tzinfo=UTC), 212), Granularity.MINUTE, other=drift)
    _, beside, *_ = answers_of(HALL, morning(), peak, READ)
    assert beside == (
        "The number inside cannot be trusted until 09:00: "
        "60 people were still counted inside when the count began again at 09:00."
    )


def test_a_drift_that_is_small_beside_the_peak_leaves_it_alone() -> None:
    (said, *_) = answers_of(HALL, morning(), spoilt(replace(DRIFT, peak=1000)), READ)
    assert said.startswith("Fullest at 09:40 with 37 inside")


def test_over_several_days_the_spoilt_peak_has_its_date() -> None:
    range_ = TimeRange(datetime(2026, 5, 28, 6, tzinfo=UTC), MORNING.end)
    data = history_data(request(range_), {HALL: []}, Granularity.HOUR)
    assert answers_of(HALL, data, spoilt(), READ)[0] == (
        "The highest number inside, 37 on Mon 1 Jun at 09:40, cannot be trusted: "
        "by 11:20, 118 more people had left than come since 04:00."
    )


def test_one_bar_of_a_month_is_no_day() -> None:
    range_ = TimeRange(datetime(2026, 5, 31, 22, tzinfo=UTC), datetime(2026, 6, 30, 22, tzinfo=UTC))
    data = history_data(request(range_), {HALL: []}, Granularity.MONTH)
    (said, *_) = answers_of(HALL, data, spoilt(), READ)
    assert said == (
        "The highest number inside, 37 on Mon 1 Jun at 09:40, cannot be trusted: "
        "by 11:20, 118 more people had left than come since 04:00."
    )


def closed(range_: TimeRange, granularity: Granularity = Granularity.HOUR) -> HistoryData:
    """Every counter lived and counted nobody."""
    metrics = (MetricKey.VISITORS_INSIDE, MetricKey.ENTRANCES, MetricKey.EXITS)
    points = [
        MetricPoint(timestamp=start, metrics=dict.fromkeys(metrics, 0))
        for start in bucket_starts(*range_, granularity, ZURICH)
    ]
    asked = HistoryRequest("shop", (HALL,), metrics, range_, ZURICH, range_.end)
    return history_data(asked, {HALL: points}, granularity)


def empty_peak(at: datetime) -> FoundPeak:
    return FoundPeak(Peak(at, 0), Granularity.MINUTE)


@pytest.mark.parametrize("granularity", [Granularity.MINUTE, Granularity.HOUR, Granularity.DAY])
def test_on_a_closed_day_nobody_was_counted(granularity: Granularity) -> None:
    sunday = TimeRange(datetime(2026, 5, 30, 22, tzinfo=UTC), datetime(2026, 5, 31, 22, tzinfo=UTC))
    said = answers_of(HALL, closed(sunday, granularity), empty_peak(sunday.start), READ)
    assert said == ["Nobody was counted on Sun 31 May."]


@pytest.mark.parametrize("aggregation", [Aggregation.MINIMUM, Aggregation.AVERAGE])
def test_minutes_in_which_nobody_came_are_not_a_time_without_people(aggregation: Aggregation) -> None:
    data = replace(closed(MORNING), aggregation=aggregation)
    assert not any("Nobody was counted in" in one for one in answers_of(HALL, data, None, READ))
    highest = replace(data, aggregation=Aggregation.MAXIMUM)
    assert answers_of(HALL, highest, None, READ) == ["Nobody was counted in this time."]


def test_in_a_part_of_a_day_nobody_was_counted() -> None:
    said = answers_of(HALL, closed(MORNING), empty_peak(MORNING.start), READ)
    assert said == ["Nobody was counted in this time."]


def test_a_place_that_everybody_leaves_within_the_minute_was_not_without_people() -> None:
    data = closed(MORNING)
    data.table[("Hall", "entrances")] = data.table[("Hall", "exits")] = [5.0, 0.0, 0.0, 0.0]
    said = answers_of(HALL, data, empty_peak(MORNING.start), READ)
    assert said[0] == "Nobody was counted inside at the end of any minute."
    assert said[1] == "5 came in, all in the hour from 08:00."


def test_no_bucket_is_called_the_busiest_where_several_are() -> None:
    data = closed(MORNING)
    data.table[("Hall", "entrances")] = [60.0, 60.0, 1.0, 60.0]
    said = answers_of(HALL, data, empty_peak(MORNING.start), READ)
    assert said[1:] == [
        "181 came in, at most 60 in an hour, for the first time in the hour from 08:00.",
        "Nobody went out.",
    ]


def test_a_time_inside_that_never_differs_is_no_span() -> None:
    data = replace(morning(), granularity=Granularity.DAY, stays={HALL.label: 360.0})
    data.table[("Hall", "timeSpent")] = [360.0, 361.0, float("nan"), 360.0]
    assert answers_of(HALL, data, found(MORNING.start), READ)[-1].startswith("People stayed 6 min on average")
    assert "Mean time" not in " ".join(answers_of(HALL, data, None, READ))


def test_a_single_bar_of_a_month_is_no_day() -> None:
    october = TimeRange(datetime(2026, 9, 30, 22, tzinfo=UTC), datetime(2026, 10, 31, 23, tzinfo=UTC))
    data = history_data(request(october), {HALL: []}, Granularity.MONTH)
    peak = found(datetime(2026, 10, 10, 13, 7, tzinfo=UTC))
    assert answers_of(HALL, data, peak, READ)[0].startswith("Fullest on Sat 10 Oct at 15:07 with")


def test_a_single_bucket_with_counts_is_not_the_most_of_several() -> None:
    data = morning()
    data.table["Hall", "entrances"] = [float("nan"), 1234.0, float("nan"), 0.0]
    assert "1,234 came in, all in the hour from 09:00." in answers_of(HALL, data, None, READ)


def test_the_highest_minute_of_a_flow_is_told() -> None:
    data = replace(morning(), aggregation=Aggregation.MAXIMUM)
    told = "At most 1,234 came in within a minute, in the hour from 09:00."
    assert told in answers_of(HALL, data, None, READ)
    data.table["Hall", "entrances"] = [7.0, 7.0, float("nan"), 0.0]
    told = "At most 7 came in within a minute, for the first time in the hour from 08:00."
    assert told in answers_of(HALL, data, None, READ)


@pytest.mark.parametrize(
    ("granularity", "told"),
    [(Granularity.HOUR, "All 24 hours have counts."), (Granularity.MINUTE, "All 1,440 minutes have counts.")],
)
def test_a_day_that_begins_within_an_hour_has_24(granularity: Granularity, told: str) -> None:
    day = TimeRange(datetime(2026, 5, 31, 17, 6, tzinfo=UTC), datetime(2026, 6, 1, 17, 6, tzinfo=UTC))
    assert present_buckets(closed(day, granularity), READ) == told


@pytest.mark.parametrize(
    ("hours", "told"),
    [
        (((0, 6), (23, 48)), "All 24 hours have counts."),
        (((0, 6), (14, 0)), "All 14 hours have counts."),
        (((0, 6), (1, 30)), "All 2 hours have counts."),
        (((0, 6), (0, 48)), "The hour has counts."),
    ],
)
def test_hours_that_the_range_cuts_are_counted_as_they_are_drawn(
    hours: tuple[tuple[int, int], tuple[int, int]], told: str
) -> None:
    midnight = datetime(2026, 5, 31, 22, tzinfo=UTC)
    first, last = (midnight + timedelta(hours=hour, minutes=minute) for hour, minute in hours)
    assert present_buckets(closed(TimeRange(first, last)), READ) == told


def test_the_hour_that_has_begun_may_be_the_one_without_counts() -> None:
    data = closed(TimeRange(datetime(2026, 5, 31, 22, tzinfo=UTC), datetime(2026, 6, 1, 1, 30, tzinfo=UTC)))
    data.table.iloc[1:] = float("nan")
    assert present_buckets(data, READ) == "1 of 4 hours has counts."
    data.table.iloc[0] = float("nan")
    assert present_buckets(replace(data), READ) == "0 of 4 hours have counts."


def test_a_minute_of_one_end_of_a_day_is_not_no_hour() -> None:
    day = TimeRange(datetime(2026, 5, 31, 17, 6, tzinfo=UTC), datetime(2026, 6, 1, 17, 6, tzinfo=UTC))
    data = closed(day)
    data.table.iloc[:-1] = float("nan")
    assert present_buckets(data, READ) == "1 of 25 hours has counts."


def test_a_year_counts_its_months_as_they_are_drawn() -> None:
    year = TimeRange(datetime(2025, 6, 20, 8, tzinfo=UTC), datetime(2026, 6, 20, 8, tzinfo=UTC))
    assert (
        present_buckets(closed(year, Granularity.MONTH), READ)
        == "All 13 months have counts, at least in part."
    )


def test_what_the_other_period_has_is_told_beside_it() -> None:
    def said(hours: int, hours_before: int) -> str:
        data = closed(MORNING)
        earlier = data.table.copy()
        data.table.iloc[hours:] = earlier.iloc[hours_before:] = float("nan")
        beside = replace(data, earlier=earlier, earlier_range=MORNING, earlier_starts=starts_of(data.table))
        return present_buckets(beside, READ)

    assert said(4, 4) == "All 4 hours have counts; in the other period too."
    assert said(4, 1) == "All 4 hours have counts; in the other period 1 of 4."
    assert said(3, 4) == "3 of 4 hours have counts; in the other period all."
    assert said(3, 0) == "3 of 4 hours have counts; in the other period none."


def test_one_month_is_not_called_all_of_them() -> None:
    october = TimeRange(datetime(2026, 9, 30, 22, tzinfo=UTC), datetime(2026, 10, 31, 23, tzinfo=UTC))
    assert (
        present_buckets(closed(october, Granularity.MONTH), READ) == "The month has counts, at least in part."
    )


def test_between_two_zones_nobody_comes_in_or_goes_out() -> None:
    data = closed(MORNING)
    data.table[("Hall", "entrances")] = [60.0, 0.0, 1.0, 0.0]
    arch = HALL._replace(kind=SubjectKind.PASSAGE, between=("Hall", "Cafe"))
    said = answers_of(arch, data, None, READ)
    assert "61 went from Hall to Cafe, most in the hour from 08:00 (60)." in said
    assert "Nobody went from Cafe to Hall." in said
