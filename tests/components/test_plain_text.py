from __future__ import annotations

import pytest

from components.plain_text import LONGEST_NAME, code, distinct_labels, one_line, plain, the_rest


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Shop\nof\tmany\r\nlines", "Shop of many lines"),
        ("abc\u202egnp.exe\u2066", "abcgnp.exe"),
        ("a\u200bb\u2060c\ufeffd\u00ade", "abcde"),
        ("\x00bell\x07\x1b[31m", "bell [31m"),
        ("\u2028\u2029 x ", "x"),
        ("👩\u200d👧", "👩\u200d👧"),
        ("Café Zürich 東京", "Café Zürich 東京"),
    ],
)
def test_a_text_is_shown_on_one_line_without_what_is_not_seen(text: str, shown: str) -> None:
    assert one_line(text) == shown


def test_a_long_text_is_cut_and_says_so() -> None:
    assert one_line("x" * 5_000, LONGEST_NAME) == "x" * (LONGEST_NAME - 1) + "…"
    assert the_rest("x" * 5_000) == "x" * 5_000
    assert the_rest("short") is None


@pytest.mark.parametrize(
    "text",
    [
        "https://foreign.example",
        "www.foreign.example",
        "help@foreign.example",
        ":fire:",
        ":material_face:",
        "a -> b",
    ],
)
def test_what_would_be_replaced_after_the_escapes_are_gone_is_parted(text: str) -> None:
    assert text not in plain(text).replace("\\", "")
    assert plain(text).replace("\\", "").replace("\N{WORD JOINER}", "") == text


def test_every_mark_of_markdown_is_escaped() -> None:
    assert plain("1. *a* [b](c) `d` $e$ :red[f] <g> &amp;") == (
        "1\\. \\*a\\* \\[b\\]\\(c\\) \\`d\\` \\$e\\$ \\:red\\[f\\] \\<g\\> \\&amp\\;"
    )


@pytest.mark.parametrize(
    ("text", "markdown"), [("req-1", "`req-1`"), ("a`b", "`` a`b ``"), ("``", "``` `` ```"), ("", "")]
)
def test_an_id_stays_one_piece_of_code(text: str, markdown: str) -> None:
    assert code(text) == markdown


def test_labels_tell_things_of_one_name_apart_by_their_ids() -> None:
    names = {"a": "Hall", "b": "Hall\n", "c": "", "d": "x" * 5_000}
    shown = distinct_labels(names)
    assert shown == {"a": "Hall (a)", "b": "Hall (b)", "c": "c", "d": "x" * (LONGEST_NAME - 1) + "…"}
