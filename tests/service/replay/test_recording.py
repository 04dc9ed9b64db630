from __future__ import annotations

import gzip
from datetime import datetime
from pathlib import Path

import pytest

from service.demo_data import HARDBRUECKE
from service.replay.recording import BinCount, read_recording


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
