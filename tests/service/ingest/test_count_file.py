from __future__ import annotations

import gzip
import os
import tracemalloc
import zipfile
from collections.abc import Collection, Mapping
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from service.ingest import count_csv, staged_counts
from service.ingest.count_csv import CountFileError, Problem
from service.ingest.count_file import Absent, CheckedCounts, read_count_file
from service.store.protocol import PassageCount, WriteMode

NOW = datetime(2025, 6, 3, 10, tzinfo=UTC)
NOON = int(datetime(2025, 3, 1, 12, tzinfo=UTC).timestamp()) // 60
HEADER = "timestamp,passageId,forward,backward"
SITES = {"door": "shop", "gate": "shop", "door, left": "shop", "far-door": "far-shop"}


def find_sites(passage_ids: Collection[str]) -> Mapping[str, str]:
    return {passage_id: SITES[passage_id] for passage_id in passage_ids if passage_id in SITES}


def read_bytes(
    tmp_path: Path, content: bytes, interval: int | None = 1, absent: Absent = Absent.MISSING
) -> CheckedCounts:
    path = tmp_path / "counts.csv"
    path.write_bytes(content)
    return read_count_file(path, interval, NOW, find_sites, absent=absent)


def read(
    tmp_path: Path,
    *rows: str,
    interval: int | None = 1,
    header: str = HEADER,
    absent: Absent = Absent.MISSING,
) -> CheckedCounts:
    return read_bytes(tmp_path, ("\n".join([header, *rows]) + "\n").encode(), interval, absent)


def refused(tmp_path: Path, *rows: str, interval: int | None = 1, header: str = HEADER) -> CountFileError:
    with pytest.raises(CountFileError) as error:
        read(tmp_path, *rows, interval=interval, header=header)
    return error.value


def reasons(tmp_path: Path, *rows: str, interval: int | None = 1, header: str = HEADER) -> tuple[str, ...]:
    return refused(tmp_path, *rows, interval=interval, header=header).reasons


def counts(content: CheckedCounts, mode: WriteMode = WriteMode.SET) -> list[PassageCount]:
    return [
        PassageCount(series.passage_id, *values)
        for series in content.series()
        if series.mode is mode
        for values in zip(
            series.minutes.tolist(), series.forward.tolist(), series.backward.tolist(), strict=True
        )
    ]


def every(minutes: int, number: int, passage: str = "door", people: int = 1) -> list[str]:
    return [
        f"2025-03-01T{12 + minute // 60}:{minute % 60:02}:00Z,{passage},{people},0"
        for minute in range(0, number * minutes, minutes)
    ]


def test_rows_become_counts(tmp_path: Path) -> None:
    content = read(tmp_path, "2025-03-01T13:00:00+01:00,door,3,1", "2025-03-01T12:01:00Z,door,0,0")
    assert counts(content) == [PassageCount("door", NOON, 3, 1), PassageCount("door", NOON + 1, 0, 0)]
    assert content.rows == content.minutes == 2


def test_every_accepted_form_of_a_timestamp_is_the_same_minute(tmp_path: Path) -> None:
    for text in ("2025-03-01T12:07Z", "2025-03-01 12:07:00.000+00", "2025-03-01T17:37:00+05:30"):
        assert counts(read(tmp_path, f"{text},door,3,1")) == [PassageCount("door", NOON + 7, 3, 1)]


def test_blank_line_is_no_row(tmp_path: Path) -> None:
    content = read(tmp_path, "2025-03-01T08:00:00Z,door,1,2", "", "2025-03-01T08:01:00Z,door,3,4", ",,,", "")
    assert [count.forward for count in counts(content)] == [1, 3]
    [reason] = reasons(tmp_path, "", "2025-03-01T08:00:00Z,door,1")
    assert reason.startswith("line 3: ")


def test_columns_may_come_in_any_order(tmp_path: Path) -> None:
    header = "backward,note,forward,timestamp,passageId"
    content = read(tmp_path, "1,rain,3,2025-03-01T12:00:00Z,door", header=header)
    assert counts(content) == [PassageCount("door", NOON, 3, 1)]


def test_interval_is_spread_over_its_minutes_zeros_included(tmp_path: Path) -> None:
    content = counts(read(tmp_path, "2025-03-01T12:00:00Z,door,2,0", interval=5))
    assert [count.forward for count in content] == [0, 1, 0, 1, 0]
    assert [count.minute for count in content] == list(range(NOON, NOON + 5))


def test_byte_order_mark_and_quotes_are_read(tmp_path: Path) -> None:
    content = read(tmp_path, '"2025-03-01T12:00:00Z","door, left",3,1', header=f"\ufeff{HEADER}")
    assert counts(content)[0].passage_id == "door, left"


def test_line_after_a_field_of_two_lines_is_told_as_it_stands(tmp_path: Path) -> None:
    rows = ('2025-03-01T12:00:00Z,door,1,0,"rain\nand wind"', "2025-03-01T12:01:00Z,door,x,0,", "")
    [reason] = reasons(tmp_path, *rows, header=f"{HEADER},note")
    assert reason.startswith("line 4: forward 'x'")


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ("2025-03-01T12:00:00,door,1,0", Problem.TIME),
        ("2025-03-01T12:00:30Z,door,1,0", Problem.TIME),
        ("1 March 2025,door,1,0", Problem.TIME),
        ("2025-02-30T12:00:00Z,door,1,0", Problem.TIME),
        ("2025-03-01T12:60:00Z,door,1,0", Problem.TIME),
        ("2025-06-03T10:01:00Z,door,1,0", Problem.TIME),
        ("2025-06-04T10:02:00Z,door,1,0", Problem.TIME),
        ("2001-01-01T00:00:00Z,door,1,0", Problem.TIME),
        ("2025-03-01T12:00:00Z,door,-1,0", Problem.PEOPLE),
        ("2025-03-01T12:00:00Z,door,1.5,0", Problem.PEOPLE),
        ("2025-03-01T12:00:00Z,door,1_0,0", Problem.PEOPLE),
        ("2025-03-01T12:00:00Z,door,٣,0", Problem.PEOPLE),
        ("2025-03-01T12:00:00Z,door,,0", Problem.PEOPLE),
        ("2025-03-01T12:00:00Z,door,1,1000001", Problem.PEOPLE),
        ("2025-03-01T12:00:00Z,door,1,99999999999999999999999999", Problem.PEOPLE),
        ("2025-03-01T12:00:00Z,,1,0", Problem.PASSAGE),
        ("2025-03-01T12:00:00Z,chimney,1,0", Problem.PASSAGE),
        ("2025-03-01T12:00:00Z,door,1", Problem.FORM),
        ("2025-03-01T12:00:00Z,door, left,1,0", Problem.FORM),
    ],
)
def test_bad_row_is_told_with_its_line(tmp_path: Path, row: str, problem: Problem) -> None:
    error = refused(tmp_path, "2025-03-01T11:00:00Z,door,1,0", row, "2025-03-01T11:01:00Z,door,1,0")
    [reason] = error.reasons
    assert reason.startswith("line 3: ")
    assert error.problems == {problem: 1}


def test_a_file_may_end_with_the_minute_that_is_running(tmp_path: Path) -> None:
    [running] = counts(read(tmp_path, "2025-06-03T10:00:00Z,door,1,0"))
    assert running.minute == int(NOW.timestamp()) // 60
    assert read(tmp_path, "2025-06-03T09:56:00Z,door,1,0", interval=5).rows == 1
    [reason] = reasons(tmp_path, "2025-06-03T09:57:00Z,door,1,0", interval=5)
    assert "5 minutes have not passed: the last is 2025-06-03T10:01:00+00:00, and it is" in reason
    [reason] = reasons(tmp_path, "2025-06-03T10:01:00Z,door,1,0", interval=5)
    assert "lies in the future" in reason


def test_faults_of_all_kinds_are_told_at_once(tmp_path: Path) -> None:
    rows = (
        "2025-03-01T12:00:00Z,door,1,0",
        "2025-03-01T12:01:00Z,chimney,1,0",
        "yesterday,door,1,0",
        "2025-03-01T12:00:00Z,door,1,0",
        "2025-03-01T12:02:00Z,chimney,many,0",
    )
    error = refused(tmp_path, *rows)
    assert [reason.split(": ")[0] for reason in error.reasons] == ["line 3", "line 4", "line 5", "line 6"]
    assert error.problems == {Problem.PASSAGE: 2, Problem.TIME: 1, Problem.TWICE: 1, Problem.PEOPLE: 1}


def test_same_time_counted_twice_is_told_with_both_lines(tmp_path: Path) -> None:
    [reason] = reasons(tmp_path, "2025-03-01T12:00:00Z,door,1,0", "2025-03-01T13:00:00+01:00,door,1,0")
    assert reason == "line 3: counts passage 'door' at a time that line 2 counted already"


def test_intervals_that_overlap_are_told(tmp_path: Path) -> None:
    rows = ("2025-03-01T12:03:00Z,door,1,0", "2025-03-01T12:00:00Z,door,1,0")
    [reason] = reasons(tmp_path, *rows, interval=5)
    assert reason.startswith("line 3: counts passage 'door'")


def test_overlap_is_found_between_rows_that_are_far_apart_in_a_long_file(tmp_path: Path) -> None:
    rows = [
        f"2025-03-{day:02}T{minute // 60:02}:{minute % 60:02}:00Z,door,1,0"
        for day in range(1, 31)
        for minute in range(1440)
    ]
    error = refused(tmp_path, *rows, rows[20_000])
    assert error.reasons == (
        f"line {len(rows) + 2}: counts passage 'door' at a time that line 20002 counted already",
    )


def test_only_the_first_twenty_bad_rows_are_told_and_all_are_counted(tmp_path: Path) -> None:
    error = refused(tmp_path, *["x,door,1,0"] * 50)
    assert [reason.split(":")[0] for reason in error.reasons] == [f"line {line}" for line in range(2, 22)]
    assert error.problems == {Problem.TIME: 50}


def test_five_minute_rows_are_refused_until_it_is_said_what_they_count(tmp_path: Path) -> None:
    [reason] = reasons(tmp_path, *every(5, 12), interval=None)
    assert "rows are 5 minutes apart" in reason
    assert "--interval 5" in reason
    assert "--interval 1" in reason
    assert read(tmp_path, *every(5, 12), interval=5).notes == ()
    [note] = read(tmp_path, *every(5, 12, people=0), interval=1).notes
    assert "--interval 5" in note


def test_minute_rows_need_no_interval_whatever_is_left_out(tmp_path: Path) -> None:
    quiet = [row for index, row in enumerate(every(1, 40)) if index % 7 not in {2, 3, 5}]
    rarely = ["2025-03-01T12:00:00Z,gate,1,0", "2025-03-01T18:00:00Z,gate,1,0"]
    content = read(tmp_path, *quiet, *rarely, interval=None)
    assert (content.interval, content.rows) == (1, len(quiet) + 2)


def test_interval_longer_than_the_rows_are_apart_is_told_as_that(tmp_path: Path) -> None:
    error = refused(tmp_path, *every(5, 40), interval=15)
    [reason] = error.reasons
    assert "rows are 5 minutes apart" in reason
    assert "say --interval 5" in reason
    assert error.problems == {Problem.TWICE: 39}


@pytest.mark.parametrize("interval", [None, 1, 5, 15])
def test_passages_of_different_intervals_are_refused_by_name(tmp_path: Path, interval: int | None) -> None:
    rows = (*every(5, 60, people=0), *every(15, 20, "gate"))
    error = refused(tmp_path, *rows, interval=interval)
    [reason] = error.reasons
    assert "'door' every 5 minutes, 'gate' every 15 minutes" in reason
    assert "files of their own" in reason
    assert read(tmp_path, *every(15, 20, "gate"), interval=15).notes == ()


def test_few_rows_of_another_interval_are_said(tmp_path: Path) -> None:
    rows = (*every(5, 12, people=0), *every(15, 4, "gate"))
    [note] = read(tmp_path, *rows, interval=5).notes
    assert "'gate' every 15 minutes" in note


def test_absent_rows_are_told_when_no_row_says_zero(tmp_path: Path) -> None:
    rows = ("2025-03-01T12:00:00Z,door,1,0", "2025-03-01T12:01:00Z,door,1,0", "2025-03-01T12:09:00Z,door,1,0")
    [note] = read(tmp_path, *rows).notes
    assert "7 minutes" in note
    assert "--absent zero" in note
    assert read(tmp_path, *rows, "2025-03-01T12:05:00Z,door,0,0").notes == ()


def test_absent_zero_fills_every_passage_of_a_site_from_its_first_row_to_its_last(tmp_path: Path) -> None:
    rows = (
        "2025-03-01T12:02:00Z,gate,4,0",
        "2025-03-01T12:00:00Z,door,1,0",
        "2025-03-01T12:06:00Z,door,1,0",
        "2025-03-01T09:00:00Z,far-door,1,0",
    )
    content = read(tmp_path, *rows, interval=2, absent=Absent.ZERO)
    filled = counts(content, WriteMode.FILL)
    assert [(count.passage_id, count.minute - NOON) for count in filled] == [
        *(("door", minute) for minute in (2, 3, 4, 5)),
        *(("gate", minute) for minute in (0, 1, 4, 5, 6, 7)),
    ]
    assert {(count.forward, count.backward) for count in filled} == {(0, 0)}
    assert content.filled == len(filled)
    assert len(counts(content)) == content.minutes == 8


def test_harmless_deviations_are_taken_and_said(tmp_path: Path) -> None:
    header = "Timestamp; PASSAGEID ;Forward;backward"
    content = read(tmp_path, '2025-03-01T12:00:00Z; "door" ; 3;1 ', header=header)
    assert counts(content) == [PassageCount("door", NOON, 3, 1)]
    assert content.notes == (
        "Fields are separated by semicolons.",
        "Blanks around fields are left out.",
        "Columns Timestamp, PASSAGEID, Forward are taken for timestamp, passageId, forward.",
    )
    tabs = read(tmp_path, "2025-03-01T12:00:00Z\tdoor\t3\t1", header=HEADER.replace(",", "\t"))
    assert tabs.notes == ("Fields are separated by tabs.",)


@pytest.mark.parametrize(
    ("header", "said"),
    [
        ("timestamp,passage,forward", "line 1: the header lacks passageId, backward; it is 'timestamp,pass"),
        ("timestamp,passageId,forward,backward,Forward", "line 1: the header has forward more than once"),
        ("2025-03-01T12:00:00Z,door,1,0", "line 1: has counts and no column names"),
    ],
)
def test_wrong_header_is_told_with_what_was_found(tmp_path: Path, header: str, said: str) -> None:
    [reason] = reasons(tmp_path, header=header)
    assert reason.startswith(said)


@pytest.mark.parametrize("first", ["sep=,", "sep=;", '"sep=,"', "SEP=,\r"])
def test_line_that_tells_a_spreadsheet_its_separator_is_left_out(tmp_path: Path, first: str) -> None:
    content = read(tmp_path, HEADER, "2025-03-01T12:00:00Z,door,3,1", header=first)
    assert counts(content) == [PassageCount("door", NOON, 3, 1)]
    [reason] = reasons(tmp_path, HEADER, "yesterday,door,3,1", header=first)
    assert reason.startswith("line 3: ")


def test_repeated_header_is_told_as_that_once(tmp_path: Path) -> None:
    rows = ["2025-03-01T12:00:00Z,door,1,0", HEADER, "2025-03-01T12:01:00Z,door,1,0", HEADER.upper(), HEADER]
    error = refused(tmp_path, *rows)
    assert error.reasons == ("line 3: repeats the header, as where files were joined: remove such lines",)
    assert error.problems == {Problem.FORM: 3}


def test_local_time_is_told_with_what_to_do(tmp_path: Path) -> None:
    [reason] = reasons(tmp_path, "2025-03-01T12:00:00,door,1,0")
    assert "is a local time" in reason
    assert "add its offset from UTC, as 2025-03-30T01:00:00+01:00" in reason


def test_pipe_is_refused_with_what_to_do(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.write(writing, f"{HEADER}\n2025-03-01T12:00:00Z,door,1,0\n".encode())
    os.close(writing)
    try:
        with pytest.raises(CountFileError, match="is a pipe, not a file: save what comes through it"):
            read_count_file(Path(f"/dev/fd/{reading}"), 1, NOW, find_sites)
    finally:
        os.close(reading)


def test_header_without_rows_is_refused(tmp_path: Path) -> None:
    [reason] = reasons(tmp_path, interval=None)
    assert "no rows" in reason


@pytest.mark.parametrize("rows_before", [0, 30_000])
def test_byte_that_is_no_utf_8_is_told_with_its_line(tmp_path: Path, rows_before: int) -> None:
    rows = [
        f"2025-03-{1 + i // 1440:02}T{i // 60 % 24:02}:{i % 60:02}:00Z,door,1,0" for i in range(rows_before)
    ]
    content = "\n".join([HEADER, *rows, "2025-04-01T12:00:00Z,TÜR,1,0", ""]).encode("cp1252")
    with pytest.raises(CountFileError) as error:
        read_bytes(tmp_path, content)
    [reason] = error.value.reasons
    assert reason.startswith(f"line {rows_before + 2}: b'T\\xdcR' is not UTF-8")


def test_quote_that_is_not_closed_is_told_where_it_opens(tmp_path: Path) -> None:
    rows = ['2025-03-01T12:00:00Z,"door,1,0', *["2025-03-01T12:01:00Z,gate,1,0"] * 5000]
    [reason] = reasons(tmp_path, "2025-03-01T11:00:00Z,door,1,0", *rows)
    assert reason.startswith("line 3: ")
    assert "quote" in reason


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "it is empty"),
        (b"\n\n", "it is empty"),
        (HEADER.encode("utf-16"), "UTF-16"),
        (HEADER.encode("utf-16-be"), "no text"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1", "old Excel workbook"),
        (b'{"organizations": []}', "JSON"),
        (b"<!DOCTYPE html>", "HTML"),
        pytest.param(gzip.compress(gzip.compress(HEADER.encode())), "gzip within gzip", id="gzip-twice"),
        (b"x" * 100_000, "line 1: is longer than 65536 characters"),
    ],
)
def test_file_of_another_form_is_named(tmp_path: Path, content: bytes, said: str) -> None:
    with pytest.raises(CountFileError, match=said):
        read_bytes(tmp_path, content)


def test_zip_archive_is_named_with_what_to_do(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "counts.csv", "w") as archive:
        archive.writestr("counts.csv", HEADER)
    with pytest.raises(CountFileError, match="ZIP archive or an Excel workbook: unpack it"):
        read_count_file(tmp_path / "counts.csv", 1, NOW, find_sites)


def test_gzip_file_cut_short_is_an_error(tmp_path: Path) -> None:
    packed = gzip.compress((HEADER + "\n2025-03-01T12:00:00Z,door,1,0\n" * 99).encode())
    with pytest.raises(EOFError):
        read_bytes(tmp_path, packed[:-12])


def test_memory_does_not_grow_with_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (count_csv, staged_counts):
        monkeypatch.setattr(module, "_ROWS_AT_ONCE", 1_000)

    def peak(rows: int) -> int:
        times = (f"2025-03-{1 + i // 1440:02}T{i // 60 % 24:02}:{i % 60:02}:00Z" for i in range(rows // 2))
        content = [f"{time},{passage},2,1" for time in times for passage in ("door", "gate")]
        (tmp_path / "counts.csv").write_text("\n".join([HEADER, *content]))
        del content
        tracemalloc.start()
        with closing(read_count_file(tmp_path / "counts.csv", 1, NOW, find_sites)) as counts:
            assert sum(len(series.minutes) for series in counts.series()) == rows
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    assert peak(40_000) < 2 * peak(5_000)
