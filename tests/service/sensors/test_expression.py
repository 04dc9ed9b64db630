from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.sensors.expression import LONGEST, Expression, ExpressionError, Steps

BODY = {
    "sn": "A1",
    "counts": [{"name": "fw", "value": 3}, {"name": "bw", "value": 4}, {"name": "fw", "value": 5}],
    "text": "12",
    "nested": {"a-b": [[1, 2], [3]]},
}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("sn", "A1"),
        ("counts[?name=='bw'].value | [0]", 4),
        ("sum(counts[?name=='fw'].value)", 8),
        ("sum([counts[0].value, counts[1].value])", 7),
        ("join('-', [sn, text])", "A1-12"),
        ("to_number(text)", 12),
        ('nested."a-b"[][]', [1, 2, 3]),
        ("nothing", None),
        ("not_null(nothing, sn)", "A1"),
        ("length(counts)", 3),
        ("counts[?value > `3`].name", ["bw", "fw"]),
        ("counts[-1].value", 5),
        ("counts[0:2].value", [3, 4]),
    ],
)
def test_what_stands_in_a_body_is_found(text: str, found: object) -> None:
    assert Expression(text).evaluate(BODY, Steps()) == found


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "cannot be read"),
        ("a[", "cannot be read"),
        ("a" * (LONGEST + 1), "has more than 300 letters"),
        ("[sn, text]", "may not be used here: multi select list"),
        ("{a: sn}", "may not be used here: multi select dict"),
        ("[[sn, sn]][]", "may not be used here"),
        ("to_string(@)", "calls to_string"),
        ("sort_by(counts, &value)", "calls sort_by"),
        ("not_null([sn, sn])", "may not be used here: multi select list"),
        ("a" + ".a" * 45 + "|a" * 45, "too many parts within each other"),
        ("!" * 200 + "a", "too many parts within each other"),
    ],
)
def test_what_could_not_be_bounded_is_refused_when_it_is_read(text: str, why: str) -> None:
    with pytest.raises(ExpressionError, match=why):
        Expression(text)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("counts == counts", "compares lists or objects"),
        ("join('', [sn, sn])" + " | join('', [@, @])" * 14, "a text of more than 10,000 letters"),
        ("sum(counts[].name)", "gives sum what is not array-number"),
        ("sn < `1`", "does not fit what it finds"),
        ("contains(sn, `1`)", "does not fit what it finds"),
        ("counts[::0]", "does not fit what it finds"),
    ],
)
def test_what_does_not_fit_the_body_says_why(text: str, why: str) -> None:
    with pytest.raises(ExpressionError, match=why):
        Expression(text).evaluate(BODY, Steps())


def test_all_expressions_of_a_body_share_their_steps() -> None:
    steps = Steps(1_000)
    expression = Expression("sum(@)")
    numbers = list(range(400))
    assert expression.evaluate(numbers, steps) == sum(numbers)
    assert expression.evaluate(numbers, steps) == sum(numbers)
    with pytest.raises(ExpressionError, match="takes too long"):
        expression.evaluate(numbers, steps)


def test_a_long_text_takes_steps_each_time_that_it_is_found() -> None:
    value = {"digits": "9" * 4_000, "short": "9" * 10}
    Expression(" || ".join(["to_number(short) < `0`"] * 10)).evaluate(value, Steps(100))
    with pytest.raises(ExpressionError, match="takes too long"):
        Expression(" || ".join(["to_number(digits) < `0`"] * 10)).evaluate(value, Steps(500))


PARTS = st.sampled_from(
    [
        *(
            "a",
            "b",
            "counts",
            "value",
            ".",
            "[",
            "]",
            "[]",
            "[*]",
            "*",
            "[?",
            "|",
            "||",
            "&&",
            "!",
            "==",
            "<",
        ),
        *(
            "(",
            ")",
            ",",
            "@",
            "`1`",
            "`[]`",
            "'x'",
            '"a-b"',
            "{",
            "}",
            ":",
            "[0]",
            "[::2]",
            "&",
            "join(",
            "sum(",
        ),
        *("max(", "to_number(", "length(", "contains(", "not_null(", " ", "-1", "\\", "é", "\ud800"),
    ]
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["a", "b", "a-b"]), inner),
    max_leaves=20,
)


@given(st.lists(PARTS, max_size=60).map("".join) | st.text(max_size=400), VALUES)
def test_any_text_on_any_value_finds_something_or_says_why_not(text: str, value: object) -> None:
    with suppress(ExpressionError):
        Expression(text).evaluate(value, Steps(10_000))
