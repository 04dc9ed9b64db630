from __future__ import annotations

from concurrent.futures import Future
from functools import partial
from threading import Event, Thread, current_thread
from typing import Any

import pytest

from runtime.background import Wait, begin, counting, waited, waiting_by, waits


def test_what_is_read_goes_on_while_somebody_waits() -> None:
    held = Event()
    outcome = begin(lambda: held.wait(60))
    assert not outcome.done()
    held.set()
    assert outcome.result(60) is True


def test_what_fails_fails_where_it_is_asked_for() -> None:
    def fail() -> int:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        begin(fail).result(60)


def test_the_end_of_the_process_waits_for_none() -> None:
    assert begin(lambda: current_thread().daemon).result(60)


def test_it_is_known_how_many_questions_are_answered() -> None:
    half, rest = Event(), Event()

    def read() -> None:
        answered = counting(4)
        for _ in range(2):
            Thread(target=answered, args=(True,)).run()
        half.set()
        rest.wait(60)
        counting(3)(True)

    outcome = begin(read)
    assert half.wait(60)
    assert (outcome.asked, outcome.answered) == (4, 2)
    rest.set()
    outcome.result(60)
    assert (outcome.asked, outcome.answered) == (7, 3)
    counting(5)(True)
    assert outcome.asked == 7, "nobody waits for what is read here"


def test_it_is_known_whether_an_answer_failed() -> None:
    def read(*came: bool) -> None:
        answered = counting(len(came))
        for one in came:
            answered(one)

    outcomes = [begin(partial(read, *came)) for came in ([True, True], [False, True])]
    for outcome in outcomes:
        outcome.result(60)
    assert [(one.answered, one.is_lacking) for one in outcomes] == [(2, False), (2, True)]


def test_where_no_page_waits_what_is_asked_is_read_here() -> None:
    assert waited(current_thread, "who reads") is current_thread()


def test_a_page_that_waits_in_its_own_way_is_told_what_for() -> None:
    told: list[str] = []

    def wait(outcome: Future[Any], what: str) -> object:
        told.append(what)
        return outcome.result(60)

    @waits("who reads")
    def reader() -> Thread:
        return waited(current_thread, "who reads within")

    with waiting_by(wait):
        assert reader() is not current_thread()
    assert told == ["who reads"], "what is read in another thread waits as it does without a page"
    assert reader() is current_thread(), "the page is drawn"


def test_what_fails_fails_where_a_page_waits_for_it() -> None:
    @waits("nothing")
    def fail() -> None:
        raise ValueError("no")

    with waiting_by(lambda outcome, _: outcome.result(60)), pytest.raises(ValueError, match="no"):
        fail()


def test_a_part_of_a_page_leaves_the_page_its_way_of_waiting() -> None:
    def said_by(name: str) -> Wait:
        return lambda _outcome, _what: name

    with waiting_by(said_by("page")):
        with waiting_by(said_by("part")):
            assert waited(str, "anything") == "part"
        assert waited(str, "anything") == "page"
    assert waited(str, "anything") == ""
