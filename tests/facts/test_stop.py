"""What is known about the Hardbrücke recording, read back from the table that the history page shows."""

from __future__ import annotations

from datetime import datetime, timedelta
from itertools import accumulate, pairwise
from random import Random

import pandas as pd
import pytest

from analysis.bucket_table import peak_bucket, total
from analysis.drift import drifts
from contract import CROSSINGS, Granularity, MetricKey, MetricsFilter, MetricsQuery
from tests.facts.recordings import Recordings, both_ways

LINES = {
    "Ost-Nord": (1904, 4162),
    "Ost-SBB": (6816, 10035),
    "Ost-Süd": (3422, 2560),
    "Ost-VBZ": (9040, 5238),
    "West-Nord": (3205, 1018),
    "West-SBB": (11031, 7177),
    "West-Süd": (3400, 4055),
    "West-VBZ": (4466, 9914),
}


def net(table: pd.DataFrame, label: str) -> list[int]:
    return [int(value) for value in table[label, "entrances"] - table[label, "exits"]]


def test_months(recordings: Recordings) -> None:
    table = recordings.stop_table(
        recordings.whole_stop, "2024-01-01T00:00", "2024-04-01T00:00", Granularity.MONTH
    )
    assert table.to_numpy().tolist() == [[489_387, 507_589], [892_491, 911_142], [575_250, 586_660]]
    assert [stamp.strftime("%Y-%m-%d %H:%M %Z") for stamp in table.index] == [
        *("2024-01-01 00:00 CET", "2024-02-01 00:00 CET", "2024-03-01 00:00 CET"),
    ]


def test_the_busiest_days(recordings: Recordings) -> None:
    table = recordings.stop_table(recordings.whole_stop, "2024-01-16T00:00", "2024-03-20T00:00")
    assert both_ways(table, recordings.stop.name) == (1_957_128, 2_005_391)
    ordered = table.sort_values((recordings.stop.name, "entrances"), ascending=False)
    days = [
        (f"{stamp:%Y-%m-%d}", *flows)
        for stamp, flows in zip(ordered.index, ordered.to_numpy().tolist(), strict=True)
    ]
    assert days[:2] == [("2024-02-28", 43_284, 44_159), ("2024-01-31", 39_556, 40_511)]
    peak = peak_bucket(table, (recordings.stop.name, "entrances"))
    assert peak is not None
    assert peak.value == 43_284


def test_the_busiest_day_by_line(recordings: Recordings) -> None:
    table = recordings.stop_table(recordings.lines(*LINES), "2024-02-28T00:00", "2024-02-29T00:00")
    assert {line: both_ways(table, line) for line in LINES} == LINES


def test_the_busiest_day_by_platform(recordings: Recordings) -> None:
    table = recordings.stop_table(recordings.platforms("Ost", "West"), "2024-02-28T00:00", "2024-02-29T00:00")
    assert both_ways(table, "Platform Ost") == (21_182, 21_995)
    assert both_ways(table, "Platform West") == (22_102, 22_164)


@pytest.mark.parametrize(
    ("platform", "hour", "entrances", "exits"),
    [("Ost", 7, 2291, 2390), ("West", 17, 2316, 2308), ("West", 22, 2493, 2497)],
)
def test_hours_of_the_busiest_day(
    recordings: Recordings, platform: str, hour: int, entrances: int, exits: int
) -> None:
    table = recordings.stop_table(
        recordings.platforms(platform), "2024-02-28T00:00", "2024-02-29T00:00", Granularity.HOUR
    )
    assert len(table) == 24
    assert table.to_numpy()[hour].tolist() == [entrances, exits]


@pytest.mark.parametrize(("line", "flows"), [("Ost-SBB", (90, 89)), ("West-VBZ", (33, 116))])
def test_five_minutes_of_a_line(recordings: Recordings, line: str, flows: tuple[int, int]) -> None:
    table = recordings.stop_table(
        recordings.lines(line), "2024-02-28T07:30", "2024-02-28T07:35", Granularity.MINUTE
    )
    assert len(table) == 5
    assert both_ways(table, line) == flows


def test_the_burst_of_a_sunday_evening(recordings: Recordings) -> None:
    lines = recordings.stop_table(
        recordings.lines("West-Süd", "West-SBB"), "2024-01-21T18:45", "2024-01-21T18:50", Granularity.MINUTE
    )
    assert total(lines["West-Süd", "entrances"]) == 894
    assert total(lines["West-SBB", "exits"]) == 830
    burst = recordings.stop_table(
        recordings.platforms("West"), "2024-01-21T18:35", "2024-01-21T19:00", Granularity.MINUTE
    )
    assert total(burst["Platform West", "entrances"]) == 3015


def test_seven_weeks_in_which_the_platforms_differ(recordings: Recordings) -> None:
    table = recordings.stop_table(recordings.platforms("Ost", "West"), "2024-01-24T00:00", "2024-03-13T00:00")
    assert both_ways(table, "Platform West") == (736_990, 737_684)
    assert both_ways(table, "Platform Ost") == (809_048, 840_876)


def test_the_outage_stays_a_gap_at_every_granularity(recordings: Recordings) -> None:
    hours = recordings.stop_table(
        recordings.whole_stop, "2024-03-13T12:00", "2024-03-14T16:00", Granularity.HOUR
    )
    missing = hours[recordings.stop.name, "entrances"].isna()
    assert [stamp.hour for stamp in hours.index[missing]] == [*range(17, 24), *range(11)]
    minutes = recordings.stop_table(
        recordings.platforms("Ost", "West"), "2024-03-14T11:20", "2024-03-14T11:40", Granularity.MINUTE
    )
    gap = {
        label: int(minutes[label, "entrances"].isna().sum()) for label in ("Platform Ost", "Platform West")
    }
    assert gap == {"Platform Ost": 15, "Platform West": 10}


def test_a_quiet_night_is_zero_and_no_gap(recordings: Recordings) -> None:
    table = recordings.stop_table(
        recordings.whole_stop, "2024-02-28T02:25", "2024-02-28T03:25", Granularity.MINUTE
    )
    assert table[recordings.stop.name, "entrances"].tolist() == [0.0] * 60


@pytest.mark.parametrize(
    ("platform", "day", "known"),
    [
        ("West", "2024-02-07", {"lowest": -27, "highest": 27, "last": 25}),
        ("West", "2024-02-28", {"lowest": -73, "highest": 3, "last": -68}),
        ("Ost", "2024-02-28", {"lowest": -827, "last": -819}),
    ],
)
def test_running_sums_from_the_reset_drift_and_visitors_inside_stops_at_zero(
    recordings: Recordings, platform: str, day: str, known: dict[str, int]
) -> None:
    following = f"{pd.Timestamp(day) + pd.Timedelta(days=1):%Y-%m-%d}"
    metrics = (*CROSSINGS, MetricKey.VISITORS_INSIDE)
    table = recordings.stop_table(
        recordings.platforms(platform), f"{day}T04:00", f"{following}T04:00", Granularity.MINUTE, metrics
    )
    label = f"Platform {platform}"
    changes = net(table, label)
    running = list(accumulate(changes))
    every_five = running[4::5]
    found = {"lowest": min(every_five), "highest": max(every_five), "last": every_five[-1]}
    assert known.items() <= found.items()
    inside = list(accumulate(changes, lambda level, change: max(level + change, 0), initial=0))[1:]
    assert table[label, "visitorsInside"].tolist() == inside
    assert inside[-1] == running[-1] - min(0, *running)


def random_ranges(number: int) -> list[tuple[str, str, list[Granularity]]]:
    """Ranges within the recording that begin and end at any minute; minutes are for a day at most."""
    chance = Random(20240116)
    first = datetime(2024, 1, 16, 14, 55)  # noqa: DTZ001 - local to Zürich
    found = []
    for place in range(number):
        start = first + timedelta(minutes=chance.randrange(60 * 24 * 60))
        longest = 24 * 60 if place % 2 else 40 * 24 * 60
        end = start + timedelta(minutes=chance.randrange(1, longest))
        sizes = [unit for unit in Granularity if unit is not Granularity.MINUTE or place % 2]
        found.append((start.isoformat(), end.isoformat(), sizes))
    return found


@pytest.mark.parametrize(("start", "end", "granularities"), random_ranges(12))
def test_a_range_has_one_total_whatever_its_buckets(
    recordings: Recordings, start: str, end: str, granularities: list[Granularity]
) -> None:
    tables = [
        recordings.stop_table(recordings.whole_stop, start, end, granularity) for granularity in granularities
    ]
    assert len({both_ways(table, recordings.stop.name) for table in tables}) == 1


def test_the_parts_of_two_days_and_the_day_between_are_the_whole(recordings: Recordings) -> None:
    """27 February from 17:45 to 29 February, 08:15: the busiest day lies whole between two parts."""
    edges = ("2024-02-27T17:45", "2024-02-28T00:00", "2024-02-29T00:00", "2024-02-29T08:15")
    parts = [
        both_ways(recordings.stop_table(recordings.whole_stop, *pair), recordings.stop.name)
        for pair in pairwise(edges)
    ]
    table = recordings.stop_table(recordings.whole_stop, edges[0], edges[-1])
    assert parts[1] == (43_284, 44_159)
    assert [tuple(row) for row in table.to_numpy().tolist()] == parts


@pytest.mark.parametrize(("zone", "below_zero"), [("hardbruecke-west", 73), ("hardbruecke-ost", 827)])
def test_drift_of_a_platform_is_how_far_its_running_sum_goes_below_zero(
    recordings: Recordings, zone: str, below_zero: int
) -> None:
    points = recordings.client.metrics(
        MetricsQuery(
            metrics=(MetricKey.VISITORS_INSIDE, *CROSSINGS),
            site_id=recordings.stop.id,
            from_="2024-02-28T04:00:00",
            to="2024-02-29T04:00:00",
            granularity=Granularity.MINUTE,
            timezone="Europe/Zurich",
            filter=MetricsFilter(zone_ids=(zone,)),
        )
    ).points
    (drift,) = drifts([(point.timestamp, point.metrics) for point in points])
    assert (drift.unentered, drift.is_spoiling) == (below_zero, True)
