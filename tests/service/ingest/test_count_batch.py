from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from contract import ErrorCode
from service.exception_handlers import ServiceError
from service.ingest.count_batch import LONGEST_ELEMENT, read_count_batch
from service.store.protocol import PassageCount
from tests.small_site import count

NOW = datetime(2025, 2, 3, 12, tzinfo=UTC)
MOMENT = datetime(2025, 2, 3, 11, 15, 20, tzinfo=UTC)
MINUTE = int(MOMENT.timestamp()) // 60


def read(body: bytes | str, limit: int = 100) -> list[PassageCount]:
    return read_count_batch(body.encode() if isinstance(body, str) else body, NOW, limit)


def refused(body: bytes | str, limit: int = 100) -> tuple[str, dict[str, str]]:
    with pytest.raises(ServiceError) as caught:
        read(body, limit)
    [entry] = caught.value.entries
    return entry.code, dict(entry.details or {})


@pytest.mark.parametrize(
    "around", ["[{}]", " \n[ {}\t]\r\n", '[{},{{"passageId":"b","timestamp":"2025-02-03T11:15Z"}}]']
)
def test_counts_are_read_with_blanks_or_without(around: str) -> None:
    body = around.format(json.dumps(count(MOMENT, 2, 1)))
    body = body.replace('"b",', '"b","forward":0,"backward":0,')
    assert read(body)[0] == PassageCount("entrance", MINUTE, 2, 1)


def test_no_counts_are_no_error() -> None:
    assert read("[]") == read(" [ ] ") == []


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[",
        b"[{}",
        b"[{},]",
        b"[{} {}]",
        b"[{}] x",
        b"[,{}]",
        b"{",
        b"nonsense",
        b'["\xff"]',
        b"\xef\xbb\xbf[]",
        b"[NaN]",
        b"[-Infinity]",
        b'["\n"]',
        b"[" * LONGEST_ELEMENT,
        b"[" + b"[" * 2000 + b"]" * 2000 + b"]",
    ],
)
def test_body_that_is_not_json_is_refused(body: bytes) -> None:
    assert refused(body)[0] == ErrorCode.MALFORMED_JSON


@pytest.mark.parametrize("element", ["1", "null", '"text"', "[]", "[[[]]]", "1e999"])
def test_element_that_is_no_object_is_named(element: str) -> None:
    assert refused(f"[{json.dumps(count(MOMENT))},{element}]") == (
        ErrorCode.INVALID_BODY,
        {"[1]": "Input should be a valid dictionary or instance of CountElement"},
    )


@pytest.mark.parametrize("value", ["[]", "{}", "1e999", "9" * 4000, "null"])
def test_value_of_a_wrong_kind_is_named(value: str) -> None:
    body = json.dumps([count(MOMENT)]).replace('"forward": 1', f'"forward": {value}')
    code, details = refused(body)
    assert (code, set(details)) == (ErrorCode.INVALID_BODY, {"[0].forward"})


def test_element_longer_than_allowed_is_refused() -> None:
    body = json.dumps([count(MOMENT, passage="x" * LONGEST_ELEMENT), count(MOMENT)])
    assert refused(body)[0] == ErrorCode.MALFORMED_JSON


def test_last_of_duplicate_fields_counts() -> None:
    body = json.dumps([count(MOMENT)]).replace('"forward": 1', '"forward": 1, "forward": 5')
    assert read(body)[0].forward == 5


def test_half_characters_are_refused_and_can_be_printed() -> None:
    body = json.dumps([count(MOMENT)]).replace("entrance", "\\ud800")
    for broken in (body, '[{"\\ud800": 1}]'):
        code, details = refused(broken)
        assert code == ErrorCode.INVALID_BODY
        json.dumps(details, ensure_ascii=False).encode()


def test_more_counts_than_allowed_are_refused() -> None:
    counts = [count(MOMENT)] * 4
    assert len(read(json.dumps(counts), limit=4)) == 4
    assert refused(json.dumps(counts), limit=3)[0] == ErrorCode.TOO_MANY_COUNTS


def test_reading_ends_with_the_hundredth_problem() -> None:
    wrong: list[Any] = [count(MOMENT) | {"forward": -1}]
    assert len(refused(json.dumps(wrong * 99))[1]) == 99
    # What follows is no JSON, and nobody looks.
    assert len(refused(json.dumps(wrong * 100)[:-1] + ",nonsense")[1]) == 100
