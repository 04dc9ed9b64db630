from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from zoneinfo import ZoneInfo

import pytest

from analysis.history_band import with_inside_band
from analysis.history_data import HistoryData, history_data
from analysis.history_request import HistoryRequest
from analysis.inside_band import error_part, sure_hours
from analysis.residue import day_balance
from analysis.subject import Subject, SubjectKind
from analysis.time_range import TimeRange
from analysis.trust_grid import grid_of, place_grid
from analysis.trust_request import trust_request
from contract import Granularity, MetricKey, MetricPoint, MetricsQuery
from contract.buckets import bucket_starts

ZURICH = ZoneInfo("Europe/Zurich")
NOW = datetime(2026, 6, 30, 14, 30, tzinfo=UTC)
SITE = Subject(SubjectKind.SITE, "", "Shop")
INSIDE = MetricKey.VISITORS_INSIDE


def entered(start: datetime) -> int:
    """100 an hour from nine to eleven, each day."""
    return 100 if start.astimezone(ZURICH).hour in (9, 10) else 0


def left(start: datetime) -> int:
    """All of them at six, but for as many hundredths as the day of the month has digits: 1 or 2 of 200 stay
    in the count every day.
    """
    local = start.astimezone(ZURICH)
    return 200 - len(str(local.day)) if local.hour == 18 else 0


def told(start: datetime) -> float:
    return 100 if 9 <= start.astimezone(ZURICH).hour < 18 else 0


def hours_until(end: datetime, silent: Sequence[datetime] = ()) -> list[MetricPoint]:
    asked = trust_request("shop", [SITE], timezone=ZURICH, now=NOW)
    return [
        MetricPoint(
            timestamp=start, metrics={"entrances": entered(start), "exits": left(start), INSIDE: told(start)}
        )
        for start in bucket_starts(*asked.range, Granularity.HOUR, ZURICH)
        if start < end and start not in silent
    ]


class Weeks:
    """Answers the first question, which is of the weeks; of no bucket it tells how many minutes it has."""

    def __init__(self, points: Sequence[MetricPoint]) -> None:
        self.points = points
        self.asked: list[Mapping[Subject, MetricsQuery]] = []

    def __call__(self, queries: Mapping[Subject, MetricsQuery]) -> Mapping[Subject, Sequence[MetricPoint]]:
        self.asked.append(queries)
        return {SITE: self.points} if len(self.asked) == 1 and self.points else {}


def shown(range_: TimeRange, granularity: Granularity, *, subject: Subject = SITE) -> HistoryData:
    return history_data(request(range_, subject=subject), {subject: points(range_, granularity)}, granularity)


def request(range_: TimeRange, *, subject: Subject = SITE) -> HistoryRequest:
    return HistoryRequest("shop", (subject,), (INSIDE,), range_, ZURICH, NOW)


def points(range_: TimeRange, granularity: Granularity) -> list[MetricPoint]:
    return [
        MetricPoint(timestamp=start, metrics={INSIDE: told(start)})
        for start in bucket_starts(*range_, granularity, ZURICH)
    ]


def banded(range_: TimeRange, granularity: Granularity, weeks: Weeks) -> HistoryData:
    return with_inside_band(shown(range_, granularity), request(range_), partial(place_grid, run=weeks))


YESTERDAY = TimeRange(datetime(2026, 6, 28, 22, tzinfo=UTC), datetime(2026, 6, 29, 22, tzinfo=UTC))
TODAY = TimeRange(datetime(2026, 6, 29, 22, tzinfo=UTC), NOW)


def test_by_the_hour_it_is_the_band_of_trust() -> None:
    data = banded(TODAY, Granularity.HOUR, Weeks(hours_until(NOW)))
    asked = trust_request("shop", [SITE], timezone=ZURICH, now=NOW)
    grid = grid_of(asked, {}, {SITE: hours_until(NOW)}, 28, run=lambda _: {})
    assert grid is not None
    part = error_part([day_balance(grid.hours[SITE], grid.expected[SITE], day) for day in grid.days])
    assert part is not None
    of_trust = {
        one.start: (one.low, one.high)
        for one in sure_hours(part, grid.starts, grid.hours[SITE], grid.days[-1].after)
    }
    assert data.band is not None
    assert data.band.part == part
    rows = dict(zip(bucket_starts(*TODAY, Granularity.HOUR, ZURICH), data.band.ends, strict=True))
    assert of_trust
    for start, ends in of_trust.items():
        assert rows[start] == pytest.approx(ends), start


def test_it_widens_with_everybody_who_comes_in() -> None:
    """One or two of 200 are left over: by ten 100 had come, by eleven 200."""
    data = banded(YESTERDAY, Granularity.HOUR, Weeks(hours_until(NOW)))
    assert data.band is not None
    assert data.band.part[:2] == pytest.approx((1 / 200, 2 / 200))
    assert data.band.ends[9] == pytest.approx((99, 99.5))
    assert data.band.ends[10] == pytest.approx((98, 99))
    assert data.band.ends[3] == (0, 0)


def test_within_an_hour_people_come_evenly() -> None:
    """By half past nine 50 had come."""
    data = banded(YESTERDAY, Granularity.MINUTE, Weeks(hours_until(NOW)))
    assert data.band is not None
    assert data.band.ends[9 * 60 + 29] == pytest.approx((99.5, 99.75))
    assert data.band.ends[9 * 60 + 59] == pytest.approx((99, 99.5))


def test_nothing_is_told_of_the_hour_that_runs_and_after_one_that_is_not_counted() -> None:
    silent = datetime(2026, 6, 30, 8, tzinfo=UTC)  # 10:00 in Zurich
    data = banded(TODAY, Granularity.HOUR, Weeks(hours_until(NOW, [silent])))
    assert data.band is not None
    assert [end is None for end in data.band.ends] == [hour >= 10 for hour in range(17)]
    whole = banded(TODAY, Granularity.HOUR, Weeks(hours_until(NOW)))
    assert whole.band is not None
    assert [end is None for end in whole.band.ends] == [hour >= 16 for hour in range(17)]


def test_hours_in_which_counters_are_always_off_miss_nobody() -> None:
    at_night = [
        start
        for start in bucket_starts(NOW - timedelta(days=31), NOW, Granularity.HOUR, ZURICH)
        if start.astimezone(ZURICH).hour < 8
    ]
    data = banded(TODAY, Granularity.HOUR, Weeks(hours_until(NOW, at_night)))
    assert data.band is not None
    assert data.band.ends[9] == pytest.approx((99, 99.5))


def test_where_the_number_means_nothing_there_is_no_band() -> None:
    nine, ten = (datetime(2026, 6, 29, hour, tzinfo=UTC) for hour in (7, 8))
    data = shown(YESTERDAY, Granularity.HOUR)
    spoilt = HistoryData(
        data.table, data.cut, data.granularity, ZURICH, data.range, untrusted={"Shop": [TimeRange(nine, ten)]}
    )
    found = with_inside_band(spoilt, request(YESTERDAY), partial(place_grid, run=Weeks(hours_until(NOW))))
    assert found.band is not None
    assert [row for row, ends in enumerate(found.band.ends) if ends is None] == [9]


@pytest.mark.parametrize("reason", ["zone", "long ago", "by day", "only entrances"])
def test_where_it_cannot_be_told_nobody_is_asked(reason: str) -> None:
    range_, granularity, subject = YESTERDAY, Granularity.HOUR, SITE
    if reason == "zone":
        subject = Subject(SubjectKind.ZONE, "hall", "Hall")
    if reason == "long ago":
        range_ = TimeRange(*(moment - timedelta(days=40) for moment in YESTERDAY))
    if reason == "by day":
        granularity = Granularity.DAY
    data = shown(range_, granularity, subject=subject)
    if reason == "only entrances":
        data = HistoryData(data.table.iloc[:, :0], data.cut, granularity, ZURICH, range_)
    weeks = Weeks(hours_until(NOW))
    assert with_inside_band(data, request(range_, subject=subject), partial(place_grid, run=weeks)) is data
    assert weeks.asked == []


def test_without_enough_days_or_an_answer_there_is_none() -> None:
    for found in ([], hours_until(NOW)[-3 * 24 :]):
        assert banded(TODAY, Granularity.HOUR, Weeks(found)).band is None
