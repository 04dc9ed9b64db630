from __future__ import annotations

from collections import Counter

import pytest

from service.ingest.row_spacing import (
    RowSpacing,
    gap_notes,
    refusal_of_interval,
    refusal_of_mixture,
    refusal_without_interval,
    row_spacing,
)


def spacing_of(*steps: Counter[int]) -> RowSpacing:
    return row_spacing({f"p{number}": counted for number, counted in enumerate(steps)})


def test_spacing_is_what_most_rows_keep() -> None:
    spacing = spacing_of(Counter({5: 200, 10: 30, 720: 1}), Counter({5: 90, 15: 4}))
    assert (spacing.usual, spacing.smallest, spacing.interval) == ((5,), 5, 5)


def test_rows_without_zeros_show_their_interval_by_the_smallest_step() -> None:
    spacing = spacing_of(Counter({5: 20, 10: 18, 15: 17, 25: 10}))
    assert (spacing.usual, spacing.interval) == ((), 5)


def test_passage_with_few_rows_is_not_heard_beside_others() -> None:
    assert spacing_of(Counter({1: 500, 2: 100}), Counter({20_000: 2})).interval == 1


@pytest.mark.parametrize(
    "steps",
    [
        [],
        [Counter[int]()],
        [Counter({1: 500})],
        [Counter({1: 30, 2: 29, 3: 20, 11: 5})],
    ],
)
def test_minutes_need_no_interval(steps: list[Counter[int]]) -> None:
    assert refusal_without_interval(spacing_of(*steps)) is None


@pytest.mark.parametrize(
    ("steps", "said"),
    [
        ([Counter({5: 500})], "rows are 5 minutes apart: say --interval 5"),
        ([Counter({60: 1})], "rows are 60 minutes apart: say --interval 60"),
        ([Counter({5: 500, 1: 1})], "usually 5 minutes apart and some of them 1 minute:"),
        ([Counter({5: 500}), Counter({1: 500})], "usually 1 and 5 minutes apart"),
    ],
)
def test_what_is_not_minutes_is_refused_with_what_was_seen(steps: list[Counter[int]], said: str) -> None:
    assert said in (refusal_without_interval(spacing_of(*steps)) or "")


def test_interval_is_too_long_only_when_rows_are_closer() -> None:
    spacing = spacing_of(Counter({5: 500, 10: 3}))
    assert refusal_of_interval(5, spacing) is None
    assert "say --interval 5" in (refusal_of_interval(6, spacing) or "")


def test_interval_shorter_than_the_spacing_is_noted() -> None:
    spacing = spacing_of(Counter({5: 500, 10: 3}))
    assert gap_notes(5, spacing) == []
    [note] = gap_notes(1, spacing)
    assert "--interval 5" in note


def test_passages_of_different_intervals_are_refused_by_name() -> None:
    refusal = refusal_of_mixture(spacing_of(*[Counter({5: 500, 20: 2})] * 5, Counter({15: 160})))
    assert refusal is not None
    assert "'p0', 'p1', 'p2' and 2 more every 5 minutes, 'p5' every 15 minutes" in refusal
    assert "files of their own" in refusal


@pytest.mark.parametrize(
    "steps",
    [
        [Counter({5: 500}), Counter({5: 20, 15: 30})],
        [Counter({1: 500}), Counter({2: 5, 3: 4, 9: 4})],
        [Counter({1: 500}), Counter({20_000: 12})],
        [Counter({1: 3}), Counter({2: 2, 9: 1})],
        [Counter({1: 500}), Counter({15: 4})],
    ],
)
def test_passage_that_leaves_rows_out_is_no_other_interval(steps: list[Counter[int]]) -> None:
    assert refusal_of_mixture(spacing_of(*steps)) is None


@pytest.mark.parametrize(
    "steps", [(Counter({5: 11}), Counter({15: 3})), (Counter({5: 9, 10: 9}), Counter({15: 99}))]
)
def test_passage_with_rows_further_apart_is_noted_by_name(steps: tuple[Counter[int], ...]) -> None:
    [note] = gap_notes(5, spacing_of(*steps))
    assert "'p1' every 15 minutes" in note
    assert "files of their own" in note
