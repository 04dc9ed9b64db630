from __future__ import annotations

import json

import pytest

from service.sensors.json_report import People, ReportModel, Text, read_json
from service.sensors.told_count import ReportError


class Row(ReportModel):
    who: Text
    people: People


class Body(ReportModel):
    rows: tuple[Row, ...]


def body_of(*rows: object) -> bytes:
    return json.dumps({"rows": rows}).encode()


def test_ids_may_be_numbers_and_numbers_may_be_text() -> None:
    [row] = read_json(body_of({"who": 7, "people": " 12 "}), Body).rows
    assert (row.who, row.people) == ("7", 12)


def test_of_many_faults_the_first_are_named_by_their_paths() -> None:
    with pytest.raises(ReportError, match=r"^rows\.0\.who: .*; rows\.0\.people: .*; 3 more$"):
        read_json(body_of({}, {}, {}, {}), Body)


@pytest.mark.parametrize("people", [True, 1.5, "1.5", -1, 1_000_001, 10**400, float("nan"), None, [1], ""])
def test_what_is_no_number_of_people_is_refused(people: object) -> None:
    with pytest.raises(ReportError, match=r"^rows\.0\.people: Input should be"):
        read_json(body_of({"who": "a", "people": people}), Body)


@pytest.mark.parametrize("who", ["", "  ", "a\nb", "\x00", "a" * 257, None, True])
def test_what_is_no_id_is_refused(who: object) -> None:
    with pytest.raises(ReportError, match=r"^rows\.0\.who: "):
        read_json(body_of({"who": who, "people": 1}), Body)


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[1]", b"null", b"\xff", b"[" * 100_000, b'{"rows": "\\ud800"}']
)
def test_what_is_no_object_of_json_is_refused(body: bytes) -> None:
    with pytest.raises(ReportError, match=r"^(body|rows): "):
        read_json(body, Body)


def test_the_mark_of_utf_8_before_a_body_says_nothing() -> None:
    assert read_json(b"\xef\xbb\xbf" + body_of({"who": "A", "people": 1}), Body).rows[0].people == 1
