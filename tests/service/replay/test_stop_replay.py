from __future__ import annotations

from collections import Counter
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from contract.minutes import minute_number
from service.demo_data import HARDBRUECKE
from service.replay.stop_recording import Recording
from service.replay.stop_replay import TIMEZONE, StopReplay, passage_id, read_stop
from tests.played_counts import played_counts

ZURICH = ZoneInfo("Europe/Zurich")
NINE_WEEKS = 63 * 24 * 60


@pytest.fixture(scope="module")
def recording() -> Recording:
    return read_stop(HARDBRUECKE)


@pytest.fixture(scope="module")
def replay(recording: Recording) -> StopReplay:
    return StopReplay(recording, "demo")


def zurich(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=ZURICH)


def people(replay: StopReplay, start: datetime, minutes: int, line: str = "Ost-SBB") -> tuple[int, int]:
    first = minute_number(start)
    counts = [
        count
        for count in played_counts(replay, first, first + minutes)
        if count.passage_id == passage_id(line)
    ]
    return sum(count.forward for count in counts), sum(count.backward for count in counts)


def test_at_its_own_dates_the_recording_comes_back_whole(recording: Recording) -> None:
    first = minute_number(recording.start.replace(tzinfo=TIMEZONE))
    counts = played_counts(StopReplay(recording, ""), first, first + NINE_WEEKS)
    assert sum(count.forward for count in counts) == 1_957_128
    assert sum(count.backward for count in counts) == 2_005_391


def test_a_bin_is_played_at_its_own_time(replay: StopReplay) -> None:
    assert people(replay, zurich("2024-02-28T07:30"), 5) == (90, 89)


@pytest.mark.parametrize("turns", [1, 2, 15, 20])
def test_whole_turns_later_the_same_bin_returns_at_the_same_wall_time(replay: StopReplay, turns: int) -> None:
    later = zurich("2024-02-28T07:30") + turns * timedelta(weeks=9)
    assert later.weekday() == 2
    assert (later.hour, later.minute) == (7, 30)
    assert people(replay, later, 5) == (90, 89)


def test_nine_weeks_to_now_hold_the_whole_recording_once(replay: StopReplay) -> None:
    now = minute_number(zurich("2026-02-11T10:03"))
    assert sum(count.forward for count in played_counts(replay, now - NINE_WEEKS, now)) == 1_957_128


def test_a_missing_minute_is_left_out_and_a_quiet_one_is_zero(replay: StopReplay) -> None:
    outage = minute_number(zurich("2024-03-14T03:00"))
    night = minute_number(zurich("2024-02-28T03:00"))
    assert played_counts(replay, outage, outage + 5) == []
    assert [(count.forward, count.backward) for count in played_counts(replay, night, night + 1)] == [
        (0, 0)
    ] * 8


def test_the_skipped_hour_of_spring_is_not_played_and_the_repeated_one_twice(replay: StopReplay) -> None:
    spring = played_counts(
        replay, minute_number(zurich("2025-03-30T00:00")), minute_number(zurich("2025-03-31T00:00"))
    )
    autumn = minute_number(zurich("2025-10-26T02:00"))
    assert len(spring) == 23 * 60 * 8
    first = [count[2:] for count in played_counts(replay, autumn, autumn + 60)]
    second = [count[2:] for count in played_counts(replay, autumn + 60, autumn + 120)]
    assert first == second
    assert any(sum(count) for count in first)


def test_second_by_second_the_running_minute_grows_to_the_whole_minute(replay: StopReplay) -> None:
    start = zurich("2026-11-18T07:31")
    whole = Counter(played_counts(replay, minute_number(start), minute_number(start) + 1))
    seconds = [list(replay.so_far(start + timedelta(seconds=second))) for second in range(60)]
    totals = [sum(count.forward for count in counts) for counts in seconds]
    assert totals == sorted(totals)
    assert totals[10] < totals[30] < totals[59]
    assert Counter(seconds[59]) == whole


def test_people_cross_at_the_second_that_the_rule_gives_them(replay: StopReplay) -> None:
    start = zurich("2024-02-28T07:30")
    first_of_90 = [
        count.forward
        for second in range(6)
        for count in replay.so_far(start + timedelta(seconds=second))
        if count.passage_id == passage_id("Ost-SBB")
    ]
    assert first_of_90 == [0, 1, 1, 1, 1, 2], "person k crosses at floor((k + 0.5) * 300 / 90)"


def test_the_site_says_that_it_is_a_replay_of_what_and_when(replay: StopReplay) -> None:
    category = replay.record.site.category or ""
    assert category.startswith("Replay of a recording: ")
    assert "2024" in category
    assert "Verkehrsbetriebe Zürich" in category


def test_inwards_is_forward_on_every_line(replay: StopReplay) -> None:
    assert {passage.from_zone_id for passage in replay.record.site.passages} == {None}
    assert Counter(passage.to_zone_id for passage in replay.record.site.passages) == {
        "hardbruecke-ost": 4,
        "hardbruecke-west": 4,
    }
