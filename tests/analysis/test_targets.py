from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from functools import cache
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.bucket_table import Completeness
from analysis.hours_text import spans_of_text
from analysis.league_entry import Began, Entry, Measure, league_entry
from analysis.league_period import league_request
from analysis.open_time import OpenTime
from analysis.opening_hours import OpeningHours
from analysis.rhythm import Cell, Hour, Rhythm
from analysis.subject import Subject, SubjectKind
from analysis.targets import (
    Share,
    Target,
    TargetProgress,
    days_of_month,
    expected_share,
    month_name,
    month_range,
    months_around,
    share_by_now,
    target_progress,
)
from analysis.time_range import TimeRange
from components.number_format import Formats
from components.sentences.target_words import target_words
from tests.counting_service import CountingService, Minute

ZURICH = ZoneInfo("Europe/Zurich")
FIRST = date(2026, 11, 1)
"""A Sunday; November has five Sundays, five Mondays and four of each other day."""
MONTH = month_range(days_of_month(FIRST), ZURICH)
TARGET = Target(entrances=10_000)
FORMATS = Formats(now=datetime(2026, 11, 23, tzinfo=ZURICH))


def week(by_hour: dict[Hour, float]) -> Rhythm:
    days = Completeness(4, 4)
    cells = {
        Hour(day, hour): Cell(by_hour.get(Hour(day, hour)), days) for day in range(7) for hour in range(24)
    }
    return Rhythm(cells, {})


SATURDAYS = week({Hour(5, 10): 60.0, Hour(5, 11): 40.0, Hour(1, 10): 25.0})
"""A hundred come on Saturdays from ten to twelve, 25 on Tuesdays from ten to eleven: 500 in the month."""


def until(day: int, hour: int, minute: int = 0) -> datetime:
    return datetime(2026, 11, day, hour, minute, tzinfo=ZURICH)


def counted(share: Share | None) -> float:
    assert share is not None
    return share.counted


@pytest.mark.parametrize(
    ("moment", "people"),
    [
        (until(1, 0), 0),
        (until(3, 10, 30), 12.5),
        (until(7, 9), 25),
        (until(7, 10, 45), 25 + 45),
        (until(7, 12), 125),
        (until(28, 11), 4 * 25 + 3 * 100 + 60),
        (until(30, 23, 59), 500),
    ],
)
def test_as_much_should_have_come_as_the_hours_that_passed_usually_bring(
    moment: datetime, people: float
) -> None:
    assert counted(expected_share(SATURDAYS, MONTH, moment, ZURICH)) == pytest.approx(people / 500)


def test_closed_hours_expect_nobody() -> None:
    """Closed on the first Saturday: 400 are left of the month, and 25 of them have come."""
    open_ = OpenTime((TimeRange(MONTH.start, until(7, 0)), TimeRange(until(8, 0), MONTH.end)))
    share = expected_share(SATURDAYS, MONTH, until(8, 0), ZURICH, open_)
    assert counted(share) == pytest.approx(25 / 400)


def test_an_hour_brings_its_people_while_it_is_open() -> None:
    """On the first Saturday from 10:45, of which four minutes of 75 have passed: its 60 come in a quarter."""
    open_ = OpenTime((TimeRange(until(7, 10, 45), until(7, 12)),))
    share = expected_share(SATURDAYS, MONTH, until(7, 10, 49), ZURICH, open_)
    assert counted(share) == pytest.approx(60 * 4 / 15 / 100)


def test_what_came_before_counting_began_is_not_expected() -> None:
    """From the tenth at half past ten until the 21st at noon: two Saturdays, a Tuesday and half of one."""
    since = until(10, 10, 30)
    share = expected_share(SATURDAYS, MONTH, until(21, 12), ZURICH, since=since)
    assert counted(share) == pytest.approx((12.5 + 100 + 25 + 100) / 500)
    assert counted(expected_share(SATURDAYS, MONTH, until(9, 0), ZURICH, since=since)) == 0


def parts(share: Share | None) -> tuple[float, float, tuple[date, ...]]:
    """Of the 500 of a month."""
    assert share is not None
    return round(500 * share.counted, 9), round(500 * share.missing, 9), share.days


def all_hours(*but: date) -> dict[datetime, float]:
    """Counted whole, without those of some local days."""
    starts = (MONTH.start + timedelta(hours=hour) for hour in range(30 * 24))
    return {start: 1.0 for start in starts if start.astimezone(ZURICH).date() not in but}


def test_people_of_a_saturday_without_counts_are_not_expected_and_are_named() -> None:
    """Until the 21st at midnight 3 Tuesdays and 2 Saturdays of 500; the second of these has no counts."""
    saturday = date(2026, 11, 14)
    share = expected_share(SATURDAYS, MONTH, until(21, 0), ZURICH, counted=all_hours(saturday))
    assert parts(share) == (3 * 25 + 100, 100, (saturday,))
    half = all_hours() | {until(14, 10).astimezone(UTC): 0.5}
    share = expected_share(SATURDAYS, MONTH, until(21, 0), ZURICH, counted=half)
    assert parts(share) == (3 * 25 + 170, 30, (saturday,))
    early = expected_share(SATURDAYS, MONTH, until(14, 10, 30), ZURICH, counted=all_hours(saturday))
    assert parts(early) == (2 * 25 + 100, 30, (saturday,))


hours = st.dictionaries(
    st.builds(Hour, st.integers(0, 6), st.integers(0, 23)), st.floats(0.1, 500), min_size=1, max_size=30
)
hours_of_month = st.dictionaries(st.integers(0, 30 * 24 - 1), st.floats(0, 1), max_size=60)


@settings(max_examples=25)
@given(hours, hours_of_month, st.integers(0, 30 * 24 * 60))
def test_what_is_counted_and_what_is_missing_are_all_that_should_have_come(
    usual: dict[Hour, float], parts: dict[int, float], minute: int
) -> None:
    told, moment = week(usual), MONTH.start + timedelta(minutes=minute)
    of = all_hours() | {MONTH.start + timedelta(hours=hour): part for hour, part in parts.items()}
    share = expected_share(told, MONTH, moment, ZURICH, counted=of)
    assert share is not None
    whole = counted(expected_share(told, MONTH, moment, ZURICH))
    assert share.counted + share.missing == pytest.approx(whole)
    assert 0 <= share.missing <= whole + 1e-9


MONDAY = date(2026, 6, 29)
SHOP = Subject(SubjectKind.SITE, "shop", "Shop")
JUNE = days_of_month(date(2026, 6, 1))


@cache
def june(*silent: date) -> CountingService:
    """Ten an hour come from nine to nineteen, on Saturdays thirty, on Sundays none; `silent` lacks counts."""
    minutes = {}
    for ago in range(45, -1, -1):
        day = MONDAY - timedelta(days=ago)
        for minute in range(24 * 60) if day not in silent else ():
            moment = datetime(day.year, day.month, day.day, minute // 60, minute % 60, tzinfo=ZURICH)
            every = 2 if day.weekday() == 5 else 6
            is_open = 9 <= moment.hour < 19 and day.weekday() != 6
            minutes[moment.astimezone(UTC)] = Minute(int(is_open and minute % every == 0), 0, 0)
    return CountingService(minutes, datetime(2026, 6, 29, 19, 7, tzinfo=ZURICH))


def progress_of(service: CountingService, target: int, now: datetime | None = None) -> TargetProgress:
    now = now or service.now
    request, ranges = league_request("shop", SHOP, JUNE, now, ZURICH)
    entry = league_entry(request, ranges, Measure.ENTRANCES, service.run)
    share = share_by_now(JUNE, request, ranges, None, service.run)
    end = ranges.present.end.astimezone(ZURICH)
    return target_progress(Target(entrances=target), entry, share, is_over=ranges.is_over, until=end)


def test_a_month_that_lacks_a_saturday_is_held_against_what_its_counted_hours_bring() -> None:
    """By hand: 22 weekdays of 100 and 4 Saturdays of 300 are 3,400; all but a Tuesday passed, a Saturday is
    silent. 3,000 came, as 3,000 of the 3,400 should have: exactly so many, not 300 behind.
    """
    saturday = date(2026, 6, 13)
    found = progress_of(june(saturday), 3400)
    assert found.is_nearly_all, "of the minutes"
    assert found.counted == 3000
    assert found.expected == pytest.approx(3000)
    assert found.at_this_rate == pytest.approx(3400)
    assert target_words(found, "June", FORMATS).replace("\N{NO-BREAK SPACE}", " ") == (
        "3,000 of 3,400 came in so far in June (88 %), as of Mon 29 Jun, 19:00. Counts are missing of"
        " Sat 13 Jun, of hours in which about 9 % of a month's people come: they are in neither of the"
        " numbers. By the hours of the last four weeks 3,000 should have come by now in the hours that are"
        " counted (88 %): exactly so many did. At this rate 3,400 come in a whole month."
    )
    assert progress_of(june(), 3400).missing is None


def test_a_month_that_is_over_without_a_saturday_has_not_missed_its_target_for_sure() -> None:
    service = june(date(2026, 6, 13))
    found = progress_of(service, 3100, datetime(2026, 7, 2, 9, tzinfo=ZURICH))
    assert target_words(found, "June", FORMATS).replace("\N{NO-BREAK SPACE}", " ") == (
        "3,000 of 3,100 came in during June (96 %). Counts are missing of Sat 13 Jun; Tue 30 Jun, of hours in"
        " which about 12 % of a month's people come: they are not in the number. 100 fewer than the target"
        " are counted."
    )


def test_a_month_in_which_counting_began_lacks_nothing_of_that_morning() -> None:
    """Counted since Wednesday the 10th at 11: what is expected are the hours from then on."""
    whole = june()
    begun = datetime(2026, 6, 10, 11, tzinfo=ZURICH)
    service = CountingService({at: one for at, one in whole.minutes.items() if at >= begun}, whole.now)
    request, ranges = league_request("shop", SHOP, JUNE, service.now, ZURICH)
    entry = league_entry(request, ranges, Measure.ENTRANCES, service.run)
    assert entry.began is not None
    share = share_by_now(JUNE, request, ranges, None, service.run, since=entry.began.at)
    assert share is not None
    # Of the 10th eight hours of ten an hour, then 13 weekdays and 3 Saturdays; of a month 22 and 4.
    assert share.counted == pytest.approx((80 + 1300 + 900) / 3400)
    assert share.missing == 0


def test_weeks_that_know_nothing_of_a_weekday_do_not_tell_what_is_to_be_expected() -> None:
    """It is open on Saturdays, as somebody has said, and none of them has counts: not that nobody came."""
    service = june(*(date(2026, 6, 27) - timedelta(weeks=week) for week in range(6)))
    request, ranges = league_request("shop", SHOP, JUNE, service.now, ZURICH)
    week = OpeningHours(week=(*(spans_of_text("09:00-19:00"),) * 6, ()))
    assert share_by_now(JUNE, request, ranges, week, service.run) is None
    assert share_by_now(JUNE, request, ranges, None, service.run) is not None, "it may be closed on Saturdays"


@pytest.mark.parametrize(("begun", "is_told"), [(20, True), (23, False), (27, False)])
def test_a_site_counted_for_less_than_a_week_expects_nothing_of_a_month(begun: int, is_told: bool) -> None:
    """Counted since noon of a day of June, looked at on Monday the 29th: of a site counted since Saturday,
    the other weekdays would bring nobody, and a month a tenth of its people.
    """
    whole, noon = june(), datetime(2026, 6, begun, 12, tzinfo=ZURICH)
    service = CountingService({at: one for at, one in whole.minutes.items() if at >= noon}, whole.now)
    request, ranges = league_request("shop", SHOP, JUNE, service.now, ZURICH)
    share = share_by_now(JUNE, request, ranges, None, service.run, since=noon)
    assert (share is not None) is is_told


def test_weeks_in_which_nobody_came_expect_nothing() -> None:
    assert expected_share(week({}), MONTH, until(8, 0), ZURICH) is None


@settings(max_examples=25)
@given(hours, st.integers(0, 30 * 24 * 60), st.integers(0, 30 * 24 * 60))
def test_the_share_grows_from_nothing_to_all_of_the_month(
    usual: dict[Hour, float], one: int, other: int
) -> None:
    told = week(usual)
    earlier, later = (MONTH.start + timedelta(minutes=minute) for minute in sorted((one, other)))
    shares = [counted(expected_share(told, MONTH, moment, ZURICH)) for moment in (earlier, later)]
    assert 0 <= shares[0] <= shares[1] <= 1 + 1e-9
    assert counted(expected_share(told, MONTH, MONTH.start, ZURICH)) == 0
    assert counted(expected_share(told, MONTH, MONTH.end, ZURICH)) == pytest.approx(1)


def entry(value: float | None, present: int = 600, *, begun: bool = True) -> Entry:
    return Entry(value, minutes=Completeness(present, 600), is_begun=begun)


@pytest.mark.parametrize(
    ("told", "share", "over", "said"),
    [
        (
            entry(4200), 0.4, False,
            ("4,200 of 10,000 came in so far in November (42 %). By the hours of the last four weeks 4,000"
            " should have come by now (40 %): 200 ahead. At this rate 10,500 come in the whole month."),
        ),
        (
            entry(3000, 450), 0.4, False,
            ("3,000 of 10,000 came in so far in November (30 %). Whether that is ahead or behind"
            " cannot be told. Counted in 450 of 600 minutes: whoever came in the others is missing in the"
            " number."),
        ),
        (
            entry(100), 0.01, False,
            ("100 of 10,000 came in so far in November (1 %). By the hours of the last four weeks 100"
            " should have come by now (1 %): exactly so many did."),
        ),
        (
            entry(100), None, False,
            ("100 of 10,000 came in so far in November (1 %)."
            " The weeks before have no counts that tell how many should have come by now."),
        ),
        (
            entry(9000), None, True,
            "9,000 of 10,000 came in during November (90 %). The target was missed by 1,000.",
        ),
        (
            entry(10_250), None, True,
            "10,250 of 10,000 came in during November (102 %). The target was reached, with 250 above it.",
        ),
        (
            entry(9000, 450), None, True,
            ("9,000 of 10,000 came in during November (90 %). 1,000 fewer than the target are counted."
            " Counted in 450 of 600 minutes: whoever came in the others is missing in the number."),
        ),
        (
            entry(3000)._replace(began=Began(datetime(2026, 11, 14, tzinfo=ZURICH), 0.4)), 0.25, False,
            ("3,000 of 10,000 came in so far in November (30 %). Counting began on Sat 14 Nov: whoever came"
            " before is not in the number. By the hours of the last four weeks 2,500 should have come since"
            " then (25 %): 500 ahead. At this rate 12,000 come in a whole month."),
        ),
        (
            entry(None, 0), 0.4, False,
            "Nobody knows how many of 10,000 came in November: no entrances are stored.",
        ),
        (entry(None, begun=False), None, False, "November has not begun. Its target is 10,000."),
    ],
)  # fmt: skip
def test_how_far_along_a_target_is_is_said(told: Entry, share: float | None, over: bool, said: str) -> None:
    known = None if share is None else Share(share)
    progress = target_progress(TARGET, told, known, is_over=over)
    assert target_words(progress, "November", FORMATS).replace("\N{NO-BREAK SPACE}", " ") == said


def test_months_have_names_and_all_of_their_days() -> None:
    months = months_around(date(2026, 11, 23))
    assert (month_name(months[0]), month_name(months[12]), month_name(months[-1])) == (
        "2027-11", "2026-11", "2025-11",
    )  # fmt: skip
    february = days_of_month(date(2028, 2, 1))
    assert (february.first, february.last) == (date(2028, 2, 1), date(2028, 2, 29))
    march = month_range(days_of_month(date(2026, 3, 1)), ZURICH)
    assert march.end - march.start == timedelta(days=31) - timedelta(hours=1)  # the clocks go forward
