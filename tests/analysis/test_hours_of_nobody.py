from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from datetime import date, datetime, time, timedelta
from statistics import fmean
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from analysis.hours_of_nobody import MOST_DAYS
from analysis.rhythm import Hour
from analysis.rhythm_answer import RhythmAnswer, hours_of_day, rhythm_answer, rhythm_request, today_request
from analysis.subject import Subject, SubjectKind
from contract import Granularity, MetricKey, MetricPoint, MetricsQuery
from contract.buckets import local_midnight
from contract.minutes import MINUTE
from tests.counting_service import CountingService, Minute

ZURICH = ZoneInfo("Europe/Zurich")
SHOP = Subject(SubjectKind.SITE, "shop", "Shop")
ENTRANCES, INSIDE = MetricKey.ENTRANCES, MetricKey.VISITORS_INSIDE
MONDAY = date(2026, 6, 29)
NOON = datetime.combine(MONDAY, time(12, 20), ZURICH)
OPEN = range(8, 20)
_NEARLY_ALL = 57
"""Minutes of an hour."""


class Asked(CountingService):
    """Keeps what it is asked by the minute."""

    def run(self, queries: Mapping[Any, MetricsQuery]) -> dict[Any, Sequence[MetricPoint]]:
        _of_minutes.extend(one for one in queries.values() if one.granularity is Granularity.MINUTE)
        return super().run(queries)


_of_minutes: list[MetricsQuery] = []


@pytest.fixture(autouse=True)
def _none_is_asked_yet() -> None:
    _of_minutes.clear()


def outages(weeks: int, often: float, seed: int) -> Asked:
    """One comes in on half of the open minutes, never in the first ten of an hour, and nobody is told to be
    inside: in `often` of the hours only those first ten minutes are counted, or fewer; of 9 to 10 today five.
    """
    chance, minutes = random.Random(seed), {}
    for ago in range(7 * weeks, -1, -1):
        start = local_midnight(MONDAY - timedelta(days=ago), ZURICH)
        for hour in range(24):
            counted = chance.randint(1, 10) if chance.random() < often else 60
            counted = 5 if (ago, hour) == (0, 9) else counted
            for minute in range(counted):
                came = int(hour in OPEN and minute >= 10 and chance.random() < 0.5)
                minutes[start + (60 * hour + minute) * MINUTE] = Minute(came, 0, 0)
    return Asked(minutes, NOON)


def by_hand(service: CountingService, first: date, last: date) -> dict[tuple[date, int], int]:
    """Who came in each hour of the clock of which nearly all minutes are counted."""
    found: dict[tuple[date, int], list[int]] = {}
    for moment, minute in service.minutes.items():
        local = moment.astimezone(ZURICH)
        if first <= local.date() <= last:
            found.setdefault((local.date(), local.hour), []).append(minute.came)
    return {hour: sum(came) for hour, came in found.items() if len(came) >= _NEARLY_ALL}


def answered(service: CountingService, weeks: int, metric: MetricKey = ENTRANCES) -> RhythmAnswer:
    request = rhythm_request("shop", SHOP, metric, weeks, timezone=ZURICH, now=NOON)
    answer = rhythm_answer(request, service.run(request.queries()), metric, run=service.run)
    assert answer
    return answer


@pytest.mark.parametrize("seed", range(2))
def test_an_hour_of_which_few_minutes_are_counted_is_none_in_which_nobody_came(seed: int) -> None:
    service, weeks = outages(4, 0.15, seed), 4
    answer = answered(service, weeks)
    whole = by_hand(service, MONDAY - timedelta(weeks=weeks), MONDAY - timedelta(days=1))
    for hour in OPEN:
        for weekday in range(7):
            own = [came for (day, of), came in whole.items() if (day.weekday(), of) == (weekday, hour)]
            cell = answer.week.cells[Hour(weekday, hour)]
            assert cell.days == (len(own), 4)
            assert cell.partial == 4 - len(own)
            assert cell.value == pytest.approx(fmean(own))
    assert answer.power is not None
    assert sum(answer.week.cells[hour].value or 0 for hour in answer.power.hours) >= 0.8 * sum(
        cell.value or 0 for cell in answer.week.cells.values() if cell.is_usual
    )
    assert len(_of_minutes) <= MOST_DAYS


def test_such_an_hour_of_today_is_not_less_than_usual() -> None:
    service = outages(4, 0.15, 1)
    request = rhythm_request("shop", SHOP, ENTRANCES, 4, timezone=ZURICH, now=NOON)
    answer, today = answered(service, 4), today_request(request)
    assert today is not None
    whole = by_hand(service, MONDAY, MONDAY)
    told = hours_of_day(today, service.run(today.queries()), ENTRANCES, run=service.run, week=answer)
    own = {one.hour: one.value for one in told if one.hour in OPEN}
    assert own == {hour: whole.get((MONDAY, hour)) for hour in range(8, 12)}
    assert own[9] is None


def test_of_many_days_those_are_read_in_which_most_would_come_and_no_more() -> None:
    """Each day has an hour of which five minutes are counted: on Saturdays a hundred come in it, else one."""
    minutes = {}
    for ago in range(7 * 13, 0, -1):
        day = MONDAY - timedelta(days=ago)
        start = local_midnight(day, ZURICH) + timedelta(hours=9)
        is_short = ago <= 7 * 5
        for minute in range(5 if is_short else 60):
            came = 0 if minute < 10 else 2 * (day.weekday() == 5) or int(minute == 30)
            minutes[start + minute * MINUTE] = Minute(came, 0, 0)
    service = Asked(minutes, NOON)
    cells = answered(service, 13).week.cells
    assert (cells[Hour(5, 9)].value, cells[Hour(5, 9)].days) == (100, (8, 13))
    assert len(_of_minutes) == MOST_DAYS


def test_where_hours_tell_it_or_nobody_usually_comes_no_minute_is_read() -> None:
    start = local_midnight(MONDAY - timedelta(weeks=4), ZURICH)
    minutes = {
        start + (24 * 60 * day + minute) * MINUTE: Minute(int(9 <= minute // 60 < 18), 0, 0)
        for day in range(28)
        for minute in range(24 * 60)
    }
    assert answered(Asked(minutes, NOON), 4).week.cells[Hour(0, 3)].value == 0
    assert _of_minutes == []


def test_entrances_are_told_of_their_own_minutes_where_nobody_is_told_to_be_inside() -> None:
    """Where people inside are shown, their sums are all 0 and tell no minutes; power hours rest on these."""
    service = outages(4, 0.15, 2)
    power = answered(service, 4, INSIDE).power
    assert power == answered(service, 4).power
    assert power is not None
    assert power.open_hours + len(power.left_out) == 7 * len(OPEN)
