from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from random import Random
from zoneinfo import ZoneInfo

import pytest

from analysis.door_blame import BlameKind, Way
from analysis.history_request import HistoryRequest
from analysis.subject import Subject
from analysis.trust_answer import TrustAnswer, last_day, trust_answer, zones_by_trouble
from analysis.trust_grid import Grid, grid_of
from analysis.trust_request import ChosenZones, chosen_zones, trust_request, ways_of
from contract import Granularity, MetricKey, MetricPoint, MetricsQuery, Site
from contract.buckets import bucket_starts
from tests.small_site import SITE

ZURICH = ZoneInfo("Europe/Zurich")
NOW = datetime(2026, 6, 30, 14, 30, tzinfo=UTC)
Counts = tuple[float, float]
"""Who came in and who went out, in an hour."""


def nothing(_: Mapping[Subject, MetricsQuery]) -> Mapping[Subject, Sequence[MetricPoint]]:
    """Of no bucket it is known how many minutes it has."""
    return {}


def never_before(
    queries: Mapping[Subject, MetricsQuery],
) -> Mapping[Subject, Sequence[MetricPoint]]:
    """Nothing is counted in what is asked for beside."""
    return dict.fromkeys(queries, ())


def zones_of(site: Site = SITE) -> ChosenZones:
    return chosen_zones(site, ["shop"])


def request_of(zones: ChosenZones) -> HistoryRequest:
    return trust_request(SITE.id, zones.subjects, timezone=ZURICH, now=NOW)


def hourly(request: HistoryRequest, open_hours: Mapping[int, Counts]) -> list[MetricPoint]:
    """The same each day; nobody in other hours."""
    return [
        MetricPoint(timestamp=start, metrics={"entrances": own[0], "exits": own[1]})
        for start in bucket_starts(*request.range, Granularity.HOUR, ZURICH)
        for own in [open_hours.get(start.astimezone(ZURICH).hour, (0, 0))]
    ]


def way(name: str) -> Way:
    return next(way for way in ways_of(SITE) if way.passage_id == name)


RIGHT: dict[str, dict[int, Counts]] = {
    "entrance": {9: (100, 0), 18: (0, 40)},
    "archway": {10: (60, 0)},
    "terrace": {17: (0, 60)},
}
HALL: dict[int, Counts] = {9: (100, 0), 10: (0, 60), 18: (0, 40)}
CAFE: dict[int, Counts] = {10: (60, 0), 17: (0, 60)}
SHOP: dict[int, Counts] = {9: (100, 0), 17: (0, 60), 18: (0, 40)}


def grid(hall: Mapping[int, Counts] = HALL, days: int = 7) -> Grid:
    zones = zones_of()
    request = request_of(zones)
    flows = dict(zip(zones.subjects, (SHOP, hall, CAFE), strict=True))
    points = {subject: hourly(request, own) for subject, own in flows.items()}
    found = grid_of(request, zones.by_id, points, days, run=nothing)
    assert found is not None
    return found


def answer(
    hall: Mapping[int, Counts] = HALL, doors: Mapping[str, Mapping[int, Counts]] = RIGHT
) -> TrustAnswer:
    request = request_of(zones_of())
    answers = {way(name): hourly(request, own) for name, own in doors.items()}
    return trust_answer(request, grid(hall), ways_of(SITE), answers)


def test_a_site_that_adds_up_has_its_days_and_no_blame() -> None:
    found = answer()
    assert [one.subject.label for one in found.zones] == ["Corner shop", "Hall", "Café"]
    assert {len(one.days) for one in found.zones} == {7}
    assert all(one.whole == (7, 0, one.whole.came, one.whole.went, 0) for one in found.zones)
    assert (found.blames, found.silences, found.unknown, found.unread) == ((), (), (), ())
    assert set(found.checked) == {"hall", "cafe"}
    assert (found.begin, found.days_judged) == (4, 7)


def test_the_newest_day_is_the_last_that_is_over() -> None:
    last = last_day(grid())
    assert last is not None
    assert last.end == datetime(2026, 6, 30, 2, tzinfo=UTC), "04:00 in Zurich"
    assert last.end - last.start == timedelta(hours=24)


def test_a_zone_whose_doors_are_not_all_read_blames_none_of_them() -> None:
    broken = HALL | {18: (0, 10)}
    known = {name: own for name, own in RIGHT.items() if name != "entrance"}
    found = answer(broken, known)
    (blame,) = found.blames
    assert (blame.zones, blame.kind) == (("hall",), BlameKind.UNREAD)
    assert found.unread == (way("entrance"),)
    assert found.checked == ("cafe",)


def test_doors_that_are_not_all_that_a_zone_counts_are_not_blamed() -> None:
    """Thirty leave the hall by what no passage tells."""
    found = answer(HALL | {18: (0, 70)})
    assert [(one.zones, one.kind) for one in found.blames] == [(("hall",), BlameKind.UNREAD)]


def test_zones_that_are_most_wrong_have_their_doors_read_first() -> None:
    assert zones_by_trouble(grid(HALL | {18: (0, 10)}))[0] == "hall"


def test_a_zone_that_is_told_by_the_day_is_named_and_left_out() -> None:
    zones = zones_of()
    request = request_of(zones)
    daily = [
        MetricPoint(timestamp=start, metrics={"entrances": 100, "exits": 100})
        for start in bucket_starts(*request.range, Granularity.DAY, ZURICH)
    ]
    points = dict(zip(zones.subjects, (hourly(request, SHOP), daily, hourly(request, CAFE)), strict=True))
    known = grid_of(request, zones.by_id, points, 7, run=nothing)
    assert known is not None
    found = trust_answer(request, known, ways_of(SITE), {})
    assert [one.label for one in found.unknown] == ["Hall"]
    assert found.checked == ()


def told_with(
    points_of: Mapping[str, Sequence[MetricPoint]], ways: Sequence[Way] = (), days: int = 7
) -> TrustAnswer:
    """`points_of` are the hours of shop, hall and café."""
    zones = zones_of()
    request = request_of(zones)
    points = dict(zip(zones.subjects, points_of.values(), strict=True))
    known = grid_of(request, zones.by_id, points, days, run=never_before)
    assert known is not None
    return trust_answer(request, known, ways_of(SITE), {way: hourly(request, {}) for way in ways})


def test_a_zone_that_has_stopped_and_one_that_never_counted_are_told_apart() -> None:
    request = request_of(zones_of())
    stopped_at = datetime(2026, 6, 9, 8, tzinfo=UTC)
    hall = [point for point in hourly(request, HALL) if point.timestamp < stopped_at]
    found = told_with({"shop": hourly(request, SHOP), "hall": hall, "cafe": []}, days=28)
    assert [(one.label, one.since) for one in found.stopped] == [("Hall", stopped_at)]
    assert [one.label for one in found.empty] == ["Café"]
    assert found.unknown == ()
    (_, whole) = found.zones
    assert whole.counted.present < whole.counted.expected / 2
    assert whole.whole.days < 10


def test_a_passage_that_has_stopped_is_told() -> None:
    request = request_of(zones_of())
    stopped_at = datetime(2026, 6, 9, 8, tzinfo=UTC)
    own = [point for point in hourly(request, {}) if point.timestamp < stopped_at]
    found = trust_answer(request, grid(), ways_of(SITE), {way("entrance"): own})
    assert [(one.label, one.since) for one in found.stopped] == [("Entrance", stopped_at)]


def test_when_the_counts_of_a_young_site_begin_is_told() -> None:
    request = request_of(zones_of())
    begun = datetime(2026, 6, 26, 22, tzinfo=UTC)
    young = [point for point in hourly(request, {}) if point.timestamp >= begun]
    found = told_with({"shop": young, "hall": young, "cafe": young})
    assert found.since == begun
    days = found.zones[0].days
    assert [day.date for day in days] == [date(2026, 6, day) for day in (26, 27, 28, 29)], "none before"
    assert [day.is_whole for day in days] == [False, True, True, True]
    assert [day.counted for day in days] == [(240, 240), *[(1440, 1440)] * 3], "from midnight to four"
    assert found.zones[0].counted == (3 * 1440 + 240, 3 * 1440 + 240)
    assert found.late == ()
    assert answer().since is None


def test_a_site_that_was_counted_before_these_weeks_lacks_what_it_was_silent_for() -> None:
    """Its first count of all is of January; of these four weeks it has the last three days alone."""
    request = request_of(zones_of())
    begun = datetime(2026, 6, 26, 22, tzinfo=UTC)
    young = [point for point in hourly(request, {}) if point.timestamp >= begun]

    def earlier(queries: Mapping[Subject, MetricsQuery]) -> Mapping[Subject, Sequence[MetricPoint]]:
        january = MetricPoint(timestamp=datetime(2026, 1, 1, tzinfo=UTC), metrics={"entrances": 1})
        return {one: [january] for one, query in queries.items() if query.granularity == "month"}

    zones = zones_of()
    points = dict.fromkeys(zones.subjects, young)
    grid = grid_of(request, zones.by_id, points, 7, run=earlier)
    assert grid is not None
    found = trust_answer(request, grid, ways_of(SITE), {})
    assert found.since is None
    assert found.zones[0].counted == (3 * 1440 + 240, 7 * 1440)


def test_a_zone_and_a_door_that_are_silent_while_their_site_is_counted_do_not_become_whole() -> None:
    """The site begins on Monday 15 June at nine, the hall and a door of it are dead until Friday the 26th."""
    request, zones = request_of(zones_of()), zones_of()
    begun, alive = datetime(2026, 6, 15, 7, tzinfo=UTC), datetime(2026, 6, 26, 10, tzinfo=UTC)
    all_ = [point for point in hourly(request, {}) if point.timestamp >= begun]
    late = [point for point in all_ if point.timestamp >= alive]
    shop, hall, cafe = zones.subjects
    grid = grid_of(request, zones.by_id, {shop: all_, hall: late, cafe: all_}, 28, run=never_before)
    assert grid is not None
    found = trust_answer(request, grid, ways_of(SITE), {way("entrance"): late, way("archway"): all_})
    assert found.since == begun
    whole, dead, alike = found.zones
    # From 09:00 on the 15th until 04:00 on the 30th.
    assert whole.counted == alike.counted == (14 * 1440 + 19 * 60, 14 * 1440 + 19 * 60)
    assert dead.counted == (3 * 1440 + 16 * 60, 14 * 1440 + 19 * 60)
    assert sum(day.is_whole for day in dead.days) == 3
    assert [(one.label, one.at) for one in found.late] == [("Hall", alive), ("Entrance", alive)]
    assert found.passages[way("archway")] == (14 * 24 + 19, 14 * 24 + 19)


def test_a_site_without_people_inside_or_without_exits_says_so() -> None:
    request = request_of(zones_of())

    def with_metrics(**metrics: float) -> list[MetricPoint]:
        return [replace(point, metrics=metrics) for point in hourly(request, {})]

    both = with_metrics(entrances=3, exits=3)
    found = told_with(
        {"shop": with_metrics(entrances=3, exits=3, visitorsInside=1), "hall": both, "cafe": both}
    )
    assert [one.has_inside for one in found.zones] == [True, False, False]
    found = told_with({"shop": with_metrics(entrances=3, visitorsInside=1), "hall": both, "cafe": both})
    assert [one.lacks for one in found.zones] == [MetricKey.EXITS, None, None]
    assert found.zones[0].counted == (7 * 1440, 7 * 1440)
    assert {day.lacks for day in found.zones[0].days} == {MetricKey.EXITS}
    assert found.zones[0].whole.days == 0


def test_nothing_counted_is_no_grid() -> None:
    zones = zones_of()
    assert grid_of(request_of(zones), zones.by_id, {zones.subjects[0]: []}, 7, run=nothing) is None


def test_a_site_of_one_zone_has_its_doors_checked() -> None:
    """The zone that stands for the site is the one into which its doors lead."""
    alone = SITE.model_copy(
        update={
            "zones": SITE.zones[:1],
            "passages": (SITE.passages[0].model_copy(update={"to_zone_id": "shop"}),),
        }
    )
    zones = zones_of(alone)
    request = request_of(zones)
    turned: dict[int, Counts] = {9: (0, 100), 18: (100, 0)}
    known = grid_of(request, zones.by_id, {zones.subjects[0]: hourly(request, turned)}, 7, run=nothing)
    assert known is not None
    (door,) = ways_of(alone)
    (blame,) = trust_answer(request, known, [door], {door: hourly(request, turned)}).blames
    assert (blame.kind, blame.by_balance) == (BlameKind.EXCHANGED, False)


def test_hours_that_begin_at_other_minutes_are_no_part_of_the_grid() -> None:
    """As a service of Kathmandu's hours answers, of which half the minutes are missing."""
    zones = zones_of()
    request = request_of(zones)

    def shifted(points: Sequence[MetricPoint], factor: float = 1) -> list[MetricPoint]:
        return [
            MetricPoint(
                timestamp=point.timestamp + timedelta(minutes=45),
                metrics={key: value * factor for key, value in point.metrics.items()},
            )
            for point in points
        ]

    inside = [
        replace(point, metrics={**point.metrics, MetricKey.VISITORS_INSIDE: 4})
        for point in hourly(request, SHOP)
    ]
    points = {subject: shifted(inside) for subject in zones.subjects}
    half = {subject: shifted(inside, 30) for subject in zones.subjects}
    known = grid_of(request, zones.by_id, points, 7, run=lambda asked: {one: half[one] for one in asked})
    assert known is not None
    assert not any(hours.counted.any() for hours in known.hours.values())


@pytest.mark.parametrize("seed", range(12))
def test_whatever_a_service_answers_something_is_told(seed: int) -> None:
    """Hours that are missing, without a metric, of no people or of as many as a client takes."""
    zones = zones_of()
    request = request_of(zones)
    chance = Random(seed)
    starts = list(bucket_starts(*request.range, Granularity.HOUR, ZURICH))
    values = [None, 0, 0.5, 3, 60, 10**9]

    def points() -> list[MetricPoint]:
        share = chance.random()
        return [
            MetricPoint(
                timestamp=start,
                metrics={key: value for key in MetricKey if (value := chance.choice(values)) is not None},
            )
            for start in starts
            if chance.random() < share
        ]

    answers = {subject: points() for subject in zones.subjects}
    known = grid_of(request, zones.by_id, answers, 28, run=lambda asked: {one: points() for one in asked})
    assert known is not None
    ways = ways_of(SITE)
    found = trust_answer(request, known, ways, {way: points() for way in ways})
    assert len(found.ranked) == len(found.passages) == len(ways)
    for one in found.zones:
        assert len(one.days) == 28
        assert all(0 <= day.counted.present <= day.counted.expected for day in one.days)
