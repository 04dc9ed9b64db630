from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as any_

from service.exception_handlers import ServiceError
from service.ingest.count_rows_csv import read_count_csv
from service.store.protocol import PassageCount

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
MINUTE = int(datetime(2026, 11, 21, 9, 15, tzinfo=UTC).timestamp()) // 60
HEADER = "timestamp,passageId,forward,backward\n"
ROW = "2026-11-21T10:15:30+01:00,door,3,1\n"


@pytest.mark.parametrize(
    "text",
    [
        HEADER + ROW,
        "\ufeff" + HEADER + ROW + "\n",
        (HEADER + ROW).replace(",", ";"),
        (HEADER + ROW).replace(",", "\t").replace("\n", "\r\n"),
        "PassageID, Backward ,forward,TIMESTAMP\ndoor,1,3,2026-11-21T09:15:00Z\n",
    ],
)
def test_rows_are_counts_of_a_minute(text: str) -> None:
    assert read_count_csv(text.encode(), NOW, 10) == [PassageCount("door", MINUTE, 3, 1)]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "needs the columns"),
        ("time,door\n", "found: 'time', 'door'"),
        (HEADER + "2026-11-21T10:15:30+01:00,door,3\n", "another form than its header's in line 2"),
        (HEADER + ROW * 11, "more than the 10 counts"),
        (HEADER + '"', "broken in line"),
    ],
)
def test_what_is_no_such_file_is_refused_in_words(text: str, reason: str) -> None:
    with pytest.raises(ServiceError, match=reason):
        read_count_csv(text.encode(), NOW, 10)


@pytest.mark.parametrize(
    ("row", "field"),
    [
        ("2026-11-21T10:15:30+01:00,door,-3,1\n", "[0].forward"),
        ("2026-11-21T10:15:30+01:00,door,3.5,1\n", "[0].forward"),
        ("2026-11-21T10:15:30,door,3,1\n", "[0].timestamp"),
        ("2027-11-21T10:15:30Z,door,3,1\n", "[0].timestamp"),
        ("2026-11-21T10:15:30Z,,3,1\n", "[0].passageId"),
    ],
)
def test_a_bad_value_is_named(row: str, field: str) -> None:
    with pytest.raises(ServiceError) as told:
        read_count_csv((HEADER + row).encode(), NOW, 10)
    [entry] = told.value.entries
    assert list(entry.details or {}) == [field]


@given(any_.binary() | any_.text().map(lambda text: (HEADER + text).encode()))
def test_every_file_is_read_or_refused(body: bytes) -> None:
    with suppress(ServiceError):
        read_count_csv(body, NOW, 10)
