from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from analysis.door_check import DoorCheck
from components.number_format import Formats
from components.sentences.check_words import (
    check_words,
    minutes_words,
    nobody_there_words,
    short_words,
    verdict,
    waiting_words,
)
from contract import SiteSummary

ZURICH = ZoneInfo("Europe/Zurich")
TWO = datetime(2026, 11, 12, 13, 0, tzinfo=UTC)
FORMATS = Formats(now=datetime(2026, 11, 23, 12, tzinfo=UTC))
NBSP = "\N{NO-BREAK SPACE}"


def check(
    hand: list[tuple[int, int]], counted: list[tuple[float, float] | None], **others: object
) -> DoorCheck:
    stood = {"stood": timedelta(minutes=len(hand) + 1)} | others
    return DoorCheck.model_validate(
        {"passage_id": "entrance", "start": TWO, "hand": hand, "counted": counted} | stood
    )


GOOD = check([(21, 25), (21, 25)], [(20, 25), (20, 25)])


def said(one: DoorCheck) -> list[str]:
    return [sentence.replace(NBSP, " ") for sentence in check_words(one, FORMATS)]


def test_each_way_says_how_many_were_seen_of_how_many_and_between_what_that_lies() -> None:
    assert said(GOOD) == [
        "The counter missed some of those who came in. The counter told about as many as went out.",
        "The counter counted 40 of 42 in (95 %); plausible range 84 % to 99 %.",
        "The counter counted 50 of 50 out (100 %); plausible range 93 % to 108 %.",
    ]


@pytest.mark.parametrize(
    ("hand", "counted", "answer"),
    [
        ((18, 18), (0, 0), "The counter missed nearly everybody who came in or went out."),
        ((18, 0), (0, 0), "The counter missed nearly everybody who came in."),
        ((100, 0), (30, 0), "The counter missed most of those who came in."),
        ((0, 100), (0, 80), "The counter missed some of those who went out."),
        ((160, 0), (200, 0), "The counter told more people than came in."),
        ((50, 3), (50, 3), "The counter told about as many as came in."),
    ],
)
def test_the_first_sentence_answers(hand: tuple[int, int], counted: tuple[int, int], answer: str) -> None:
    assert said(check([hand], [counted]))[0] == answer


def test_more_than_passed_is_no_share() -> None:
    one = check([(40, 40)], [(44, 40)])
    assert said(one)[1] == "The counter counted 44 for 40 in (110 %); plausible range 104 % to 127 %."


def test_of_too_few_people_it_says_how_many_more() -> None:
    more, came, went = said(check([(3, 0)], [(3, 1)]))
    assert came == "The counter counted 3 of 3 in (100 %); plausible range 44 % to 228 %."
    assert went == "Nobody went out, and the counter told 1."
    assert more == (
        "By so few people nothing can be told. Stay longer: until about 34 more have come in and 37 more"
        " have gone out."
    )


def test_where_one_way_is_told_and_the_other_is_not_the_other_says_so() -> None:
    one = check([(42, 3)], [(40, 3)])
    assert said(one)[3] == "Out, by so few nothing can be told: stay until about 34 more have gone out."


def test_exchanged_ways_are_said_first_with_what_they_come_to_the_other_way_round() -> None:
    one = check([(4, 0)] * 10, [(0, 4)] * 10)
    assert said(one) == [
        "In and out are probably exchanged: the counter is mounted the wrong way round.",
        "Taken the other way round: The counter counted 40 of 40 in (100 %); plausible range 91 % to 110 %.",
        "Nobody went out.",
    ]
    assert verdict(one, FORMATS) == "in and out exchanged"


def test_a_counter_that_tells_nothing_or_seldom_is_named() -> None:
    assert said(check([(4, 1), (3, 0)], [None, None])) == [
        "The counter told nothing of these minutes: you counted 7 in and 1 out.",
        "Look on Site whether it is running.",
    ]
    seldom = check([(1, 1)] * 11, [(5, 5) if minute % 5 == 0 else None for minute in range(11)])
    assert said(seldom) == [
        "The counter tells its counts every 5 minutes alone: taps cannot be compared with them."
    ]
    assert verdict(seldom, FORMATS) == "nothing told"


def test_a_counter_that_told_two_of_ten_minutes_may_tell_several_at_once() -> None:
    """Ten minutes beside a counter that counts five at once: its ten are no ten times the one of a minute."""
    rare = check([(1, 1)] * 10, [(5, 5) if minute in {3, 8} else None for minute in range(10)])
    assert said(rare) == [
        "The counter told only 2 of these 10 minutes: you counted 10 in and 10 out.",
        "Each of its counts may be of several minutes, so that taps cannot be compared with them.",
        "Look on Site whether it is running.",
    ]
    assert verdict(rare, FORMATS) == "nothing told"
    together = check([(1, 1)] * 10, [(1, 1) if minute in {3, 4} else None for minute in range(10)])
    assert verdict(together, FORMATS) != "nothing told", "one that tells single minutes"


def test_it_says_which_minutes_were_compared_and_what_was_left_out() -> None:
    one = check([(1, 1)] * 10, [(1, 1)] * 8 + [None] * 2, left_out=1)
    assert minutes_words(one, ZURICH, FORMATS) == (
        "Thu 12 Nov, 14:00 to 14:10 (Zurich time): 10 whole minutes of your 11. 1 tap before and after them"
        " is left out. 2 of them have no counts and are left out on both sides."
    )
    whole = check([(1, 1)], [(1, 1)], stood=timedelta(minutes=1), doubt=timedelta(seconds=4))
    assert minutes_words(whole, ZURICH, FORMATS) == (
        "Thu 12 Nov, 14:00 to 14:01 (Zurich time): 1 whole minute. The connection was slow: the clock by"
        " which you counted is known to 4 s only."
    )


@pytest.mark.parametrize(
    ("category", "said"),
    [
        (None, ""),
        ("Shop", ""),
        ("A shop of Simulated: goods", ""),
        ("Replay of a recording: a stop", "This site is the replay of a recording"),
        ("Simulated: a shop", "This site is simulated"),
    ],
)
def test_where_nobody_can_stand_at_a_door_that_is_said(category: str | None, said: str) -> None:
    words = nobody_there_words(SiteSummary(id="shop", name="Shop", category=category))
    assert words.startswith(said)
    assert bool(words) == bool(said)


def test_what_is_not_told_yet_is_looked_for_again() -> None:
    one = check([(1, 1)] * 2, [(1, 1), None])
    again = TWO + timedelta(minutes=12)
    assert waiting_words(one, again, ZURICH, FORMATS) == (
        "1 minute is not told yet: look again at 14:12. This page looks by itself."
    )


def test_a_list_of_doors_says_it_short() -> None:
    assert short_words(GOOD, ZURICH, FORMATS).replace(NBSP, " ") == (
        "Thu 12 Nov: in 95 % (84–99 %), out 100 % (93–108 %)"
    )
    assert verdict(check([(0, 0)], [(0, 0)]), FORMATS) == "nobody passed"
