from __future__ import annotations

import os
from pathlib import Path

import pytest

from service.workers.drop_folder import DropFolder, End, FileTooLargeError, StillWrittenError


def dropped(folder: Path, name: str, content: str = "{}", modified: int = 1) -> Path:
    file = folder / name
    file.write_text(content)
    os.utime(file, (modified, modified))
    return file


def names(folder: Path) -> list[str]:
    return sorted(str(one.relative_to(folder)) for one in folder.rglob("*") if one.is_file())


def test_a_file_that_rests_is_taken_in_the_second_look(tmp_path: Path) -> None:
    dropped(tmp_path, "a.json")
    watched = DropFolder(tmp_path)
    assert watched.look() == []
    [file] = watched.look()
    assert watched.read(file, 10) == b"{}"
    assert watched.end(file, End.DONE) == tmp_path / "done" / "a.json"
    assert watched.look() == []
    assert names(tmp_path) == ["done/a.json"]


def test_a_file_that_grows_waits(tmp_path: Path) -> None:
    watched = DropFolder(tmp_path)
    for letters in range(1, 4):
        dropped(tmp_path, "a.json", "x" * letters)
        assert watched.look() == []
    assert [file.size for file in watched.look()] == [3]


def test_the_oldest_comes_first(tmp_path: Path) -> None:
    for name, modified in (("b", 3), ("a", 3), ("c", 1)):
        dropped(tmp_path, name, modified=modified)
    watched = DropFolder(tmp_path)
    watched.look()
    assert [file.name for file in watched.look()] == ["c", "a", "b"]


def test_what_is_not_written_whole_by_its_name_stays(tmp_path: Path) -> None:
    for name in (".hidden", "a.part", "b.TMP"):
        dropped(tmp_path, name)
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("/etc/hostname")
    watched = DropFolder(tmp_path)
    watched.look()
    assert watched.look() == []
    assert (tmp_path / "link").is_symlink()


def test_another_file_of_the_same_name_waits_for_the_first_and_both_are_kept(tmp_path: Path) -> None:
    watched = DropFolder(tmp_path)
    dropped(tmp_path, "a.json", "first")
    watched.look()
    [first] = watched.look()
    dropped(tmp_path, "a.json", "second")
    watched.look()
    assert watched.look() == [first]
    assert watched.read(first, 10) == b"first"
    watched.end(first, End.DONE)
    [second] = watched.look()
    watched.end(second, End.DONE)
    assert names(tmp_path) == ["done/a-2.json", "done/a.json"]


def test_a_file_that_was_claimed_by_a_process_that_is_gone_is_read_again(tmp_path: Path) -> None:
    dropped(tmp_path, "a.json")
    before = DropFolder(tmp_path)
    before.look()
    before.look()
    after = DropFolder(tmp_path)
    assert after.look() == []
    assert [file.name for file in after.look()] == ["a.json"]


def test_why_a_file_is_refused_stands_beside_it(tmp_path: Path) -> None:
    dropped(tmp_path, "a.json")
    watched = DropFolder(tmp_path)
    watched.look()
    [file] = watched.look()
    watched.end(file, End.REFUSED, "It is none.")
    assert names(tmp_path) == ["refused/a.json", "refused/a.json.why.txt"]
    assert (tmp_path / "refused" / "a.json.why.txt").read_text() == "It is none.\n"


def test_a_file_that_is_written_on_is_not_taken(tmp_path: Path) -> None:
    dropped(tmp_path, "a.json")
    watched = DropFolder(tmp_path)
    watched.look()
    [file] = watched.look()
    with (tmp_path / "taking" / "a.json").open("a") as writer:
        writer.write("more")
    with pytest.raises(StillWrittenError):
        watched.read(file, 10)
    assert watched.look() == []
    assert [file.size for file in watched.look()] == [6]


def test_a_large_file_is_not_read(tmp_path: Path) -> None:
    dropped(tmp_path, "a.json", "x" * 11)
    watched = DropFolder(tmp_path)
    watched.look()
    [file] = watched.look()
    with pytest.raises(FileTooLargeError):
        watched.read(file, 10)


def test_a_file_that_vanishes_is_not_found(tmp_path: Path) -> None:
    dropped(tmp_path, "a.json")
    watched = DropFolder(tmp_path)
    watched.look()
    [file] = watched.look()
    (tmp_path / "taking" / "a.json").unlink()
    with pytest.raises(FileNotFoundError):
        watched.read(file, 10)
