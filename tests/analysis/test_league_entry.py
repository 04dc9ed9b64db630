"""Entries of a league, of services that tell less, or more, than they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest

from analysis.history_request import HistoryRequest
from analysis.hours_text import spans_of_text
from analysis.league_entry import Entry, Measure, league_entry
from analysis.league_period import Days, league_ranges
from analysis.opening_hours import OpeningHours
from analysis.subject import Subject, SubjectKind
from contract import Aggregation, Granularity, MetricKey, MetricPoint, MetricsQuery
from contract.buckets import bucket_start

ZURICH, KATHMANDU = ZoneInfo("Europe/Zurich"), ZoneInfo("Asia/Kathmandu")
HOUR, WEEK = timedelta(hours=1), timedelta(weeks=1)
DAYS = Days(date(2026, 11, 9), date(2026, 11, 15))
"""A Monday and the six days after."""
NOW = datetime(2026, 11, 18, 12, tzinfo=UTC)
CAME, WENT, INSIDE = MetricKey.ENTRANCES, MetricKey.EXITS, MetricKey.VISITORS_INSIDE
SITE = Subject(SubjectKind.SITE, "shop", "Shop")

AMinute = Mapping[MetricKey, float]
"""What each minute of an hour counts."""
Hours = Mapping[datetime, AMinute]
BUSY: AMinute = {CAME: 2, WENT: 2, INSIDE: 6}


def open_hours(first: date, days: int, counts: AMinute = BUSY, zone: ZoneInfo = ZURICH) -> Hours:
    """From nine to eleven on each of the days."""
    return {
        (datetime.combine(first + timedelta(days=day), time(hour), zone)).astimezone(UTC): counts
        for day in range(days)
        for hour in (9, 10)
    }


def both_weeks(counts: AMinute = BUSY, zone: ZoneInfo = ZURICH) -> Hours:
    return open_hours(DAYS.first - timedelta(days=7), 14, counts, zone)


def entry(
    hours: Hours,
    measure: Measure = Measure.ENTRANCES,
    *,
    zone: ZoneInfo = ZURICH,
    opening: OpeningHours | None = None,
    is_generous: bool = False,
) -> Entry:
    """Of a service that counts in these hours; a generous one tells all of them, whatever the range."""
    ranges = league_ranges(DAYS, NOW, zone)
    request = HistoryRequest("shop", (SITE,), (CAME,), ranges.present, zone, NOW)
    return league_entry(request, ranges, measure, _service(hours, zone, is_generous=is_generous), opening)


def _service(
    hours: Hours, zone: ZoneInfo, *, is_generous: bool
) -> Callable[[Mapping[Subject, MetricsQuery]], Mapping[Subject, Sequence[MetricPoint]]]:
    def answer(query: MetricsQuery) -> list[MetricPoint]:
        start, end = (
            datetime.fromisoformat(str(edge)).replace(tzinfo=zone) for edge in (query.from_, query.to)
        )
        found: dict[datetime, list[AMinute]] = {}
        for hour, counts in sorted(hours.items()):
            if is_generous or start <= hour < end:
                unit = query.granularity or Granularity.HOUR
                bucket = hour if unit is Granularity.HOUR else bucket_start(hour, unit, zone)
                found.setdefault(bucket, []).append(counts)
        return [
            MetricPoint(timestamp=bucket, metrics=_values(counts, query)) for bucket, counts in found.items()
        ]

    return lambda queries: {subject: answer(query) for subject, query in queries.items()}


def _values(counts: list[AMinute], query: MetricsQuery) -> dict[str, int | float]:
    values: dict[str, int | float] = {}
    for metric in query.metrics:
        told = [one[metric] for one in counts if metric in one]
        if told:
            usual = Aggregation.AVERAGE if metric is INSIDE else Aggregation.SUM
            how = query.aggregation or usual
            mean = sum(told) / len(told)
            values[metric] = {
                Aggregation.SUM: 60 * sum(told), Aggregation.AVERAGE: mean, Aggregation.MAXIMUM: max(told),
            }[how]  # fmt: skip
    return values


def test_a_service_that_tells_no_entrances_has_none() -> None:
    found = entry(both_weeks({INSIDE: 6}))
    assert (found.value, found.earlier) == (None, None)
    assert found.minutes == (7 * 120, 7 * 120), "how much is counted, people inside tell"
    assert entry(both_weeks()).value == 7 * 120 * 2


@pytest.mark.parametrize("measure", [Measure.ENTRANCES, Measure.INSIDE, Measure.PEAK])
def test_what_a_service_tells_of_other_days_is_none_of_these(measure: Measure) -> None:
    crowd: AMinute = {CAME: 50, WENT: 50, INSIDE: 90}
    around = {**open_hours(date(2026, 10, 28), 5, crowd), **open_hours(date(2026, 11, 16), 2, crowd)}
    hours = both_weeks()
    assert entry({**hours, **around}, measure, is_generous=True) == entry(hours, measure)


def test_people_who_are_inside_are_never_told_as_nobody() -> None:
    """Hours of UTC begin within two hours of Kathmandu, so that none can be told to be open."""
    utc_hours = {start - timedelta(minutes=15): one for start, one in both_weeks(zone=KATHMANDU).items()}
    assert entry(utc_hours, Measure.INSIDE, zone=KATHMANDU).value != 0
    nobody = {**both_weeks({CAME: 0, WENT: 0, INSIDE: 0})}
    assert entry(nobody, Measure.INSIDE).value == 0


def test_where_counting_began_within_the_days_that_is_told() -> None:
    found = entry(open_hours(date(2026, 11, 12), 4))
    assert found.began
    assert found.began.at == datetime(2026, 11, 12, tzinfo=ZURICH)
    assert found.began.part == pytest.approx(4 / 7)
    assert found.minutes.is_complete, "points alone do not show it"
    assert entry(both_weeks()).began is None
    long_ago = open_hours(date(2026, 9, 1), 1)
    assert entry({**long_ago, **open_hours(date(2026, 11, 12), 4)}).began is None


def test_people_inside_are_not_held_against_others_where_the_fullest_hour_is_missing() -> None:
    """Nobody comes in it, so that all who came in are counted of both weeks."""
    full: AMinute = {CAME: 0, WENT: 0, INSIDE: 90}
    evenings = [datetime(2026, 11, day, 10, tzinfo=UTC) for day in (7, 14)]
    whole = {**both_weeks(), **dict.fromkeys(evenings, full)}
    without = {start: one for start, one in whole.items() if start != evenings[1]}
    measures = (Measure.ENTRANCES, Measure.INSIDE, Measure.PEAK)
    assert [entry(whole, one).is_fair for one in measures] == [True, True, True]
    assert [entry(without, one).is_fair for one in measures] == [True, False, False]


def test_of_a_place_that_is_counted_since_afterwards_it_is_told_since_when() -> None:
    found = entry(open_hours(date(2026, 11, 18), 1))
    assert (found.value, found.minutes.present) == (None, 0)
    assert found.first == datetime(2026, 11, 18, tzinfo=ZURICH)
    assert entry({}).first is None
    assert entry(both_weeks()).first is None


def test_where_nobody_tells_what_was_long_before_a_site_began_with_its_first_count() -> None:
    zone, hours = ZURICH, open_hours(date(2026, 11, 12), 4)
    ranges, answer = league_ranges(DAYS, NOW, zone), _service(hours, zone, is_generous=False)
    request = HistoryRequest("shop", (SITE,), (CAME,), ranges.present, zone, NOW)

    def without_months(queries: Mapping[Subject, MetricsQuery]) -> Mapping[Subject, Sequence[MetricPoint]]:
        return answer({own: one for own, one in queries.items() if one.granularity is not Granularity.MONTH})

    found = league_entry(request, ranges, Measure.ENTRANCES, without_months)
    assert found.began == entry(hours).began


def test_open_minutes_before_counting_began_are_not_expected() -> None:
    """Open from nine to eleven on seven days; counted since the Thursday, four days of 120 minutes."""
    opening = OpeningHours(week=(spans_of_text("9-11"),) * 7)
    found = entry(open_hours(date(2026, 11, 12), 4), opening=opening)
    assert found.began is not None
    assert found.minutes == (480, 480)
    assert found.open_hours == pytest.approx(8)


def test_opening_hours_that_are_not_counted_divide_nothing() -> None:
    """Nine to eleven on seven days, of which two are silent; 120 came in each of ten counted hours."""
    opening = OpeningHours(week=(spans_of_text("9-11"),) * 7)
    silent = {datetime(2026, 11, day, hour, tzinfo=ZURICH) for day in (10, 12) for hour in (9, 10)}
    found = entry({start: one for start, one in both_weeks().items() if start not in silent}, opening=opening)
    assert found.open_hours == pytest.approx(10)
    assert found.open_hours_earlier == pytest.approx(14)
    assert found.value == 10 * 120


def test_per_opening_hour_those_count_who_came_while_it_was_open() -> None:
    """Counted from nine to eleven, open from ten; an hour that is open in part counts whole."""
    opening = OpeningHours(week=(spans_of_text("10-11"),) * 7)
    found = entry(both_weeks(), opening=opening)
    assert (found.value, found.while_open, found.open_hours) == (14 * 120, 7 * 120, 7)
    assert found.while_open_earlier == 7 * 120
    in_part = entry(both_weeks(), opening=OpeningHours(week=(spans_of_text("10:30-11"),) * 7))
    assert (in_part.while_open, in_part.open_hours) == (7 * 120, 3.5)
    assert entry(both_weeks()).while_open is None, "nobody has said"
