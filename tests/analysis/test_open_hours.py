from __future__ import annotations

from datetime import UTC, datetime, timedelta

from analysis.open_hours import open_hours
from contract import MetricPoint

START = datetime(2026, 6, 1, tzinfo=UTC)
HOUR = timedelta(hours=1)


def open_of(inside: str, flows: str) -> str:
    """Which of the hours are open; a digit is how many are inside on average, or came and left, a space an
    hour without counts."""
    hours = [
        MetricPoint(
            timestamp=START + place * HOUR,
            metrics={"visitorsInside": int(level), "entrances": int(flow), "exits": int(flow)},
        )
        for place, (level, flow) in enumerate(zip(inside, flows, strict=True))
        if level != " "
    ]
    found = open_hours(hours, START, START + len(inside) * HOUR)
    assert found is not None
    return "".join("x" if START + place * HOUR in found else "-" for place in range(len(inside)))


def test_hours_with_people_are_open() -> None:
    assert open_of("0000055500000", "0000028100000") == "-----xxx-----"


def test_one_who_is_left_over_opens_no_night() -> None:
    assert open_of("1111000555111", "0000000281000") == "-------xxx---"


def test_a_film_of_two_hours_is_no_closed_hour() -> None:
    assert open_of("0000990000", "0001001000") == "---xxxx---"
    assert open_of("0000999000", "0001000100") == "---x---x--"


def test_a_few_are_left_over_also_where_nothing_is_counted_at_night() -> None:
    assert open_of("00055111  000", "0000280000000") == "----xx-------"
    assert open_of("00088 1  00", "00028 0  00") == "---xx------"


def test_an_hour_without_counts_is_none_in_which_nobody_came_or_went() -> None:
    """Eight people are inside, and counters fail; or a few are inside for three hours that are counted."""
    assert open_of("000888  8880", "000280  0820") == "---xxx--xxx-"
    assert open_of("000888     0", "000280     0") == "---xxx------"
    assert open_of("0008811180", "0002800020") == "---xx---x-"
    assert open_of("00088 11180", "00028 00020") == "---xx----x-"


def test_where_it_ends_it_is_not_known_yet_how_long_nobody_comes_or_goes() -> None:
    assert open_of("00005511", "00002800") == "----xxxx"
    assert open_of("000055111", "000028000") == "----xx---"


def test_who_came_and_left_within_the_minute_was_there() -> None:
    assert open_of("000000", "002000") == "--x---"


def test_without_entrances_and_exits_it_is_not_known() -> None:
    hours = [MetricPoint(timestamp=START, metrics={"visitorsInside": 3, "entrances": 1})]
    assert open_hours(hours, START, START + HOUR) is None
