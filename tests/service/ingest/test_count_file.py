from __future__ import annotations

import gzip
from datetime import UTC, datetime
from pathlib import Path

import pytest

from service.ingest.count_file import CountFile, CountFileError, read_count_file
from service.store.protocol import PassageCount

NOW = datetime(2025, 6, 3, 10, tzinfo=UTC)
NOON = int(datetime(2025, 3, 1, 12, tzinfo=UTC).timestamp()) // 60
HEADER = "timestamp,passageId,forward,backward"


def read(tmp_path: Path, *rows: str, interval: int = 1, header: str = HEADER) -> CountFile:
    path = tmp_path / "counts.csv"
    path.write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    return read_count_file(path, interval, NOW)


def reasons(tmp_path: Path, *rows: str, interval: int = 1, header: str = HEADER) -> tuple[str, ...]:
    with pytest.raises(CountFileError) as refused:
        read(tmp_path, *rows, interval=interval, header=header)
    return refused.value.reasons


def test_rows_become_counts(tmp_path: Path) -> None:
    content = read(tmp_path, "2025-03-01T13:00:00+01:00,door,3,1", "2025-03-01T12:01:00Z,door,0,0")
    assert content.counts == [PassageCount("door", NOON, 3, 1), PassageCount("door", NOON + 1, 0, 0)]
    assert content.rows == 2
    assert content.first_lines == {"door": 2}


def test_a_blank_line_is_no_row(tmp_path: Path) -> None:
    content = read(tmp_path, "2025-03-01T08:00:00Z,door,1,2", "", "2025-03-01T08:01:00Z,door,3,4", "", "")
    assert content.rows == 2
    assert [count.forward for count in content.counts] == [1, 3]
    [reason] = reasons(tmp_path, "", "2025-03-01T08:00:00Z,door,1")
    assert reason.startswith("line 3: ")


def test_columns_may_come_in_any_order(tmp_path: Path) -> None:
    header = "backward,note,forward,timestamp,passageId"
    content = read(tmp_path, "1,rain,3,2025-03-01T12:00:00Z,door", header=header)
    assert content.counts == [PassageCount("door", NOON, 3, 1)]


def test_an_interval_is_spread_over_its_minutes_zeros_included(tmp_path: Path) -> None:
    content = read(tmp_path, "2025-03-01T12:00:00Z,door,2,0", interval=5)
    assert [count.forward for count in content.counts] == [0, 1, 0, 1, 0]
    assert [count.minute for count in content.counts] == list(range(NOON, NOON + 5))


def test_a_byte_order_mark_and_quotes_are_read(tmp_path: Path) -> None:
    content = read(tmp_path, '"2025-03-01T12:00:00Z","door, left",3,1', header=f"\ufeff{HEADER}")
    assert content.counts[0].passage_id == "door, left"


@pytest.mark.parametrize(
    "row",
    [
        "2025-03-01T12:00:00,door,1,0",
        "2025-03-01T12:00:30Z,door,1,0",
        "1 March 2025,door,1,0",
        "2025-06-03T10:01:00Z,door,1,0",
        "2001-01-01T00:00:00Z,door,1,0",
        "2025-03-01T12:00:00Z,door,-1,0",
        "2025-03-01T12:00:00Z,door,1.5,0",
        "2025-03-01T12:00:00Z,door,1_0,0",
        "2025-03-01T12:00:00Z,door,,0",
        "2025-03-01T12:00:00Z,door,1,99999999999999999999999999",
        "2025-03-01T12:00:00Z,,1,0",
        "2025-03-01T12:00:00Z,door,1",
    ],
)
def test_a_bad_row_is_told_with_its_line(tmp_path: Path, row: str) -> None:
    [reason] = reasons(tmp_path, "2025-03-01T11:00:00Z,door,1,0", row, "2025-03-01T11:01:00Z,door,1,0")
    assert reason.startswith("line 3: ")


def test_a_file_may_end_with_the_minute_that_is_running(tmp_path: Path) -> None:
    assert read(tmp_path, "2025-06-03T10:00:00Z,door,1,0").counts[0].minute == int(NOW.timestamp()) // 60
    assert read(tmp_path, "2025-06-03T09:56:00Z,door,1,0", interval=5).rows == 1
    [reason] = reasons(tmp_path, "2025-06-03T09:57:00Z,door,1,0", interval=5)
    assert "lies in the future: 2025-06-03T10:01:00+00:00, when it is 2025-06-03T10:00:00+00:00" in reason


def test_the_same_time_counted_twice_is_told_with_both_lines(tmp_path: Path) -> None:
    [reason] = reasons(tmp_path, "2025-03-01T12:00:00Z,door,1,0", "2025-03-01T13:00:00+01:00,door,1,0")
    assert reason == "line 3: counts passage 'door' at a time that line 2 counted already"


def test_intervals_that_overlap_are_told(tmp_path: Path) -> None:
    rows = ("2025-03-01T12:00:00Z,door,1,0", "2025-03-01T12:03:00Z,door,1,0")
    assert len(reasons(tmp_path, *rows, interval=5)) == 1


def test_only_the_first_twenty_bad_rows_are_told_and_all_are_counted(tmp_path: Path) -> None:
    with pytest.raises(CountFileError) as refused:
        read(tmp_path, *["x,door,1,0"] * 50)
    assert len(refused.value.reasons) == 20
    assert refused.value.bad_rows == 50


def test_a_header_that_lacks_a_column_is_told(tmp_path: Path) -> None:
    assert reasons(tmp_path, header="timestamp,passage,forward") == (
        "line 1: the header lacks passageId, backward",
    )


@pytest.mark.parametrize("content", [b"", b"\xff\xfe\x00", HEADER.encode() + b"\n\xff\n"])
def test_what_is_no_text_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "counts.csv").write_bytes(content)
    with pytest.raises(CountFileError):
        read_count_file(tmp_path / "counts.csv", 1, NOW)


def test_a_gzip_file_cut_short_is_an_error(tmp_path: Path) -> None:
    packed = gzip.compress((HEADER + "\n2025-03-01T12:00:00Z,door,1,0\n" * 99).encode())
    (tmp_path / "counts.csv.gz").write_bytes(packed[:-12])
    with pytest.raises(EOFError):
        read_count_file(tmp_path / "counts.csv.gz", 1, NOW)
