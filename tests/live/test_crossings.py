"""Which passages are counted from where, and what is known of one after each answer."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import orjson
from hypothesis import given
from hypothesis import strategies as st

from contract import MetricPoint, Passage, Site, Zone
from live.browser_messages import encode_crossings
from live.clock import Moment
from live.crossings import (
    Both,
    CountedPassage,
    Crossings,
    PassageCrossings,
    PassageLog,
    counted_passages,
)
from live.snapshot import CrossingsKey, FeedKey
from tests.small_site import SITE

NOW = datetime(2026, 5, 4, 12, 30, 20, tzinfo=UTC)
KEY = CrossingsKey("shop")


def ago(minutes: int) -> datetime:
    return NOW.replace(second=0) - timedelta(minutes=minutes)


def log_of() -> PassageLog:
    """Read once, when the last hour had a minute in which three came and one left."""
    return PassageLog().after_range({ago(10): Both(3, 1)}, ago(60), NOW)


def test_a_passage_is_counted_from_a_listed_zone_on_one_of_its_sides() -> None:
    assert counted_passages(SITE) == [
        ("entrance", "hall", True),
        ("archway", "cafe", True),
        ("terrace", "cafe", False),
    ]


def test_a_passage_whose_directions_cannot_be_told_apart_is_not_counted() -> None:
    site = Site(
        id="s",
        name="S",
        zones=(Zone(id="a", name="A"),),
        passages=(
            Passage(id="loop", name="Loop", from_zone_id="a", to_zone_id="a"),
            Passage(id="air", name="Air"),
            Passage(id="lost", name="Lost", from_zone_id="gone", to_zone_id="lost"),
            Passage(id="in", name="In", from_zone_id="gone", to_zone_id="a"),
        ),
    )
    assert [one.passage_id for one in counted_passages(site)] == ["in"]


def test_forward_is_into_the_zone_where_the_passage_ends_and_out_of_the_one_where_it_begins() -> None:
    point = MetricPoint(timestamp=ago(1), metrics={"entrances": 5, "exits": 2})
    assert CountedPassage("p", "z", is_into=True).counts([point]) == {ago(1): (5, 2)}
    assert CountedPassage("p", "z", is_into=False).counts([point]) == {ago(1): (2, 5)}


def test_a_point_that_lacks_a_direction_is_no_count() -> None:
    point = MetricPoint(timestamp=ago(1), metrics={"entrances": 5})
    assert CountedPassage("p", "z", is_into=True).counts([point]) == {}


def test_the_past_is_counted_and_nobody_is_seen_to_cross_in_it() -> None:
    assert log_of().crossings(NOW) == ((3, 1), (0, 0), (1, 58))


def test_an_hour_without_any_minute_is_not_known() -> None:
    assert PassageLog().after_range({}, ago(60), NOW).crossings(NOW) == (None, (0, 0), None)


def test_who_crosses_while_a_minute_runs_is_seen_once() -> None:
    log = log_of()
    for both in (Both(1, 0), Both(1, 0), Both(4, 2), Both(4, 2)):
        log = log.after_newest({ago(0): both}, NOW)
    assert log.crossings(NOW)[:2] == ((7, 3), (4, 2))
    assert log.after_range({ago(1): Both(0, 0), ago(0): Both(5, 2)}, ago(4), NOW).seen == (5, 2)


def test_counts_that_come_late_are_of_the_hour_and_cross_no_more() -> None:
    log = log_of().after_range({ago(20): Both(9, 9), ago(10): Both(3, 1)}, ago(60), NOW)
    assert log.crossings(NOW)[:2] == ((12, 10), (0, 0))


def test_a_value_that_is_dated_anew_counts_only_when_a_range_has_it() -> None:
    log = log_of().after_newest({ago(0): Both(3, 1)}, NOW)
    assert log.crossings(NOW)[:2] == ((3, 1), (0, 0))
    later = NOW + timedelta(minutes=1)
    proven = log.after_range({ago(0): Both(3, 1)}, ago(4), later)
    assert proven.crossings(later)[:2] == ((6, 2), (3, 1))


def test_what_a_range_lacks_is_taken_back_but_for_the_last_two_minutes() -> None:
    log = log_of().after_newest({ago(5): Both(2, 2)}, NOW).after_newest({ago(1): Both(1, 1)}, NOW)
    kept = log.after_range({ago(10): Both(3, 1)}, ago(60), NOW)
    assert set(kept.minutes) == {ago(10), ago(1)}


def hour_without(*missing: int) -> PassageLog:
    """Each minute was counted but those so many minutes ago, and the newest, which is not there yet."""
    counted = {ago(one): Both(1, 0) for one in range(2, 60) if one not in missing}
    return PassageLog().after_range(counted, ago(60), NOW)


def test_an_hour_that_lacks_minutes_tells_in_how_many_it_is_counted() -> None:
    assert hour_without().crossings(NOW).minutes is None
    assert hour_without(59, 58, 30, 2).crossings(NOW) == ((54, 0), (0, 0), (54, 58))
    assert hour_without(*range(30, 60)).crossings(NOW).minutes == (28, 58)


def test_the_newest_minute_lacks_none_before_it_until_these_were_asked_for() -> None:
    later = NOW + timedelta(minutes=4)
    newest = hour_without().after_newest({later.replace(second=0): Both(1, 0)}, later)
    assert newest.crossings(later).minutes is None
    asked = newest.after_range({later.replace(second=0): Both(1, 0)}, ago(0), later)
    assert asked.crossings(later).minutes == (54, 58)


def test_what_is_told_of_each_fifth_minute_lacks_none() -> None:
    each_fifth = [one for one in range(60) if one % 5]
    assert hour_without(*each_fifth).crossings(NOW).minutes is None


def test_minutes_leave_with_the_hour() -> None:
    late = NOW + timedelta(minutes=52)
    assert log_of().crossings(late).last_hour is None
    assert log_of().after_newest({}, late).minutes == {}


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), max_size=40))
def test_all_who_cross_are_seen_however_often_one_asks(crossings: list[tuple[int, int]]) -> None:
    """Added up by hand: each crosses while somebody asks every twenty seconds, ranges each minute."""
    start = NOW.replace(second=0)
    minutes: dict[datetime, Both] = {}
    log = PassageLog().after_range({}, start - timedelta(hours=1), start)
    for step, (forward, backward) in enumerate(crossings):
        now = start + timedelta(seconds=20 * step + 1)
        minute = now.replace(second=0)
        before = minutes.get(minute, Both())
        minutes[minute] = Both(before.forward + forward, before.backward + backward)
        log = log.after_newest({minute: minutes[minute]}, now)
        if step % 3 == 2:
            log = log.after_range(dict(minutes), start, now)
    end = start + timedelta(seconds=20 * len(crossings) + 1)
    log = log.after_range(dict(minutes), start, end)
    assert log.seen == (sum(one for one, _ in crossings), sum(other for _, other in crossings))


def test_a_reader_is_told_of_the_passages_that_changed() -> None:
    moment = Moment(110.0, NOW)
    first = Crossings(KEY, {"a": PassageCrossings(Both(3, 1), Both()), "b": PassageCrossings(None, Both())})
    assert encode_crossings(first, moment) == {
        "passages": {"a": [3, 1, 0, 0], "b": [None, None, 0, 0]}, "read_age": None, "old_after": 300,
        "reason": "",
    }  # fmt: skip
    changed = {**first.passages, "a": PassageCrossings(Both(4, 1), Both(1, 0))}
    second = Crossings(KEY, changed, read_at=100.0, reason="The service has failed.", old_after=900.4)
    told = encode_crossings(second, moment, known=first)
    assert told == {
        "passages": {"a": [4, 1, 1, 0]}, "read_age": 10.0, "old_after": 900,
        "reason": "The service has failed.",
    }  # fmt: skip
    assert orjson.dumps(told)
    lacking = Crossings(KEY, {"a": changed["a"]._replace(minutes=(40, 58))})
    assert encode_crossings(lacking, moment)["passages"] == {"a": [4, 1, 1, 0, 40, 58]}
    gone = Crossings(KEY, {"a": changed["a"]}, read_at=100.0)
    assert encode_crossings(gone, moment, known=second)["passages"] == {"b": None}


def test_no_feed_has_the_name_of_the_passages_of_a_site() -> None:
    names = [FeedKey("a/b").name, FeedKey("a", ("",)).name, FeedKey("a", ("/passages",)).name]
    assert CrossingsKey("a").name not in names
    assert CrossingsKey("a/b").name == "a%2Fb//passages"
