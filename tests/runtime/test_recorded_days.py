"""What is asked for a replay, and what is made of answers that lack something."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from analysis.history_request import HistoryRequest
from analysis.recorded_day import empty_day
from analysis.subject import whole_site, zone_subjects
from api_client import ApiClientError, MetricsAnswer
from contract import Granularity, MetricKey, MetricPoint, MetricsQuery
from contract.minutes import MINUTE
from runtime import recorded_days
from runtime.answers import Answers
from runtime.recorded_days import ReadDay, read_recorded_day
from tests.small_site import SITE
from tests.wide_site import wide_site

ZURICH = ZoneInfo("Europe/Zurich")
LATER = datetime(2026, 11, 20, 12, tzinfo=UTC)
SHOP, CAFE = "corner-shop", "corner-shop/cafe"
Answer = Callable[[MetricsQuery], Sequence[MetricPoint]]


class Service:
    """Answers as it is told; keeps what it was asked."""

    def __init__(self, answer: Answer) -> None:
        self.answer = answer
        self.asked: list[MetricsQuery] = []

    def read(self, queries: Mapping[Any, MetricsQuery]) -> Answers[Any]:
        self.asked += queries.values()
        known: dict[Any, MetricsAnswer] = {}
        failures: dict[Any, ApiClientError] = {}
        for key, query in queries.items():
            try:
                known[key] = MetricsAnswer(tuple(self.answer(query)), {}, (), "", "")
            except ApiClientError as error:
                failures[key] = error
        return Answers(known, failures)

    def zones(self, granularity: Granularity | None = None) -> list[tuple[str, ...]]:
        return [
            (one.filter.zone_ids or ()) if one.filter else ()
            for one in self.asked
            if granularity in (None, one.granularity)
        ]


@pytest.fixture(autouse=True)
def own_account(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is kept from one test for the next."""
    monkeypatch.setenv("HEADROOM_BASE_URL", f"http://127.0.0.1:9/{tmp_path.name}")
    monkeypatch.setenv("HEADROOM_API_KEY", "hr_none")


def read(
    monkeypatch: pytest.MonkeyPatch, answer: Answer, day: date = date(2026, 11, 14), *, passages: bool = True
) -> tuple[ReadDay, Service]:
    service = Service(answer)
    monkeypatch.setattr(recorded_days, "read_answers", service.read)
    places = {SHOP: whole_site(SITE), CAFE: zone_subjects(SITE, ["cafe"])[0]}
    blank = empty_day(day, ZURICH, LATER)
    request = HistoryRequest(
        SITE.id, (whole_site(SITE),), (MetricKey.ENTRANCES,), blank.counted, ZURICH, LATER
    )
    return read_recorded_day(SITE, places, request, with_passages=passages), service


def point(query: MetricsQuery, inside: float) -> MetricPoint:
    """At the beginning of what was asked."""
    start = datetime.fromisoformat(str(query.from_)).replace(tzinfo=ZURICH).astimezone(UTC)
    return MetricPoint(timestamp=start, metrics={"visitorsInside": inside, "entrances": 2, "exits": 1})


def one_minute(query: MetricsQuery) -> Sequence[MetricPoint]:
    return [point(query, 5)]


def test_each_place_and_each_passage_is_one_question(monkeypatch: pytest.MonkeyPatch) -> None:
    found, service = read(monkeypatch, one_minute)
    assert sorted(service.zones()) == sorted([(), ("cafe",), ("hall",), ("cafe",), ("cafe",)])
    assert found.day.places[SHOP].inside[:2] == (5, None)
    assert found.day.passages["entrance"][0] == (2, 1)
    assert found.day.passages["terrace"][0] == (1, 2)  # it leads out of the café
    assert found.failures == {}


def test_passages_are_asked_for_only_where_they_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    found, service = read(monkeypatch, one_minute, passages=False)
    assert len(service.asked) == 2
    assert found.day.passages == {}


def test_of_more_passages_than_are_read_none_is_asked_for_and_the_limit_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wide = wide_site(60, 120)
    service = Service(one_minute)
    monkeypatch.setattr(recorded_days, "read_answers", service.read)
    blank = empty_day(date(2026, 11, 14), ZURICH, LATER)
    request = HistoryRequest(
        wide.id, (whole_site(wide),), (MetricKey.ENTRANCES,), blank.counted, ZURICH, LATER
    )
    found = read_recorded_day(wide, {SHOP: whole_site(wide)}, request)
    assert found.unread == "This site has 120 passages. Of more than 100 none is read."
    assert len(service.asked) == 1
    assert read_recorded_day(wide, {SHOP: whole_site(wide)}, request, with_passages=False).unread == ""


def test_a_day_of_twenty_five_hours_is_asked_for_in_two_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    found, service = read(monkeypatch, one_minute, date(2026, 10, 25), passages=False)
    assert len(service.asked) == 4 + 2  # and the day before of both, since people are inside at midnight
    inside = found.day.places[SHOP].inside
    assert len(inside) == 25 * 60
    assert [index for index, value in enumerate(inside) if value is not None] == [0, 24 * 60]


def test_where_no_minutes_are_stored_any_more_hours_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    def hours(query: MetricsQuery) -> Sequence[MetricPoint]:
        return [] if query.granularity is Granularity.MINUTE else [point(query, 7)]

    found, service = read(monkeypatch, hours)
    assert service.zones(Granularity.MINUTE) == [()]
    assert found.day.step == timedelta(hours=1)
    assert found.day.places[CAFE].inside == (7, *[None] * 23)
    assert len(found.day.passages["archway"]) == 24


def test_a_day_without_any_count_asks_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    found, service = read(monkeypatch, lambda _query: [])
    assert found.day.places == {}
    assert service.zones() == [(), ()]


def test_a_zone_that_fails_is_named_and_the_day_is_asked_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(query: MetricsQuery) -> Sequence[MetricPoint]:
        if query.filter and query.filter.zone_ids == ("cafe",) and not query.filter.passage_ids:
            raise ApiClientError("The service is down.", code="HTTP_503")
        return one_minute(query)

    for _ in range(2):
        found, service = read(monkeypatch, failing)
        assert service.asked
        assert set(found.day.places) == {SHOP}
        assert set(found.failures) == {CAFE}
        assert found.day.passages["archway"][0] == (2, 1)


def test_a_whole_site_that_fails_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(_query: MetricsQuery) -> Sequence[MetricPoint]:
        raise ApiClientError("The service is down.", code="HTTP_503")

    with pytest.raises(ApiClientError):
        read(monkeypatch, failing)


def test_a_day_that_is_over_is_asked_for_once_and_today_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    read(monkeypatch, one_minute)
    assert read(monkeypatch, one_minute)[1].asked == []
    for _ in range(2):
        today, service = read(monkeypatch, one_minute, date(2026, 11, 20))
        assert service.asked
        assert today.day.counted.end < today.day.whole.end


def test_a_day_that_has_just_ended_is_soon_asked_for_again_as_counts_come_late() -> None:
    present = datetime.now(ZURICH)
    ages = [
        recorded_days._Kept(empty_day(present.date() - timedelta(days=ago), ZURICH, present), timedelta()).age
        for ago in (1, 3)
    ]
    assert ages[0] < timedelta(minutes=10) < ages[1]


def test_who_is_inside_at_midnight_is_judged_by_the_next_morning(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forty come and stay; at four in the morning the count begins again without them."""
    midnight = datetime(2026, 11, 13, 23, tzinfo=UTC)

    def stays(query: MetricsQuery) -> Sequence[MetricPoint]:
        if query.filter:
            return []
        start = datetime.fromisoformat(str(query.from_)).replace(tzinfo=ZURICH).astimezone(UTC)
        end = datetime.fromisoformat(str(query.to)).replace(tzinfo=ZURICH).astimezone(UTC)
        points = []
        for index in range((end - start) // MINUTE):
            at = start + index * MINUTE
            come = at == midnight + timedelta(hours=10)
            inside = 40 if midnight + timedelta(hours=10) <= at < midnight + timedelta(hours=28) else 0
            values = {"visitorsInside": inside, "entrances": 40 * come, "exits": 0}
            points.append(MetricPoint(timestamp=at, metrics={**values}))
        return points

    found, service = read(monkeypatch, stays, passages=False)
    assert len(service.asked) == 3
    (stretch,) = found.day.places[SHOP].untrusted
    assert stretch.people == 40
    assert stretch.end == midnight + timedelta(hours=24)


def test_the_day_before_is_read_where_people_are_inside_at_midnight(monkeypatch: pytest.MonkeyPatch) -> None:
    """Twenty came the day before and fifty left, then one came; she leaves after midnight."""
    midnight = datetime(2026, 11, 13, 23, tzinfo=UTC)
    moves = {-600: (20, 0, 20), -120: (0, 50, 0), -30: (1, 0, 1), 30: (0, 1, 0)}

    def late(query: MetricsQuery) -> Sequence[MetricPoint]:
        if query.filter:
            return []
        start = datetime.fromisoformat(str(query.from_)).replace(tzinfo=ZURICH).astimezone(UTC)
        end = datetime.fromisoformat(str(query.to)).replace(tzinfo=ZURICH).astimezone(UTC)
        points = []
        for minute in range((start - midnight) // MINUTE, (end - midnight) // MINUTE):
            came, left, _ = moves.get(minute, (0, 0, 0))
            inside = next((after for at, (_, _, after) in reversed(moves.items()) if at <= minute), 0)
            values = {"visitorsInside": inside, "entrances": came, "exits": left}
            points.append(MetricPoint(timestamp=midnight + minute * MINUTE, metrics={**values}))
        return points

    found, service = read(monkeypatch, late, passages=False)
    assert len(service.asked) == 3
    (stretch,) = found.day.places[SHOP].untrusted
    assert (stretch.start, stretch.people) == (midnight, 30)
