"""The Hardbrücke recording: what is said of its known drift, and of doors that are spoilt on purpose.

Answers come by HTTP; a door is exchanged or stopped in what was answered, in its own points and in the sums
of its platform, as a counter mounted the wrong way round would have reported them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from random import Random
from zoneinfo import ZoneInfo

import pytest

from analysis.door_blame import Blame, BlameKind, Way
from analysis.subject import Subject
from analysis.trust_answer import TrustAnswer, trust_answer
from analysis.trust_grid import grid_of
from analysis.trust_request import chosen_zones, trust_request, way_queries, ways_of
from contract import MetricKey, MetricPoint, MetricsQuery
from tests.facts.recordings import ZURICH, Recordings

NOW = datetime(2024, 3, 12, 9, tzinfo=ZURICH)
"""The four weeks before it have no outage."""
IN, OUT = MetricKey.ENTRANCES, MetricKey.EXITS
Points = list[MetricPoint]
Change = Callable[[MetricPoint], MetricPoint]
WEST = ("nord", "sbb", "sued", "vbz")


class Stop:
    """The stop as it was answered, and what is told of it with one line changed."""

    def __init__(self, recordings: Recordings) -> None:
        self.zones = chosen_zones(recordings.stop, ["hardbruecke-stop"])
        self.request = trust_request(recordings.stop.id, self.zones.subjects, timezone=ZURICH, now=NOW)
        self.client = recordings.client
        self.points = {one: list(self.ask(query)) for one, query in self.request.queries().items()}
        self.ways = ways_of(recordings.stop)
        queries = way_queries(self.request, self.ways)
        self.doors = {way: list(self.ask(query)) for way, query in queries.items()}

    def ask(self, query: MetricsQuery) -> Sequence[MetricPoint]:
        return self.client.metrics(query).points

    def way(self, name: str) -> Way:
        return next(way for way in self.ways if way.passage_id == f"hardbruecke-{name}")

    def told(self, days: int, name: str = "", change: Change | None = None) -> TrustAnswer:
        doors, points = dict(self.doors), dict(self.points)
        if change:
            way = self.way(name)
            doors[way] = [change(point) for point in self.doors[way]]
            for subject in (self.zones.subjects[0], self.zones.by_id[way.zone_id]):
                points[subject] = summed(points[subject], self.doors[way], doors[way])

        def run(queries: Mapping[Subject, MetricsQuery]) -> Mapping[Subject, Sequence[MetricPoint]]:
            """How many minutes are counted: the averages that answer fit what was counted only."""
            return {} if change else {key: self.ask(query) for key, query in queries.items()}

        grid = grid_of(self.request, self.zones.by_id, points, days, run=run)
        assert grid is not None
        return trust_answer(self.request, grid, self.ways, doors)


def summed(points: Points, before: Points, after: Points) -> Points:
    """The points of a zone, with a door of it that counts `after` instead of `before`."""
    changes = {
        old.timestamp: (new.metrics[IN] - old.metrics[IN], new.metrics[OUT] - old.metrics[OUT])
        for old, new in zip(before, after, strict=True)
    }
    return [
        replace(
            point,
            metrics=point.metrics
            | {IN: point.metrics[IN] + changes[point.timestamp][0]}
            | {OUT: point.metrics[OUT] + changes[point.timestamp][1]},
        )
        if point.timestamp in changes
        else point
        for point in points
    ]


def exchanged(point: MetricPoint) -> MetricPoint:
    return replace(point, metrics={IN: point.metrics[OUT], OUT: point.metrics[IN]})


def stopped(start: datetime) -> Change:
    """Zeros for two hours."""

    def change(point: MetricPoint) -> MetricPoint:
        is_within = start <= point.timestamp < start + timedelta(hours=2)
        return replace(point, metrics={IN: 0, OUT: 0}) if is_within else point

    return change


@pytest.fixture(scope="module")
def stop(recordings: Recordings) -> Stop:
    return Stop(recordings)


def of_zone(answer: TrustAnswer, zone: str) -> list[Blame]:
    return [blame for blame in answer.blames if zone in blame.zones]


@pytest.mark.parametrize("days", [7, 28])
def test_platform_ost_drifts_and_which_of_its_four_lines_errs_cannot_be_told(stop: Stop, days: int) -> None:
    answer = stop.told(days)
    (blame,) = answer.blames
    assert (blame.zones, blame.kind) == (("hardbruecke-ost",), BlameKind.ONE_OF)
    assert len(blame.ways) == 4
    assert answer.silences == ()


def test_what_the_days_of_the_platforms_leave_is_known(stop: Stop) -> None:
    """Ost counts 2.5 to 9 % more people out than in, West balances within 1.3 %."""
    zones = {one.subject.label: one for one in stop.told(28).zones}
    for name, least, most in (("Platform Ost", -0.09, -0.02), ("Platform West", -0.013, 0.013)):
        days = [day for day in zones[name].days if day.is_whole]
        assert len(days) >= 27
        assert all(least <= day.residue / day.came <= most for day in days), name
    busiest = next(day for day in zones["Platform Ost"].days if day.date == date(2024, 2, 28))
    assert busiest.is_spoilt
    # From midnight on 21,182 in and 21,995 out, -819 since 04:00; a few cross before.
    assert busiest.residue == pytest.approx(-819, abs=10)


def test_the_minutes_that_platform_west_misses_are_named(stop: Stop) -> None:
    """Five minutes, 2024-02-27 at 17:15."""
    west = next(one for one in stop.told(28).zones if one.subject.label == "Platform West")
    (missing,) = [day for day in west.days if not day.counted.is_complete]
    assert (missing.date, missing.counted, missing.is_whole) == (date(2024, 2, 27), (1435, 1440), False)


@pytest.mark.parametrize("line", WEST)
@pytest.mark.parametrize("days", [7, 28])
def test_a_line_of_platform_west_that_is_exchanged_is_named(stop: Stop, line: str, days: int) -> None:
    answer = stop.told(days, f"west-{line}", exchanged)
    (blame,) = of_zone(answer, "hardbruecke-west")
    assert (blame.kind, blame.ways) == (BlameKind.EXCHANGED, (stop.way(f"west-{line}"),))
    assert blame.left < blame.wrong / 10
    assert answer.ranked[0].way == stop.way(f"west-{line}")


@pytest.mark.parametrize("line", WEST)
def test_a_line_exchanged_on_platform_ost_is_lost_in_its_drift_and_no_other_is_named(
    stop: Stop, line: str
) -> None:
    (blame,) = of_zone(stop.told(28, f"ost-{line}", exchanged), "hardbruecke-ost")
    assert blame.kind is BlameKind.ONE_OF
    assert stop.way(f"ost-{line}") in blame.ways


@pytest.mark.parametrize("seed", range(8))
def test_a_line_that_stops_for_two_hours_is_named_with_its_hours(stop: Stop, seed: int) -> None:
    chance = Random(seed)
    name = chance.choice([way.passage_id for way in stop.ways]).removeprefix("hardbruecke-")
    day = date(2024, 2, 14) + timedelta(days=chance.randrange(27))
    start = datetime(day.year, day.month, day.day, chance.randrange(9, 18), tzinfo=ZoneInfo("Europe/Zurich"))
    (silence,) = stop.told(28, name, stopped(start)).silences
    assert silence.way == stop.way(name)
    assert (silence.start, silence.end) == (start, start + timedelta(hours=2))
    assert not silence.is_missing
