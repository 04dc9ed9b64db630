from __future__ import annotations

import subprocess
from contextlib import closing
from pathlib import Path

import pytest

from service.open_store import open_store
from service.store.sqlite.store_file import sqlite_url
from tests.forked_process import run_forked
from tests.running_postgresql import postgresql_url
from tests.running_service import ROOT
from tests.small_site import ORGANIZATION, create_small_site


def move(source: str, target: str) -> subprocess.CompletedProcess[str]:
    return run_forked(["service", "migrate-store", source, target], folder=ROOT)


def test_a_file_is_moved_into_postgresql_and_stays(tmp_path: Path) -> None:
    site = create_small_site(tmp_path)
    source, target = sqlite_url(tmp_path), postgresql_url(tmp_path)
    for _ in range(2):
        done = move(source, target)
        assert done.returncode == 0
        assert "which are the same in both" in done.stderr
    for url in (source, target):
        with closing(open_store(url)) as store:
            key = store.keys.verify(site.read_key)
            assert key is not None
            assert key.organization_id == ORGANIZATION.id


def test_a_file_that_is_in_use_is_not_moved(tmp_path: Path) -> None:
    create_small_site(tmp_path)
    source, target = sqlite_url(tmp_path), postgresql_url(tmp_path)
    with closing(open_store(source)):
        refused = move(source, target)
    assert refused.returncode == 1
    assert "end it first" in refused.stderr
    assert move(source, target).returncode == 0


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("sqlite:////nowhere/headroom.sqlite", "There is no store at"),
        ("oracle://x:secret@y", "no store of the kind"),
    ],
)
def test_what_cannot_be_moved_is_said_without_a_password(tmp_path: Path, source: str, said: str) -> None:
    done = move(source, sqlite_url(tmp_path))
    assert done.returncode == 1
    assert said in done.stdout + done.stderr
    assert "secret" not in done.stdout + done.stderr
    assert not list(tmp_path.iterdir())
