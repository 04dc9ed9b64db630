from __future__ import annotations

import gzip
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from service.demo_data import HARDBRUECKE
from service.replay.stop_recording import (
    MISSING_FROM_USUAL_PEOPLE,
    BinCount,
    Recording,
    platform_of,
    read_recording,
    silent_runs,
    with_zeros_where_quiet,
)


def written(folder: Path, *rows: str) -> Path:
    path = folder / "recording.csv.gz"
    with gzip.open(path, "wt", encoding="utf-8") as text:
        text.write("\n".join(("Timestamp,Name,In,Out", *rows, "")))
    return path


def test_every_row_of_the_file_is_read() -> None:
    recording = read_recording(HARDBRUECKE, bins=63 * 288)
    counts = [count for line in recording.lines.values() for count in line if count]
    assert len(counts) == 124_529
    assert sum(count.entered for count in counts) == 1_957_128
    assert sum(count.left for count in counts) == 2_005_391


def test_lines_are_named_without_the_ending_however_it_is_spelled() -> None:
    recording = read_recording(HARDBRUECKE, bins=63 * 288)
    assert list(recording.lines) == [
        *("Ost-Nord", "Ost-SBB", "Ost-Süd", "Ost-VBZ"),
        *("West-Nord", "West-SBB", "West-Süd", "West-VBZ"),
    ]


def test_a_row_stands_in_the_bin_of_its_time(tmp_path: Path) -> None:
    path = written(tmp_path, "2024-01-01T00:00:00,A total,1,2", "2024-01-01T00:10:00,A total,3,4")
    recording = read_recording(path, bins=4)
    assert recording.start == datetime.fromisoformat("2024-01-01T00:00:00")
    assert recording.lines == {"A": [BinCount(1, 2), None, BinCount(3, 4), None]}


@pytest.mark.parametrize("timestamp", ["2024-01-01T00:20:00", "2024-01-01T00:01:00", "2024-01-01T00:00:30"])
def test_a_row_outside_the_bins_is_refused(tmp_path: Path, timestamp: str) -> None:
    path = written(tmp_path, "2024-01-01T00:00:00,A total,1,2", f"{timestamp},A total,3,4")
    with pytest.raises(ValueError, match=timestamp.replace("T", ".")):
        read_recording(path, bins=4)


BINS = 63 * 288


@pytest.fixture(scope="module")
def rows() -> Recording:
    return read_recording(HARDBRUECKE, bins=BINS)


@pytest.fixture(scope="module")
def recording(rows: Recording) -> Recording:
    return with_zeros_where_quiet(rows)


def bin_at(recording: Recording, timestamp: str) -> int:
    return (datetime.fromisoformat(timestamp) - recording.start) // timedelta(minutes=5)


def missing_at(recording: Recording, timestamp: str) -> set[str]:
    index = bin_at(recording, timestamp)
    return {line for line, counts in recording.lines.items() if counts[index] is None}


def lines_of(recording: Recording, platform: str) -> set[str]:
    return {line for line in recording.lines if platform_of(line) == platform}


def usual_people_of_silent_runs(rows: Recording) -> Iterator[tuple[float, str]]:
    for platform in ("Ost", "West"):
        lines = [counts for line, counts in rows.lines.items() if platform_of(line) == platform]
        for run, usual in silent_runs(lines):
            yield usual, f"{platform} {rows.start + run[0] * timedelta(minutes=5):%m-%d %H:%M} x{len(run)}"


def test_the_rule_lies_far_from_every_quiet_night_and_from_every_outage(rows: Recording) -> None:
    runs = sorted(usual_people_of_silent_runs(rows))
    quiet = [usual for usual, _ in runs if usual < MISSING_FROM_USUAL_PEOPLE]
    assert max(quiet) == 25
    assert len(quiet) > 1000
    assert runs[len(quiet) :] == [
        (115, "West 01-31 12:20 x1"),
        (374, "West 02-27 17:15 x1"),
        (642, "West 03-19 14:20 x7"),
        (878, "Ost 03-19 14:15 x8"),
        (24_558, "West 03-13 16:45 x225"),
        (27_201, "Ost 03-13 16:45 x226"),
    ]


def test_no_line_is_silent_for_long_while_its_platform_counts(recording: Recording, rows: Recording) -> None:
    longest = 0
    for line, counts in rows.lines.items():
        run = 0
        for row, told in zip(counts, recording.lines[line], strict=True):
            run = run + 1 if row is None and told is not None else 0
            longest = max(longest, run)
    assert longest == 51, "4 h 15 min, in the night of 7 February"


def test_the_known_outage_is_missing_on_every_line(recording: Recording) -> None:
    everything = set(recording.lines)
    assert missing_at(recording, "2024-03-13T16:40") == set()
    assert missing_at(recording, "2024-03-13T16:45") == everything
    assert missing_at(recording, "2024-03-14T03:00") == everything
    assert missing_at(recording, "2024-03-14T11:25") == everything
    assert missing_at(recording, "2024-03-14T11:30") == lines_of(recording, "Ost")
    assert missing_at(recording, "2024-03-14T11:35") == set()


def test_a_single_silent_bin_in_the_rush_hour_is_missing_on_its_platform_alone(recording: Recording) -> None:
    assert missing_at(recording, "2024-02-27T17:15") == lines_of(recording, "West")


def test_a_quiet_night_is_counted_as_nobody(recording: Recording) -> None:
    index = bin_at(recording, "2024-02-28T03:00")
    assert {counts[index] for counts in recording.lines.values()} == {BinCount(0, 0)}


def test_a_tram_that_did_not_come_is_counted_as_nobody(recording: Recording) -> None:
    assert recording.lines["Ost-VBZ"][bin_at(recording, "2024-03-06T15:40")] == BinCount(0, 0)


def test_after_the_end_of_the_recording_everything_is_missing(recording: Recording) -> None:
    assert missing_at(recording, "2024-03-19T14:10") == set()
    assert missing_at(recording, "2024-03-19T14:15") == set(recording.lines) - {"West-Nord"}
    assert missing_at(recording, "2024-03-19T14:50") == set(recording.lines)


def test_telling_quiet_from_missing_changes_no_row(recording: Recording, rows: Recording) -> None:
    for line, counts in rows.lines.items():
        assert [count for count in counts if count] == [
            told for row, told in zip(counts, recording.lines[line], strict=True) if row
        ]
