"""The Replay page before a real service: what is said of a day, and the recording that is handed over."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.analysis import Counted, configure, text_of
from tests.running_service import start_service
from tests.small_site import create_small_site, store_counts
from tests.written_days import written_day

ZURICH = ZoneInfo("Europe/Zurich")
BUSY, QUIET, EMPTY = 2, 3, 5
"""Days ago."""


def day_ago(days: int) -> date:
    return datetime.now(ZURICH).date() - timedelta(days=days)


def last_change() -> date:
    """The last Sunday of October on which the clocks went back."""
    days = (day_ago(ago) for ago in range(8, 390))
    return next(day for day in days if day.month == 10 and day.day > 24 and day.weekday() == 6)


CHANGED = last_change()


def counts_of_days() -> Iterator[tuple[datetime, str, int, int]]:
    """From nine on one comes each minute for an hour and goes on into the café for half of it, and all leave;
    three times as many on the busy day. On the quiet one nothing is counted from half past nine to ten.
    """
    twice = datetime(CHANGED.year, CHANGED.month, CHANGED.day, tzinfo=UTC)
    for minute, people in ((40, 3), (100, 1)):  # at 02:40 twice, by the clock
        yield twice + timedelta(minutes=minute), "entrance", people, 0
    for ago, people in ((BUSY, 3), (QUIET, 1)):
        nine = datetime.combine(day_ago(ago), time(9), ZURICH).astimezone(UTC)
        for minute in range(120):
            at = nine + timedelta(minutes=minute)
            if ago == QUIET and 30 <= minute < 60:
                continue
            yield at, "entrance", *((people, 0) if minute < 60 else (0, people))
            if ago == BUSY:
                yield at, "archway", *((1, 0) if minute < 30 else (0, 1) if minute >= 90 else (0, 0))


@pytest.fixture(scope="module")
def counting(tmp_path_factory: pytest.TempPathFactory, lasting: set[int]) -> Iterator[Counted]:
    data_dir: Path = tmp_path_factory.mktemp("days")
    site = create_small_site(data_dir)
    store_counts(data_dir, list(counts_of_days()))
    service = start_service(data_dir)
    lasting.add(service.process.pid)
    yield Counted(site, service)
    service.kill()


@pytest.fixture
def days(counting: Counted, monkeypatch: pytest.MonkeyPatch) -> Counted:
    configure(counting, monkeypatch)
    return counting


def replayed(test: AppTest) -> dict[str, Any]:
    """What the browser gets."""
    found = [one.proto for one in test.get("bidi_component") if "replay" in one.proto.component_name]
    (proto,) = found
    told: dict[str, Any] = json.loads(proto.json or proto.mixed.json)
    return told


def test_a_day_begins_with_when_it_was_fullest(days: Counted) -> None:
    test = days.page("replay", site="corner-shop", day=day_ago(BUSY).isoformat())
    day = day_ago(BUSY)
    said = f"{day:%A} {day.day} {day:%B %Y}: most inside 180 (180\N{NO-BREAK SPACE}%) at 09:59."
    assert said in text_of(test)
    assert "Zurich time" in text_of(test)


def test_without_a_day_the_busiest_of_the_last_seven_is_shown(days: Counted) -> None:
    test = days.page("replay", site="corner-shop")
    assert test.query_params["day"] == day_ago(BUSY).isoformat()
    assert "most inside 180" in text_of(test)


def test_the_recording_holds_each_minute_as_the_service_counted_it(days: Counted) -> None:
    told = replayed(days.page("replay", site="corner-shop", day=day_ago(BUSY).isoformat()))
    recording = told["replay"]["recording"]
    nine = (9 * 3600 + int(datetime.combine(day_ago(BUSY), time(), ZURICH).timestamp())) - recording["start"]
    first = nine // 60
    whole = recording["places"][recording["main"]]
    assert recording["step"] == 60
    assert whole["inside"][first : first + 120] == [
        3 * (minute + 1) if minute < 60 else 3 * (119 - minute) for minute in range(120)
    ]
    assert whole["entrances"][first : first + 120] == [3] * 60 + [0] * 60
    cafe = recording["places"]["corner-shop/cafe"]
    assert cafe["inside"][first + 29 : first + 31] == [30, 30]
    assert recording["passages"]["archway"][0][first : first + 31] == [1] * 30 + [0]
    assert recording["passages"]["archway"][1][first + 90] == 1


def test_it_begins_half_an_hour_before_the_fullest_minute_unless_the_link_says_when(days: Counted) -> None:
    day = day_ago(BUSY)
    for link, clock in (({}, time(9, 29)), ({"at": "07:15"}, time(7, 15))):
        test = days.page("replay", site="corner-shop", day=day.isoformat(), speed="10", **link)
        told = replayed(test)["replay"]
        assert datetime.fromtimestamp(told["at"], ZURICH) == datetime.combine(day, clock, ZURICH)
        assert told["speed"] == 10


def test_missing_minutes_are_counted_and_stay_missing(days: Counted) -> None:
    test = days.page("replay", site="corner-shop", day=day_ago(QUIET).isoformat())
    recording = replayed(test)["replay"]["recording"]
    inside = recording["places"][recording["main"]]["inside"]
    missing = inside.count(None)
    assert missing >= 30
    counted = f"{len(inside) - missing:,} of {len(inside):,} minutes"
    assert f"{counted} have counts; in the others no number is shown." in text_of(test)


def test_a_day_without_counts_one_to_come_and_today_say_what_they_are(days: Counted) -> None:
    empty = days.page("replay", site="corner-shop", day=day_ago(EMPTY).isoformat())
    assert "No counts are stored between" in text_of(empty)
    later = days.page("replay", site="corner-shop", day=day_ago(-3).isoformat())
    assert "is yet to come" in text_of(later)
    today = days.page("replay", site="corner-shop", day=day_ago(0).isoformat())
    assert "No counts are stored between" in text_of(today)


def test_of_a_day_before_the_first_count_it_is_said_when_counting_began(days: Counted) -> None:
    before = CHANGED - timedelta(days=1)
    said = text_of(days.page("replay", site="corner-shop", day=before.isoformat()))
    assert f"Counting began on {written_day(CHANGED)}" in said
    assert "Choose a day from then on." in said


def test_what_kind_of_place_it_is_ends_no_sentence_of_its_counts(days: Counted) -> None:
    captions = [one.value for one in days.page("replay", site="corner-shop").caption]
    assert any(one.startswith("shop · ") for one in captions)
    assert not any(one.endswith(". shop") for one in captions)


def test_a_link_that_means_nothing_is_said(days: Counted) -> None:
    test = days.page("replay", site="corner-shop", day="someday", at="noon", speed="99")
    said = text_of(test)
    assert "day “someday”" in said
    assert "at “noon”" in said
    assert "speed “99”" in said
    assert "most inside 180" in said  # and the busiest day is shown


def test_a_day_that_is_over_is_asked_once(days: Counted, monkeypatch: pytest.MonkeyPatch) -> None:
    day = day_ago(BUSY).isoformat()
    days.page("replay", site="corner-shop", day=day)
    asked: list[object] = []
    monkeypatch.setattr("runtime.recorded_days.read_answers", asked.append)
    assert "most inside 180" in text_of(days.page("replay", site="corner-shop", day=day))
    assert asked == []


def test_a_time_that_the_clocks_show_twice_is_told_by_its_offset(days: Counted) -> None:
    for at, hour in (("02:30", 0), ("02:30+02:00", 0), ("02:30+01:00", 1), ("02:30 01:00", 1)):
        test = days.page("replay", site="corner-shop", day=CHANGED.isoformat(), at=at)
        assert test.warning == []
        told = replayed(test)["replay"]
        moment = datetime(CHANGED.year, CHANGED.month, CHANGED.day, hour, 30, tzinfo=UTC)
        assert datetime.fromtimestamp(told["at"], UTC) == moment, at
        assert [one[2:] for one in told["recording"]["repeated"]] == [["+02:00"], ["+01:00"]]
    assert "most inside 4 (4\N{NO-BREAK SPACE}%) at 02:40\N{NO-BREAK SPACE}CET." in text_of(test)


def test_a_day_that_is_cleared_gives_way_to_the_usual_one(days: Counted) -> None:
    test = days.page("replay", site="corner-shop", day=day_ago(QUIET).isoformat(), at="07:15")
    test.date_input(key="choose-day").set_value(None).run()
    assert test.query_params["day"] in (day_ago(BUSY).isoformat(), [day_ago(BUSY).isoformat()])
    assert "at" not in test.query_params
    assert "most inside 180" in text_of(test)
