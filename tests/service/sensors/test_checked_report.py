from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from service.sensors.checked_report import MOST_COUNTS, MOST_LINES, MOST_MINUTES, checked_report
from service.sensors.crossings import LONGEST_INTERVAL
from service.sensors.told_count import Kind, ReportError, ToldCount

START = datetime(2026, 3, 28, 9, tzinfo=UTC)
TOLD = ToldCount("A1", "1", Kind.INTERVAL, START, START + timedelta(minutes=15), 3, 4, "first")


def test_what_a_body_holds_twice_is_told_once() -> None:
    assert checked_report([TOLD, TOLD]).counts == (TOLD,)


def test_one_identity_at_two_lines_or_counters_is_two_counts() -> None:
    others = [TOLD, TOLD._replace(line="2"), TOLD._replace(serial="A2")]
    assert len(checked_report(others).counts) == 3


@pytest.mark.parametrize(
    ("counts", "named"),
    [
        ([TOLD, TOLD._replace(forward=5)], "line 1: two different counts of first"),
        ([TOLD._replace(end=START)], "line 1: the interval"),
        ([TOLD._replace(end=START - timedelta(minutes=1))], "line 1: the interval"),
        ([TOLD._replace(end=TOLD.end.replace(tzinfo=None))], "line 1: one end of the interval has an offset"),
        (
            [TOLD._replace(end=START + LONGEST_INTERVAL + timedelta(seconds=1))],
            "line 1: an interval of more than 25 hours",
        ),
        ([TOLD._replace(backward=1_000_001)], "line 1: more than 1,000,000 people at once"),
        ([TOLD._replace(line="", backward=1_000_001)], "the line: more than"),
        ([TOLD._replace(line=str(number)) for number in range(MOST_COUNTS + 1)], "more than 10,000 counts"),
    ],
)
def test_what_holds_of_no_report_is_refused(counts: list[ToldCount], named: str) -> None:
    with pytest.raises(ReportError, match=named):
        checked_report(counts)


def test_the_largest_report_and_the_longest_interval_are_taken() -> None:
    longest = TOLD._replace(end=START + LONGEST_INTERVAL, forward=1_000_000)
    assert checked_report([longest]).counts == (longest,)
    short = TOLD._replace(end=START + timedelta(minutes=10))
    most = [
        short._replace(line=str(number % MOST_LINES), identity=str(number)) for number in range(MOST_COUNTS)
    ]
    assert len(checked_report(most).counts) == MOST_COUNTS


@pytest.mark.parametrize(
    ("counts", "fault"),
    [
        ([TOLD._replace(line=str(number)) for number in range(MOST_LINES + 1)], "more than 500 lines"),
        (
            [
                TOLD._replace(end=START + LONGEST_INTERVAL, identity=str(number))
                for number in range(MOST_MINUTES // 1500 + 1)
            ],
            "100,000 minutes together",
        ),
    ],
)
def test_a_body_holds_the_writer_for_a_moment_alone(counts: list[ToldCount], fault: str) -> None:
    with pytest.raises(ReportError, match=fault):
        checked_report(counts)


def test_a_running_total_is_larger_than_any_interval() -> None:
    total = TOLD._replace(kind=Kind.CUMULATIVE, start=None, forward=2**53)
    assert checked_report([total]).counts == (total,)


def test_what_is_left_out_is_named_once_and_of_much_the_first() -> None:
    named = [f"register {number // 2}" for number in range(40)]
    assert checked_report((), left_out=named).left_out == tuple(f"register {number}" for number in range(5))


def test_running_totals_that_are_told_newest_first_are_taken_in_their_order() -> None:
    one, two, three = (
        TOLD._replace(
            kind=Kind.CUMULATIVE, start=None, end=START + timedelta(minutes=minute), identity=str(minute)
        )
        for minute in (1, 2, 3)
    )
    assert checked_report([three, two, one]).counts == (one, two, three)
    # A clock was set within it.
    assert checked_report([three, one, two]).counts == (three, one, two)
    other_line = [told._replace(line="2") for told in (one, two)]
    assert checked_report([three, two, *other_line]).counts == (three, two, *other_line)
    without_offset = two._replace(end=two.end.replace(tzinfo=None))
    assert checked_report([three, without_offset]).counts == (three, without_offset)
