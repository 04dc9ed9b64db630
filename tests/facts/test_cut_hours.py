"""What is told of sites that open and close within an hour, held against their minutes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import date, datetime, time, timedelta

import pytest

from analysis.hours_text import spans_of_text
from analysis.league_entry import Entry, Measure, league_entry
from analysis.league_period import Days, league_request
from analysis.open_time import Opening
from analysis.opening_hours import OpeningHours
from analysis.rhythm import Hour
from analysis.rhythm_answer import Bounds, hours_of_day, rhythm_answer, rhythm_request, today_request
from analysis.subject import Subject, whole_site, zone_subjects
from analysis.targets import Target, days_of_month, share_by_now, target_progress
from analysis.time_range import TimeRange
from analysis.trust_answer import TrustAnswer, trust_answer
from analysis.trust_grid import grid_of
from analysis.trust_request import chosen_zones, trust_request, way_queries, ways_of
from api_client import Client
from contract import MetricKey
from tests.facts.cut_hours import (
    CLOSES,
    HOURS,
    OPEN_MINUTES,
    OPENS,
    SILENT,
    SILENT_DAY,
    SITES,
    Asked,
    CutSite,
    fill,
)
from tests.running_service import start_service

WEEK = Days(date(2024, 10, 21), date(2024, 10, 27))
SILENT_WEEK = Days(date(2024, 10, 14), date(2024, 10, 20))
each = pytest.mark.parametrize("site", SITES, ids=lambda site: site.id)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory, lasting: set[int]) -> Iterator[Asked]:
    data_dir = tmp_path_factory.mktemp("cut-hours")
    key = fill(data_dir)
    service = start_service(data_dir)
    lasting.add(service.process.pid)
    client = Client(service.base_url, key, timeout=30.0)
    yield Asked(client)
    client.close()
    service.stop()


def local(site: CutSite, day: date, hour: int = 9, minute: int = 0) -> datetime:
    return datetime.combine(day, time(hour, minute), site.timezone)


def entry(run: Asked, site: CutSite, days: Days, subject: Subject | None = None) -> Entry:
    now = local(site, days.last + timedelta(days=2))
    request, ranges = league_request(site.id, subject or whole_site(site.site), days, now, site.timezone)
    return league_entry(request, ranges, Measure.ENTRANCES, run, HOURS)


@each
def test_all_open_minutes_are_counted_where_they_are(run: Asked, site: CutSite) -> None:
    found = entry(run, site, WEEK)
    minutes = site.within(*WEEK)
    came = sum(one[0] for one in minutes.values())
    assert found.value == came
    assert found.minutes == (len(minutes), len(minutes)) == (7 * OPEN_MINUTES, 7 * OPEN_MINUTES)
    assert found.minutes_earlier == (7 * OPEN_MINUTES - len(SILENT), 7 * OPEN_MINUTES)
    assert found.open_hours == pytest.approx(len(minutes) / 60)
    assert found.open_hours_earlier == pytest.approx(len(site.within(*SILENT_WEEK)) / 60)
    assert not found.is_fair, "in the silent minutes of the week before come more than half a percent"


@each
def test_zones_of_one_site_are_judged_alike_though_one_is_empty_before_it_closes(
    run: Asked, site: CutSite
) -> None:
    zones = zone_subjects(site.site, [f"{site.id}-hall", f"{site.id}-back"])
    for days in (WEEK, SILENT_WEEK):
        hall, back = (entry(run, site, days, zone) for zone in zones)
        assert hall.minutes == back.minutes
        assert hall.minutes == (len(site.within(*days)), 7 * OPEN_MINUTES)


@each
@pytest.mark.parametrize(("hour", "minute"), [(9, 45), (15, 0), (20, 0), (23, 0)])
def test_how_far_along_a_target_is_is_told_of_open_minutes(
    run: Asked, site: CutSite, hour: int, minute: int
) -> None:
    """Of the last of October; what should have come is what the minutes of the four weeks before tell."""
    now, month = local(site, date(2024, 10, 31), hour, minute), days_of_month(date(2024, 10, 1))
    request, ranges = league_request(site.id, whole_site(site.site), month, now, site.timezone)
    found = league_entry(request, ranges, Measure.ENTRANCES, run, HOURS)
    share = share_by_now(month, request, ranges, HOURS, run)
    progress = target_progress(Target(entrances=30_000), found, share, is_over=False)
    until = ranges.present.end.astimezone(site.timezone)
    counted = {moment: one for moment, one in site.within(*month).items() if moment < until}
    assert progress.counted == sum(one[0] for one in counted.values())
    assert (progress.minutes.present, progress.is_nearly_all) == (len(counted), True)
    assert progress.minutes.expected == len(counted) + len(SILENT)
    assert progress.share == pytest.approx(_share(site, month, until))


def _share(site: CutSite, month: Days, until: datetime) -> float:
    """Each hour brings the mean of those of its weekday of the 28 days before, over its open minutes."""
    today = until.date()
    before = site.came_by_hour(today - timedelta(days=28), today - timedelta(days=1))
    passed = whole = 0.0
    for number in range(31):
        day = month.first + timedelta(days=number)
        for hour in range(OPENS // 60, CLOSES // 60 + 1):
            # The hours of which minutes are missing are not used.
            used = [
                people
                for (date_, of), people in before.items()
                if date_.weekday() == day.weekday() and of == hour
                and not (date_ == SILENT_DAY and of in {15, 16})
            ]  # fmt: skip
            usual = sum(used) / len(used)
            held = range(max(OPENS, 60 * hour), min(CLOSES, 60 * hour + 60))
            whole += usual
            moments = [local(site, day, minute // 60, minute % 60) for minute in held]
            # What is expected is of the minutes that are counted.
            past = sum(moment < until and moment in site.counted for moment in moments)
            passed += usual * past / len(held)
    return passed / whole


@each
@pytest.mark.parametrize("alone", [True, False])
def test_hours_in_which_it_opens_and_closes_are_part_of_the_week(
    run: Asked, site: CutSite, *, alone: bool
) -> None:
    """All but those two of a Wednesday of which minutes are missing."""
    now, shown = local(site, date(2024, 10, 28), 12), MetricKey.ENTRANCES
    request = rhythm_request(site.id, whole_site(site.site), shown, 4, timezone=site.timezone, now=now)
    bounds = Bounds(Opening(HOURS, site.timezone), is_open_alone=alone)
    points = run(request.queries())
    answer = rhythm_answer(request, points, shown, run=run, bounds=bounds)
    assert answer is not None
    came = site.came_by_hour(date(2024, 9, 30), date(2024, 10, 27))
    for place, cell in answer.week.cells.items():
        own = {day: people for (day, hour), people in came.items() if Hour(day.weekday(), hour) == place}
        if place.hour in {15, 16}:
            own.pop(SILENT_DAY, None)
        assert cell.days.present == len(own), place
        if own or alone:
            assert cell.days.expected == (4 if own else 0), place
        assert cell.value == (pytest.approx(sum(own.values()) / len(own)) if own else None)
        assert cell.is_usual == bool(own), place
    assert answer.power is not None
    assert answer.power.open_hours == 7 * 12, "9:30 to 20:15"
    evening = today_request(replace(request, range=TimeRange(request.range.start, local(site, WEEK.first))))
    assert evening is not None
    told = hours_of_day(evening, run(evening.queries()), shown, run=run, bounds=bounds)
    assert {one.hour: one.value for one in told if one.value is not None} == {
        hour: came[WEEK.first, hour] for hour in range(9, 21)
    }


def trusted(run: Asked, site: CutSite, hours: OpeningHours | None, days: int = 28) -> TrustAnswer:
    zones, now = chosen_zones(site.site, [f"{site.id}-all"]), local(site, date(2024, 10, 28), 12)
    request = trust_request(site.id, zones.subjects, timezone=site.timezone, now=now, hours=hours)
    grid = grid_of(request, zones.by_id, run(request.queries()), days, run=run)
    assert grid is not None
    ways = ways_of(site.site)
    return trust_answer(request, grid, ways, run(way_queries(request, ways)))


@each
@pytest.mark.parametrize("hours", [HOURS, None], ids=["said", "by-habit"])
def test_days_of_which_all_open_minutes_are_counted_are_whole(
    run: Asked, site: CutSite, hours: OpeningHours | None
) -> None:
    answer = trusted(run, site, hours)
    assert answer.begin == 4
    for zone in answer.zones:
        by_date = {day.date: day for day in zone.days}
        assert [day for day, own in by_date.items() if not own.is_whole] == [SILENT_DAY]
        for day, own in by_date.items():
            assert own.counted == (len(site.within(day, day)), OPEN_MINUTES), (zone.subject.label, day)
    came = sum(one[0] for moment, one in site.counted.items() if moment.date() in by_date)
    went = sum(one[1] for moment, one in site.counted.items() if moment.date() in by_date)
    assert answer.zones[0].whole.days == 27
    assert sum(day.came - day.went for day in answer.zones[0].days) == came - went
    assert answer.days_judged == 27, "its doors are judged by these days"
    assert answer.is_by_habit == (hours is None)


@each
def test_a_counter_that_is_silent_each_morning_is_missed_where_opening_hours_are_kept(
    run: Asked, site: CutSite
) -> None:
    """It is said to be open from nine, and is never counted before half past: its habit would not tell."""
    early = OpeningHours(week=(spans_of_text("09:00-20:15"),) * 7)
    answer = trusted(run, site, early)
    assert not any(day.is_whole for day in answer.zones[0].days)
    days = answer.zones[0].days
    assert days[0].counted == (OPEN_MINUTES, OPEN_MINUTES), "counting began with it: nothing lacks before"
    assert days[1].counted == (OPEN_MINUTES, OPEN_MINUTES + 30)
    eight = OpeningHours(week=(spans_of_text("08:00-20:15"),) * 7)
    days = trusted(run, site, eight).zones[0].days
    assert days[1].counted == (OPEN_MINUTES, OPEN_MINUTES + 90)
    assert not any(day.is_whole for day in days)
