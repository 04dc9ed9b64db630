from __future__ import annotations

import pytest

from analysis.names import LONGEST_NAME, distinct_labels, one_line
from components.plain_text import code, plain, plain_name, plain_sentences, the_rest


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
        ":fire:",
        "12:14:fire:",
        ":100:",
        ":material_face:",
        "a -> b",
    ],
)
def test_what_would_be_replaced_after_the_escapes_are_gone_is_parted(text: str) -> None:
    assert text not in plain(text).replace("\\", "")
    assert plain(text).replace("\\", "").replace("\N{WORD JOINER}", "") == text


@pytest.mark.parametrize(
    ("text", "markdown"),
    [
        ("at http://127.0.0.1:18742.", "at `http://127.0.0.1:18742`\\."),
        ("HTTPS://foreign.example/?a=1", "`HTTPS://foreign.example/?a=1`"),
        ("(www.foreign.example)", "\\(`www.foreign.example`\\)"),
        ("ask help@foreign.example, please", "ask `help@foreign.example`\\, please"),
        ("http://a.example/`b", "`` http://a.example/`b ``"),
        ("x`http://a.example", "x\\``http://a.example`"),
        ("since 17:14:59", "since 17\\:14\\:59"),
    ],
)
def test_addresses_and_times_are_copied_as_they_stand(text: str, markdown: str) -> None:
    assert plain(text) == markdown


@pytest.mark.parametrize(
    ("name", "markdown"),
    [
        ("Shop https://a.example *x*", "Shop https\\:|\\/\\/a\\.example \\*x\\*"),
        ("www.a.example", "www|\\.a\\.example"),
        ("ask a@a.example", "ask a|\\@a\\.example"),
    ],
)
def test_name_with_an_address_is_text_and_no_link(name: str, markdown: str) -> None:
    assert plain_name(name) == markdown.replace("|", "\N{WORD JOINER}")


def test_a_long_address_is_whole_where_a_long_text_may_stand() -> None:
    assert plain("http://" + "x" * 2_000, 5_000) == f"`http://{'x' * 2_000}`"


def test_sentences_of_an_answer_stand_one_after_another_and_none_is_cut() -> None:
    sentences = [f"Sentence {number}, which is of ours." for number in range(40)]
    assert plain_sentences(["", *sentences, None]) == " ".join(plain(one) for one in sentences)


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


def test_a_label_that_is_cut_once_more_keeps_what_tells_it_apart() -> None:
    names = {"north-5f3c2a9e": f"{'x' * 100} north", "south-5f3c2a9e": f"{'x' * 100} south"}
    shown = list(distinct_labels(names).values())
    assert [one[-17:] for one in shown] == [" (north-5f3c2a9e)", " (south-5f3c2a9e)"]
    assert [one_line(one, LONGEST_NAME) for one in shown] == shown
    assert len({plain_name(one) for one in shown}) == 2


def test_a_label_that_is_an_id_turns_no_letters_either() -> None:
    assert distinct_labels({"\u202eid\n1": ""}) == {"\u202eid\n1": "id 1"}


def test_a_space_that_keeps_a_line_together_stays() -> None:
    assert one_line("91\N{NO-BREAK SPACE}%, 1\N{NARROW NO-BREAK SPACE}234") == (
        "91\N{NO-BREAK SPACE}%, 1\N{NARROW NO-BREAK SPACE}234"
    )
    assert one_line("a\N{NO-BREAK SPACE}\N{NO-BREAK SPACE}b\N{NO-BREAK SPACE}") == "a b"
