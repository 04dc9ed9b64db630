"""What is made of something is made once, and goes with it."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from typing import Any

from analysis.made_once import made_last, made_once


@dataclass(frozen=True)
class Answer:
    number: int
    made: dict[Hashable, Any] = field(default_factory=dict, init=False, repr=False, compare=False)


def test_it_is_made_once_for_each_answer_and_whatever_else_it_is_given() -> None:
    given: list[tuple[int, int]] = []

    @made_once
    def added(answer: Answer, more: int) -> int:
        given.append((answer.number, more))
        return answer.number + more

    one, other = Answer(1), Answer(1)
    assert [added(one, 1), added(one, 1), added(one, 2), added(other, 1)] == [2, 2, 3, 2]
    assert given == [(1, 1), (1, 2), (1, 1)], "another answer is another one, however equal"


def test_an_answer_that_was_changed_has_nothing_made_of_it() -> None:
    @made_once
    def doubled(answer: Answer) -> int:
        return 2 * answer.number

    one = Answer(1)
    assert doubled(one) == 2
    assert doubled(replace(one, number=5)) == 10


def test_of_what_is_large_the_last_alone_is_kept() -> None:
    given: list[str] = []

    @made_last
    def drawn(answer: Answer, *, theme: str) -> str:
        given.append(theme)
        return f"{answer.number} {theme}"

    one = Answer(1)
    for theme in ("light", "light", "dark", "light"):
        assert drawn(one, theme=theme) == f"1 {theme}"
    assert given == ["light", "dark", "light"]
    assert len(one.made) == 1
