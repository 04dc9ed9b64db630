from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as any_

from analysis.bands import Band
from analysis.comparison import Against, Comparison
from analysis.estimates import Estimates, gap_estimates, with_estimates
from analysis.history_answer import ComparedRange, history_answer
from analysis.history_data import history_data
from analysis.history_request import HistoryRequest
from analysis.open_only import open_only
from analysis.open_time import Opening
from analysis.opening_hours import OpeningHours, OtherDay, Span
from analysis.time_range import TimeRange
from components.number_format import Formats
from components.sentences.estimate_words import (
    DRAWN,
    INSIDE_UNDRAWN,
    UNDRAWN,
    drawn_words,
    estimate_words,
)
from components.tables.shown_table import shown_table
from contract import Aggregation, Granularity, MetricKey
from contract.buckets import local_midnight
from tests.analysis.test_open_only import HALL, KATHMANDU, LORD_HOWE, MINUTE, ZURICH, hours
from tests.counting_service import CountingService, Minute

TUESDAY = date(2026, 6, 9)
ENTRANCES, INSIDE, STAY = MetricKey.ENTRANCES, MetricKey.VISITORS_INSIDE, MetricKey.TIME_SPENT
CAME, WITHIN = ("Hall", ENTRANCES), ("Hall", INSIDE)
FORMATS = Formats(now=datetime(2026, 6, 20, tzinfo=UTC))
EIGHT_TO_TWELVE = Opening(OpeningHours(week=((Span(opens=480, closes=720),),) * 7), ZURICH)
Minutes = dict[datetime, Minute]


def minute_of(day: date, clock: int, zone: ZoneInfo) -> datetime:
    """The so manieth minute of a day whose clock does not change."""
    return local_midnight(day, zone) + clock * MINUTE


def weeks(
    count: int = 10, *, day: date = TUESDAY, zone: ZoneInfo = ZURICH, missing: range = range(0)
) -> Minutes:
    """From 8 to 12 of this day, and of as many such days before: in each minute of the one `k` weeks before
    `k` came in and `10 k` were inside, and on the day itself, but for `missing` minutes, one and ten.
    """
    return {
        minute_of(day - timedelta(weeks=week), clock, zone): Minute(week or 1, 0, 10 * (week or 1))
        for week in range(count + 1)
        for clock in range(8 * 60, 12 * 60)
        if week or clock not in missing
    }


def request_of(
    day: date = TUESDAY, zone: ZoneInfo = ZURICH, *, granularity: Granularity = Granularity.HOUR,
    opening: Opening | None = None, aggregation: Aggregation | None = None,
) -> HistoryRequest:  # fmt: skip
    range_ = TimeRange(local_midnight(day, zone), local_midnight(day + timedelta(days=1), zone))
    return HistoryRequest(
        "shop", (HALL,), (INSIDE, ENTRANCES, STAY), range_, zone, range_.end + timedelta(days=9), granularity,
        aggregation, opening=opening,
    )  # fmt: skip


def told(
    minutes: Minutes, request: HistoryRequest | None = None, opening: Opening | None = None
) -> Estimates:
    asked = replace(request or request_of(), opening=opening)
    return gap_estimates(asked, open_only(asked, CountingService(minutes, asked.asked_at).run))


def clocks(found: Estimates, column: tuple[str, MetricKey], zone: ZoneInfo = ZURICH) -> dict[int, Band]:
    return {at.astimezone(zone).hour: one.people for at, one in found.hours.get(column, {}).items()}


def test_a_missing_hour_is_the_median_of_eight_such_weekdays() -> None:
    found = told(weeks(missing=range(9 * 60, 11 * 60)))
    # 60, 120 … 480 came in an hour of the eight weeks before; those before them say nothing.
    hour = Band(60, 270, 480, 8)
    assert clocks(found, CAME) == {9: hour, 10: hour}
    assert clocks(found, WITHIN) == {9: Band(10, 45, 80, 8), 10: Band(10, 45, 80, 8)}
    assert found.days[CAME][TUESDAY].people == Band(120, 540, 960, 8)
    assert found.days[CAME][TUESDAY].minutes == 120
    assert WITHIN not in found.days, "people inside do not add up"
    assert found.untold == {}


def test_of_an_hour_that_is_counted_in_part_the_rest_is_estimated() -> None:
    found = told(weeks(missing=range(9 * 60 + 40, 10 * 60)))
    assert clocks(found, CAME) == {9: Band(20, 90, 160, 8)}
    assert found.hours[CAME][minute_of(TUESDAY, 540, ZURICH)].minutes == 20
    assert clocks(found, WITHIN) == {}, "its average is there"


@pytest.mark.parametrize("opening", [None, EIGHT_TO_TWELVE])
def test_of_an_hour_whose_few_minutes_are_all_0_the_rest_is_estimated(opening: Opening | None) -> None:
    counted = weeks(missing=range(9 * 60 + 5, 10 * 60))
    of_nobody = {minute_of(TUESDAY, clock, ZURICH): Minute(0, 0, 0) for clock in range(9 * 60, 9 * 60 + 5)}
    found = told({**counted, **of_nobody}, opening=opening)
    assert clocks(found, CAME) == {9: Band(55, 247.5, 440, 8)}
    assert found.hours[CAME][minute_of(TUESDAY, 540, ZURICH)].minutes == 55


@pytest.mark.parametrize("opening", [None, EIGHT_TO_TWELVE])
def test_a_past_hour_whose_few_minutes_are_all_0_tells_nothing(opening: Opening | None) -> None:
    """Of the week before: without it seven weeks tell, none of them of one who came in each minute."""
    before = TUESDAY - timedelta(weeks=1)
    counted = {
        at: one
        for at, one in weeks(missing=range(9 * 60, 10 * 60)).items()
        if not minute_of(before, 9 * 60 + 5, ZURICH) <= at < minute_of(before, 10 * 60, ZURICH)
    }
    of_nobody = {minute_of(before, clock, ZURICH): Minute(0, 0, 0) for clock in range(9 * 60, 9 * 60 + 5)}
    found = told({**counted, **of_nobody}, opening=opening)
    assert clocks(found, CAME) == {9: Band(120, 300, 480, 7)}
    assert clocks(found, WITHIN) == {9: Band(20, 50, 80, 7)}


def test_where_few_come_a_day_of_nobody_tells_as_much_as_others() -> None:
    """One comes at 8 on every other Tuesday; the median of eight is half of one, and not one."""
    minutes = {
        minute_of(TUESDAY - timedelta(weeks=week), clock, ZURICH): Minute(week % 2 * (clock == 480), 0, 0)
        for week in range(1, 9)
        for clock in range(24 * 60)
    }
    there = {minute_of(TUESDAY, clock, ZURICH): Minute(0, 0, 0) for clock in range(12 * 60, 24 * 60)}
    assert clocks(told(minutes | there), CAME)[8] == Band(0, 0.5, 1, 8)


def test_where_all_is_counted_nothing_is_estimated_nor_where_counters_rest() -> None:
    assert told(weeks()) == Estimates({}, {}, {})


def every(step: int, missing: range = range(0)) -> Minutes:
    """Reports of all day every so many minutes, of one who comes in each minute from 8 to 12: without any of
    those minutes lost, but for the reports of `missing` minutes of the day.
    """
    found = {}
    for week in range(10, -1, -1):
        begin = -(week * 7 * 24 * 60) % step
        for clock in range(begin, 24 * 60, step):
            came = sum(8 * 60 <= minute < 12 * 60 for minute in range(max(0, clock - step + 1), clock + 1))
            if week or clock not in missing:
                found[minute_of(TUESDAY - timedelta(weeks=week), clock, ZURICH)] = Minute(came, 0, came)
    return found


@pytest.mark.parametrize("step", [7, 13, 30, 60])
@pytest.mark.parametrize("is_kept", [False, True])
def test_of_a_counter_that_reports_every_few_minutes_nothing_is_missing(step: int, *, is_kept: bool) -> None:
    hours = OpeningHours(week=((Span(opens=8 * 60, closes=12 * 60),),) * 7)
    opening = Opening(hours, ZURICH) if is_kept else None
    assert told(every(step), opening=opening) == Estimates({}, {}, {})


def test_what_is_missing_of_such_a_counter_is_told_in_minutes_and_not_in_reports() -> None:
    """By hand: an hour of eight or nine reports brings 56 or 63 people, and is an hour."""
    found = told(every(7, range(9 * 60, 10 * 60)))
    (start,) = found.hours[CAME]
    assert start.astimezone(ZURICH).hour == 9
    estimated = found.hours[CAME][start]
    assert estimated.minutes == 60
    assert {estimated.people.low, estimated.people.high} <= {56, 63}


def test_of_minutes_that_one_week_alone_has_none_is_missing_in_the_others() -> None:
    """Counting begins at half past eight; once somebody came early, and it had begun at eight."""
    early = TUESDAY - timedelta(weeks=3)
    minutes = {
        at: one
        for at, one in weeks().items()
        if (local := at.astimezone(ZURICH)).date() == early or local.hour > 8 or local.minute >= 30
    }
    assert told(minutes) == Estimates({}, {}, {})


@pytest.mark.parametrize("days", [1, 2])
def test_fewer_than_three_days_make_no_estimate_and_that_is_told(days: int) -> None:
    found = told(weeks(days, missing=range(9 * 60, 10 * 60)))
    assert found.hours == {}
    assert found.untold == {CAME: {TUESDAY: 60}, WITHIN: {TUESDAY: 60}}
    (said,) = estimate_words(HALL, found, FORMATS)
    assert said == (
        "People inside and entrances of 60 min without counts (Tue 9 Jun) are not estimated: fewer than 3"
        " such days before have sound counts then."
    )


def test_a_day_on_which_nobody_came_though_others_came_tells_nothing() -> None:
    minutes = weeks(missing=range(9 * 60, 10 * 60))
    holiday = TUESDAY - timedelta(weeks=8)
    quiet = {
        at: Minute(0, 0, 0) if at.astimezone(ZURICH).date() == holiday else one for at, one in minutes.items()
    }
    assert clocks(told(quiet), CAME) == {9: Band(60, 240, 420, 7)}


def test_a_past_hour_that_lacks_minutes_itself_tells_nothing() -> None:
    minutes = weeks(missing=range(9 * 60, 10 * 60))
    week_before = minute_of(TUESDAY - timedelta(weeks=1), 9 * 60, ZURICH)
    few = {at: one for at, one in minutes.items() if not week_before <= at < week_before + 30 * MINUTE}
    assert clocks(told(few), CAME) == {9: Band(120, 300, 480, 7)}


def test_in_closed_hours_nothing_is_missing() -> None:
    minutes = weeks(missing=range(9 * 60, 11 * 60))
    opening = Opening(hours("10-12"), ZURICH)
    assert set(clocks(told(minutes, opening=opening), CAME)) == {10}
    holiday = Opening(hours("8-12", others=(OtherDay(day=TUESDAY),)), ZURICH)
    assert told(minutes, opening=holiday) == Estimates({}, {}, {})


def test_of_open_hours_alone_their_open_minutes_are_estimated() -> None:
    opening = Opening(hours("09:30-12"), ZURICH)
    request = request_of(opening=opening)
    found = told(weeks(missing=range(9 * 60, 10 * 60)), request, opening)
    assert clocks(found, CAME) == {9: Band(30, 135, 240, 8)}
    assert found.hours[CAME][minute_of(TUESDAY, 540, ZURICH)].minutes == 30


def test_an_open_hour_that_was_never_counted_is_told_of() -> None:
    found = told(weeks(), opening=Opening(hours("8-13"), ZURICH))
    assert found.hours == {}
    assert found.untold == {CAME: {TUESDAY: 60}, WITHIN: {TUESDAY: 60}}


def test_a_range_that_still_runs_lacks_what_is_over_alone() -> None:
    asked = request_of()
    until = minute_of(TUESDAY, 9 * 60 + 20, ZURICH)
    running = replace(asked, range=TimeRange(asked.range.start, until))
    found = told(weeks(missing=range(9 * 60, 12 * 60)), running)
    assert clocks(found, CAME) == {9: Band(20, 90, 160, 8)}


@pytest.mark.parametrize(
    ("zone", "day"),
    [
        (KATHMANDU, TUESDAY),
        (LORD_HOWE, date(2026, 4, 7)),
        (ZURICH, date(2026, 3, 31)),
        (ZURICH, date(2026, 10, 27)),
    ],
)  # fmt: skip
def test_the_hours_are_those_of_the_clock_also_after_it_changed(zone: ZoneInfo, day: date) -> None:
    minutes = {}
    for week in range(9):
        for clock in range(8 * 60, 12 * 60):
            local = datetime.combine(day - timedelta(weeks=week), time(), zone) + timedelta(minutes=clock)
            if week or local.hour != 9:
                minutes[local.astimezone(ZoneInfo("UTC"))] = Minute(local.hour, 0, local.hour)
    found = told(minutes, request_of(day, zone))
    assert clocks(found, CAME, zone) == {9: Band(540, 540, 540, 8)}


@pytest.mark.parametrize(("step", "minute"), [(1, 21), (7, 9), (7, 26), (13, 11), (30, 25)])
def test_of_the_hour_that_runs_nothing_is_missing_whose_report_is_not_due(step: int, minute: int) -> None:
    """The last report before that minute is there, or it is a minute late; none before is missing."""
    asked, last = request_of(), 10 * 60 + minute
    reports = every(step, range(last - 1 if step == 1 else last, 1440))
    running = replace(asked, range=TimeRange(asked.range.start, minute_of(TUESDAY, last, ZURICH)))
    assert told(reports, running) == Estimates({}, {}, {})


def short_days(*, missing: range = range(0)) -> Minutes:
    """As `weeks`, from 09:30 to 17:45; at other times counters rest."""
    return {
        minute_of(TUESDAY - timedelta(weeks=week), clock, ZURICH): Minute(week or 1, 0, 10)
        for week in range(9)
        for clock in range(9 * 60 + 30, 17 * 60 + 45)
        if week or clock not in missing
    }


@pytest.mark.parametrize("opening", [None, Opening(hours("09:30-17:45"), ZURICH)])
def test_a_day_that_begins_and_ends_within_an_hour_is_estimated_from_its_first_minute_to_its_last(
    opening: Opening | None,
) -> None:
    found = told(short_days(missing=range(1440)), opening=opening)
    day = found.days[CAME][TUESDAY]
    assert day.minutes == 8 * 60 + 15
    assert day.people == Band(495, 495 * 4.5, 495 * 8, 8)
    assert found.untold == {}
    assert told(short_days(), opening=opening) == Estimates({}, {}, {}), "closed minutes are not missing"


@settings(max_examples=25, deadline=None)
@given(
    any_.integers(8 * 60, 12 * 60),
    any_.integers(1, 300),
    any_.integers(7 * 60, 14 * 60),
    any_.integers(1, 200),
)
def test_of_any_gap_its_open_minutes_are_estimated(opens: int, lasts: int, gap: int, long: int) -> None:
    spans = Opening(OpeningHours(week=((Span(opens=opens, closes=opens + lasts),),) * 7), ZURICH)
    minutes = weeks(8, missing=range(gap, gap + long))
    # A minute of the week k weeks before has k, so that open ones that are missing have 4.5 in the middle.
    by_hour: dict[int, int] = {}
    for clock in range(max(opens, gap), min(opens + lasts, gap + long)):
        by_hour[clock // 60] = by_hour.get(clock // 60, 0) + 1
    found = told(minutes, opening=spans)
    for hour in {8, 9, 10, 11} & by_hour.keys():
        is_open = sum(opens <= clock < opens + lasts for clock in range(60 * hour, 60 * hour + 60))
        if by_hour[hour] > 0.05 * is_open:
            assert clocks(found, CAME)[hour].median == pytest.approx(4.5 * by_hour[hour])
    assert set(clocks(found, CAME)) <= by_hour.keys()


def test_of_an_hour_in_which_the_range_begins_what_is_missing_within_it_is_estimated() -> None:
    asked = request_of()
    half = replace(asked, range=TimeRange(minute_of(TUESDAY, 9 * 60 + 30, ZURICH), asked.range.end))
    found = told(weeks(missing=range(9 * 60 + 15, 9 * 60 + 50)), half)
    assert clocks(found, CAME) == {9: Band(20, 90, 160, 8)}
    assert found.hours[CAME][minute_of(TUESDAY, 540, ZURICH)].minutes == 20
    whole = told(weeks(missing=range(9 * 60 + 15, 9 * 60 + 30)), half)
    assert whole == Estimates({}, {}, {}), "what is missing lies before the range"


@pytest.mark.parametrize("granularity", [Granularity.HOUR, Granularity.DAY])
@pytest.mark.parametrize(("viewer", "is_drawn"), [("Asia/Kathmandu", False), ("Europe/Berlin", True)])
def test_bars_that_are_none_of_the_sites_hours_or_days_have_no_estimate(
    granularity: Granularity, viewer: str, is_drawn: bool
) -> None:
    minutes, asked = weeks(missing=range(9 * 60, 11 * 60)), request_of(zone=ZoneInfo(viewer))
    points = CountingService(minutes, asked.asked_at).run(asked.queries())
    data = history_data(replace(asked, granularity=granularity), points, granularity)
    assert bool(with_estimates(data, told(minutes), ZURICH).estimates) is is_drawn


def test_a_number_that_means_nothing_is_no_basis() -> None:
    request = request_of()
    run = CountingService(weeks(missing=range(9 * 60, 10 * 60)), request.asked_at).run
    unsound = {minute_of(TUESDAY - timedelta(weeks=week), 9 * 60, ZURICH) for week in range(1, 7)}
    found = gap_estimates(request, run, spoilt={"Hall": unsound})
    assert clocks(found, WITHIN) == {}
    assert set(clocks(found, CAME)) == {9}
    assert found.untold == {WITHIN: {TUESDAY: 60}}


def test_where_the_number_never_means_anything_its_missing_hours_are_told_of_all_the_same() -> None:
    request = request_of()
    run = CountingService(weeks(missing=range(9 * 60, 10 * 60)), request.asked_at).run
    unsound = {minute_of(TUESDAY - timedelta(weeks=week), 9 * 60, ZURICH) for week in range(1, 9)}
    found = gap_estimates(request, run, spoilt={"Hall": unsound})
    assert set(clocks(found, CAME)) == {9}
    assert found.untold == {WITHIN: {TUESDAY: 60}}


def test_how_they_are_drawn_is_said_of_what_is_on_the_chart() -> None:
    minutes, found = weeks(missing=range(9 * 60, 11 * 60)), told(weeks(missing=range(9 * 60, 11 * 60)))
    said = {}
    for granularity in (Granularity.MINUTE, Granularity.HOUR, Granularity.DAY):
        asked = request_of(granularity=granularity)
        points = CountingService(minutes, asked.asked_at).run(asked.queries())
        data = with_estimates(history_data(asked, points, granularity), found, ZURICH)
        said[granularity] = drawn_words(found, data)
    assert said == {
        Granularity.MINUTE: UNDRAWN,
        Granularity.HOUR: DRAWN,
        Granularity.DAY: f"{DRAWN} {INSIDE_UNDRAWN}",
    }
    assert drawn_words(found, None) == UNDRAWN


def test_a_highest_minute_is_not_estimated() -> None:
    asked = request_of(aggregation=Aggregation.MAXIMUM)
    assert told(weeks(missing=range(9 * 60, 10 * 60)), asked) == Estimates({}, {}, {})


@pytest.mark.parametrize("granularity", [Granularity.HOUR, Granularity.DAY])
def test_an_estimate_is_in_no_number_and_has_a_column_of_its_own(granularity: Granularity) -> None:
    minutes, asked = weeks(missing=range(9 * 60, 11 * 60)), request_of(granularity=granularity)
    run = CountingService(minutes, asked.asked_at).run
    compare = ComparedRange(None, asked.range, Against(Comparison.NONE))
    answer = history_answer(asked, run(asked.queries()), granularity, compare, run=run, run_other=run)
    data = with_estimates(answer.data, told(minutes, asked), ZURICH)
    before, after = shown_table(answer.data), shown_table(data)
    assert not [name for name in before.columns if "estimated" in name]
    columns = [name for name in after.columns if name.endswith(", estimated")]
    assert "Entrances, estimated" in columns
    assert ("People inside, estimated" in columns) is (granularity is Granularity.HOUR)
    assert after["Entrances, estimated"].sum() == 540
    assert after[before.columns].equals(before)
    assert after["Entrances"].sum() == 120


def test_what_is_estimated_is_said_with_what_it_rests_on() -> None:
    found = told(weeks(missing=range(9 * 60, 10 * 60 + 20)))
    flow, level = estimate_words(HALL, found, FORMATS)
    assert flow == (
        "About 360 more came in during the 80 min that were not counted (estimate from 8 Tuesdays before,"
        " with 80 to 640; not in any number here)."
    )
    assert level.startswith("Inside were at most about 45 on average in an hour of the")
    assert "of the 60 min of hours without any counts (" in level
    assert level.endswith("(estimate from 8 such days before, with 10 to 80; not in any number here).")


def test_what_is_estimated_and_what_is_not_add_up_to_what_is_missing_and_each_says_of_what_it_is() -> None:
    """On the Tuesday from 9 to 10, which eight Tuesdays tell, and on the Wednesday, which too few do."""
    wednesday = TUESDAY + timedelta(days=1)
    minutes = weeks(missing=range(9 * 60, 10 * 60))
    for week in (1, 2):
        day = wednesday - timedelta(weeks=week)
        minutes |= {minute_of(day, clock, ZURICH): Minute(1, 0, 1) for clock in range(8 * 60, 11 * 60)}
    minutes |= {minute_of(wednesday, clock, ZURICH): Minute(1, 0, 1) for clock in range(8 * 60, 9 * 60)}
    asked = request_of()
    both = replace(asked, range=TimeRange(asked.range.start, asked.range.end + timedelta(days=1)))
    flow, level, neither = estimate_words(HALL, told(minutes, both), FORMATS)
    assert flow.startswith("About 270 more came in during 60 min of the 3 h 0 min that were not counted (")
    assert "in an hour within 60 min of the 3 h 0 min of hours without any counts (" in level
    assert neither == (
        "People inside and entrances of 2 h 0 min without counts (Wed 10 Jun) are not estimated: fewer than 3"
        " such days before have sound counts then."
    )


def test_metrics_that_lack_other_times_are_told_of_one_by_one() -> None:
    days = {TUESDAY + timedelta(days=n): 60.0 for n in range(5)}
    found = Estimates({}, {}, {CAME: days, WITHIN: {TUESDAY: 45}})
    assert [one.partition(" are not")[0] for one in estimate_words(HALL, found, FORMATS)] == [
        "People inside of 45 min without counts (Tue 9 Jun)",
        "Entrances of 5 h 0 min without counts (5 days from Tue 9 Jun to Sat 13 Jun)",
    ]


def test_what_could_not_be_read_is_not_called_whole() -> None:
    found = gap_estimates(request_of(), lambda _: {})
    assert found == Estimates({}, {}, {}, ("Hall",))
    assert estimate_words(HALL, found, FORMATS) == [
        "The weeks before could not be read by the hour, so nothing is estimated."
    ]
