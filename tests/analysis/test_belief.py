"""For how long what a service said of the past is believed."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from analysis.belief import LONGEST_BELIEF, believed_for, is_whole
from analysis.time_range import TimeRange
from contract import Granularity, MetricPoint
from contract.buckets import bucket_starts, local_midnight
from contract.time_expressions import zone_named

LONG_AGO = timedelta(days=40)
ZURICH = "Europe/Zurich"


def days(first: str, count: int, timezone: str = ZURICH) -> TimeRange:
    zone = zone_named(timezone)
    assert zone
    day = datetime.fromisoformat(first).date()
    return TimeRange(local_midnight(day, zone), local_midnight(day + timedelta(days=count), zone))


def points(
    range_: TimeRange, unit: Granularity, value: float = 3, timezone: str = ZURICH
) -> list[MetricPoint]:
    zone = zone_named(timezone)
    assert zone
    starts = bucket_starts(*range_, unit, zone)
    return [MetricPoint(timestamp=start, metrics={"entrances": value}) for start in starts]


def test_what_lacks_something_or_ended_just_now_is_asked_for_again_sooner() -> None:
    assert believed_for(LONG_AGO) == LONGEST_BELIEF
    assert believed_for(LONG_AGO, is_whole=False) == believed_for(timedelta(hours=20)) < LONGEST_BELIEF


@pytest.mark.parametrize("first", ["2026-03-28", "2026-10-24", "2026-06-01"], ids=["short", "long", "usual"])
@pytest.mark.parametrize("unit", [Granularity.HOUR, Granularity.DAY])
def test_every_bucket_is_needed_also_of_days_on_which_the_clocks_change(
    first: str, unit: Granularity
) -> None:
    range_ = days(first, 3)
    found = points(range_, unit)
    assert is_whole(found, range_, unit, ZURICH)
    assert not is_whole(found[:-1], range_, unit, ZURICH)
    assert not is_whole(found[: len(found) // 2], range_, unit, ZURICH)


def test_a_range_that_cuts_its_first_and_last_day_has_both() -> None:
    whole = days("2026-06-01", 3)
    range_ = TimeRange(whole.start + timedelta(hours=9), whole.end - timedelta(hours=4))
    assert is_whole(points(whole, Granularity.DAY), range_, Granularity.DAY, ZURICH)


def test_zeros_alone_are_no_whole_answer_and_one_person_is() -> None:
    """A shop that was closed all day has them, too, and is asked about a little more often."""
    range_ = days("2026-06-01", 1)
    none = points(range_, Granularity.HOUR, 0)
    somebody = MetricPoint(timestamp=none[3].timestamp, metrics={"entrances": 1})
    assert not is_whole(none, range_, Granularity.HOUR, ZURICH)
    assert is_whole([*none[:3], somebody, *none[4:]], range_, Granularity.HOUR, ZURICH)


def test_in_a_time_zone_that_is_not_known_nothing_is_whole() -> None:
    range_ = TimeRange(datetime(2026, 6, 1, tzinfo=UTC), datetime(2026, 6, 2, tzinfo=UTC))
    found = points(range_, Granularity.HOUR, timezone="Etc/UTC")
    assert is_whole(found, range_, Granularity.HOUR, "Etc/UTC")
    assert not is_whole(found, range_, Granularity.HOUR, "Mars/Olympus")
