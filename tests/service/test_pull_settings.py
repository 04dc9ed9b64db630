from __future__ import annotations

import json
import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from service.pull_settings import FolderSource, PullSettings, UrlSource, read_pull_settings
from service.settings import SettingsError
from tests.running_service import ROOT

SECRET = "hunter2hunter2"
URL: dict[str, Any] = {
    "name": "door",
    "kind": "url",
    "format": "axis-3d-export",
    "url": f"http://10.0.0.5/export?key={SECRET}",
    "serial": "A1",
    "timezone": "Europe/Zurich",
    "user": "root",
    "password": SECRET,
}
FOLDER: dict[str, Any] = {"name": "drop", "kind": "folder", "format": "counts-csv", "folder": "/srv/drop"}


def read(tmp_path: Path, *sources: object, **top: object) -> PullSettings:
    file = tmp_path / "pull.json"
    file.write_text(json.dumps({"organization": "corner", "source": sources} | top))
    return read_pull_settings(file)


def test_toml_says_the_same_as_json(tmp_path: Path) -> None:
    file = tmp_path / "pull.toml"
    file.write_text(
        'organization = "corner"\n'
        '[[source]]\nname = "drop"\nkind = "folder"\nformat = "counts-csv"\nfolder = "/srv/drop"\n'
    )
    assert read_pull_settings(file) == read(tmp_path, FOLDER)


def test_what_is_left_out_has_a_default(tmp_path: Path) -> None:
    door, drop = read(tmp_path, URL, FOLDER).source
    assert isinstance(door, UrlSource)
    assert isinstance(drop, FolderSource)
    assert (door.interval, door.login) == (timedelta(minutes=5), "basic")
    assert drop.interval == timedelta(seconds=10)


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        (URL | {"kind": "ftp"}, "source 'door': "),
        (URL | {"name": "a b"}, "source 'a b': name: "),
        (URL | {"format": "acme"}, "source 'door': format: is none of axis-3d, "),
        (URL | {"serial": None}, "source 'door': format axis-3d-export needs a serial and a timezone"),
        (URL | {"format": "axis-3d"}, "source 'door': serial is only for axis-3d-export, hikvision-search"),
        (URL | {"timezone": "Zurich"}, "source 'door': timezone: is not an IANA time zone"),
        (URL | {"interval": 1}, "source 'door': interval: "),
        (URL | {"url": "ftp://host/x"}, "source 'door': url: URL scheme should be 'http' or 'https'"),
        (URL | {"url": f"http://root:{SECRET}@host/x"}, "which belong in user and password"),
        (URL | {"password": None}, "source 'door': user and password belong together"),
        (URL | {"token": SECRET}, "source 'door': token and user exclude each other"),
        (URL | {"pasword": SECRET}, "source 'door': pasword: is not a setting: look for a slip"),
        (
            URL | {"ca_file": "/nowhere.pem"},
            "source 'door': ca_file: /nowhere.pem cannot be read as PEM: No such file",
        ),
        (FOLDER | {"folder": "drop"}, "source 'drop': folder: has to be a whole path"),
        (FOLDER | {"format": "mapping"}, "source 'drop': mapping has to be there"),
        (
            FOLDER | {"format": "=Gym"},
            "the name of a mapping, after =, is 1 to 40 small letters",
        ),
        (
            FOLDER | {"format": "=axis-3d"},
            "the name of a mapping, after =, is the name of a maker",
        ),
        ({"kind": "folder"}, "source 1: name: Field required; "),
        ("door", "source 1: "),
    ],
)
def test_what_does_not_fit_is_refused_by_its_source_and_field(
    tmp_path: Path, source: object, reason: str
) -> None:
    with pytest.raises(SettingsError, match=r" Correct it and start again\.$") as told:
        read(tmp_path, source)
    assert reason in str(told.value)
    assert SECRET not in str(told.value)


@pytest.mark.parametrize(
    ("others", "reason"),
    [
        ([FOLDER, FOLDER | {"folder": "/srv/other"}], "two sources have the name 'drop'"),
        ([FOLDER, FOLDER | {"name": "other"}], "two sources have the folder '/srv/drop'"),
        ([], "source: "),
    ],
)
def test_sources_are_apart(tmp_path: Path, others: list[object], reason: str) -> None:
    with pytest.raises(SettingsError, match=reason):
        read(tmp_path, *others)


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("pull.toml", f"password = {SECRET}".encode(), r"is not TOML at line 1"),
        ("pull.json", f'{{"password": {SECRET}}}'.encode(), "is not JSON: "),
        ("pull.toml", b"\xff", "is not UTF-8 at byte 0"),
        ("pull.json", b"[]", "pull.json: "),
        ("pull.toml", None, "Cannot read"),
    ],
)
def test_a_file_that_is_none_is_refused(
    tmp_path: Path, name: str, content: bytes | None, reason: str
) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(SettingsError, match=reason) as told:
        read_pull_settings(tmp_path / name)
    assert SECRET not in str(told.value)


def test_a_password_is_in_no_text_of_the_settings(tmp_path: Path) -> None:
    settings = read(tmp_path, URL | {"url": "http://10.0.0.5/export"})
    assert SECRET not in f"{settings!r} {settings}"


def test_wrong_settings_end_the_start(tmp_path: Path) -> None:
    (tmp_path / "pull.json").write_text("{}")
    command = [sys.executable, "-m", "service", "serve", "--data-dir", str(tmp_path)]
    command += ["--pull", str(tmp_path / "pull.json")]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=60)
    assert ended.returncode == 1
    assert "organization: Field required; source: Field required" in " ".join(ended.stderr.split())
    assert "Traceback" not in ended.stderr
