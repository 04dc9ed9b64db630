"""Which points of an answer are of the range that was asked for."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api_client import AsyncClient, MetricsAnswer
from api_client.asked_range import OUTSIDE, within_range
from contract import Granularity, MetricKey, MetricPoint, MetricsQuery
from contract.buckets import bucket_starts
from contract.time_expressions import format_local
from tests.faults.misbehaving_server import Call, envelope, misbehaving_server

NOW = datetime(2026, 11, 24, 3, 20, 40, tzinfo=UTC)
ZONES = ["Europe/Zurich", "Asia/Kathmandu", "Australia/Lord_Howe", "America/New_York", "Etc/UTC"]
DAY = timedelta(days=1)


def asked(
    start: str, end: str | None, granularity: Granularity | None = None, zone: str = "Europe/Zurich"
) -> MetricsQuery:
    return MetricsQuery(
        metrics=(MetricKey.ENTRANCES,),
        site_id="s",
        from_=start,
        to=end,
        granularity=granularity,
        timezone=zone,
    )


def answer(*starts: datetime | str) -> MetricsAnswer:
    moments = [datetime.fromisoformat(one) if isinstance(one, str) else one for one in starts]
    points = tuple(MetricPoint(timestamp=one.astimezone(UTC), metrics={}) for one in sorted(moments))
    return MetricsAnswer(points, {}, (), "r", "t", Counter())


def kept(query: MetricsQuery, *starts: datetime | str) -> list[str]:
    """Local, without the offset."""
    zone = ZoneInfo(query.timezone or "UTC")
    found = within_range(answer(*starts), query, NOW)
    assert found.left_out[OUTSIDE] == len(starts) - len(found.points)
    return [format_local(point.timestamp, zone) for point in found.points]


YESTERDAY = asked("2026-11-23T00:00:00", "2026-11-24T00:00:00", Granularity.HOUR)


@pytest.mark.parametrize(
    "outside",
    [
        "2025-10-19T10:00:00+02:00",
        "2026-11-22T23:00:00+01:00",
        "2026-11-24T00:00:00+01:00",
        "2026-11-24T03:00:00+01:00",
        "2027-12-28T10:00:00+01:00",
    ],
)
def test_a_point_outside_of_the_range_is_left_out_and_counted(outside: str) -> None:
    inside = ["2026-11-23T00:00:00+01:00", "2026-11-23T23:00:00+01:00"]
    assert kept(YESTERDAY, *inside, outside) == ["2026-11-23T00:00:00", "2026-11-23T23:00:00"]


def test_the_hour_in_which_the_range_begins_is_of_it_and_the_one_before_is_not() -> None:
    query = asked("2026-11-23T18:06:00", "2026-11-23T21:00:00", Granularity.HOUR)
    starts = [f"2026-11-23T{hour}:00:00+01:00" for hour in range(16, 22)]
    assert kept(query, *starts) == ["2026-11-23T18:00:00", "2026-11-23T19:00:00", "2026-11-23T20:00:00"]


def test_a_first_hour_that_a_service_names_by_from_is_the_hour_in_which_that_lies() -> None:
    query = asked("2026-11-23T18:06:00", "2026-11-23T21:00:00", Granularity.HOUR)
    assert kept(query, "2026-11-23T18:06:00+01:00", "2026-11-23T20:00:00+01:00") == [
        "2026-11-23T18:00:00",
        "2026-11-23T20:00:00",
    ]
    assert kept(query, "2026-11-23T18:06:00+01:00") == ["2026-11-23T18:00:00"]
    from_there_on = ["2026-11-23T18:06:00", "2026-11-23T19:06:00", "2026-11-23T20:06:00"]
    assert kept(query, *(f"{one}+01:00" for one in from_there_on)) == from_there_on, "those are other hours"
    both = ["2026-11-23T18:00:00", "2026-11-23T18:06:00", "2026-11-23T19:00:00"]
    assert kept(query, *(f"{one}+01:00" for one in both)) == both[1:], "nothing is laid on another"


def test_a_first_bucket_longer_than_asked_for_stays_where_none_lies_within_it() -> None:
    query = asked("2026-11-20T18:00:00", "2026-11-23T18:00:00", Granularity.HOUR)
    days = [f"2026-11-{day}T00:00:00+01:00" for day in (20, 21, 22, 23)]
    assert len(kept(query, *days)) == 4
    hours = ["2026-11-20T18:00:00+01:00", "2026-11-20T19:00:00+01:00"]
    assert kept(query, days[0], *hours) == ["2026-11-20T18:00:00", "2026-11-20T19:00:00"]
    month = asked("2026-11-20T18:00:00", "2026-12-20T18:00:00", Granularity.DAY)
    assert len(kept(month, "2026-11-01T00:00:00+01:00", "2026-12-01T00:00:00+01:00")) == 2


def test_hours_and_days_of_utc_stay_where_the_range_begins_within_them() -> None:
    hours = asked("2026-11-23T00:00:00", "2026-11-24T00:00:00", Granularity.HOUR, "Asia/Kathmandu")
    assert kept(hours, "2026-11-22T18:00:00+00:00") == ["2026-11-22T23:45:00"]
    assert kept(hours, "2026-11-22T17:00:00+00:00") == []
    days = asked("2026-11-23T00:00:00", "2026-11-25T00:00:00", Granularity.DAY)
    assert len(kept(days, "2026-11-22T00:00:00+00:00", "2026-11-23T00:00:00+00:00")) == 2


def test_a_question_about_now_is_answered_with_the_newest_minute_whenever_it_was() -> None:
    assert kept(asked("now", "now"), "2025-01-01T00:00:00+01:00")
    stated = MetricsQuery(metrics=(MetricKey.ENTRANCES,), site_id="s")
    assert within_range(answer("2025-01-01T00:00:00+01:00"), stated, NOW).points


def test_what_is_told_from_now_on_allows_for_clocks_that_differ_by_seconds() -> None:
    query = asked("30 minutes ago", "now", Granularity.MINUTE)
    starts = [NOW.replace(second=0) - timedelta(minutes=ago) for ago in range(31)]
    assert len(kept(query, *starts)) == 31
    assert kept(query, NOW - timedelta(hours=2)) == []


@given(
    start=st.datetimes(datetime(2026, 1, 1), datetime(2026, 12, 31)),  # noqa: DTZ001
    length=st.timedeltas(timedelta(hours=1), timedelta(days=3)),
    granularity=st.sampled_from(list(Granularity)[1:]),
    zone=st.sampled_from(ZONES),
)
def test_whatever_is_asked_for_its_buckets_stay_and_those_around_it_go(
    start: datetime, length: timedelta, granularity: Granularity, zone: str
) -> None:
    timezone = ZoneInfo(zone)
    begin = start.replace(second=0, microsecond=0, tzinfo=timezone).astimezone(UTC)
    end = (start.replace(second=0, microsecond=0) + length).replace(tzinfo=timezone).astimezone(UTC)
    query = asked(format_local(begin, timezone), format_local(end, timezone), granularity, zone)
    if begin >= end or format_local(begin, timezone)[:16] != start.isoformat()[:16]:
        return  # the clocks skip that time
    own = list(bucket_starts(begin, end, granularity, timezone))
    around = list(bucket_starts(begin - 70 * DAY, end + 70 * DAY, granularity, timezone))
    assert set(own) < set(around)
    found = within_range(answer(*around), query, NOW + 1000 * DAY)
    assert [point.timestamp for point in found.points] == own
    assert within_range(found, query, NOW + 1000 * DAY) is found


async def test_the_client_leaves_them_out_and_remembers_that_it_did() -> None:
    def point(at: datetime) -> dict[str, object]:
        return {"timestamp": at.isoformat(), "metrics": {"entrances": 3}}

    outside, inside = datetime(2025, 10, 19, 8, tzinfo=UTC), datetime(2026, 1, 23, 10, tzinfo=UTC)

    async def history(call: Call) -> None:
        await call.answer(body=envelope([point(outside), point(inside)]))

    query = asked("2026-01-23T00:00:00", "2026-01-24T00:00:00", Granularity.HOUR)
    async with misbehaving_server(history) as server:
        server.other = history
        client = AsyncClient(server.base_url, "key")
        try:
            found = await client.metrics(query, is_of_range=True)
            said = client.recent_errors[0].message
        finally:
            await client.close()
    assert [one.timestamp for one in found.points] == [inside]
    assert said == f"Left out, because it cannot be right: {OUTSIDE}."
