"""The feeds that a replay makes of a recording, against sums by hand."""

from __future__ import annotations

import json
import subprocess
from itertools import accumulate
from tempfile import NamedTemporaryFile
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from components.live_replay import replay_script
from tests.gauge_scripts import NODE

START = 1_790_000_040
NUMBERS = st.none() | st.integers(0, 9)


def evaluated(expression: str, *arguments: Any) -> Any:
    """As in `tests/gauge_scripts.py`, with the scripts of a replay."""
    script = (
        f"{replay_script()}\nvar given = JSON.parse(require('fs').readFileSync(0, 'utf8'));\n"
        f"process.stdout.write(JSON.stringify({expression}));"
    )
    with NamedTemporaryFile("w", suffix=".js", encoding="utf-8") as file:  # too long for a command line
        file.write(script)
        file.flush()
        command = [str(NODE), file.name]
        done = subprocess.run(
            command, input=json.dumps(arguments), capture_output=True, text=True, check=True
        )
    return json.loads(done.stdout)


def recording(
    inside: list[int | None], *, step: int = 60, came: list[int | None] | None = None, **others: Any
) -> dict[str, Any]:
    place = {"inside": inside, "entrances": came or inside, "exits": inside, "untrusted": [], "reason": ""}
    whole = {"start": START, "end": START + step * len(inside), "step": step, "main": "m"}
    return whole | {"crossings": "c", "places": {"m": place | others}, "passages": {}}


def feeds(data: dict[str, Any], indexes: list[int]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = evaluated(
        "given[1].map(function (index) { return recordingOf(given[0]).feedsAt(index, {}); })", data, indexes
    )
    return found


@settings(max_examples=15, deadline=None)
@given(st.lists(st.tuples(NUMBERS, NUMBERS), min_size=1, max_size=200))
def test_each_step_has_its_own_number_and_all_that_was_counted_by_then(
    rows: list[tuple[int | None, int | None]],
) -> None:
    inside, came = ([row[side] for row in rows] for side in (0, 1))
    found = [one["m"] for one in feeds(recording(inside, came=came), list(range(len(rows))))]
    assert [one["inside"] for one in found] == inside
    totals = list(accumulate(value or 0 for value in came))
    known = [any(value is not None for value in came[: index + 1]) for index in range(len(came))]
    assert [one["entrances_today"] for one in found] == [
        total if is_known else None for total, is_known in zip(totals, known, strict=True)
    ]
    assert [one["measured_at"] for one in found] == [START + 60 * index for index in range(len(rows))]
    for index, one in enumerate(found):
        peak = max((value or 0 for value in inside[: index + 1]), default=0)
        assert (one["fullest_today"] or {"inside": 0})["inside"] == peak
        assert one["points"] == [
            [START + 60 * minute, value]
            for minute, value in enumerate(inside[: index + 1])
            if value is not None and minute > index - 120
        ]


@settings(max_examples=15, deadline=None)
@given(st.lists(NUMBERS, min_size=1, max_size=150))
def test_a_passage_tells_who_crossed_in_the_hour_before(values: list[int | None]) -> None:
    data = recording([0] * len(values)) | {"passages": {"door": [values, values]}}
    for index, one in enumerate(feeds(data, list(range(len(values))))):
        hour = [value for value in values[max(0, index - 59) : index + 1] if value is not None]
        total = sum(hour) if hour else None
        assert one["c"]["passages"]["door"] == [total, total, 0, 0]


def test_passages_that_are_too_many_to_be_read_say_so() -> None:
    why = "This site has 120 passages. Of more than 100 none is read."
    (unread,) = feeds(recording([1]) | {"unread": why}, [0])
    assert (unread["c"]["reason"], unread["c"]["read_age"], unread["c"]["passages"]) == (why, None, {})
    (read,) = feeds(recording([1]) | {"unread": "", "passages": {"p": [[2], [1]]}}, [0])
    assert (read["c"]["reason"], read["c"]["read_age"]) == ("", 0)


def test_who_crosses_between_two_steps_is_counted_once() -> None:
    data = recording([0] * 5) | {"passages": {"door": [[1, 2, None, 4, 5], [0, 0, 0, 1, 0]]}}
    crossed = evaluated(
        "[[0, 1], [1, 3], [3, 3]].map(function (each) {"
        " return recordingOf(given[0]).crossedBetween(each[0], each[1]); })",
        data,
    )
    assert crossed == [{"door": [2, 0]}, {"door": [4, 1]}, {"door": [0, 0]}]


def test_an_hour_is_level_on_the_line_and_a_missing_one_is_a_gap() -> None:
    points = feeds(recording([5, None, 7], step=3600), [2])[0]["m"]["points"]
    assert {value for _, value in points} == {5, 7} or {value for _, value in points} == {7}
    assert not [time for time, _ in points if START + 3600 <= time < START + 7200]


def test_the_state_is_replay_and_a_step_without_a_count_says_so() -> None:
    data = recording([5, None])
    words = evaluated(
        "[0, 1].map(function (index) { return recordingOf(given[0]).feedsAt(index, {}).m; })"
        ".map(function (feed) { return FRESHNESS_BY_STATE[feed.state](feed); })",
        data,
    )
    assert [(one["word"], one["isTrusted"]) for one in words] == [("Replay", True), ("No count", False)]


def test_an_untrusted_time_spoils_its_steps_alone() -> None:
    data = recording([5] * 4, untrusted=[[START + 60, START + 150, 40]])
    drifts = [one["m"]["drift"] for one in feeds(data, [0, 1, 2, 3])]
    assert [drift and drift["people"] for drift in drifts] == [None, 40, 40, None]
    assert [one["m"]["fullest_today"] is None for one in feeds(data, [0, 1, 3])] == [False, True, True]


def test_a_place_that_was_not_read_says_why() -> None:
    data = recording([5])
    data["places"]["other"] = {"inside": [], "untrusted": [], "reason": "The service is down."}
    feed = feeds(data, [0])[0]["other"]
    assert feed["inside"] is None
    words = evaluated("FRESHNESS_BY_STATE.replay(given[0])", feed)
    assert (words["word"], words["details"]) == ("Not read", ["The service is down"])


def test_a_time_that_the_day_has_twice_is_told_apart_in_clock_words_and_link() -> None:
    midnight = 1_792_879_200  # 25 October 2026 in Zurich
    first, second = midnight + 2 * 3600, midnight + 3 * 3600
    repeated = [[first, second, "+02:00"], [second, second + 3600, "+01:00"]]
    data = recording([0]) | {"repeated": repeated, "timezone": "Europe/Zurich"}
    told = evaluated(
        "given[1].map(function (time) { var one = recordingOf(given[0]);"
        " var format = formatFor('en-GB', 'Europe/Zurich', time);"
        " return [format.time(time), format.moment(time), timeInLink(one, time)]; })",
        data,
        [first - 60, first + 1800, second + 1800, second + 3600],
    )
    assert told == [
        ["01:59", "01:59", "01:59"],
        ["02:30\N{NO-BREAK SPACE}CEST", "02:30\N{NO-BREAK SPACE}CEST", "02:30+02:00"],
        ["02:30\N{NO-BREAK SPACE}CET", "02:30\N{NO-BREAK SPACE}CET", "02:30+01:00"],
        ["03:00", "03:00", "03:00"],
    ]


def test_hatched_is_where_nothing_was_counted_unless_all_of_it_is_closed() -> None:
    def hatched(inside: list[int | None], closed: list[list[int]]) -> list[list[int]]:
        spans = evaluated("recordingOf(given[0]).uncounted()", recording(inside) | {"closed": closed})
        return [[(edge - START) // 60 for edge in span] for span in spans]

    silent: list[int | None] = [None] * 10
    assert hatched([*silent, 1, *silent, 0, None, 2, *silent], []) == [[0, 10], [11, 21], [24, 34]]
    closed = [START - 60, START + 10 * 60]
    assert hatched([*silent, 1, *silent, 0], [closed]) == [[11, 21]]
    assert hatched([*silent, None, 1], [closed]) == [[0, 11]], "a minute of it is open"
    assert hatched(silent, []) == [[0, 10]], "nothing at all"


def test_what_cannot_be_trusted_has_no_number() -> None:
    data = recording([3, 4, 5], untrusted=[[START, START + 60, 30]])
    told = evaluated(
        "given[0].map(function (index) { var link = { feeds: recordingOf(given[1]).feedsAt(index, {}),"
        " hidesSpoilt: true, isOpen: true, heardAt: 0, serverNow: function () { return given[1].start; } };"
        " var view = viewOf({ feed: 'm', timezone: 'UTC', capacity: 9 }, link,"
        " { locale: 'en-GB', thresholds: { filling: 70, full: 90 } });"
        " return [view.inside, view.level, view.freshness.word]; })",
        [0, 2],
        data,
    )
    assert told == [[None, "unknown", "Unreliable"], [5, "free", "Replay"]]
