"""What is wrong with a file of counts: the first reasons by line, and how many there are of each kind."""

from __future__ import annotations

from bisect import insort
from collections import Counter
from enum import StrEnum
from typing import Final

MAXIMUM_REASONS: Final = 20
"""Reasons that are told; the others are counted."""


class Problem(StrEnum):
    """A kind of fault, in the words in which it is counted."""

    FORM = "rows of another form than the header's"
    ENCODING = "rows that are not UTF-8"
    TIME = "bad timestamps"
    PASSAGE = "rows of unknown passages"
    PEOPLE = "bad numbers of people"
    TWICE = "rows that count a time again"


class CountFileError(Exception):
    """The file is refused. `reasons` are sentences, those on a line by line; at most twenty.

    `problems` is how many rows have which problem, whether told or not.
    """

    def __init__(self, reasons: list[str], problems: Counter[Problem] | None = None) -> None:
        super().__init__("; ".join(reasons))
        self.reasons = tuple(reasons)
        self.problems = problems or Counter()


class Findings:
    """Collects what is wrong while a file is read. Keeps what is told, and counts."""

    def __init__(self) -> None:
        self._general: list[str] = []
        self._by_line: list[tuple[int, str]] = []
        self._problems: Counter[Problem] = Counter()

    def add(self, line: int, problem: Problem, reason: str | None = None) -> None:
        """A row's problem; without a reason it is counted and not told."""
        self._problems[problem] += 1
        if reason is not None:
            insort(self._by_line, (line, reason))
            del self._by_line[MAXIMUM_REASONS:]

    def count(self, problem: Problem, rows: int) -> None:
        """Rows of which it is known that none of them will be told."""
        if rows:
            self._problems[problem] += rows

    def add_general(self, reason: str) -> None:
        """What is wrong with the file as a whole; told before the rows."""
        self._general.append(reason)

    def check(self) -> None:
        """Raises CountFileError when anything was found."""
        told = [f"line {line}: {reason}" for line, reason in self._by_line]
        if self._general or self._problems:
            raise CountFileError([*self._general, *told], self._problems)
