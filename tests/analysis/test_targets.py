from __future__ import annotations

from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.bucket_table import Completeness
from analysis.league_entry import Began, Entry
from analysis.open_time import OpenTime
from analysis.rhythm import Cell, Hour, Rhythm
from analysis.targets import (
    Target,
    days_of_month,
    expected_share,
    month_name,
    month_range,
    months_around,
    target_progress,
)
from analysis.time_range import TimeRange
from components.number_format import Formats
from components.sentences.target_words import target_words

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
    assert expected_share(SATURDAYS, MONTH, moment, ZURICH) == pytest.approx(people / 500)


def test_closed_hours_expect_nobody() -> None:
    """Closed on the first Saturday: 400 are left of the month, and 25 of them have come."""
    open_ = OpenTime((TimeRange(MONTH.start, until(7, 0)), TimeRange(until(8, 0), MONTH.end)))
    assert expected_share(SATURDAYS, MONTH, until(8, 0), ZURICH, open_) == pytest.approx(25 / 400)


def test_an_hour_brings_its_people_while_it_is_open() -> None:
    """On the first Saturday from 10:45, of which four minutes of 75 have passed: its 60 come in a quarter."""
    open_ = OpenTime((TimeRange(until(7, 10, 45), until(7, 12)),))
    share = expected_share(SATURDAYS, MONTH, until(7, 10, 49), ZURICH, open_)
    assert share == pytest.approx(60 * 4 / 15 / 100)


def test_what_came_before_counting_began_is_not_expected() -> None:
    """From the tenth at half past ten until the 21st at noon: two Saturdays, a Tuesday and half of one."""
    since = until(10, 10, 30)
    share = expected_share(SATURDAYS, MONTH, until(21, 12), ZURICH, since=since)
    assert share == pytest.approx((12.5 + 100 + 25 + 100) / 500)
    assert expected_share(SATURDAYS, MONTH, until(9, 0), ZURICH, since=since) == 0


def test_weeks_in_which_nobody_came_expect_nothing() -> None:
    assert expected_share(week({}), MONTH, until(8, 0), ZURICH) is None


hours = st.dictionaries(
    st.builds(Hour, st.integers(0, 6), st.integers(0, 23)), st.floats(0.1, 500), min_size=1, max_size=30
)


@given(hours, st.integers(0, 30 * 24 * 60), st.integers(0, 30 * 24 * 60))
def test_the_share_grows_from_nothing_to_all_of_the_month(
    usual: dict[Hour, float], one: int, other: int
) -> None:
    told = week(usual)
    earlier, later = (MONTH.start + timedelta(minutes=minute) for minute in sorted((one, other)))
    shares = [expected_share(told, MONTH, moment, ZURICH) or 0 for moment in (earlier, later)]
    assert 0 <= shares[0] <= shares[1] <= 1 + 1e-9
    assert expected_share(told, MONTH, MONTH.start, ZURICH) == 0
    assert expected_share(told, MONTH, MONTH.end, ZURICH) == pytest.approx(1)


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
    progress = target_progress(TARGET, told, share, is_over=over)
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
