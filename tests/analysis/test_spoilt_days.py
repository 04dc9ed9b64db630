from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest

from analysis.rhythm_answer import rhythm_request
from analysis.spoilt_days import spoilt_days
from analysis.subject import Subject, SubjectKind
from contract import Aggregation, Granularity, MetricKey, MetricPoint, MetricsQuery

ZURICH = ZoneInfo("Europe/Zurich")
SHOP = Subject(SubjectKind.SITE, "shop", "Shop")
TODAY = date(2026, 6, 29)
NOW = datetime.combine(TODAY, time(15, 30), ZURICH)
HOURS = range(9, 19)


class Shop:
    """Forty come each hour from nine, and go in the next one; `lost` go without having come at noon."""

    def __init__(self, lost: Mapping[date, int]) -> None:
        self._lost = lost

    def __call__(self, queries: Mapping[Subject, MetricsQuery]) -> Mapping[Subject, Sequence[MetricPoint]]:
        return {subject: list(self._points(query)) for subject, query in queries.items()}

    def _points(self, query: MetricsQuery) -> list[MetricPoint]:
        assert query.granularity is Granularity.HOUR
        factor = {Aggregation.SUM: 60.0, Aggregation.AVERAGE: 1 / 60}.get(query.aggregation, 1.0)  # type: ignore[arg-type]
        points = []
        for ago in range(15, -1, -1):
            day = TODAY - timedelta(days=ago)
            for hour in range(24):
                start = datetime.combine(day, time(hour), ZURICH)
                if start >= NOW - timedelta(minutes=30):
                    break
                came, went = 40 * (hour in HOURS), 40 * (hour - 1 in HOURS)
                went += self._lost.get(day, 0) * (hour == 9)
                told = {"entrances": came, "exits": went, "visitorsInside": 20 * bool(came)}
                metrics = {name: factor * value for name, value in told.items()}
                points.append(MetricPoint(timestamp=start.astimezone(UTC), metrics={**metrics}))
        return points


def found_of(lost: Mapping[date, int]) -> tuple[set[date], set[date]]:
    """Dates that are spoilt, and local days of hours that are."""
    request = rhythm_request("shop", SHOP, MetricKey.VISITORS_INSIDE, 2, timezone=ZURICH, now=NOW)
    found = spoilt_days(request, Shop(lost))
    assert found is not None
    return set(found.dates), {hour.astimezone(ZURICH).date() for hour in found.hours}


def test_where_all_leave_who_came_no_day_is_spoilt() -> None:
    assert found_of({}) == (set(), set())


@pytest.mark.parametrize("ago", [1, 5, 14])
def test_a_day_on_which_more_go_than_can_be_inside_is_spoilt_and_no_other(ago: int) -> None:
    day = TODAY - timedelta(days=ago)
    dates, days = found_of({day: 200})
    assert dates == {day}
    assert day in days


def test_today_is_spoilt_as_soon_as_more_have_gone_than_came() -> None:
    dates, days = found_of({TODAY: 200})
    assert (dates, days) == (set(), {TODAY})


def test_what_cannot_be_read_is_not_judged() -> None:
    request = rhythm_request("shop", SHOP, MetricKey.VISITORS_INSIDE, 2, timezone=ZURICH, now=NOW)
    assert spoilt_days(request, lambda _queries: {}) is None
